r"""# The words of a translation

What can be told of a sentence without understanding it: whether it is there, whether it
stops in the middle, whether English was left in it, whether its script is that of its
language, and whether a machine left something behind.

Everything here is a guess about words, so each rule asks for strong evidence. Names,
titles, identifiers, quotations and glosses in brackets may stay English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache

from labml_txl.literate.lint.markup import EDGE, OBJECT


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What a rule finds: the severity, the code and the message of a finding.
Found = tuple[str, str, str]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff"
_KANA = "\u3041-\u3096\u30a1-\u30fa"
_HANGUL = "\u1100-\u11ff\uac00-\ud7af"
_CYRILLIC = "\u0400-\u052f"
_ANY_CJK = re.compile(f"[{_HAN}{_KANA}{_HANGUL}]")

# The letters that a text of the language cannot do without.
_SCRIPTS = {
    "zh": _HAN,
    "yue": _HAN,
    "ja": _HAN + _KANA,
    "ko": _HANGUL + _HAN,
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
    "zh": _KANA + _HANGUL + _CYRILLIC,
    "ja": _HANGUL + _CYRILLIC,
    "ko": _KANA + _CYRILLIC,
    **dict.fromkeys(["ru", "uk", "be", "bg", "mk"], _HAN + _KANA + _HANGUL),
    "": _HAN + _KANA + _HANGUL + _CYRILLIC,
}
_LATIN = _set_of(
    """
    af ca cs cy da de en es et eu fi fr ga gl hr hu id is it lt lv ms nb nl no
    pl pt ro sk sl sq sv sw tr vi
    """
)

_WORD = re.compile(r"[A-Za-z](?:[A-Za-z0-9_'’]|[.-](?=[A-Za-z0-9]))*")
_NAME = re.compile(r"[_.0-9]|[a-z][A-Z]|^[A-Z]{2,}s?$")
# Small words may be written small in a title.
_SMALL = _set_of(
    """
    a an and as at beyond but by for from in into nor of on or over per than the
    to up upon via vs with without is are be it its that this
    """
)
# Words that no other language has and no name is made of.
_STRONG = _set_of(
    """
    the is are was were which where we this that these those with from it its
    has have been and of they there when while then because if by into each both
    our
    """
)
# Words of one-word headings and labels; a name is not among them.
_COMMON = _set_of(
    """
    about abstract again all and answer answers appendix approach attention
    author authors background baseline basics because bias before blocks both by
    cache chapter close code commands compression computation conclusion
    conclusions content contents context contribute copy custom data dataset
    definition definitions details development dimension discussion download
    each edit embedding embeddings english equation equations error errors
    evaluation example examples exercise exercises experiment experiments false
    features figure figures finally first footer for formula formulas from
    function functions generation glossary guide guides heading help here
    history home how implementation in inference input inputs installation
    introduction is keys language languages last layer layers learning length
    license list loss lines mask masks mean meaning memory method methods
    missing model models more motivation name names navigation network networks
    new next no none normalization not note notebook notebooks notes of open
    operation optimizer or output outputs overview page pages paper papers
    parameter parameters position positions prerequisites previous problem
    problems progress projection proof proofs queries question questions queue
    quickstart reading recurrence reference references related results return
    returns running sample samples score scores search second section segment
    segments sentence sentences sequence sequences settings setup shape shapes
    size skip solution solutions source start state step steps summary symbol
    symbols table tables tensor tensors test testing tests text the theory this
    time title to token tokens tools top training translated translation true
    tutorial tutorials usage validation value values variant variants vocabulary
    weights what where why with words yes you
    """
)

_QUOTED = re.compile(
    r"「[^」]*」|『[^』]*』|《[^》]*》|〈[^〉]*〉|“[^”]*”|\"[^\"]*\"|«[^»]*»"
)
# A gloss such as “片段(segment-level recurrence)”.
_GLOSS = re.compile(r"[(（]([A-Za-z][A-Za-z0-9 ,.'’/&–-]*)[)）]")
_RUN = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:[ ,\n\x00]+[A-Za-z][A-Za-z'’-]*)+")
_LOWER = re.compile(r"[a-z]{2}[^A-Za-z]+[A-Za-z]|[A-Za-z][^A-Za-z]+[a-z]{2}")


def primary(language: str) -> str:
    """The first part of a language's tag: `"zh"` of `"zh-Hans"`."""
    return re.split(r"[-_]", language.lower())[0]


def words_of(text: str) -> list[str]:
    """The words in Latin letters."""
    return _WORD.findall(text)


# What is filled in later, such as {anchor}, and is a word of no language.
_BRACES = re.compile(r"\{\w+\}")


def braces(source: str, translation: str) -> Iterator[Found]:
    """Names in braces that are gone or new: what they stand for would be lost."""
    ours, theirs = (Counter(_BRACES.findall(text)) for text in (source, translation))
    for name in ours - theirs:
        yield "error", "placeholder", f"{name} is missing"
    for name in theirs - ours:
        yield "error", "placeholder", f"{name} is not in the English, or once too often"


