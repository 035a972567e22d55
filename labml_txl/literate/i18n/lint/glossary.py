r"""# Terms, one translation each

A glossary says how a term is translated, so that a language says the same thing by the
same word on every page. It is a TOML file of the project, `docs/locale/glossary.toml`.

```toml
names = ["PyTorch", "Transformer"]      # these keep their Latin letters

[[term]]
english = ["memory", "memories"]        # every spelling; an s at the end is known
ja = { use = ["メモリ"] }                # the first is the wanted one, all are allowed
zh = { use = ["记忆"], never = ["内存"] }
```

`[[english]]` says which English words the pages do not use: see
[the words of the English](english.md).

A term without `use` only says what it never means. The longest spelling wins: `GPU
memory`, if it is a term, is no `memory`. The title of a paper that stays English has no
terms.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from labml_txl.literate.i18n.lint.english import EnglishRule, rule
from labml_txl.literate.markdown.tokens import EDGE
from labml_txl.literate.sources.source import LiterateError


class GlossaryError(LiterateError):
    """The glossary is not what it should be."""


@dataclass(frozen=True)
class Wording:
    """How one language says a term: the allowed words, and those it must not use."""

    use: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True)
class Term:
    """A term: its English spellings, and the wording of each language."""

    english: tuple[str, ...]
    wordings: Mapping[str, Wording] = field(hash=False)


@dataclass(frozen=True)
class Glossary:
    """The terms and names of a project."""

    terms: tuple[Term, ...] = ()
    names: tuple[str, ...] = ()
    english: tuple[EnglishRule, ...] = ()

    def check(
        self, source: str, translation: str, language: str
    ) -> Iterator[tuple[str, str, str]]:
        """Where a translation leaves the glossary, each as a warning."""
        said = translation.casefold()
        found = [
            (term.english[0], wording)
            for term in self._found(_without_titles(source, translation))
            if (wording := _wording(term, language)) is not None
        ]
        # A word that one term of the sentence must not have may be that of another.
        wanted = {use for _, wording in found for use in wording.use}
        for english, wording in found:
            yield from _leaves(english, wording, said, wanted)
        yield from self._lost(source, translation, said)

    def _found(self, source: str) -> list[Term]:
        if self._spellings is None:
            return []
        found = self._spellings.findall(_one_space(source))
        return list({id(term): term for term in map(self._term_of, found)}.values())

    def _lost(
        self, source: str, translation: str, said: str
    ) -> Iterator[tuple[str, str, str]]:
        if self._names is None or translation.isascii():
            return
        for name in dict.fromkeys(self._names.findall(source)):
            if _bare(name) not in _bare(said):
                yield "warning", "name", f"“{name}” keeps its Latin letters"

    def _term_of(self, spelling: str) -> Term:
        bare = _bare(spelling)
        return self._by_spelling.get(bare) or self._by_spelling[bare.removesuffix("s")]

    @cached_property
    def _by_spelling(self) -> dict[str, Term]:
        return {_bare(one): term for term in self.terms for one in term.english}

    @cached_property
    def _spellings(self) -> re.Pattern[str] | None:
        return _alternatives([one for term in self.terms for one in term.english])

    @cached_property
    def _names(self) -> re.Pattern[str] | None:
        return _alternatives(self.names, exact=True)


def _without_titles(source: str, translation: str) -> str:
    """The English without the titles that the translation keeps in English.

    A title is three words or more within marks, such as `*Attention Is All You Need*`.
    """
    kept = translation.replace(EDGE, "")
    return " ".join(
        piece
        for piece in source.split(EDGE)
        if len(piece.split()) < 3 or piece.strip() not in kept
    )


def _leaves(
    english: str, wording: Wording, said: str, wanted_elsewhere: set[str]
) -> Iterator[tuple[str, str, str]]:
    for wrong in wording.never:
        if wrong.casefold() in said and wrong not in wanted_elsewhere:
            wanted = f", but {wording.use[0]}" if wording.use else ""
            yield "warning", "term", f"“{english}” is not {wrong}{wanted}"
            return
    if wording.use and not any(use.casefold() in said for use in wording.use):
        yield "warning", "term", f"“{english}” is {' or '.join(wording.use)}"


def _wording(term: Term, language: str) -> Wording | None:
    tag = language.lower()
    return term.wordings.get(tag) or term.wordings.get(re.split("[-_]", tag)[0])


def _one_space(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


def _bare(spelling: str) -> str:
    return re.sub(r"[\s_-]+", "", spelling.casefold())


def _alternatives(spellings: Any, exact: bool = False) -> re.Pattern[str] | None:
    """Any of the spellings as whole words, the longest first."""
    if not spellings:
        return None
    ordered = sorted(spellings, key=len, reverse=True)
    parts = "|".join(re.sub(r"(?:\\?[\s-])+", r"[ -]?", re.escape(s)) for s in ordered)
    end = "(?![A-Za-z0-9_])" if exact else "s?(?![A-Za-z0-9_])"
    flags = re.NOFLAG if exact else re.IGNORECASE
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{parts}){end}", flags)


def load_glossary(path: Path) -> Glossary:
    """Read a glossary; raises `GlossaryError`, which says what is wrong."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GlossaryError(path.as_posix(), 1, f"no TOML: {error}") from None
    unknown = sorted({*content} - {"names", "term", "english"})
    if unknown:
        known = "a glossary has `names`, `[[term]]` and `[[english]]`"
        raise GlossaryError(path.as_posix(), 1, f"{unknown[0]} is unknown: {known}")
    terms = content.get("term", [])
    if not isinstance(terms, list):
        raise GlossaryError(path.as_posix(), 1, "term is no list: write [[term]]")
    return Glossary(
        tuple(_term(term, path) for term in terms),
        _strings(content.get("names", []), path, "names"),
        tuple(_english(content.get("english", []), path)),
    )


def _english(tables: Any, path: Path) -> Iterator[EnglishRule]:
    for table in tables:
        try:
            yield rule(table)
        except ValueError as error:
            raise GlossaryError(path.as_posix(), 1, f"[[english]]: {error}") from None


def _term(table: Mapping[str, Any], path: Path) -> Term:
    english = _strings(table.get("english", []), path, "english")
    if not english:
        raise GlossaryError(
            path.as_posix(), 1, 'a term has no english: english = ["memory"]'
        )
    wordings = {}
    for language, words in table.items():
        if language == "english":
            continue
        place = f"{english[0]}, {language}"
        if not isinstance(words, dict) or {*words} - {"use", "never"}:
            wanted = "{ use = [...], never = [...] }"
            raise GlossaryError(path.as_posix(), 1, f"{place}: this must be {wanted}")
        wordings[language.lower()] = Wording(
            *(_strings(words.get(key, []), path, place) for key in ("use", "never"))
        )
    return Term(english, wordings)


def _strings(value: Any, path: Path, place: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(one, str) and one for one in value):
        return tuple(value)
    raise GlossaryError(path.as_posix(), 1, f"{place}: this must be a list of words")


def project_glossary(folder: Path) -> Glossary:
    """The glossary of a folder of translations; without a file, an empty one."""
    own = folder / "glossary.toml"
    return load_glossary(own) if own.is_file() else Glossary()
