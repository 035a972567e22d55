r"""# A note as a value

A text is parsed once, by `read`, and becomes a `Note`: its parts in order, each with
its kind and its pieces. **Joined, the pieces are identical to the text.** The steps of
a build (translating it, resolving its links, exporting it) take a note and return one,
so that none of them parses the text again. Only the last step writes text: `Note.text`
as CommonMark, or `Note.host` for Python-Markdown, which renders the pages.

A message is a unit of translation: a paragraph, a heading, an item of a list, a cell of
a table, the title of a page. It is one line, however its lines are broken in the
source, and does not contain the addresses of links: `[words](../a.md#b)` becomes
`[words][1]`, and the address is filled in when the translation is inserted. So
translations remain valid when a page moves. A citation such as
`[the scores][txl.scores]` stays unchanged. A formula is not translated, but the words
in its `\text{…}` are messages of their own.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count
from typing import NamedTuple

import yaml

from labml_txl.literate.markdown.blocks import TAG, Layout, Leaf, blocks, texts_of_html
from labml_txl.literate.markdown.front_matter import split_front_matter
from labml_txl.literate.markdown.host import without_html, write
from labml_txl.literate.markdown.inline import (
    PICTURE,
    Piece,
    fence,
    flatten,
)
from labml_txl.literate.markdown.message import read_message

# The kinds of messages, and the words for them that translators see.
KINDS = {
    "paragraph": "paragraph",
    "heading": "heading",
    "item": "item of a list",
    "cell": "cell of a table",
    "title": "title",
    "description": "description",
    "alternative": "text for those who do not see the picture",
    "figure": "label in a figure",
    "label": "label of the site",
    "formula": "words in a formula",
}


class Link(NamedTuple):
    """A link: its end in the message, such as `][1]`, and in the text; its address."""

    number: str
    end: str
    target: str = ""


@dataclass(frozen=True)
class Part:
    """A part of a note: a block of text, or what is between two of them.

    - `pieces`: its pieces;
    - `kind`: one of `KINDS` for a block of text, otherwise that of its piece;
    - `message`: the text to translate, empty if it contains no words;
    - `links`: its links, whose addresses are not part of the message;
    - `level`, `anchor`: those of a heading; the anchor is that of `{#anchor}`;
    - `form`: the syntax of the part, `markdown` or `yaml`.
    """

    pieces: tuple[Piece, ...]
    kind: str = "marks"
    message: str = ""
    links: tuple[Link, ...] = ()
    level: int = 0
    anchor: str = ""
    form: str = "markdown"

    @property
    def raw(self) -> str:
        """The part as it is written."""
        return "".join(piece.raw for piece in self.pieces)

    @property
    def start(self) -> int:
        """Its position in the text."""
        return self.pieces[0].start if self.pieces else 0

    def with_translation(self, words: str) -> Part:
        """The part with a translation, in the syntax of the part."""
        words = join_lines(words)
        if self.form == "yaml":
            # A JSON string is valid YAML, whatever quotes and colons it contains.
            return self.with_text(json.dumps(words, ensure_ascii=False), kind="yaml")
        if self.kind == "alternative":
            image = self.pieces[0]
            # In the text, each line below the first may be indented.
            last = image.body.rpartition("\n")[2]
            end = image.raw.index(f"{last}]", 2) + len(last)
            raw = f"![{words}{image.raw[end:]}"
            image = replace(image, raw=raw, body=words, host=None)
            return replace(self, pieces=(image, *self.pieces[1:]))
        pieces = [*map(self._with_address, read_message(words).pieces)]
        if any(piece.kind == "text" and "![" in piece.raw for piece in pieces):
            # Only with its address, a picture within words is one.
            whole = "".join(piece.raw for piece in pieces)
            pieces = [*read_message(whole).pieces]
        return replace(
            self, pieces=tuple(replace(piece, start=self.start) for piece in pieces)
        )

    def _with_address(self, piece: Piece) -> Piece:
        """A piece of a translation with the addresses of the links of this part."""
        raw, target = piece.raw, piece.target
        for link in self.links:
            if link.number in raw:
                raw, target = raw.replace(link.number, link.end), link.target
        if raw == piece.raw:
            return piece
        if piece.kind == "citation":
            return replace(piece, kind="link", raw=raw, target=target)
        return replace(piece, raw=raw, body=raw)

    def with_text(self, raw: str, kind: str = "own") -> Part:
        """The part with one piece in place of its own."""
        return replace(self, pieces=(Piece(kind, raw, raw, "", self.start),))


@dataclass(frozen=True)
class Note:
    """A text that was parsed: its parts, and the text that they were read from."""

    parts: tuple[Part, ...] = ()
    source: str = ""

    def __bool__(self) -> bool:
        return bool(self.parts)

    @cached_property
    def text(self) -> str:
        """The note as CommonMark; unchanged, it is the text that it was read from."""
        return "".join(part.raw for part in self.parts)

    @property
    def pieces(self) -> Iterator[Piece]:
        """All pieces, in order."""
        return (piece for part in self.parts for piece in part.pieces)

    @property
    def messages(self) -> Iterator[str]:
        """The messages to translate."""
        return (part.message for part in self.parts if part.message)

    def line_of(self, position: int) -> int:
        """The line of a position in the text that the note was read from, from 0."""
        return self.source.count("\n", 0, position)

    def map(self, change: Callable[[Piece], Piece]) -> Note:
        """The note with each piece replaced by the result of `change`."""
        return self.map_parts(
            lambda part: replace(part, pieces=tuple(map(change, part.pieces)))
        )

    def map_parts(self, change: Callable[[Part], Part]) -> Note:
        """The note with each part replaced by the result of `change`."""
        return replace(self, parts=tuple(map(change, self.parts)))

    def cut(self, position: int) -> Note:
        """The parts before a position of `text`."""
        parts, length = list[Part](), 0
        for part in self.parts:
            if length >= position:
                break
            parts.append(part)
            length += len(part.raw)
        return replace(self, parts=tuple(parts))

    @property
    def head(self) -> Note:
        """The front matter."""
        return replace(self, parts=tuple(p for p in self.parts if p.form == "yaml"))

    @property
    def body(self) -> Note:
        """The note without front matter."""
        return replace(self, parts=tuple(p for p in self.parts if p.form != "yaml"))

    @property
    def host(self) -> str:
        """The note as Python-Markdown must read it to show what CommonMark says."""
        return "".join(
            write(part.pieces, part.kind in KINDS, part.kind == "heading")
            if part.form == "markdown"
            else part.raw
            for part in self.parts
        )

    # The heading at its beginning

    @property
    def opening(self) -> Part | None:
        """The heading at the beginning of the note, if there is one."""
        for part in self.body.parts:
            if part.kind == "heading":
                return part
            if not _ANCHOR.fullmatch(part.raw):
                return None
        return None

    @property
    def title(self) -> Part | None:
        """The heading of the first level at its beginning, if there is one."""
        found = self.opening
        return found if found and found.level == 1 else None

    @property
    def untitled(self) -> Note:
        """The note without front matter, title and the blank lines below it."""
        return self.body.without(self.title) if self.title else self.body

    def without(self, heading: Part) -> Note:
        """The note without one of its headings and the blank lines below it."""
        place = self.parts.index(heading)
        before, after = self.parts[:place], self.parts[place + 1 :]
        if before and before[-1].kind == "marks":
            before = before[:-1]
        if not any(part.message or "<" in part.raw for part in before):
            before = ()
        if not after or after[0].kind != "marks":
            return replace(self, parts=(*before, *after))
        marks, rest = after[0].raw, after[1:]
        # The end of the line, and the line below it.
        below = marks.partition("\n")[2].splitlines(keepends=True)
        if below and set(below[0].strip()) == {"="}:
            del below[0]
        while below and not below[0].strip():
            del below[0]
        kept = "".join(below)
        start = after[0].start + len(marks) - len(kept)
        if before:
            kept = f"\n\n{kept}"
        if not kept:
            return replace(self, parts=rest)
        first = Part((Piece("marks", kept, kept, "", start),))
        return replace(self, parts=(*before, first, *rest))


# What may be above a heading at the beginning: blanks, its marks, anchors.
_ANCHOR = re.compile(r"[\s#]*(?:<a\s[^<>]*>\s*</a>[\s#]*)*")


def read(text: str) -> Note:
    """Parse a text, including its front matter."""
    head, body = split_front_matter(text)
    parts = (*_front_matter(head), *_parts(body, len(head)))
    return Note(tuple(part for part in parts if part.pieces), text)


@lru_cache(maxsize=2_000)
def read_once(text: str) -> Note:
    """Parse a short text that several ask for: a title in all languages, a comment."""
    return read(text)


# From blocks to parts


def _parts(text: str, offset: int, *, indented: bool = True) -> Iterator[Part]:
    leaves, layout = blocks(text, indented=indented)
    position = 0
    for leaf in leaves:
        start, end = leaf.places[0].start, leaf.places[-1].stop
        if start > position:
            yield _make_gap(text, position, start, layout, offset, leaf)
        line = bisect_right(layout.starts, start) - 1
        if leaf.kind in {"fence", "indented", "drawing", "display", "include"}:
            yield _solid(text, leaf, line, layout, offset)
        elif leaf.kind == "html":
            yield from _html(text, start, end, offset)
        else:
            yield from _block(text, leaf, layout.follow[line], offset)
        position = end
    if position < len(text):
        yield _make_gap(text, position, len(text), layout, offset)


def _make_gap(
    text: str,
    start: int,
    end: int,
    layout: Layout,
    offset: int,
    leaf: Leaf | None = None,
) -> Part:
    """The marks, blank lines and definitions between two blocks."""
    line = bisect_right(layout.starts, start) - 1
    host = ""
    while line < len(layout.starts) and layout.starts[line] < max(end, 1):
        first, begin, last = layout.starts[line], layout.begins[line], layout.ends[line]
        content = text[max(begin, start) : min(last, end)]
        if (first >= start and first < end) or first == start == 0:
            if line in layout.apart:
                host += f"{layout.apart[line].rstrip()}\n"
            prefix = layout.prefix[line]
            host += prefix if text[begin:last].strip() else prefix.rstrip()
        if last >= end and leaf and leaf.kind not in {"indented", "drawing", "cell"}:
            content = content.lstrip(" ") if begin >= start else content
        host += content
        if last < end:
            host += "\n"
        line += 1
    raw = text[start:end]
    return Part((Piece("marks", raw, raw, "", offset + start, host),))


def _solid(text: str, leaf: Leaf, line: int, layout: Layout, offset: int) -> Part:
    """Code, a formula on lines of its own, or an include."""
    start, end = leaf.places[0].start, leaf.places[-1].stop
    raw, follow = text[start:end], layout.follow[line]
    rows = [text[place.start : place.stop] for place in leaf.places]
    indent = len(rows[0]) - len(rows[0].lstrip(" "))
    host, body = None, "\n".join(rows)
    if leaf.kind == "fence":
        rows = [row[min(indent, len(row) - len(row.lstrip(" "))) :] for row in rows]
        last = line + len(rows) - 1
        if last in layout.closed:
            rows = [*rows, layout.closed[last]]
        body = "\n".join(rows[1:-1])
        rows[0] = _fence_line(rows[0], is_data(rows))
        host = _lines(rows, follow)
    elif leaf.kind == "indented":
        host = without_html(_lines(rows, follow))
    elif leaf.kind == "drawing":
        mark = fence(body)
        host = _lines([f"{mark}text", *rows, mark], follow)
    elif leaf.kind == "display":
        rows = [row.strip() for row in rows if row.strip()]
        opened, closed = ("$$", "$$") if leaf.info == "$$" else ("\\[", "\\]")
        if leaf.info == "\\begin":
            body = "\n".join(rows)
            rows = ["$$", *rows, "$$"]
        else:
            whole = "\n".join(rows).removeprefix(opened).removesuffix(closed)
            body = whole
            rows = [line for line in f"$${whole}$$".split("\n") if line.strip()]
        # Python-Markdown wants blank lines around it.
        above = "\n\n" if follow and not follow.strip() else "\n"
        host = f"{above}{follow}{_lines(rows, follow)}\n"
    elif leaf.kind == "include":
        body = leaf.info
    kind = "fence" if leaf.kind == "indented" else leaf.kind
    return Part((Piece(kind, raw, body, "", offset + start, host),), kind)


def _lines(rows: list[str], prefix: str) -> str:
    return "\n".join(
        (prefix + row if row.strip() else prefix.rstrip()) if n else row
        for n, row in enumerate(rows)
    )


# The words after the fence that pymdownx.superfences accepts.
_OPTION = r"""[ \t]+\w+=(?:"[^"\n]*"|'[^'\n]*')"""
_OPTIONS = re.compile(rf"[ \t]*\.?[\w#.+-]*(?:[ \t]*\{{[^\n]*\}}|(?:{_OPTION})*)[ \t]*")


