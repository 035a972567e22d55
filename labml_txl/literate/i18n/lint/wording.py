r"""# The words of a translation

What can be told of a sentence without understanding it: whether it is there, whether it
stops in the middle, whether English was left in it, whether it says a thing twice.

Everything here is a guess about words, so each rule asks for strong evidence. Names,
titles, identifiers, quotations and glosses in brackets may stay English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from labml_txl.literate.i18n.lint.letters import (
    ANY_CJK,
    HAN,
    KANA,
    SCRIPTS,
    Found,
    matcher,
    primary,
    script_of,
    set_of,
)
from labml_txl.literate.markdown.tokens import EDGE, OBJECT

_WORD = re.compile(r"[A-Za-z](?:[A-Za-z0-9_'’]|[.-](?=[A-Za-z0-9]))*")
_NAME = re.compile(r"[_.0-9]|[a-z][A-Z]|^[A-Z]{2,}s?$")
# Small words may be written small in a title.
SMALL = set_of(
    """
    a an and as at beyond but by for from in into nor of on or over per than the
    to up upon via vs with without is are be it its that this
    """
)
# Words that no other language has and no name is made of.
STRONG = set_of(
    """
    the is are was were which where we this that these those with from it its
    has have been and of they there when while then because if by into each both
    our
    """
)
# Words of one-word headings and labels; a name is not among them.
_COMMON = set_of(
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
    content = [word for word in small if word not in SMALL and len(word) > 1]
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
    script = SCRIPTS.get(script_of(language))
    ours = _plain(source).replace(OBJECT, " ")
    theirs = _plain(translation).replace(OBJECT, " ")
    same = ours.split() == theirs.split()
    if same or (script and not matcher(script).search(theirs)):
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
        content = [w for w in words if w.islower() and w not in SMALL | STRONG]
        first = words[0].lower()
        strong = [w for w in words if w in STRONG] or (
            [first] if first in STRONG else []
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
    if not STRONG & {*theirs}:
        return
    ours = {*_fours(words_of(source))}
    for four in _fours(theirs):
        lower = all(word.islower() for word in four[1:])
        if four in ours and lower and STRONG & {word.lower() for word in four}:
            yield "error", "untranslated", f"English was left: “{' '.join(four)}”"
            return


def _fours(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(words, words[1:], words[2:], words[3:], strict=False)


def _short(text: str) -> str:
    return text if len(text) < 41 else f"{text[:40].rstrip()}…"


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
# The scripts whose sentences end in a sign that the English full stop becomes.
_FULL_STOP = set_of("Hans Hant Jpan Kore Cyrl Grek Armn Geor Latn")


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
    bare, stops = theirs.rstrip(_CLOSERS), script_of(language) in _FULL_STOP
    if bare.endswith(_DANGLING.get(known, ())) and words > 2:
        yield "error", "truncated", f"it stops in the middle: “…{bare[-8:]}”"
    elif words > 7 and size < words * usual and stops:
        yield "error", "truncated", f"it stops without a full stop: “…{bare[-8:]}”"
    elif stops and words > 2:
        yield "warning", "end", "the English ends in a full stop, the translation not"


def _narrow(mark: str) -> str:
    """A punctuation mark as English has it."""
    return mark.translate(_WIDE_MARKS)


_WIDE_MARKS = str.maketrans("、，；（", ",,;(")


def units(text: str, language: str) -> int:
    """The length of a text: its characters where words are not parted, else words."""
    latin = sum(1 for _ in _WORD.finditer(text))
    if script_of(language) == "Latn":
        return latin + len(re.findall(r"[^\W\d_]+", text)) - latin
    if language in {"zh", "yue", "ja"}:
        return latin + len(re.findall(f"[{HAN}{KANA}ー]", text))
    if language in {"th", "ko"} or ANY_CJK.search(text):
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
