"""# Dividing a text into messages

A message is a unit of translation: a paragraph, a heading, an item of a list, a cell of
a table, the title of a page. The text between messages consists of the marks of
headings and lists, display formulas and blocks of code. **Joined, the parts are
identical to the text.**

A message is one line, however its lines are broken in the source, and does not contain
the addresses of links: `[words](../a.md#b)` becomes `[words][1]`, and the address is
filled in when the translation is inserted. So translations remain valid when a page
moves. A citation such as `[the scores][txl.scores]` stays unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import yaml

from labml_txl.literate.markdown.blocks import spans
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.inline import rewrite, scan

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
}


@dataclass(frozen=True)
class Part:
    """A part of a text: a message, or text between messages.

    - `raw`: the part as it is written;
    - `kind`: one of `KINDS`, empty for text between messages;
    - `message`: the text to translate, empty for text between messages;
    - `anchor`: the anchor of a heading that is written as `{#anchor}`;
    - `links`: for each link, its end in the message, such as `][1]`, and in the text;
    - `form`: the syntax of the part, `markdown` or `yaml`.
    """

    raw: str
    kind: str = ""
    message: str = ""
    anchor: str = ""
    links: tuple[tuple[str, str], ...] = ()
    form: str = "markdown"

    def put(self, words: str) -> str:
        """The part with a translation, in the syntax of the part."""
        words = _one_line(words)
        if self.form == "yaml":
            # A JSON string is valid YAML, whatever quotes and colons it contains.
            return json.dumps(words, ensure_ascii=False)
        for numbered, written in self.links:
            words = words.replace(numbered, written)
        return words


@lru_cache(maxsize=20_000)
def cut(markdown: str) -> tuple[Part, ...]:
    """Divide Markdown, including its front matter, into parts."""
    return tuple(_cut(markdown))


def _cut(markdown: str) -> Iterator[Part]:
    head, text = divided(markdown)
    if head:
        yield from _front_matter(head)
    position = 0
    for span in spans(text):
        raw = text[span.start : span.end]
        message, links = _numbered(_one_line(raw))
        if has_words(message):
            if span.start > position:
                yield Part(text[position : span.start])
            yield Part(raw, span.kind, message, span.anchor, links)
            position = span.end
    if position < len(text):
        yield Part(text[position:])


def _one_line(text: str) -> str:
    """The text on one line, without the marks of a quotation."""
    return re.sub(r"\s*\n(?:[ ]{0,3}>)*\s*", " ", text).strip()


# Words


_NUMBER = re.compile(
    r"(?:[-+±~≈<>≤≥]*\s*\d[\d.,:\s]*(?:[×x%]|[kKMGT]i?B?|B|ms|µs|s|min|h|bit|bits)?\s*"
    r"[-–/±()]*\s*)+"
)
# A single Latin letter is a symbol, as in `(a)`. A name with `_` or a digit is code.
_WORD = re.compile(r"(?<![\w.])(?:[A-Za-z]{2,}(?!\w)|[A-Za-z]*[^\W\d_A-Za-z])")
_BADGE = re.compile(r"\[!\[[^\]]*\][(\[][^)\]]*[)\]]\][(\[][^)\]]*[)\]]")


def has_words(message: str) -> bool:
    """Whether a message contains words, and not only formulas and code."""
    solid = {"code", "math", "display", "fence", "include"}
    text = _BADGE.sub("", message)
    for _ in range(2):  # The text of a link may contain code.
        text = rewrite(text, lambda p: " " if p.kind in solid else p.body)
    text = re.sub(r"<[^<>]+>|https?://\S+|\[(?:[\w.-]+)\]|\{[^{}]*\}", " ", text)
    text = " ".join(text.split())
    return bool(_WORD.search(text)) and not _NUMBER.fullmatch(text)


# Links


def _numbered(message: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The message with numbers instead of addresses, and the links, as in `Part`.

    Numbers that the message already contains, as in `[words][1]`, are not used.
    """
    taken = set(re.findall(r"\]\[(\d+)\]", message))
    numbers = (n for n in map(str, count(1)) if n not in taken)
    links: list[tuple[str, str]] = []

    def short(opening: str, written: str) -> str:
        numbered = f"{opening}[{next(numbers)}]"
        links.append((numbered, written))
        return numbered

    changed = ""
    for piece in scan(message):
        if piece.kind in {"link", "image"}:
            words, _, address = piece.raw.rpartition("](")
            changed += f"{words}{short(']', f']({address}')}"
        elif piece.kind == "text":
            changed += _AUTOLINK.sub(lambda m: short("[]", m[0]), piece.raw)
        else:
            changed += piece.raw
    return changed, tuple(links)


_AUTOLINK = re.compile(r"<(?:https?://[^\s<>]+|[\w.+-]+@[\w.-]+)>")


# Front matter


_FIELD = re.compile(
    r"^(title|description|summary):[ ]*(.*(?:\n[ ]+.*)*)$", re.MULTILINE
)


def _front_matter(head: str) -> Iterator[Part]:
    position = 0
    for match in _FIELD.finditer(head):
        try:
            value = yaml.load(match[0], yaml.BaseLoader)[match[1]]
        except yaml.YAMLError:
            value = match[2]  # In labml's format, titles may contain colons.
        message = " ".join(value.split()) if isinstance(value, str) else ""
        if has_words(message):
            yield Part(head[position : match.start(2)])
            yield Part(match[2], match[1], message, form="yaml")
            position = match.end(2)
    yield Part(head[position:])
