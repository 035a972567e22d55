r"""# What a machine leaves behind

Signs of a program that took a sentence apart and did not put it together again: marks
in the text, names in two pieces, holes where something stood, numbers that changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from labml_txl.literate.i18n.lint.letters import Found, primary
from labml_txl.literate.i18n.lint.wording import SMALL, STRONG
from labml_txl.literate.markdown.tokens import EDGE

_LEFTOVERS = re.compile(
    r"""
    @@ | %(?:5[a-f]|2[0-9a-f]|3[a-f]|e[0-9a-f]%[0-9a-f]{2}) | ％\s?5[EeFf]
    | _\s*\^\s*_\s*\d+\s*_\s*\^(?:\s*_)? | \^_\d+_\^ | [＿_]\s?[＾^]\s?[＿_]
    | \ufffd | [\u200b\u200e\u200f\u2060\ufeff\u00ad] | \\u[0-9a-f]{4} | \\x[0-9a-f]{2}
    | </?s> | <unk> | <pad> | \[(?:UNK|PAD|SEP|CLS|MASK)\] | <\|\w+\|> | \u2581
    | (?:translate|class|href)\s?=\s?["']?(?:no|notranslate)\b
    | \$\{\w+\} | \{\d+\} | __\w*\d+__ | ⟦ | ⟧ | XPH\d | \#\#[a-z]+
    | (?:Ã|Â|â€|ã€|ã\u0081|ã\u0082)\W?
    | ^(?:Translation|Translated\stext|译文|翻译|翻訳|訳文|翻译如下)\s?[:：]
    | (?:Sure|Certainly),?\s(?:here|the)\b | As\san\sAI\b | here\sis\sthe\stranslation
    | 以下是(?:翻译|译文) | 以下は翻訳 | 翻訳結果 | 翻译结果
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
# A quick look at the characters that such a leftover can begin with.
_SUSPECT = re.compile(
    r"[@%％^＾\ufffd\u200b\u200e\u200f\u2060\ufeff\u00ad\\|\u2581{⟦⟧#ÃÂâã译訳]"
    r"|翻[译訳]|<[/|supSUP]|\[[A-Z]{3}|__|XPH|ranslat|ertainly|ure,|AI|otransl|=\s?no"
)
_ENTITY = re.compile(r"&(?:[a-z][a-z0-9]+|#\d+|#x[0-9a-f]+);", re.IGNORECASE)
_TWICE = re.compile(
    r"&amp;(?:[a-z][a-z0-9]+|#\d+|#x[0-9a-f]+);|&lt;/?[a-z][^&]*&gt;", re.IGNORECASE
)


def leftovers(source: str, translation: str, html: bool) -> Iterator[Found]:
    """Placeholder syntax, escapes, entities and remarks that no reader should meet.

    Both texts come as they are written, code left out. What the source has too is no
    leftover.
    """
    if _SUSPECT.search(translation):
        bare = re.sub(r"_\^_\d+_\^_|https?://\S+|href=\"[^\"]*\"", "", translation)
        for found in dict.fromkeys(_LEFTOVERS.findall(bare)):
            if found not in source and not source.startswith("Translat"):
                shown = found if found.isprintable() else f"U+{ord(found[0]):04X}"
                yield "error", "leftover", f"“{shown}” is left over from a machine"
    if "&" in translation:
        for found in {*_TWICE.findall(translation)}:
            if found not in source:
                yield "error", "entity", f"{found} is escaped twice"
        if not html:
            for found in {*_ENTITY.findall(translation)}:
                if found not in source:
                    yield "error", "entity", f"{found} belongs to HTML, not Markdown"


_PAIR = re.compile(r"(?=\b([A-Za-z]{1,20})[ \x00]+([A-Za-z]{1,20})[ \x00]*([A-Za-z]*))")


def torn(source: str, translation: str, names: frozenset[str]) -> Iterator[Found]:
    """A name that was torn in two, by a space or by a mark.

    Both texts come with the edges of their marks.
    """
    if not _PAIR.search(translation):
        return
    whole = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", source)}
    whole |= {word for word in names if word in source.lower()} | _TEARABLE
    ours = source.replace(EDGE, "").lower()
    for match in _PAIR.finditer(translation):
        between = translation[match.end(1) : match.start(2)]
        for parts in (match.groups()[:2], match.groups()):
            joined = "".join(parts).lower()
            apart = " ".join(parts).lower()
            if joined in whole and len(parts) > 1 and apart not in ours:
                if len(parts) == 3 and not parts[2]:
                    continue
                shown = "".join(parts) if " " not in between else " ".join(parts)
                yield "error", "torn", f"a name is torn in two: “{shown}”"
                return


_TEARABLE = {"pytorch", "transformer", "transformers", "shakespeare", "tensorflow"}

# Two names beside each other, as in “Tiny Shakespeare”.
_DOUBLE = re.compile(r"\b[A-Z][A-Za-z]+ [A-Z][A-Za-z]+\b")


def split_by_mark(source: str, translation: str) -> Iterator[Found]:
    """A name of two words whose second word begins a link or an emphasis."""
    if " " + EDGE not in translation and EDGE + " " not in translation:
        return
    whole = translation.replace(EDGE, "")
    for name in {*_DOUBLE.findall(source)}:
        first = name.split()[0].lower()
        if first in STRONG | SMALL or name not in whole or name in translation:
            continue
        yield "error", "torn", f"a link or an emphasis begins within “{name}”"


# A hole in a sentence, where something stood

_HOLES = {
    "ja": re.compile(r"[がはを]の(?:場合|とき|時|ため)|をを|がが(?!く)|、[、。]"),
    "zh": re.compile(r"其中[是为](?!止)|，[，。]|、[、。，]"),
}
_STOPS = re.compile(r"。。(?!。)|，，")


def holes(source: str, translation: str, language: str) -> Iterator[Found]:
    """Two words that cannot stand side by side: something between them is gone."""
    rule = _HOLES.get(primary(language))
    match = rule.search(translation.replace(EDGE, "")) if rule else None
    if match:
        yield "error", "hole", f"something is missing within “{match[0]}”"
    elif _STOPS.search(translation.replace(EDGE, "")):
        yield "warning", "hole", "a punctuation mark stands twice"
    if "where" in source and "?" not in source and "how" not in source:
        asked = re.search(r"哪里|哪儿|どこですか", translation)
        if asked:
            yield "warning", "question", f"“{asked[0]}” asks, the English does not"


# Digits, and in 2億8500万 what stands before and behind a unit.
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.])(?:\d[\d,.]*[千万萬億亿](?=\d))*\d[\d,.]*(?![A-Za-z\d_,.])"
)


