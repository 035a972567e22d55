r"""# Cutting a text into messages

A message is what a translator translates at once: a paragraph, a heading, an item of a
list, a cell of a table, the title of a page. Everything else is text between: the marks
of headings and lists, displayed formulas, blocks of code.

The law of this module: **the parts, put together, are the text**. And a message that is
put back as it is gives its part.

A message stands on one line, however its lines are broken in the source. The addresses
of links are not part of it. `[words](../a.md#b)` becomes `[words][1]`, and the address
is filled in again when the translation is put back. So a page that moves touches no
translation. A citation such as `[the scores][txl.scores]` stays as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from labml_txl.literate.markdown.blocks import spans
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.inline import rewrite, scan

# What a part may be, in the words that translators see.
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
    - `kind`: one of `KINDS`, empty for text between;
    - `message`: what is translated, empty for text between;
    - `anchor`: the address that a heading itself names, without `#`;
    - `links`: the ends of the links, each by the end that the message has for it;
    - `form`: how the words are written: as `markdown` or as `yaml`.
    """

    raw: str
    kind: str = ""
    message: str = ""
    anchor: str = ""
    links: tuple[tuple[str, str], ...] = ()
    form: str = "markdown"

    def put(self, words: str) -> str:
        """The part in other words, written as the text around it needs them."""
        words = _one_line(words)
        if self.form == "yaml":
            # A JSON string is a YAML string, whatever quotes and colons it has.
            return json.dumps(words, ensure_ascii=False)
        for numbered, written in self.links:
            words = words.replace(numbered, written)
        return words


@lru_cache(maxsize=20_000)
def cut(markdown: str) -> tuple[Part, ...]:
    """Cut Markdown into its parts, its front matter included."""
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
    """The text on one line; the sign of a quotation is no part of its words."""
    return re.sub(r"\s*\n(?:[ ]{0,3}>)*\s*", " ", text).strip()


# Words


_NUMBER = re.compile(
    r"(?:[-+±~≈<>≤≥]*\s*\d[\d.,:\s]*(?:[×x%]|[kKMGT]i?B?|B|ms|µs|s|min|h|bit|bits)?\s*"
    r"[-–/±()]*\s*)+"
)
# A Latin letter alone is a symbol, as in `(a)`. A name with `_` or a number is code.
_WORD = re.compile(r"(?<![\w.])(?:[A-Za-z]{2,}(?!\w)|[A-Za-z]*[^\W\d_A-Za-z])")
_BADGE = re.compile(r"\[!\[[^\]]*\][(\[][^)\]]*[)\]]\][(\[][^)\]]*[)\]]")


def has_words(message: str) -> bool:
    """Whether there is anything to translate: words, not only formulas and code."""

    solid = {"code", "math", "display", "fence", "include"}
    text = _BADGE.sub("", message)
    for _ in range(2):  # The words of a link may hold code in their turn.
        text = rewrite(text, lambda p: " " if p.kind in solid else p.body)
    text = re.sub(r"<[^<>]+>|https?://\S+|\[(?:[\w.-]+)\]|\{[^{}]*\}", " ", text)
    text = " ".join(text.split())
    return bool(_WORD.search(text)) and not _NUMBER.fullmatch(text)


# Links


def _numbered(message: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The message with numbers for addresses, and what each number stands for.

    No number is taken that the message uses already, as in `[words][1]`.
    """
    taken = set(re.findall(r"\]\[(\d+)\]", message))
    numbers = (str(n) for n in range(1, 1_000_000) if str(n) not in taken)
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
        message = _yaml_string(match[2])
        if message and has_words(message):
            yield Part(head[position : match.start(2)])
            yield Part(match[2], match[1], message, form="yaml")
            position = match.end(2)
    yield Part(head[position:])


def _yaml_string(written: str) -> str:
    """The words of a YAML string in any of its forms, on one line."""
    text = _one_line(written)
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            return ""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'") if text.endswith("'") else ""
    return re.sub(r"^[>|][-+\d]*\s+", "", text)
