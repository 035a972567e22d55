r"""# Reading a message with its marks

A message is a paragraph or a heading, in Markdown or in HTML. The lint must know what
in it are words and what are formulas, code, links and marks. This module reads a
message once, from left to right. It notes where the marks do not fit together.

The reading keeps the words with two signs of its own: one where an object stood (a
formula, code, a placeholder), one where a mark began or ended.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from labml_txl.literate.markdown.tokens import (
    ATTRIBUTE,
    BLOCKS,
    EDGE,
    FRAMES,
    OBJECT,
    PARENTS,
    PHRASES,
    SAME,
    TEX,
    TOKEN,
    URL,
    VOID,
)


@dataclass(frozen=True)
class Link:
    """A link: where it leads, and its words with the objects among them."""

    target: str
    words: str


@dataclass(frozen=True)
class Fault:
    """A mark that fits nothing: the code of the finding and words about it."""

    code: str
    message: str


@dataclass(frozen=True)
class Reading:
    """What a message holds.

    - `objects`: formulas, code, placeholders and images in their order, each as its
      kind and its text, spaces in formulas left out;
    - `links`: the links in the order in which they end;
    - `tags`: how often each mark occurs, such as `"p"`, `"em"` or `"strong"`;
    - `blocks`: the words of each block with the name of its tag; Markdown is one block;
    - `faults`: where the marks do not fit together;
    - `written`: the message itself, the code in it left out.
    """

    objects: tuple[tuple[str, str], ...]
    links: tuple[Link, ...]
    tags: Counter[str]
    blocks: tuple[tuple[str, str], ...]
    faults: tuple[Fault, ...]
    written: str

    @property
    def words(self) -> str:
        """All words of the message, its blocks apart."""
        return "\n".join(words for _, words in self.blocks)


def tokens_of(tex: str) -> str:
    """A formula without the spaces that mean nothing, its tokens apart."""
    return " ".join(TEX.findall(tex))


@lru_cache(maxsize=4096)
def read_message(message: str, markdown: bool = True) -> Reading:
    """Read a message.

    Without `markdown`, stars, brackets and backticks are words, as they are in HTML.
    """
    reader = _Reader(message, markdown)
    for match in TOKEN.finditer(message):
        reader.take(match)
    return reader.finish()


class _Reader:
    """Takes the tokens of one message, one after another."""

    def __init__(self, message: str, markdown: bool) -> None:
        self.markdown = markdown
        self.message = message
        self.objects: list[tuple[str, str]] = []
        self.links: list[Link] = []
        self.tags: Counter[str] = Counter()
        self.faults: list[Fault] = []
        self.blocks: list[tuple[str, str]] = []
        self.block = ""
        self.words: list[str] = []
        self.written: list[str] = []
        self.stack: list[tuple[str, int, str]] = []  # tag, first word, target
        self.marks: list[str] = []
        self.brackets: list[tuple[int, bool, int]] = []
        self.loose: list[tuple[str, str]] = []

    def take(self, match: re.Match[str]) -> None:
        """Take the next token. The group that ends last is the outermost: its kind."""
        kind, raw = match.lastgroup or "other", match[0]
        if kind in {"text", "other"} or (kind == "code" and not self.markdown):
            self._say(raw)
        else:
            getattr(self, f"_{kind}")(match, raw)
        if kind != "code":
            self.written.append(raw)

    # Words and objects

    def _say(self, text: str) -> None:
        if not text.isspace():
            self._place(text.strip())
            if "://" in text and not self._linked():
                self.links += [Link(found, found) for found in URL.findall(text)]
                text = URL.sub(OBJECT, text)
            if "&" in text:
                text = html.unescape(text)
        self.words.append(text)

    def _linked(self) -> bool:
        return bool(self.brackets) or any(tag == "a" for tag, *_ in self.stack)

    def _place(self, text: str) -> None:
        """Note words that stand between blocks."""
        for tag, *_ in reversed(self.stack):
            if tag in BLOCKS:
                if tag in FRAMES:
                    self.loose.append((text, tag))
                return
        self.loose.append((text, ""))

    def _object(self, kind: str, text: str) -> None:
        self.objects.append((kind, text))
        self._place(text)
        self.words.append(OBJECT)

    def _code(self, match: re.Match[str], raw: str) -> None:
        self._object("code", " ".join(match["inner"].split()))

    def _escape(self, match: re.Match[str], raw: str) -> None:
        self._say(raw[1:])

    def _display(self, match: re.Match[str], raw: str) -> None:
        self._object("formula", f"$${tokens_of(match['big'] or match['square'])}$$")

    def _math(self, match: re.Match[str], raw: str) -> None:
        self._object("formula", f"${tokens_of(match['small'] or match['round'])}$")

    def _wrapped(self, match: re.Match[str], raw: str) -> None:
        self._object("placeholder", match["number"])

    def _bare(self, match: re.Match[str], raw: str) -> None:
        self._object("placeholder", raw)
        self.tags["placeholder outside <span translate=no>"] += 1

    def _comment(self, match: re.Match[str], raw: str) -> None:
        self.tags["comment"] += 1

    def _auto(self, match: re.Match[str], raw: str) -> None:
        self.links.append(Link(raw[1:-1], raw[1:-1]))
        self._place(raw)
        self.words.append(OBJECT)

    def _include(self, match: re.Match[str], raw: str) -> None:
        self._object("code", raw)

    def _attributes(self, match: re.Match[str], raw: str) -> None:
        if self.markdown:
            self.objects.append(("attributes", raw))
        else:
            self._say(raw)

    def _stray(self, match: re.Match[str], raw: str) -> None:
        if raw in "<>":
            self.tags[f"stray {raw}"] += 1
        elif self.markdown:
            self.tags[f"lone {raw}"] += 1
        self._say(raw)

    # Links and marks of Markdown

    def _image(self, match: re.Match[str], raw: str) -> None:
        self.brackets.append((len(self.words), True, len(self.links)))
        self.words.append(EDGE if self.markdown else raw)

    def _open(self, match: re.Match[str], raw: str) -> None:
        self.brackets.append((len(self.words), False, len(self.links)))
        self.words.append(raw)

    def _close(self, match: re.Match[str], raw: str) -> None:
        if self.brackets:
            self.brackets.pop()
        else:
            self.tags["lone ]"] += 1
        self.words.append(raw)

    def _goes(self, match: re.Match[str], raw: str) -> None:
        if not self.markdown:
            self.words.append(raw)
            if self.brackets:
                self.brackets.pop()
            return
        if not self.brackets:
            self.faults.append(Fault("link", f"{raw} closes a link that never opened"))
            return
        start, image, links = self.brackets.pop()
        address, key = match["address"], match["key"]
        target = f"[{key}]" if address is None else address.strip("<>")
        words = "".join(self.words[start + 1 :]).replace(EDGE, "")
        self.words[start] = EDGE
        self.words.append(EDGE)
        if image:
            self.objects.append(("image", target))
            return
        if len(self.links) > links:
            self.faults.append(
                Fault("nested-link", f"the link to {target} holds another link")
            )
        self.links.append(Link(target, words))

    def _stars(self, match: re.Match[str], raw: str) -> None:
        self._emphasis(match, raw)

    def _lines(self, match: re.Match[str], raw: str) -> None:
        self._emphasis(match, raw)

    def _emphasis(self, match: re.Match[str], raw: str) -> None:
        if not self.markdown:
            self.words.append(raw)
            return
        before = self.message[: match.start()][-1:] or " "
        after = self.message[match.end() : match.end() + 1] or " "
        if self.marks and self.marks[-1] == raw and not before.isspace():
            self.marks.pop()
            for name in {1: ("em",), 2: ("strong",), 3: ("em", "strong")}[len(raw)]:
                self.tags[name] += 1
            self.words.append(EDGE)
        elif not after.isspace():
            self.marks.append(raw)
            self.words.append(EDGE)
        else:
            self.words.append(raw)

    # Tags

    def _tag(self, match: re.Match[str], raw: str) -> None:
        name = match["name"].lower()
        name = SAME.get(name, name)
        if name in BLOCKS and name not in FRAMES:
            self._end_block()
            self.block = "" if match["slash"] else name
        else:
            self.words.append("\n" if name == "br" else EDGE)
        if match["slash"]:
            self._shut(name)
        else:
            self._begin(name, match["rest"])

    def _begin(self, name: str, rest: str) -> None:
        self.tags[name] += 1
        names = [tag for tag, *_ in self.stack]
        attributes = {
            key.lower(): html.unescape(one or two or three)
            for key, one, two, three in ATTRIBUTE.findall(rest)
        }
        if name in VOID:
            if name == "img":
                self._object("image", attributes.get("src", ""))
            return
        if name == "a" and "a" in names:
            target = attributes.get("href", "")
            self.faults.append(
                Fault("nested-link", f"the link to {target} stands within a link")
            )
        parent = names[-1] if names else ""
        if name in PARENTS and parent not in PARENTS[name]:
            wanted = " or ".join(f"<{tag}>" for tag in sorted(PARENTS[name]))
            code = "list" if name in {"li", "dt", "dd"} else "markup"
            self.faults.append(Fault(code, f"<{name}> stands outside {wanted}"))
        if name in BLOCKS and parent and (parent in PHRASES or parent not in BLOCKS):
            self.faults.append(Fault("markup", f"<{name}> stands within <{parent}>"))
        self.stack.append((name, len(self.words), attributes.get("href", "")))

    def _shut(self, name: str) -> None:
        if name not in (tag for tag, *_ in self.stack):
            self.faults.append(Fault("markup", f"</{name}> closes nothing"))
            return
        while self.stack:
            tag, start, target = self.stack.pop()
            if tag == "a":
                words = "".join(self.words[start:]).replace(EDGE, "")
                self.links.append(Link(target, words))
            if tag == "code":
                code = "".join(self.words[start:]).replace(EDGE, "")
                self.words[start:] = [OBJECT]
                self.objects.append(("code", " ".join(code.split())))
            if tag == name:
                return
            self.faults.append(
                Fault("markup", f"</{name}> stands where </{tag}> must close first")
            )

    def _end_block(self) -> None:
        words = "".join(self.words)
        if words.strip(f" \n\t{EDGE}") or self.block:
            self.blocks.append((self.block, words))
        # Words of an open link that spans blocks stay with the block they stand in.
        self.stack = [(tag, 0, target) for tag, _, target in self.stack]
        self.brackets = [(0, image, links) for _, image, links in self.brackets]
        self.words = [EDGE]

    def finish(self) -> Reading:
        self._end_block()
        for tag, *_ in self.stack:
            self.faults.append(Fault("markup", f"<{tag}> is never closed"))
        for mark in self.marks:
            self.faults.append(Fault("emphasis", f"{mark} is never closed"))
        if self.brackets and self.markdown:
            self.tags["lone ["] += len(self.brackets)
        held = any(name in BLOCKS for name in self.tags)
        for text, frame in self.loose:
            if frame or held:
                place = f"in <{frame}>, outside its parts" if frame else "in no block"
                self.faults.append(Fault("outside", f"“{text[:20]}” stands {place}"))
        return Reading(
            tuple(self.objects),
            tuple(self.links),
            self.tags,
            tuple(self.blocks),
            tuple(self.faults),
            "".join(self.written),
        )