def _plain(text: str) -> str:
    return " ".join(_BRACES.sub(" ", text.replace(EDGE, "")).split())


@lru_cache(maxsize=4096)
def wants_translation(text: str, latin: bool) -> bool:
    """Whether English words must not stay as they are.

    Titles, names and identifiers may. In a language with Latin letters, one word may
    well be the same in both.
    """
    words = [word for word in words_of(text) if not _NAME.search(word)]
    small = [word for word in words if word.islower()]
    content = [word for word in small if word not in _SMALL and len(word) > 1]
    if latin:
        return len(words) > 1 and bool(content)
    if len(words) == 1:
        return words[0].lower() in _COMMON
    if content:
        return True
    return len(words) > 0 and all(word.lower() in _COMMON for word in words)


def untranslated(
    source: str, translation: str, language: str, kept: frozenset[str]
) -> Iterator[Found]:
    """English that was left: all of it, a sentence, or half of one."""
    script = _SCRIPTS.get(primary(language))
    ours = _plain(source).replace(OBJECT, " ")
    theirs = _plain(translation).replace(OBJECT, " ")
    same = ours.split() == theirs.split()
    if same or (script and not _matcher(script).search(theirs)):
        if wants_translation(theirs, script is None):
            said = "the translation is the English" if same else "it is still English"
            yield "error", "untranslated", f"{said}: “{_short(theirs)}”"
            return
        if same:
            return
    if script is not None:
        yield from _runs(theirs, kept)
    else:
        yield from _clauses(ours, theirs)


def _runs(text: str, kept: frozenset[str]) -> Iterator[Found]:
    """Runs of English words within a text of another script."""
    if not _LOWER.search(text):
        return
    text = _QUOTED.sub(" … ", text)
    text = _GLOSS.sub(lambda gloss: "…" if _is_gloss(gloss[1]) else gloss[0], text)
    for run in _RUN.findall(text):
        words = run.replace(",", " ").split()
        content = [w for w in words if w.islower() and w not in _SMALL | _STRONG]
        first = words[0].lower()
        strong = [w for w in words if w in _STRONG] or (
            [first] if first in _STRONG else []
        )
        if not content or run.casefold() in kept:
            continue
        if strong or len(content) > 3:
            yield "error", "untranslated", f"English was left: “{_short(run)}”"
            return
        if len(content) == 3:
            yield "warning", "untranslated", f"English was left: “{_short(run)}”"
            return


def _is_gloss(text: str) -> bool:
    words = text.split()
    return len(words) < 7 and not {"the", "is", "are", "we", "this"} & {*words}


def _clauses(source: str, translation: str) -> Iterator[Found]:
    """Four words in a row that stand in the source too and can only be English."""
    theirs = words_of(_QUOTED.sub(" ", translation))
    if not _STRONG & {*theirs}:
        return
    ours = {*_fours(words_of(source))}
    for four in _fours(theirs):
        lower = all(word.islower() for word in four[1:])
        if four in ours and lower and _STRONG & {word.lower() for word in four}:
            yield "error", "untranslated", f"English was left: “{' '.join(four)}”"
            return


