"""How many broken translations are found: faults of each kind in sound sentences."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import polib
import pytest

from labml_txl.literate.i18n.lint.findings import lint_message
from labml_txl.literate.i18n.lint.glossary import project_glossary

LOCALE = Path(__file__).parents[4] / "docs" / "locale"
FORMULA, CODE = re.compile(r"\$[^$]+\$"), re.compile(r"`[^`]+`")
# Of as many sentences a kind, and of these, so many are to be found.
SAMPLE, FOUND = 60, 0.9


@cache
def sentences(language: str) -> list[tuple[str, str]]:
    """The sound translations of a language that say more than a few words."""
    return [
        (entry.msgid, entry.msgstr)
        for path in sorted((LOCALE / language).rglob("*.po"))
        for entry in polib.pofile(str(path))
        if entry.translated() and not entry.obsolete and len(entry.msgid.split()) > 9
    ]


def without(pattern: re.Pattern[str]) -> Callable[[str, str], str]:
    return lambda english, words: pattern.sub("", words, count=1)


def swapped(english: str, words: str) -> str:
    return FORMULA.sub(r"$z_{17}$", words, count=1)


def number(english: str, words: str) -> str:
    bare = re.sub(r"\$[^$]*\$|`[^`]*`|\]\[\d+\]", "", words)
    found = re.search(r"(?<![\w.])\d{2,}(?![\w.])", bare)
    return words.replace(found[0], f"{found[0]}7", 1) if found else words


def halved(english: str, words: str) -> str:
    return words[: len(words) // 2]


def english_left(english: str, words: str) -> str:
    plain = re.sub(r"[`$*<\[].*", "", english)
    return f"{words[: len(words) // 2]} {plain}"


def term(english: str, words: str) -> str:
    if not re.search(r"\battention\b", english, re.IGNORECASE):
        return words
    return re.sub(
        "注意力", "关注", re.sub("アテンション|注意(?!力)(?:機構)?", "気配り", words)
    )


def mark(english: str, words: str) -> str:
    return words.replace("**", "", 1) if "**" in words else words.replace("*", "", 1)


KINDS: Mapping[str, Callable[[str, str], str]] = {
    "a formula is gone": without(FORMULA),
    "a formula is another one": swapped,
    "a number is another one": number,
    "a link is gone": lambda english, words: re.sub(
        r"\[([^\[\]]*)\]\[\d+\]", r"\1", words, count=1
    ),
    "code is gone": without(CODE),
    "a term is another word": term,
    "English is left": english_left,
    "it stops in the middle": halved,
    "a placeholder is gone": without(re.compile(r"\{\w+\}")),
    "a mark is gone": mark,
}


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_nine_of_ten_broken_sentences_are_found(language: str) -> None:
    terms = project_glossary(LOCALE)

    def told(english: str, words: str) -> bool:
        found = lint_message(english, words, language, terms)
        return any(one.severity != "info" for one in found)

    missed = {}
    for kind, spoil in KINDS.items():
        broken = [
            (english, spoil(english, words))
            for english, words in sentences(language)
            if spoil(english, words) != words
        ]
        broken = broken[:: max(1, len(broken) // SAMPLE)][:SAMPLE]
        count = sum(told(*pair) for pair in broken)
        if count < FOUND * len(broken):
            missed[kind] = (count, len(broken))
    assert missed == {}


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_no_sound_sentence_is_refused(language: str) -> None:
    refused = [
        (english, found)
        for english, words in sentences(language)
        for found in lint_message(english, words, language)
        if found.severity == "error"
    ]
    assert refused == []