# Blocks with more characters, or with more in a line, are data that nobody reads. They
# are not highlighted, because Pygments would take up to minutes for some of them.
LARGE, LONG = 50_000, 2_000


def is_data(lines: Sequence[str]) -> bool:
    """Whether a block of code with these lines is data, which is not highlighted."""
    return len("\n".join(lines)) > LARGE or any(len(line) > LONG for line in lines)


def _fence_line(line: str, data: bool) -> str:
    """The opening of a block of code, with a language and options that pages know.

    If the block is `data`, it has no language.
    """
    mark = line[: len(line) - len(line.lstrip(line[0]))]
    info = line[len(mark) :]
    if data:
        return mark
    if _OPTIONS.fullmatch(info):
        return line
    language = re.match(r"[\w#.+-]+", info.strip())
    return f"{mark}{language[0] if language else ''}"


def _html(text: str, start: int, end: int, offset: int) -> Iterator[Part]:
    position, html = start, text[start:end]
    for place in texts_of_html(html):
        first, last = start + place.start, start + place.stop
        words = tuple(
            replace(piece, start=piece.start + offset + first)
            for piece in read_message(text[first:last]).pieces
        )
        message, links = _message(words)
        if message:
            if first > position:
                yield _make_html(text[position:first], offset + position)
            yield Part(words, "paragraph", message, links)
            position = last
    if position < end:
        yield _make_html(text[position:end], offset + position)


