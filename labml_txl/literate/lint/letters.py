r"""# The letters of a language

Each language has letters that a text in it cannot do without, and letters that it has
no use for. What is written in the wrong ones was left untranslated, or was meant for
readers of another language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache


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

# The letters that a text of the language cannot do without.
SCRIPTS = {
    "zh": HAN,
    "yue": HAN,
    "ja": HAN + KANA,
    "ko": _HANGUL + HAN,
    **dict.fromkeys(["ru", "uk", "be", "bg", "mk"], _CYRILLIC),
    "el": "\u0370-\u03ff",
    "he": "\u0590-\u05ff",
    **dict.fromkeys(["ar", "fa", "ur"], "\u0600-\u06ff"),
    **dict.fromkeys(["hi", "mr", "ne"], "\u0900-\u097f"),
    "bn": "\u0980-\u09ff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f",
    "hy": "\u0530-\u058f",
    "ka": "\u10a0-\u10ff",
}
_FOREIGN = {
    "zh": KANA + _HANGUL + _CYRILLIC,
    "ja": _HANGUL + _CYRILLIC,
    "ko": KANA + _CYRILLIC,
    **dict.fromkeys(["ru", "uk", "be", "bg", "mk"], HAN + KANA + _HANGUL),
    "": HAN + KANA + _HANGUL + _CYRILLIC,
}
LATIN = set_of(
    """
    af ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv ms nb nl no
    pl pt ro sk sl sq sv sw tr vi
    """
)


def primary(language: str) -> str:
    """The first part of a language's tag: `"zh"` of `"zh-Hans"`."""
    return re.split(r"[-_]", language.lower())[0]


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
    foreign = _FOREIGN.get(known, _FOREIGN[""] if known in LATIN else "")
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
