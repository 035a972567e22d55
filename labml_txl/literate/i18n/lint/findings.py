r"""# Faults of a translation

A translation can be wrong in ways that only a reader sees. It can also be broken in
ways that a program sees: a formula is gone, a link leads elsewhere, a sentence stops in
the middle, a machine left its signs behind. The second kind is found here.

The kinds are those of the table in `faults`.

What is not found: a sentence that is complete and says something else. A lost negation
is such a sentence. Somebody must read each page once more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from labml_txl.literate.i18n.foreign import foreign
from labml_txl.literate.i18n.lint import leftovers, letters, wording
from labml_txl.literate.i18n.lint.glossary import Glossary
from labml_txl.literate.i18n.lint.markup import (
    Reading,
    read_message,
)
from labml_txl.literate.markdown.tokens import EDGE, OBJECT, is_html


@dataclass(frozen=True)
class Finding:
    """A fault of one translation.

    - `severity`: `"error"` (the translation is not shown), `"warning"` (somebody should
      look) or `"info"`;
    - `code`: the kind, one of `FAULTS`;
    - `message`: a line for the translator.
    """

    severity: str
    code: str
    message: str


def lint_message(
    source: str, translation: str, language: str, glossary: Glossary | None = None
) -> list[Finding]:
    """What is wrong with the translation of one message, the worst first.

    Message and translation are Markdown or HTML. Without a glossary, no term is looked
    for.
    """
    if not source.strip():
        return []
    if not translation.strip(" \t\r\n\u3000\u00a0\u200b\ufeff"):
        return [Finding("error", "empty", "there is no translation")]
    why = foreign(source, translation)
    if why and len(translation) > 2 * len(source) + 200:
        # Whoever writes that much of something else need not be told of each sign.
        return [Finding("error", "foreign", why)]
    html = is_html(source)
    ours = read_message(source, not html)
    theirs = read_message(translation, not html and not is_html(translation))
    found = dict.fromkeys(
        Finding(*one)
        for one in (
            *_objects(ours, theirs),
            *_links(ours, theirs),
            *_marks(ours, theirs),
            *_blocks(source, translation, html),
            *_words(ours, theirs, language),
            *leftovers.leftovers(ours.written, theirs.written, html),
            *(glossary or Glossary()).check(ours.words, theirs.words, language),
        )
    )
    if why and not any(one.severity == "error" for one in found):
        found[Finding("error", "foreign", why)] = None
    return sorted(found, key=lambda one: _ORDER[one.severity])


_ORDER = {"error": 0, "warning": 1, "info": 2}


# What must be the same on both sides


def _objects(ours: Reading, theirs: Reading) -> Iterator[letters.Found]:
    """Formulas, code, placeholders and images: the same ones, in any order."""
    if ours.objects == theirs.objects:
        return
    was, now = Counter(ours.objects), Counter(theirs.objects)
    for kind, text in was - now:
        often = f" ({now[kind, text]} of {was[kind, text]})" if now[kind, text] else ""
        yield "error", kind, f"{_shown(text)} is missing{often}"
    for kind, text in now - was:
        often = f" ({now[kind, text]} of {was[kind, text]})" if was[kind, text] else ""
        new = "stands too often" if often else "is not in the English"
        yield "error", kind, f"{_shown(text)} {new}{often}"
    if was == now:
        yield "info", "order", "formulas and code come in another order"


def _shown(text: str) -> str:
    return text if len(text) < 61 else f"{text[:60]}…"


def _links(ours: Reading, theirs: Reading) -> Iterator[letters.Found]:
    """Links: the same targets, each with words that are its own."""
    if not ours.links and not theirs.links:
        return
    was = Counter(link.target for link in ours.links)
    now = Counter(link.target for link in theirs.links)
    for target in was - now:
        yield "error", _link_kind(target), f"the link to {_shown(target)} is missing"
    for target in now - was:
        new = "stands too often" if was[target] else "is not in the English"
        yield "error", _link_kind(target), f"the link to {_shown(target)} {new}"
    where = {_bare(link.words): link.target for link in ours.links if _bare(link.words)}
    sure = len(where) == len(ours.links)
    for link in theirs.links:
        target = where.get(_bare(link.words), link.target)
        if sure and was == now and target != link.target:
            say = f"“{_shown(link.words)}” links to {link.target}, not to {target}"
            yield "error", "exchanged", say
        said_all = all(one.words.strip() for one in ours.links)
        if said_all and not link.words.strip() and link.target in was:
            yield "error", "link-words", f"the link to {link.target} has no words"
    said = {link.target: link.words for link in ours.links}
    for link in theirs.links:
        words = said.get(link.target, "")
        if words and was[link.target] == 1 == now[link.target]:
            yield from _link_words(words, link.words, link.target)


def _link_words(source: str, words: str, target: str) -> Iterator[letters.Found]:
    count = len(wording.words_of(source))
    if (
        count and len(re.findall(r"\w", words)) > max(6 * count + 9, 2 * len(source))
    ) or (count and wording.units(words, "zh") > 4 * count + 6):
        say = f"the link to {_shown(target)} swallows its sentence"
        yield "warning", "link-words", say
    title = count > 3 and _TITLE.search(source)
    kept = _bare(source) in _bare(words)
    if title and not kept and not wording.wants_translation(source, True):
        yield "warning", "title", f"the title “{_shown(source)}” stays English"


_TITLE = re.compile(r"^[A-Z].* [A-Z]")


def _link_kind(target: str) -> str:
    return "citation" if re.fullmatch(r"\[[\w-]+\.[\w.-]+\]", target) else "link"


def _bare(words: str) -> str:
    return " ".join(words.casefold().split())


# Marks


_EMPHASIS = {"em", "strong"}
# These change what a sentence looks like, not what it says.
_LIGHT = {"wbr", "span", "code", "comment"}
_WIDE = str.maketrans("（）［］", "()[]")


def _marks(ours: Reading, theirs: Reading) -> Iterator[letters.Found]:
    """Tags, emphasis and brackets that fit together, and are those of the source."""
    known = Counter(fault.code for fault in ours.faults)
    for fault in theirs.faults:
        if known[fault.code] > 0:
            known[fault.code] -= 1
        else:
            yield "error", fault.code, fault.message
    if ours.tags != theirs.tags:
        for tag in sorted({*ours.tags, *theirs.tags} - _LIGHT):
            yield from _tag(tag, ours.tags[tag], theirs.tags[tag])
    if not theirs.faults:
        yield from _brackets(ours.words, theirs.words)


def _tag(tag: str, was: int, now: int) -> Iterator[letters.Found]:
    if was == now or tag == "a":
        return
    if tag in _EMPHASIS:
        yield "warning", "emphasis", f"{was} times {tag} became {now}"
    elif tag.startswith("placeholder"):
        if now > was:
            yield "error", "placeholder", f"a {tag}"
    elif tag.startswith("lone"):
        if now > was:
            yield "error", "brackets", f"a {tag} pairs with nothing"
    elif tag.startswith("stray"):
        yield "error", "markup", f"{was} times a {tag} became {now}"
    elif tag not in {"i", "b"}:
        yield "error", "markup", f"{was} times <{tag}> became {now}"


_PAIRS = ("()", "「」", "『』", "《》", "【】", "“”")
_ITEM = re.compile(r"(?:^|(?<=[\s。；;，,：:]))[A-Za-z0-9]{1,2}[)）]", re.MULTILINE)


def _brackets(source: str, translation: str) -> Iterator[letters.Found]:
    for pair in _PAIRS:
        opening, closing = pair[0], pair[1]
        if opening == "(" and any(one in translation for one in "()（）"):
            source = _ITEM.sub("", source.translate(_WIDE))
            translation = _ITEM.sub("", translation.translate(_WIDE))
        more = translation.count(opening) - translation.count(closing)
        if more and source.count(opening) == source.count(closing):
            severity = "warning" if opening == "“" else "error"
            yield severity, "brackets", f"{opening} and {closing} do not pair"


_STARTS = re.compile(
    r"^ {0,3}(?:(\#{1,6})[ ]|([-+*])[ ]+\S|(\d{1,3}[.)])[ ]+\S|(>)"
    r"|(```|~~~)|(\|)|(:\s))",
    re.MULTILINE,
)
_DEEP = re.compile(r"\A(?: {4}|\t)\S|\n\s*\n")


def _blocks(source: str, translation: str, html: bool) -> Iterator[letters.Found]:
    """Marks at the start of a line that begin a block of their own."""
    if html:
        return
    was, now = (
        Counter(mark for marks in _STARTS.findall(text) for mark in marks if mark)
        for text in (source, translation)
    )
    for mark in now - was:
        yield "error", "block", f"“{mark}” at the start of a line begins a new block"
    for mark in was - now:
        yield "error", "block", f"“{mark}” at the start of a line is missing"
    text = translation.strip("\n")
    if _DEEP.search(text.rstrip()) and not _DEEP.search(source.rstrip()):
        yield "error", "block", "a message is one block: no empty line, no indentation"


# Words


def _words(ours: Reading, theirs: Reading, language: str) -> Iterator[letters.Found]:
    kept = frozenset(
        _bare(link.words)
        for link in ours.links
        if link.words[:1].isupper() and len(link.words.split()) > 2
    )
    if letters.primary(language) != "en":
        for source, translation in _pairs(ours, theirs):
            yield from wording.untranslated(source, translation, language, kept)
            yield from wording.ending(source, translation, language)
    source, translation = ours.words, theirs.words
    yield from wording.braces(source, translation)
    yield from letters.script(source, translation, language)
    yield from leftovers.torn(source, translation, frozenset())
    yield from leftovers.split_by_mark(source, translation)
    yield from wording.repeated(source, translation)
    yield from leftovers.holes(source, translation, language)
    yield from leftovers.numbers(source, translation)


def _pairs(ours: Reading, theirs: Reading) -> Iterator[tuple[str, str]]:
    """Block beside block where both sides have the same ones, else all beside all."""
    source = [one for one in ours.blocks if one[1].strip(f" \n{EDGE}{OBJECT}")]
    translation = [one for one in theirs.blocks if one[1].strip(f" \n{EDGE}{OBJECT}")]
    if [tag for tag, _ in source] == [tag for tag, _ in translation]:
        for (_, english), (_, words) in zip(source, translation, strict=True):
            yield english, words
    else:
        yield ours.words, theirs.words
