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

# Neither sign is part of any text.
OBJECT = "\ufffc"
EDGE = "\x00"


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


_BLOCK_TAGS = "address blockquote dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li"
BLOCKS = frozenset(
    f"{_BLOCK_TAGS} ol p pre section table tbody td tfoot th thead tr ul".split()
)
# These hold other blocks and no words of their own.
_FRAMES = {"ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "tr"}
# A block within one of these ends it.
_PHRASES = {"p", "h1", "h2", "h3", "h4", "h5", "h6"}
_PARENTS = {
    "li": {"ul", "ol"},
    "dt": {"dl"},
    "dd": {"dl"},
    "tr": {"table", "thead", "tbody", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
}
_VOID = {"br", "hr", "img", "input", "wbr", "source", "col"}
_SAME = {"b": "strong", "i": "em"}

_HTML = re.compile(
    r"</(?:p|h[1-6]|[uo]l|li|a|em|strong|span|code|div|table|t[dhr]|pre|blockquote)\s*>"
    r"|<(?:p|h[1-6]|[uo]l|li)>|<a\s+href",
    re.IGNORECASE,
)


def is_html(message: str) -> bool:
    """Whether a message is written in HTML rather than in Markdown."""
    return "<" in message and _HTML.search(message) is not None


# The first line takes what cannot begin anything, so that the rest is rarely tried.
_TOKEN = re.compile(
    r"""
    (?P<text> [^`\\$<>\[\]!{*_]+ )
    | (?P<code> (?P<ticks>`+)(?!`) (?P<inner>.+?) (?<!`)(?P=ticks)(?!`) )
    | (?P<escape> \\[!-/:-@\[-`{-~] )
    | (?P<display> \$\$ (?P<big>.+?) \$\$ )
    | (?P<math> \$(?!\s) (?P<small>(?:\\.|[^\\$])+?) (?<!\s)\$ )
    | (?P<wrapped> <span\s+translate=["']?no["']?\s*>\s*
        (?P<number>_\^_\d+_\^_)\s*</span> )
    | (?P<bare> _\^_\d+_\^_ )
    | (?P<comment> <!--.*?--> )
    | (?P<auto> <(?:https?://|mailto:)[^<>\s]+> )
    | (?P<tag> <(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9]*)
        (?P<rest>(?:\s(?:"[^"]*"|'[^']*'|[^<>"'])*)?)/?> )
    | (?P<image> !\[ )
    | (?P<goes> \]\(\s*(?P<address><[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)
        (?:\s+"[^"]*")?\s*\) | \]\[(?P<key>[^\[\]]*)\] )
    | (?P<open> \[ )
    | (?P<close> \] )
    | (?P<include> \{\{\s*[\w.-]+\s*\}\} )
    | (?P<attributes> \{:?\s*[#.][^{}\n]*\} )
    | (?P<stars> \*{1,3} )
    | (?P<lines> (?<![^\W_])_{1,2}(?=[^\s_]) | (?<=[^\s_])_{1,2}(?![^\W_]) )
    | (?P<stray> [`$<>] )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_TEX = re.compile(r"\\[A-Za-z]+|\\.|\S", re.DOTALL)
_URL = re.compile(r"https?://[!-~]+?(?=[.,;:!?)\]]*(?:[^!-~]|$))")


def tokens_of(tex: str) -> str:
    """A formula without the spaces that mean nothing, its tokens apart."""
    return " ".join(_TEX.findall(tex))


@lru_cache(maxsize=4096)
def read_message(message: str, markdown: bool = True) -> Reading:
    """Read a message.

    Without `markdown`, stars, brackets and backticks are words, as they are in HTML.
    """
    reader = _Reader(message, markdown)
    for match in _TOKEN.finditer(message):
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
                self.links += [Link(found, found) for found in _URL.findall(text)]
                text = _URL.sub(OBJECT, text)
            if "&" in text:
                text = html.unescape(text)
        self.words.append(text)

    def _linked(self) -> bool:
        return bool(self.brackets) or any(tag == "a" for tag, *_ in self.stack)

    def _place(self, text: str) -> None:
        """Note words that stand between blocks."""
        for tag, *_ in reversed(self.stack):
            if tag in BLOCKS:
                if tag in _FRAMES:
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
        self._object("formula", f"$${tokens_of(match['big'])}$$")

    def _math(self, match: re.Match[str], raw: str) -> None:
        self._object("formula", f"${tokens_of(match['small'])}$")

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
        name = _SAME.get(name, name)
        if name in BLOCKS and name not in _FRAMES:
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
            for key, one, two, three in _ATTRIBUTE.findall(rest)
        }
        if name in _VOID:
            if name == "img":
                self._object("image", attributes.get("src", ""))
            return
        if name == "a" and "a" in names:
            target = attributes.get("href", "")
            self.faults.append(
                Fault("nested-link", f"the link to {target} stands within a link")
            )
        parent = names[-1] if names else ""
        if name in _PARENTS and parent not in _PARENTS[name]:
            wanted = " or ".join(f"<{tag}>" for tag in sorted(_PARENTS[name]))
            code = "list" if name in {"li", "dt", "dd"} else "markup"
            self.faults.append(Fault(code, f"<{name}> stands outside {wanted}"))
        if name in BLOCKS and parent and (parent in _PHRASES or parent not in BLOCKS):
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
