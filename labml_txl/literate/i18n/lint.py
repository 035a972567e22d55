"""# Lint of translations

Finds translations that are broken: a formula or a link is missing, a number differs, a
sentence is truncated, or English was left in it. Of sentences with another meaning, it
finds those that the glossary excludes, and those in which `meaning` and `structure`
find another word, a change of places, or other things that belong together.

`foreign` finds what a translation contains beyond its English; this module finds what
is missing, and checks the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from labml_txl.literate.i18n.aligned import align
from labml_txl.literate.i18n.entities import compare
from labml_txl.literate.i18n.glossary import Glossary, find_titles
from labml_txl.literate.i18n.meaning import find_other_meaning
from labml_txl.literate.i18n.numbers import cut_noise, find_other_numbers
from labml_txl.literate.i18n.structure import find_other_structure
from labml_txl.literate.markdown.message import Divided, read_message
from labml_txl.literate.security.foreign import find_foreign


class Rule(NamedTuple):
    """A rule: its severity, and its description, which is a label of the site.

    A translation with an `error` is not shown; one with a `warning` is.
    """

    severity: str
    meaning: str


RULES: Mapping[str, Rule] = {
    "empty": Rule("error", "there is no translation"),
    "untranslated": Rule("error", "it was left in English"),
    "truncated": Rule("error", "it stops in the middle, or is far too short"),
    "end": Rule("warning", "its last punctuation differs from the English"),
    "mixed": Rule("warning", "English words are left in it"),
    "span": Rule("warning", "a link covers more words than in the English"),
    "misplaced": Rule("warning", "a number or name is beside another word"),
    "long": Rule("warning", "it is much longer than the English"),
    "formula": Rule("error", "formulas differ from the English"),
    "code": Rule("error", "code differs from the English"),
    "placeholder": Rule("error", "placeholders differ from the English"),
    "link": Rule("error", "links differ from the English"),
    "markup": Rule("error", "a tag is missing, or not closed"),
    "emphasis": Rule("warning", "emphasis differs from the English"),
    "brackets": Rule("error", "brackets, dollars or backticks do not match"),
    "foreign": Rule("error", "it contains markup or links that the English lacks"),
    "number": Rule("warning", "numbers differ from the English"),
    "meaning": Rule("warning", "it seems to say something else than the English"),
    "term": Rule("warning", "a term differs from the glossary"),
    "name": Rule("warning", "a name is not written as in the English"),
}


# The meaning of a longer message is not compared, nor that of sentences of one with
# more words, since more of them are aligned wrongly.
_MOST_WORDS = 50
_LONGEST_MESSAGE = 2_000


@dataclass(frozen=True)
class Finding:
    """A fault of a translation: a code of `RULES`, and a message."""

    code: str
    message: str

    @property
    def severity(self) -> str:
        """`"error"` or `"warning"`."""
        return RULES[self.code].severity


def lint_message(
    message: str, translation: str, language: str, glossary: Glossary | None = None
) -> list[Finding]:
    """The faults of the translation of a message, errors first.

    Both are Markdown. Without a glossary, terms are not checked.
    """
    if not message.strip():
        return []
    if not translation.strip():
        return [Finding("empty", RULES["empty"].meaning)]
    known = glossary or Glossary()
    findings = [
        *_check_form(message, translation, language, known),
        *_check_meaning(message, translation, language, known),
    ]
    return sorted(findings, key=lambda finding: finding.severity)


def find_errors(message: str, translation: str, language: str) -> list[Finding]:
    """The errors alone, for which a page shows the English.

    A build asks for nothing else, and the rules that compare meanings take most of the
    time of `lint_message`.
    """
    findings = _check_form(message, translation, language, Glossary())
    return [finding for finding in findings if finding.severity == "error"]


def _check_form(
    message: str, translation: str, language: str, known: Glossary
) -> Iterator[Finding]:
    """The findings of all rules for errors, and of those that need no meaning."""
    why = find_foreign(message, translation)
    given, written = read_message(message), read_message(translation)
    english, theirs = given.divided, written.divided
    # An object in place of one of the English is a single fault.
    kinds = ("formula", "code", "link", "placeholder")
    code = next((kind for kind in kinds if why.startswith(f"the {kind} ")), "")
    if why:
        yield Finding(code or "foreign", why)
    for kind, raw in (Counter(english.objects) - Counter(theirs.objects)).elements():
        if kind != code:
            yield Finding(kind, f"{raw[:60]} is missing")
    there = Counter(() if why else (raw for _, raw in theirs.objects))
    had, has = (
        Counter(link.end for link in text.links if link.words.strip())
        for text in (given, written)
    )
    for end in (had - has) & there:
        line = f"{end} ends no link: write its words in [ ], after a space"
        yield Finding("link", line)
    ends = {link.words: link.end for link in given.links}
    for words, end, _ in written.links if len(ends) == len(given.links) else ():
        if ends.get(words, end) != end:
            yield Finding("link", f"“{words}” links to {ends[words][1:]}")
    yield from _marks(english.words, theirs.words)
    if language.partition("-")[0] != "en":
        yield from _find_untranslated(english, theirs, known.latin(language))
        yield from _length(english.words, theirs.words)


def _check_meaning(
    message: str, translation: str, language: str, known: Glossary
) -> Iterator[Finding]:
    """The findings of the rules that compare what both texts say, all warnings."""
    both = (read_message(text).divided for text in (message, translation))
    words, rest = (cut_noise(divided.words) for divided in both)
    named = words
    for title in find_titles(message, translation):
        named = named.replace(title, " ")
    found = [*known.check(named, rest, language)]
    found += (("number", line) for line in find_other_numbers(words, rest, language))
    if len(message) <= _LONGEST_MESSAGE and len(translation) <= 5 * _LONGEST_MESSAGE:
        whole = compare(message, translation, known, language)
        found += find_other_structure(whole)
        for here, there in align(whole) if len(words.split()) <= _MOST_WORDS else ():
            pair = whole.ours[slice(*here)], whole.theirs[slice(*there)], language
            found += (("meaning", line) for line in find_other_meaning(*pair))
            found += (("number", line) for line in find_other_numbers(*pair))
    yield from (Finding(*one) for one in dict.fromkeys(found))


def _marks(message: str, translation: str) -> Iterator[Finding]:
    """Asterisks and underscores that are missing, and brackets that do not pair."""
    ours, theirs = (Counter(_EMPHASIS.findall(text)) for text in (message, translation))
    for mark in ours - theirs:
        # A single mark without its pair would be shown as a character.
        code = "brackets" if theirs[mark] % 2 else "emphasis"
        yield Finding(code, f"{mark} is missing")
    message, translation = message.translate(_WIDE), translation.translate(_WIDE)
    for opening, closing in ("()", "[]", "「」", "『』", "《》", "【】"):
        were = message.count(opening) - message.count(closing)
        are = translation.count(opening) - translation.count(closing)
        # The end of a link was removed, so its opening bracket has no pair.
        if were != are and (opening == "[" or not were):
            yield Finding("brackets", f"{opening} and {closing} do not pair")


_EMPHASIS = re.compile(r"\*+|(?<!\w)_++(?=[^\s_])|(?<=[^\s_])_++(?![^\W_])")
_WIDE = str.maketrans("（）［］", "()[]")


# English

_WORD = re.compile(r"[A-Za-z](?:[A-Za-z0-9_'’]|[.-](?=[A-Za-z0-9]))*")
# Words that occur in sentences, but hardly in names or in other languages.
_SMALL = """
    the is are was were which where we this that these those with from it its has have
    been and of they there when while then because if by into each both our to for
    without through between than or either neither before after above below
