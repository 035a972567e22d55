"""# The glossary

The glossary contains the translation of each technical term, so that all pages use the
same one. It is a TOML file of the project, `docs/locale/glossary.toml`.

```toml
names = ["PyTorch", "Transformer"]      # written in Latin letters

[[term]]
english = ["memory", "memories"]        # all spellings; a plural s is optional
ja = { use = ["メモリ"] }                # all are allowed, the first is preferred
zh = { use = ["记忆"], never = ["内存"] }

[[term]]
english = ["row"]
ja = { near = ["行"] }                   # may be left out
```

Ordinary words tell what belongs together. In English, each may have any of the usual
endings. A translation has to contain what stands for those that are `required`:

```toml
[required]
"text" = { ja = ["テキスト"], zh = ["文本"] }

[words]
"long" = { ja = ["長い", "長く"], zh = ["长"] }
```

A term without `use` only excludes translations, such as a sense of another field or the
opposite. The longest term matches: if `GPU memory` is a term, it is not checked as
`memory`. Titles that remain in English are not checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from labml_txl.literate.markdown.message import Place, read_message
from labml_txl.literate.sources.source import LiterateError, read

# The words that a language allows (`use`) and excludes (`never`) for a term, and those
# that are not required but tell what a number belongs to (`near`).
Wording = Mapping[str, Sequence[str]]
Places = tuple[list[Place], list[Place]]
# Ordinary words in English, and what may stand for them in each language.
Ordinary = Mapping[str, Mapping[str, Sequence[str]]]
_Known = tuple[str, str, Sequence[str]]
_WORDING = ("use", "never", "near")


@dataclass(frozen=True)
class Glossary:
    """The terms of a project, which are tables of its file, and its names."""

    terms: Sequence[Mapping[str, Any]] = ()
    names: Sequence[str] = ()
    required: Ordinary = field(default_factory=dict)
    words: Ordinary = field(default_factory=dict)

    def check(
        self, message: str, translation: str, language: str
    ) -> Iterator[tuple[str, str]]:
        """Yield the rule that a translation breaks, `term` or `name`, and a message."""
        text = translation.casefold()
        wordings: dict[str, Wording] = {}
        for spelling in self._spellings.findall(message):
            term = self._term(spelling)
            if wording := term.get(language) or term.get(language.partition("-")[0]):
                wordings[term["english"][0]] = wording
        # A word that one term excludes may be the translation of another term.
        wanted = {use for wording in wordings.values() for use in wording["use"]}
        for english, wording in wordings.items():
            use, never = wording["use"], wording["never"]
            wrong = [w for w in never if w.casefold() in text and w not in wanted]
            if wrong:
                instead = f", but {use[0]}" if use else ""
                yield "term", f"“{english}” is not {wrong[0]}{instead}"
            elif use and not any(word.casefold() in text for word in use):
                yield "term", f"translate “{english}” as {' or '.join(use)}"
        for name in dict.fromkeys(self._names.findall(message)):
            if not translation.isascii() and _normalise(name) not in _normalise(
                translation
            ):
                yield "name", f"write “{name}” in Latin letters"

    def entities(
        self, message: str, translation: str, language: str
    ) -> Iterator[tuple[str, str, list[Place], list[Place]]]:
        """Yield what a message names: its kind, and where it is in both texts.

        The kind is `name`, `term`, `required` or `word`.
        """
        names: dict[str, Places] = {}
        for which, text in enumerate((message, translation)):
            for match in self._names.finditer(text):
                places = names.setdefault(match[0], ([], []))
                places[which].append(match.span())
        for name, places in names.items():
            if places[0]:
                yield "name", name, *places
        known = self._collect(language.partition("-")[0])
        terms: dict[str, Places] = {}
        kinds: dict[str, str] = {}
        owners: dict[str, set[str]] = {}
        for bare, place in _find_known(message, known):
            name, kinds[known[bare][0]], words = known[bare]
            terms.setdefault(name, ([], []))[0].append(place)
            for word in words:
                owners.setdefault(word, set()).add(name)
        parts = [
            rf"(?<!\d){word}(?!\d)" if word.isdigit() else re.escape(word)
            for word in sorted(owners, key=len, reverse=True)
        ]
        for match in re.finditer("|".join(parts) or r"(?!)", translation):
            for name in owners[match[0]]:
                terms[name][1].append(match.span())
        for name, places in terms.items():
            yield kinds[name], name, *places

    def _collect(self, language: str) -> Mapping[str, _Known]:
        """For each spelling of a term or word in all its forms, what it is."""
        if language not in self._by_language:
            known: dict[str, _Known] = {}
            for term in self.terms:
                wording = term.get(language) or {}
                words = [*wording.get("use", ()), *wording.get("near", ())]
                for one in map(_normalise, term["english"] if words else ()):
                    known |= dict.fromkeys(
                        (one, f"{one}s"), (term["english"][0], "term", words)
                    )
            for kind, key, languages in (
                *(("required", *item) for item in self.required.items()),
                *(("word", *item) for item in self.words.items()),
            ):
                first, *others = key.split(", ")
                of_term = known.get(_normalise(first), ("", "", ()))[1] == "term"
                for one in (first, *others) if language in languages else ():
                    for form in map(_normalise, _forms(one)):
                        before = known.get(form, (first, "", ()))
                        words = [*before[2], *languages[language]]
                        kept = "term" if of_term and kind == "word" else kind
                        known[form] = before[0], kept, words
            self._by_language[language] = known
        return self._by_language[language]

    @cached_property
    def _by_language(self) -> dict[str, Mapping[str, _Known]]:
        return {}

    def latin(self, language: str) -> frozenset[str]:
        """The words of a language's terms that are English, in small letters."""
        wordings = (term.get(language.partition("-")[0]) or {} for term in self.terms)
        return frozenset(
            latin.casefold()
            for wording in wordings
            for word in (*wording.get("use", ()), *wording.get("near", ()))
            for latin in _LATIN.findall(word)
        ) | {name.casefold() for name in self.names}

    def _term(self, spelling: str) -> Mapping[str, Any]:
        bare = _normalise(spelling)
        known = self._by_spelling
        return known.get(bare) or known[bare.removesuffix("s")]

    @cached_property
    def _by_spelling(self) -> dict[str, Mapping[str, Any]]:
        return {_normalise(one): term for term in self.terms for one in term["english"]}

    @cached_property
    def _spellings(self) -> re.Pattern[str]:
        spellings = (one for term in self.terms for one in term["english"])
        return _make_pattern(spellings, "s?", re.IGNORECASE)

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return _make_pattern(self.names)