def numbers(source: str, translation: str) -> Iterator[Found]:
    """Numbers that changed; 41 million and 4100万 are the same."""
    ours, theirs = _numbers(source), _numbers(translation)
    if ours.keys() == theirs.keys():
        return
    # In “90, 5 and 5 million” each of them may be millions.
    for word in _LARGE.findall(source):
        for values in ours.values():
            values |= {value * _UNITS[word.lower()] for value in values}
    said = {value for values in ours.values() for value in values}
    known = {value for values in theirs.values() for value in values}
    new = {
        one
        for one, values in theirs.items()
        if len(one) > 2 and one not in ours and not values & said
    }
    gone = {
        one
        for one, values in ours.items()
        if len(one) > 1 and one not in theirs and not values & known
    }
    if new and gone:
        were, are = ", ".join(sorted(gone)), ", ".join(sorted(new))
        yield "warning", "number", f"{were} became {are}"


_LARGE = re.compile(r"\b(?:thousand|million|billion)\b", re.IGNORECASE)
_UNITS = {
    **{"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000},
    **{"千": 1_000, "万": 10_000, "萬": 10_000, "億": 10**8, "亿": 10**8},
}
_UNIT = re.compile("([千万萬億亿])")


def _numbers(text: str) -> dict[str, set[Decimal]]:
    """The numbers as they are written, and what each may stand for."""
    digits = text.translate({0xFF10 + digit: 0x30 + digit for digit in range(10)})
    found: dict[str, set[Decimal]] = {}
    for match in _NUMBER.finditer(digits):
        written = match[0].rstrip(".,").replace(",", "")
        values = found.setdefault(written, set())
        with suppress(InvalidOperation):
            *above, last = _UNIT.split(written)
            pairs = zip(above[::2], above[1::2], strict=True)
            large = sum(Decimal(count) * _UNITS[unit] for count, unit in pairs)
            unit = _UNITS.get(digits[match.end() :].lstrip()[:1], 1)
            values |= {large + Decimal(last) * one for one in (1, unit)}
    return found