"""
_SENTENCE = frozenset(_SMALL.split())
# Words between two objects, as in "`a` instead of `b`".
_BETWEEN = re.compile(r" ?([a-z]{3,}(?: [a-z]+)*) ?")
_PAIR = re.compile(r"(?<![A-Za-z\d_.-])([a-z]{2,})(?= ([a-z]{2,})(?![A-Za-z\d_-]))")
_LOWER = re.compile(
    r"(?<![A-Za-z\d_.'’/-])(?<![A-Za-z] )[a-z]{3,}(?:-[a-z]{3,})?"
    r"(?![A-Za-z\d_'’/-])(?!\.\w)"
)
# Titles, quotations and a term in brackets after its translation may stay English.
_QUOTED = re.compile(
    r"「[^」]*」|『[^』]*』|《[^》]*》|“[^”]*”|\"[^\"]*\"|«[^»]*»|\*[^*]*\*|_[^_]*_"
    r"|[(（][A-Za-z ,.'’&–-]*[)）]|（[^（）]*）|\[[A-Z][A-Za-z ,:-]* [A-Z][A-Za-z ,:-]*"
)


def _find_untranslated(
    english: Divided, translated: Divided, allowed: frozenset[str]
) -> Iterator[Finding]:
    """English that was left: the whole message, or some of its words in a row.

    `allowed` are terms that the language writes as in English.
    """
    message, translation = english.words, translated.words
    ours = _WORD.findall(message)
    if _WORD.findall(translation) == ours and message.split() == translation.split():
        if len(ours) > 1 and any(word.islower() and len(word) > 2 for word in ours):
            yield Finding("untranslated", "the translation is identical to the English")
        return
    runs = {*zip(ours, ours[1:], ours[2:], ours[3:], strict=False)}
    theirs = _WORD.findall(_QUOTED.sub(" … ", translation))
    for four in zip(theirs, theirs[1:], theirs[2:], theirs[3:], strict=False):
        small = all(word.islower() for word in four[1:])
        if four in runs and small and _SENTENCE & {word.lower() for word in four}:
            yield Finding("untranslated", f"English words remain: “{' '.join(four)}”")
            return
    # In a script without spaces, a small English word is not part of a name. Between
    # commas, as in "the word, and, is rare", the English mentions it.
    if _SHORT.search(translation):
        mentioned = {*re.findall(r", (\w+),", message)}
        left = _SENTENCE.intersection(theirs, ours) - mentioned
        left |= _words_between(english) & _words_between(translated)
        plain = _QUOTED.sub(_leave_quoted, translation)
        left |= _pairs(message) & _pairs(plain) - allowed
        # A project that has settled its terms has settled which of them stay English.
        if allowed:
            known = {word for term in allowed for word in (term, *term.split())}
            mentioned |= {w for q in _QUOTED.findall(message) for w in _WORD.findall(q)}
            left |= {*_LOWER.findall(plain)} - known - mentioned
        if left:
            yield Finding("mixed", f"English words remain: “{min(left)}”")


def _leave_quoted(match: re.Match[str]) -> str:
    """Nothing of a title or a term, but a clause, which has small words."""
    clause = match[0][0] in "(（" and _SENTENCE & {*_WORD.findall(match[0])}
    return match[0] if clause else " … "


def _pairs(text: str) -> set[str]:
    """Two English words in a row, in small letters."""
    return {" ".join(two) for two in _PAIR.findall(text)} - {"et al"}


def _words_between(text: Divided) -> set[str]:
    """The English words between two objects."""
    return {m[1] for one in text.texts[1:-1] if (m := _BETWEEN.fullmatch(one))}


# Length and end

_ENDS = ".!?:;。．！？：；…।؟։။។｡"
_CLOSING = " \n\t)]}）」』》〉】］\"'”’»*_"
_KANA = re.compile("[\u3041-\u30ff]")
# Scripts in which a word has one or two characters.
_SHORT = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0002ffff]")


def _length(message: str, translation: str) -> Iterator[Finding]:
    """A translation that is truncated, much too short or much too long."""
    ours, theirs = message.strip(), translation.strip()
    words, short = len(_WORD.findall(ours)), len(_SHORT.findall(theirs))
    # Counts words, or characters in scripts without spaces.
    size = short + len(re.findall(r"[^\W\d_]+", _SHORT.sub(" ", theirs)))
    least = 0.55 if short else 0.35
    if words > 3 and (size == 0 or (words > 7 and size < words * least)):
        line = f"{words} English words became {size} characters or words"
        yield Finding("truncated", line)
        return
    if words > 3 and size > words * 6 + 12:
        yield Finding("long", f"{words} English words became {size}")
    before, last = ours.rstrip(_CLOSING)[-1:], theirs.rstrip(_CLOSING)[-1:]
    if last == "…" != before or (theirs.endswith("...") and not ours.endswith("...")):
        yield Finding("truncated", "it ends in “…”, the English does not")
    elif last in set("、，,（(") and before not in set(",("):
        yield Finding("truncated", f"it ends in “{last}”")
    elif (
        # A short message may end in an abbreviation, but no abbreviation in a colon.
        last not in _ENDS and (before == ":" or (words > 2 and before in set(".!?")))
    ) or (
        # Japanese often ends in a full stop where English introduces a list.
        before == ":" and last not in set(":：") and not _KANA.search(theirs)
    ):
        yield Finding("end", f"the English ends in “{before}”")
    elif last in set(":：") and before in set(".!?"):
        yield Finding("end", f"it ends in “{last}”, the English in “{before}”")