_LATIN = re.compile(r"[A-Za-z][A-Za-z -]*[A-Za-z]")


def _make_pattern(
    spellings: Iterable[str], end: str = "", flags: re.RegexFlag = re.NOFLAG
) -> re.Pattern[str]:
    """A pattern of the spellings as whole words, the longest first."""
    ordered = sorted(spellings, key=len, reverse=True)
    parts = "|".join(re.sub(r"(?:\\?[\s-])+", r"[ -]?", re.escape(s)) for s in ordered)
    whole = rf"(?<![A-Za-z0-9_])(?:{parts}){end}(?![A-Za-z0-9_])"
    return re.compile(whole if ordered else r"(?!)", flags)


def _forms(word: str) -> list[str]:
    """An ordinary word with the usual endings."""
    if word.endswith("e"):
        return [word[:-1] + end for end in ("e", "es", "ed", "ing", "er", "ion")]
    if word.endswith("y"):
        return [word[:-1] + end for end in ("y", "ies", "ied", "ying")]
    return [word + end for end in ("", "s", "es", "ed", "ing", "ings", "er", "ly")]


_TOKEN = re.compile(r"[A-Za-z0-9_]+")
_MOST_TOKENS = 6


def _find_known(text: str, known: Mapping[str, _Known]) -> Iterator[tuple[str, Place]]:
    """The known spellings in a text, in each place the longest."""
    tokens = [(match[0].casefold(), match.span()) for match in _TOKEN.finditer(text)]
    first = 0
    while first < len(tokens):
        last = first + 1
        while last < min(len(tokens), first + _MOST_TOKENS) and text[
            tokens[last - 1][1][1] : tokens[last][1][0]
        ] in {" ", "-"}:
            last += 1
        for end in range(last, first, -1):
            bare = _normalise("".join(token for token, _ in tokens[first:end]))
            if bare in known:
                yield bare, (tokens[first][1][0], tokens[end - 1][1][1])
                # In “first term”, the ordinary word stands for itself as well.
                inner = tokens[first:end] if known[bare][1] == "term" else ()
                for token, place in inner:
                    if token != bare and token in known and known[token][1] == "word":
                        yield token, place
                first = end - 1
                break
        first += 1


def _normalise(spelling: str) -> str:
    return re.sub(r"[\s_-]+", "", spelling.casefold())


def find_titles(message: str, translation: str) -> list[str]:
    """The titles in a message that occur in its translation unchanged.

    A title has three words or more, as `*Attention Is All You Need*`. It is a link,
    emphasized, or the whole message.
    """
    given = read_message(message)
    parts = [part.words for part in (*given.links, *given.emphases)]
    parts += [message] * (message == translation)
    return [one for one in parts if one.count(" ") > 1 and one in translation]


def load_glossary(folder: Path, root: Path) -> Glossary:
    """Read the glossary of a folder of translations; without a file, it is empty.

    Raises `LiterateError` if the file is not valid.
    """
    path = folder / "glossary.toml"
    if not path.is_file():
        return Glossary()
    source = read(path, root)
    try:
        content = tomllib.loads(source.text)
        terms, names = content.pop("term", []), content.pop("names", [])
        required, words = content.pop("required", {}), content.pop("words", {})
        if content:
            unknown = f"{min(content)} is unknown"
            raise ValueError(
                f"{unknown}: use `names`, `[[term]]`, `[required]` and `[words]`"
            )
        _check_words(names, "names")
        for term in terms if isinstance(terms, list) else [terms]:
            if not isinstance(term, dict) or not term.get("english"):
                raise ValueError('a term has no english: english = ["memory"]')
            _check_words(term["english"], "english")
            for language, wording in term.items():
                if language != "english":
                    place = f"{term['english'][0]}, {language}"
                    if not isinstance(wording, dict) or {*wording} - {*_WORDING}:
                        form = "{ use = [...], never = [...], near = [...] }"
                        raise ValueError(f"{place}: expected {form}")
                    for part in _WORDING:
                        _check_words(wording.setdefault(part, []), place)
        for table in (required, words):
            for key, languages in (
                table.items() if isinstance(table, dict) else [("", 0)]
            ):
                if not isinstance(languages, dict):
                    form = "{ ja = [...], zh = [...] }"
                    raise ValueError(f"{key or 'words'}: expected {form}")
                for language, wording in languages.items():
                    _check_words(wording, f"{key}, {language}")
    except tomllib.TOMLDecodeError as error:
        raise LiterateError(source.path, 1, f"not valid TOML: {error}") from None
    except ValueError as error:
        raise LiterateError(source.path, 1, str(error)) from None
    return Glossary(terms, names, required, words)


def _check_words(value: object, place: str) -> None:
    if not isinstance(value, list) or not all(
        isinstance(one, str) and one for one in value
    ):
        raise ValueError(f"{place}: expected a list of words")