def _make_html(raw: str, start: int) -> Part:
    return Part((Piece("html", raw, raw, "", start),), kind="html")


def _block(text: str, leaf: Leaf, follow: str, offset: int) -> Iterator[Part]:
    """The parts of a block of text: its messages, and the tags around them."""
    content = "\n".join(text[place.start : place.stop] for place in leaf.places)
    pieces = read_message(content).pieces
    kind, level, anchor = leaf.kind, leaf.level, ""
    end = len(content)
    if kind == "heading" and (given := _ATTRIBUTES_OF_HEADING.search(content)):
        named = re.search(r"#([\w.:-]+)", given[1])
        anchor, end = named[1] if named else "", given.start()
    messages = [*_messages(content, pieces, end)]
    source = _Source(text, leaf.places, content, follow, offset)
    position = 0
    for first, last in messages:
        if first > position:
            yield Part(source.pieces(pieces, position, first))
        inside = source.pieces(pieces, first, last)
        name = kind
        if PICTURE.fullmatch(content, first, last):
            name = "alternative"
        message, links = _message(inside, alone=name == "alternative")
        yield Part(inside, name, message, links, level, anchor)
        position = last
    if position < len(content):
        yield Part(source.pieces(pieces, position, len(content)))


_ATTRIBUTES_OF_HEADING = re.compile(r"[ ]*\{:?[ ]*([#.][^{}]*)\}[ ]*\Z")
_TAG = re.compile(TAG)
_ATTRIBUTES = re.compile(r"\{:[^{}\n]*\}\Z")


