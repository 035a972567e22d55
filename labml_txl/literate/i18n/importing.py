r"""# Taking over translations of another system

Some sites keep their translations as JSON: the English of a page as HTML beside its
translation, with `_^_0_^_` for each formula. The formulas themselves are not in the
file. So a block can be taken over only where a message of ours says the same: then the
formulas and links of our message are put in. What fits no message is told with its
reason, and nothing is made up.

What is taken over is *fuzzy*. Nobody sees it until a reader has approved of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from difflib import SequenceMatcher
from html import unescape
from pathlib import Path
from typing import Any

import polib

from labml_txl.literate.i18n.files.po import written
from labml_txl.literate.i18n.files.wrapping import known
from labml_txl.literate.i18n.lint import guard
from labml_txl.literate.i18n.lint.findings import Finding, lint_message
from labml_txl.literate.i18n.lint.glossary import Glossary
from labml_txl.literate.i18n.lint.markup import read_message
from labml_txl.literate.markdown.tokens import EDGE, OBJECT, is_html
from labml_txl.literate.sources.source import LiterateError

# A message of ours says the same if it shares at least this part of the words.
NEAR = 0.8


@dataclass(frozen=True)
class Block:
    """One block of an entry, and what became of it.

    - `state`: `"imported"`, `"kept"` (it fits no message of ours) or `"refused"` (it is
      broken);
    - `reason`: why it is not imported;
    - `page`, `message`: where it was put, and the English that stands there;
    - `text`: the translation as it was put there.
    """

    source: str
    translation: str
    state: str
    reason: str = ""
    page: str = ""
    message: str = ""
    text: str = ""


@dataclass(frozen=True)
class Imported:
    """An entry of the catalog, what is wrong with it, and its blocks."""

    source: str
    translation: str
    findings: tuple[Finding, ...] = ()
    blocks: tuple[Block, ...] = field(default=())

    def json(self) -> dict[str, Any]:
        """The same as a value for JSON."""
        return asdict(self)


def load_json(path: Path) -> dict[str, str]:
    """Read a catalog; raises `LiterateError` for one that is none."""
    name = path.as_posix()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise LiterateError(name, 1, "not written in UTF-8: save it so") from None
    except json.JSONDecodeError as error:
        what = f"no valid JSON: {error.msg}: correct the line"
        raise LiterateError(name, error.lineno, what) from None
    except RecursionError:
        raise LiterateError(name, 1, "no catalog: it is nested too deep") from None
    wanted = 'a catalog is an object: {"English": "translation"}'
    if not isinstance(content, dict):
        raise LiterateError(name, 1, f"{type(content).__name__} given: {wanted}")
    for english, words in content.items():
        if not isinstance(words, str):
            given = f"no text for “{english[:30]}”, but {type(words).__name__}"
            raise LiterateError(name, 1, f"{given}: {wanted}")
    return content


def align(
    catalog: Mapping[str, str],
    messages: Iterable[tuple[str, str]],
    language: str,
    glossary: Glossary,
) -> list[Imported]:
    """What becomes of each entry, given the messages of our pages.

    Each of the messages comes as its page and its English. Nothing is written.
    """
    ours = _Messages(messages)
    return [
        Imported(
            source,
            translation,
            tuple(lint_message(source, translation, language, glossary)),
            tuple(_blocks(source, translation, ours, language, glossary)),
        )
        for source, translation in catalog.items()
    ]


_PARTS = re.compile(r"<(h[1-6]|p|li|td|th|dt|dd)\b[^>]*>(.*?)</\1\s*>", re.S | re.I)


def _blocks(
    source: str, translation: str, ours: _Messages, language: str, glossary: Glossary
) -> Iterator[Block]:
    english, words = _cut(source), _cut(translation)
    if [tag for tag, _ in english] != [tag for tag, _ in words]:
        why = "its blocks are not those of the English"
        yield Block(source, translation, "refused", why)
        return
    for (_, one), (_, other) in zip(english, words, strict=True):
        if re.sub(r"<[^<>]*>|_\^_\d+_\^_|[\W\d_]", "", one):
            yield _block(one, other, ours, language, glossary)


def _cut(html: str) -> list[tuple[str, str]]:
    parts = [(tag.lower(), inner.strip()) for tag, inner in _PARTS.findall(html)]
    return parts or [("", html.strip())]


def _block(
    source: str, translation: str, ours: _Messages, language: str, glossary: Glossary
) -> Block:
    if fault := _fault(source, translation, language, glossary):
        return Block(source, translation, "refused", fault)
    page, message = ours.nearest(source)
    if not message:
        why = "no message of ours says this"
        return Block(source, translation, "kept", why)
    text, why = _fill(source, translation, message)
    if why:
        return Block(source, translation, "kept", why, page, message)
    if fault := _fault(message, text, language, glossary):
        return Block(source, translation, "refused", fault, page, message)
    return Block(source, translation, "imported", "", page, message, text)


def _fault(source: str, translation: str, language: str, glossary: Glossary) -> str:
    """The first error of a translation, or nothing."""
    if not is_html(source) and (why := guard.fault(source, translation)):
        return f"guard: {why}"
    for one in lint_message(source, translation, language, glossary):
        if one.severity == "error":
            return f"{one.code}: {one.message}"
    return ""


# Which message says the same


class _Messages:
    """Our messages, found by their words."""

    def __init__(self, messages: Iterable[tuple[str, str]]) -> None:
        self._all: dict[tuple[str, ...], tuple[str, str]] = {}
        for page, message in messages:
            self._all.setdefault(_key(message, markdown=True), (page, message))

    def nearest(self, source: str) -> tuple[str, str]:
        """The page and the message nearest to an English block, or nothing."""
        wanted = _key(source, markdown=not is_html(source))
        if wanted in self._all:
            return self._all[wanted]
        best, found = NEAR, ("", "")
        count, matcher = Counter(wanted), SequenceMatcher(autojunk=False)
        matcher.set_seq2(wanted)
        for words, place in self._all.items():
            total = len(words) + len(wanted)
            if 2 * (count & Counter(words)).total() < best * total:
                continue
            matcher.set_seq1(words)
            if (ratio := matcher.ratio()) > best:
                best, found = ratio, place
        return found


def _key(message: str, *, markdown: bool) -> tuple[str, ...]:
    words = read_message(message, markdown).words.replace(EDGE, "").casefold()
    return tuple(re.findall(rf"\w+|{OBJECT}", words))


# Formulas and links put back


_OURS = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\$\$.+?\$\$|\$(?!\s)(?:\\.|[^\\$])+?\$")
_THEIRS = re.compile(r"_\^_\d+_\^_|<code\b[^>]*>.*?</code>", re.DOTALL)
_TAG = re.compile(
    r"<span\s+translate=[\"']?no[\"']?\s*>\s*(?P<wrapped>_\^_\d+_\^_)\s*</span>"
    r"|(?P<bare>_\^_\d+_\^_)|<code\b[^>]*>(?P<code>.*?)</code>"
    r"|<a\b[^>]*?href=[\"']?(?P<href>[^\"'>\s]*)[^>]*>|(?P<end></a>)"
    r"|</?(?P<mark>em|i|strong|b)\b[^>]*>|(?P<other></?[A-Za-z][^>]*>)",
    re.DOTALL | re.IGNORECASE,
)
_MARKS = {"em": "*", "i": "*", "strong": "**", "b": "**"}
_LINK_ENDS = re.compile(r"\]\[([^\[\]]*)\]")


def _fill(source: str, translation: str, message: str) -> tuple[str, str]:
    """The translation as Markdown with what is ours put in, or why that cannot be."""
    ours = [match[0] for match in _OURS.finditer(message)]
    theirs = _THEIRS.findall(source)
    if len(ours) != len(theirs):
        return "", f"it has {len(theirs)} formulas and codes, our message {len(ours)}"
    bare = _OURS.sub("", message)
    links = re.findall(r"<a\b[^>]*?href=[\"']?([^\"'>\s]*)", source)
    keys = _LINK_ENDS.findall(bare)
    if keys and len(keys) != len(links):
        return "", f"it has {len(links)} links, our message {len(keys)}"
    if len({*links}) != len(links) and keys:
        return "", "two of its links lead to one address"
    fill = dict(zip(theirs, ours, strict=True))
    return _markdown(translation, fill, dict(zip(links, keys, strict=False))), ""


def _markdown(html: str, objects: Mapping[str, str], keys: Mapping[str, str]) -> str:
    """HTML as Markdown; a link that our message does not have leaves its words."""
    parts: list[str] = []
    ends: list[str] = []
    position = 0
    for match in _TAG.finditer(html):
        parts.append(_escaped(html[position : match.start()]))
        position = match.end()
        number = match["wrapped"] or match["bare"]
        if number:
            parts.append(objects.get(number, number))
        elif match["code"] is not None:
            parts.append(objects.get(match[0], f"`{unescape(match['code'])}`"))
        elif match["href"] is not None:
            key = keys.get(match["href"])
            parts.append("[" if key else "")
            ends.append(f"][{key}]" if key else "")
        elif match["end"]:
            parts.append(ends.pop() if ends else "")
        elif match["mark"]:
            parts.append(_MARKS[match["mark"].lower()])
    parts.append(_escaped(html[position:]))
    return " ".join("".join(parts).split())


def _escaped(text: str) -> str:
    """Text that stays text: neither a mark of Markdown nor one of HTML."""
    plain = re.sub(r"([\\`*$\[\]{}])", r"\\\1", unescape(text))
    return plain.replace("&", "&amp;").replace("<", "&lt;")


# Into the files


def put(text: str, blocks: Iterable[Block]) -> tuple[str, list[Block]]:
    """The text of a PO file with the blocks put in, and those that found no place.

    A message that has a translation keeps it.
    """
    file = polib.pofile(text)
    entries = {entry.msgid: entry for entry in file if not entry.obsolete}
    left = []
    for block in blocks:
        entry = entries.get(block.message)
        if entry is None or entry.msgstr:
            left.append(block)
            continue
        entry.msgstr = block.text
        entry.flags.insert(0, "fuzzy")
    return written(file, known(text.split("\n"))), left
