r"""# The letters of a language

Each language has letters that a text in it cannot do without, and letters that it has
no use for. What is written in the wrong ones was left untranslated, or was meant for
readers of another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from babel.core import get_global


def set_of(words: str) -> frozenset[str]:
    """The words, each once."""
    return frozenset(words.split())


# What a rule finds: the severity, the code and the message of a finding.
Found = tuple[str, str, str]

HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff"
KANA = "\u3041-\u3096\u30a1-\u30fa"
_HANGUL = "\u1100-\u11ff\uac00-\ud7af"
_CYRILLIC = "\u0400-\u052f"
ANY_CJK = re.compile(f"[{HAN}{KANA}{_HANGUL}]")

# The letters that a text in a script cannot do without.
SCRIPTS = {
    **dict.fromkeys(["Hans", "Hant"], HAN),
    "Jpan": HAN + KANA,
    "Kore": _HANGUL + HAN,
    "Cyrl": _CYRILLIC,
    "Grek": "\u0370-\u03ff",
    "Hebr": "\u0590-\u05ff",
    "Arab": "\u0600-\u06ff",
    "Deva": "\u0900-\u097f",
    "Beng": "\u0980-\u09ff",
    "Taml": "\u0b80-\u0bff",
    "Telu": "\u0c00-\u0c7f",
    "Sinh": "\u0d80-\u0dff",
    "Thai": "\u0e00-\u0e7f",
    "Armn": "\u0530-\u058f",
    "Geor": "\u10a0-\u10ff",
}
_FOREIGN = {
    **dict.fromkeys(["Hans", "Hant"], KANA + _HANGUL + _CYRILLIC),
    "Jpan": _HANGUL + _CYRILLIC,
    "Kore": KANA + _CYRILLIC,
    "Cyrl": HAN + KANA + _HANGUL,
    "Latn": HAN + KANA + _HANGUL + _CYRILLIC,
}


def primary(language: str) -> str:
    """The first part of a language's tag: `"zh"` of `"zh-Hans"`."""
    return re.split(r"[-_]", language.lower())[0]


@cache
def script_of(language: str) -> str:
    """The script of a language by CLDR, as in `"Hans"` of `"zh"`; empty if unknown."""
    parts = re.split(r"[-_]", language)
    if given := next((part for part in parts[1:] if len(part) == 4), ""):
        return given.title()
    likely = get_global("likely_subtags")
    names = (
        "_".join([primary(language), *map(str.upper, parts[1:])]),
        parts[0].lower(),
    )
    found = next(filter(None, map(likely.get, names)), "")
    return str(found).split("_")[1] if found else ""


@lru_cache
def matcher(letters: str) -> re.Pattern[str]:
    """Finds one of these letters."""
    return re.compile(f"[{letters}]")


_HAN_ONE = re.compile(f"[{HAN}]")
_KANA_ONE = re.compile(f"[{KANA}]")


def script(source: str, translation: str, language: str) -> Iterator[Found]:
    """Letters of another language's script."""
    if translation.isascii():
        return
    known = primary(language)
    foreign = _FOREIGN.get(script_of(language), "")
    quoted = {*source}
    if foreign:
        found = {*matcher(foreign).findall(translation)} - quoted
        if found:
            shown = "".join(sorted(found))[:10]
            yield "error", "script", f"{shown} is not written in this language"
    if known in {"zh", "ja"}:
        yield from _characters(translation, quoted, language.lower())


def _characters(text: str, quoted: set[str], language: str) -> Iterator[Found]:
    han = _HAN_ONE.findall(text)
    if language.startswith("ja"):
        other = "simplified Chinese"
        wrong = [one for one in {*han} if _side(one) == "simplified"]
        if len(han) > 15 and not _KANA_ONE.search(text):
            yield "error", "script", "a Japanese sentence has kana, and here is none"
    elif re.search(r"hant|tw|hk|mo", language[2:]):
        other = "simplified"
        wrong = [one for one in {*han} if _side(one) in {"simplified", "only"}]
    else:
        other = "traditional or Japanese"
        wrong = [one for one in {*han} if _side(one) in {"traditional", "japanese"}]
    wrong = sorted({*wrong} - quoted)
    if wrong:
        severity = "error" if len(wrong) > 1 else "warning"
        shown = "".join(wrong)[:10]
        yield severity, "script", f"{shown}: {other} characters"


@cache
def _side(character: str) -> str:
    """Whose character it is, by the standards that hold it."""
    china, taiwan, japan = (
        _holds(character, name) for name in ("gb2312", "big5", "cp932")
    )
    if china and not japan:
        return "only" if taiwan else "simplified"
    if taiwan and not china:
        return "traditional"
    return "japanese" if japan and not china else ""


def _holds(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