def _messages(
    content: str, pieces: Iterable[Piece], end: int
) -> Iterator[tuple[int, int]]:
    """The positions of the messages of a block.

    Tags of blocks and attributes around the words do not belong to a message, and a
    hard line break separates two.
    """
    start = _skip_blanks(content, 0, end)
    while tag := _TAG.match(content, start, end):
        start = _skip_blanks(content, tag.end(), end)
    end = _strip_blanks(content, start, end)
    while content[end - 1 : end] == ">" and end > start:
        first = content.rfind("<", start, end)
        if first < 0 or not _TAG.fullmatch(content, first, end):
            break
        end = _strip_blanks(content, start, first)
    if content[end - 1 : end] == "}":
        first = content.rfind("{", start, end)
        if first > start and _ATTRIBUTES.match(content, first, end):
            end = _strip_blanks(content, start, first)
    position = start
    for piece in pieces:
        if piece.kind != "text" or "\n" not in piece.raw:
            continue
        for line in re.finditer("\n", piece.raw):
            at = piece.start + line.start()
            if content[max(at - 2, 0) : at] == "  " and position < at < end:
                yield position, _strip_blanks(content, position, at)
                position = _skip_blanks(content, at, end)
    if position < end:
        yield position, end


def _skip_blanks(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _strip_blanks(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


class _Source:
    """Finds what is at a position of a block in the text of the note."""

    def __init__(
        self,
        text: str,
        places: tuple[range, ...],
        content: str,
        follow: str,
        offset: int,
    ) -> None:
        self._text, self._places, self._content = text, places, content
        self._follow, self._offset = follow, offset
        starts, position = [], 0
        for place in places:
            starts.append(position)
            position += len(place) + 1
        self._starts = starts

    def _position(self, at: int) -> int:
        line = bisect_right(self._starts, at) - 1
        return self._places[line].start + at - self._starts[line]

    def pieces(
        self, pieces: Iterable[Piece], start: int, end: int
    ) -> tuple[Piece, ...]:
        """The pieces between two positions of the content, as the text has them."""
        found = []
        for piece in pieces:
            first, last = (
                max(piece.start, start),
                min(piece.start + len(piece.raw), end),
            )
            if first >= last:
                continue
            flat = self._content[first:last]
            begin = self._position(first)
            if len(self._places) == 1:
                stop = begin + len(flat)
            elif flat[-1] == "\n":
                stop = self._position(last)
            else:
                stop = self._position(last - 1) + 1
            raw = self._text[begin:stop]
            whole = flat == piece.raw
            host = None
            if "\n" in flat:
                host = flat.replace("\n", f"\n{self._follow}")
            found.append(
                replace(
                    piece,
                    raw=raw,
                    body=piece.body if whole else flat,
                    start=self._offset + begin,
                    host=host,
                )
            )
        return tuple(found)


# Messages


def join_lines(text: str) -> str:
    """The text on one line, without the marks of a quotation."""
    if "\n" not in text:
        return text.strip()
    first, *rest = text.split("\n")
    lines = [first.strip(), *(line.lstrip(" \t>").strip() for line in rest)]
    return " ".join(filter(None, lines))


def _message(
    pieces: tuple[Piece, ...], *, alone: bool = False
) -> tuple[str, tuple[Link, ...]]:
    """The message of a block, and its links; empty if without words.

    Numbers that the message already contains, as in `[words][1]`, are not used.
    """
    if alone:
        words = join_lines(pieces[0].body)
        return (words if has_words(read_message(words).pieces) else "", ())
    if not has_words(pieces):
        return "", ()
    written = "".join(piece.raw for piece in pieces)
    taken = set(re.findall(r"\]\[(\d+)\]", written)) if "][" in written else set()
    numbers = (n for n in map(str, count(1)) if n not in taken)
    links: list[Link] = []

    def short(opening: str, written: str, target: str = "") -> str:
        links.append(Link(f"{opening}[{next(numbers)}]", written, target))
        return links[-1].number

    changed = ""
    for piece in pieces:
        if piece.kind in {"link", "image"}:
            words, _, address = piece.raw.rpartition("](")
            end = f"]({join_lines(address)}"
            changed += f"{words}{short(']', end, piece.target)}"
        elif piece.kind == "text" and "<" in piece.raw:
            changed += _AUTOLINK.sub(lambda m: short("[]", m[0]), piece.raw)
        else:
            changed += piece.raw
    return join_lines(changed), tuple(links)


_AUTOLINK = re.compile(r"<(?:https?://[^\s<>]+|[\w.+-]+@[\w.-]+)>")
_SOLID = {"code", "math", "display", "fence", "include", "address", "own"}
# What is written next to a number.
_UNITS = frozenset({"B", "KB", "MB", "GB", "TB", "kB", "KiB", "MiB", "GiB", "TiB"})
_UNITS |= {"ms", "µs", "min", "bit", "bits"}
# A single Latin letter is a symbol, as in `(a)`. A name with `_` or a digit is code.
_WORD = re.compile(r"(?<![\w.])(?:[A-Za-z]{2,}(?!\w)|[A-Za-z]*[^\W\d_A-Za-z])")
_HIDDEN = re.compile(r"<[^<>]+>|\[[\w.-]+\]|\{[^{}]*\}|https?://\S+")


def has_words(pieces: Iterable[Piece]) -> bool:
    """Whether a text contains words, and not only formulas, code and numbers."""
    flat = flatten(_remove_badges([*pieces]))
    text = "".join(" " if p.kind in _SOLID else p.body for p in flat)
    words = set(_WORD.findall(_HIDDEN.sub(" ", text)))
    numbers = words <= _UNITS and any(sign.isdigit() for sign in text)
    return bool(words) and not numbers


def _remove_badges(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces without pictures that are the whole text of a link."""
    for before, piece, after in zip(
        [None, *pieces], pieces, [*pieces[1:], None], strict=False
    ):
        linked = before and before.raw.endswith("[") and after
        if piece.kind != "image" or not (
            linked and after and after.raw.startswith(("](", "]["))
        ):
            yield piece


# Words in formulas


# In an index, they are a name.
_TEXT = re.compile(
    r"(?<![_^])(?<![_^]\{)(\\(?:text|mbox|textrm|textnormal)\{\s*)([^\\{}$]*?)(?=\s*\})"
)
# A word without capitals, or several words.
_PLAIN = re.compile(r"[^\W\d_A-Z]{2,}|(?=.*[^\W\d_]{2}).*\s.*", re.DOTALL)


def words_in(tex: str) -> list[str]:
    r"""The words in the `\text{…}` of a formula that can be translated, in order."""
    return [m[2] for m in _TEXT.finditer(tex) if _PLAIN.fullmatch(m[2])]


def replace_words(tex: str, change: Callable[[str], str]) -> str:
    r"""A formula with `change` applied to each of the words in its `\text{…}`."""
    return _TEXT.sub(
        lambda m: m[1] + (change(m[2]) if _PLAIN.fullmatch(m[2]) else m[2]), tex
    )


# Front matter


_FIELD = re.compile(
    r"^(title|description|summary):[ ]*(.*(?:\n[ ]+.*)*)$", re.MULTILINE
)


def _front_matter(head: str) -> Iterator[Part]:
    def make_part(start: int, end: int) -> Part:
        raw = head[start:end]
        return Part((Piece("marks", raw, raw, "", start),), form="yaml")

    position = 0
    for match in _FIELD.finditer(head):
        try:
            value = yaml.load(match[0], yaml.BaseLoader)[match[1]]
        except yaml.YAMLError:
            value = match[2]  # In labml's format, titles may contain colons.
        message = " ".join(value.split()) if isinstance(value, str) else ""
        if has_words(read_message(message).pieces):
            yield make_part(position, match.start(2))
            piece = Piece("yaml", match[2], message, "", match.start(2))
            yield Part((piece,), match[1], message, form="yaml")
            position = match.end(2)
    if position < len(head):
        yield make_part(position, len(head))


# Texts that are no notes yet


def pieces_of(text: str, *, moved: bool = False) -> tuple[Piece, ...]:
    """The pieces of a text of several blocks.

    If the text is indented as a whole (`moved`), indented lines are not code.
    """
    return tuple(
        piece for part in _parts(text, 0, indented=not moved) for piece in part.pieces
    )


def replace_outside_code(
    pattern: re.Pattern[str],
    change: Callable[[re.Match[str]], str],
    text: str,
) -> str:
    """The text with the matches of a pattern replaced, except for those in code."""
    if not pattern.search(text):
        return text
    pieces = pieces_of(text)
    solid = [p for p in pieces if p.kind in {"fence", "drawing", "code"}]
    starts = [piece.start for piece in solid]

    def replace_match(match: re.Match[str]) -> str:
        n = bisect_right(starts, match.start()) - 1
        within = n >= 0 and match.start() < starts[n] + len(solid[n].raw)
        return match[0] if within else change(match)

    return pattern.sub(replace_match, text)


_ITEM = re.compile(r"[ ]{0,3}(?:[-+*]|\d+\.)[ ]")
_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\n]+)*")


def find_items(text: str) -> Callable[[int], bool]:
    """A function that says whether indented lines at a position belong to an item.

    They do if an item begins the last paragraph before them that is not indented.
    """
    starts, within, inside = list[int](), list[bool](), False
    for match in _PARAGRAPH.finditer(text):
        paragraph = match[0]
        if not paragraph.startswith("    "):
            inside = bool(_ITEM.match(paragraph))
        if words := paragraph.lstrip():
            starts.append(match.end() - len(words))
            within.append(inside)

    def is_inside(position: int) -> bool:
        n = bisect_left(starts, position)
        return n > 0 and within[n - 1]

    return is_inside