def _fours(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(words, words[1:], words[2:], words[3:], strict=False)


@lru_cache
def _matcher(letters: str) -> re.Pattern[str]:
    return re.compile(f"[{letters}]")


def _short(text: str) -> str:
    return text if len(text) < 41 else f"{text[:40].rstrip()}…"


# The script

_HAN_ONE = re.compile(f"[{_HAN}]")
_KANA_ONE = re.compile(f"[{_KANA}]")


def script(source: str, translation: str, language: str) -> Iterator[Found]:
    """Letters of another language's script."""
    if translation.isascii():
        return
    known = primary(language)
    foreign = _FOREIGN.get(known, _FOREIGN[""] if known in _LATIN else "")
    quoted = {*source}
    if foreign:
        found = {*_matcher(foreign).findall(translation)} - quoted
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


# Length and end

_ENDS = ".!?:;。．！？：；…।؟։။。｡"
_CLOSERS = " \n\t)]}）」』》〉】］\"'”’»*_" + EDGE
_DANGLING = {
    "ja": (
        *tuple("をにでとがはのもへや、，"),
        "から",
        "より",
        "ため",
        "および",
        "また",
    ),
    "zh": (*tuple("的和与在把被从对将而或及以并、，"), "以及", "因为", "如果"),
}
# How many units a good translation has a word, at the least, and usually.
_DENSITY = {"ja": (0.75, 1.35), "zh": (0.55, 1.05), "yue": (0.55, 1.05)}
_FULL_STOP = (
    _set_of(
        """
    zh yue ja ko ru uk be bg mk el hy ka
    """
    )
    | _LATIN
)


def ending(source: str, translation: str, language: str) -> Iterator[Found]:
    """A translation that stops in the middle, or is far too short."""
    known = primary(language)
    ours = source.replace(EDGE, "").strip()
    theirs = translation.replace(EDGE, "").strip()
    if not ours:
        return
    words = len(words_of(ours))
    size = units(theirs, known)
    least, usual = _DENSITY.get(known, (0.35, 0.6))
    if words > 3 and size == 0:
        yield "error", "truncated", f"{words} words became none"
        return
    if words > 7 and size < words * least * (0.8 if words < 16 else 1):
        short = f"{words} English words became {size} characters or words"
        yield "error", "truncated", f"too short: {short}"
        return
    if words > 3 and size > words * 6 + 12:
        yield "warning", "long", f"{words} English words became {size}"
    said, last = ours.rstrip(_CLOSERS)[-1:], theirs.rstrip(_CLOSERS)[-1:]
    if last == "…" or theirs.endswith("..."):
        if said != "…" and not ours.endswith("..."):
            yield "error", "truncated", "it ends in “…”, the English does not"
        return
    if last in "、，,;；(（「『[-–—" and last and _narrow(last) != _narrow(said):
        yield "error", "truncated", f"it ends in “{last}”"
        return
    if said not in set(".!?。") or not said or (last and last in _ENDS):
        return
    bare = theirs.rstrip(_CLOSERS)
    if bare.endswith(_DANGLING.get(known, ())) and words > 2:
        yield "error", "truncated", f"it stops in the middle: “…{bare[-8:]}”"
    elif words > 7 and size < words * usual and known in _FULL_STOP:
        yield "error", "truncated", f"it stops without a full stop: “…{bare[-8:]}”"
    elif known in _FULL_STOP and words > 2:
        yield "warning", "end", "the English ends in a full stop, the translation not"


def _narrow(mark: str) -> str:
    """A punctuation mark as English has it."""
    return mark.translate(_WIDE_MARKS)


_WIDE_MARKS = str.maketrans("、，；（", ",,;(")


def units(text: str, language: str) -> int:
    """The length of a text: its characters where words are not parted, else words."""
    latin = sum(1 for _ in _WORD.finditer(text))
    if language in _LATIN:
        return latin + len(re.findall(r"[^\W\d_]+", text)) - latin
    if language in {"zh", "yue", "ja"}:
        return latin + len(re.findall(f"[{_HAN}{_KANA}ー]", text))
    if language in {"th", "ko"} or _ANY_CJK.search(text):
        return len(re.findall(r"[^\W\d_]", text)) // 2
    return len(re.findall(r"[^\W\d_]+", text))


# Repetition

_SENTENCE = re.compile(r"[^。！？!?.\n；;]+[。！？!?.；;]?")


def repeated(source: str, translation: str) -> Iterator[Found]:
    """A sentence that stands twice."""
    said = Counter(_sentences(translation))
    often = max(said.values(), default=1)
    if often < 2:
        return
    if often > max(Counter(_sentences(source)).values(), default=1):
        sentence = max(said, key=lambda one: said[one])
        yield "error", "repeated", f"it stands {often} times: “{_short(sentence)}”"


def _sentences(text: str) -> Iterator[str]:
    for sentence in _SENTENCE.findall(text.replace(EDGE, "")):
        bare = sentence.strip(" \n。！？!?.；;")
        if len(bare) > 7:
            yield bare


# What a machine leaves behind

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
        if first in _STRONG | _SMALL or name not in whole or name in translation:
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


_NUMBER = re.compile(r"(?<![A-Za-z\d_.])\d[\d,.]*+(?![A-Za-z_])")


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
    new = {one for one, values in theirs.items() if len(one) > 2 and not values & said}
    gone = {one for one, values in ours.items() if len(one) > 1 and not values & known}
    if new and gone:
        were, are = ", ".join(sorted(gone)), ", ".join(sorted(new))
        yield "warning", "number", f"{were} became {are}"


_LARGE = re.compile(r"\b(?:thousand|million|billion)\b", re.IGNORECASE)
_UNITS = {
    **{"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000},
    **{"千": 1_000, "万": 10_000, "萬": 10_000, "億": 10**8, "亿": 10**8},
}


def _numbers(text: str) -> dict[str, set[Decimal]]:
    """The numbers as they are written, and what each may stand for."""
    digits = text.translate({0xFF10 + digit: 0x30 + digit for digit in range(10)})
    found: dict[str, set[Decimal]] = {}
    for match in _NUMBER.finditer(digits):
        written = match[0].rstrip(".,").replace(",", "")
        values = found.setdefault(written, set())
        with suppress(InvalidOperation):
            value = Decimal(written)
            unit = _UNITS.get(digits[match.end() :].lstrip()[:1])
            values |= {value, value * unit} if unit else {value}
    return found
