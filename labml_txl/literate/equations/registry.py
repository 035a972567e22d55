"""# The registry of equations

A TOML file contains the equations of a paper, each with its key, its section and number
in the paper, its LaTeX and its symbols. Notes cite an equation by its key, with the
syntax of Markdown: `[the relative scores][txl.scores]`. The registry and the citations
determine the links, their previews, and the page of equations, which lists the lines
that implement each equation and its tests.
"""

from __future__ import annotations

import ast
import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from labml_txl.literate.security.trusted import strip_marks
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.source import LiterateError, Source, Tell, read, stop
from labml_txl.literate.sources.syntax import definitions, parse


@dataclass(frozen=True)
class Symbol:
    """A symbol of a paper.

    - `key`: `paper.id`, for example `txl.u`;
    - `latex`: its spellings in formulas, that of the paper first;
    - `meaning`: one sentence of Markdown;
    - `names`: its names in the code; one that starts with a dot, as `.key`, is only the
      name of an attribute;
    - `letter`: the letter of a term of a sum, see `Paper`; empty for other symbols.
    """

    key: str
    latex: tuple[str, ...]
    meaning: str
    names: tuple[str, ...]
    letter: str = ""

    @property
    def css(self) -> str:
        """The class that marks the symbol in a formula."""
        if self.letter:
            return f"lit-term-{self.letter}"
        return "sym-" + self.key.replace(".", "-")


@dataclass(frozen=True)
class Equation:
    """An equation: its section and number in the paper, its text, its symbols."""

    key: str
    title: str
    section: str
    number: str
    latex: str
    text: str
    symbols: tuple[Symbol, ...]


@dataclass(frozen=True)
class Paper:
    """A paper and those of its equations that the code implements, in its order.

    `arxiv` is its number there, and `url` an address elsewhere; one may be empty.
    `terms` are the terms of a sum, each with a letter, a colour and an underline of its
    own, in formulas and beside the lines that compute it.
    """

    key: str
    title: str
    authors: str
    year: int
    equations: tuple[Equation, ...]
    symbols: tuple[Symbol, ...]
    arxiv: str = ""
    url: str = ""
    terms: tuple[Symbol, ...] = ()


@dataclass(frozen=True)
class Registry:
    """The papers, and their equations by key."""

    papers: tuple[Paper, ...] = ()

    @cached_property
    def equations(self) -> Mapping[str, Equation]:
        """The equations of all papers, by key."""
        return {e.key: e for paper in self.papers for e in paper.equations}

    @property
    def letters(self) -> str:
        """The letters of all terms, in their order."""
        found = (term.letter for paper in self.papers for term in paper.terms)
        return "".join(dict.fromkeys(found))

    def owns(self, key: str) -> bool:
        """Whether the first part of a key is the key of a paper."""
        return key.partition(".")[0] in {paper.key for paper in self.papers}

    def find(self, key: str, path: str, line: int) -> Equation:
        """The equation of a key; raises `LiterateError` with the nearest key."""
        if key in self.equations:
            return self.equations[key]
        near = difflib.get_close_matches(key, self.equations, n=1, cutoff=0)
        hint = f": did you mean {near[0]}?" if near else ""
        raise LiterateError(path, line, f"unknown equation {key}{hint}")

    def symbols_of(self, keys: Iterable[str]) -> tuple[Symbol, ...]:
        """The symbols of several equations, each once, and the papers' terms."""
        keys = tuple(keys)
        found = {s.key: s for k in keys for s in self.equations[k].symbols}
        names = {key.partition(".")[0] for key in keys}
        terms = (t for paper in self.papers if paper.key in names for t in paper.terms)
        return (*found.values(), *terms)


def load_registry(sources: Iterable[Source]) -> Registry:
    """Build the registry from TOML texts, one for each paper.

    Raises `LiterateError` for invalid TOML, for a field that is missing, unknown or of
    another type, for an undefined symbol, and for a key that two papers use.
    """
    sources = tuple(sources)
    papers = tuple(_parse_paper(source) for source in sources)
    names = [paper.key for paper in papers]
    for source, paper in zip(sources, papers, strict=True):
        if names.count(paper.key) > 1:
            raise LiterateError(
                source.path, 1, f"duplicate paper {paper.key}: rename one"
            )
    return Registry(papers)


def _parse_paper(source: Source) -> Paper:
    try:
        data = tomllib.loads(strip_marks(source.text))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else len(source.lines)
        raise LiterateError(source.path, line, f"not valid TOML: {error}") from None
    _check(source, data)
    about = data["paper"]
    paper = about["key"]
    symbols = {}
    for name, table in data.get("symbols", {}).items():
        latex, names = tuple(table["latex"]), tuple(table.get("names", ()))
        symbols[name] = Symbol(f"{paper}.{name}", latex, table["meaning"], names)
    equations = []
    for name, table in data["equations"].items():
        used = table.get("symbols", [])
        for symbol in used:
            if symbol not in symbols:
                unknown = f"undefined symbol {symbol}: add its table"
                line = _line(source, f"equations.{name}", "symbols")
                raise LiterateError(source.path, line, f"{paper}.{name} {unknown}")
        equations.append(
            Equation(
                key=f"{paper}.{name}",
                title=table["title"],
                section=str(table["section"]),
                number=str(table.get("number", "")),
                latex=table["latex"].strip(),
                text=table["text"],
                symbols=tuple(symbols[symbol] for symbol in used),
            )
        )
    terms = tuple(
        Symbol(f"{paper}.term-{letter}", tuple(table["latex"]), "", (), letter)
        for letter, table in data.get("terms", {}).items()
    )
    return Paper(
        **about,
        equations=tuple(equations),
        symbols=tuple(symbols.values()),
        terms=terms,
    )


# The fields that the tables of a registry may have, and what each must be.
_KINDS = {"table": dict, "text": str, "number": int, "list of texts": list}
_FIELDS: Mapping[str, Mapping[str, str]] = {
    "": dict.fromkeys(("paper", "equations", "symbols", "terms"), "table"),
    "paper": dict.fromkeys(("key", "title", "authors", "arxiv", "url"), "text")
    | {"year": "number"},
    "symbols": {"latex": "list of texts", "meaning": "text", "names": "list of texts"},
    "terms": {"latex": "list of texts"},
    "equations": dict.fromkeys(("title", "latex", "text"), "text")
    | dict.fromkeys(("section", "number"), "text or number")
    | {"symbols": "list of texts"},
}
_OPTIONAL = frozenset({"symbols", "terms", "names", "number", "arxiv", "url"})


def _check(source: Source, data: Mapping[str, Any]) -> None:
    """Raise `LiterateError` for the first field of a registry that is not valid.

    Without this check, a text instead of a list would become a list of its letters, and
    a misspelled field would be ignored.
    """
    _check_table(source, "", data)
    _check_table(source, "paper", data["paper"])
    if not {"arxiv", "url"} & {*data["paper"]}:
        message = "paper has no address: add arxiv or url"
        raise LiterateError(source.path, _line(source, "paper", ""), message)
    keys = {"paper": data["paper"]["key"]}
    for part in ("symbols", "terms", "equations"):
        for name, table in data.get(part, {}).items():
            _check_table(source, f"{part}.{name}", table)
            keys[f"{part}.{name}"] = name
    for table, key in keys.items():
        # A key becomes a CSS class, and a dot separates the paper from the rest.
        term = table.startswith("terms.")
        if not re.fullmatch(r"\w" if term else r"[\w-]+", key):
            wanted = "use one letter" if term else "use only letters, digits, _ and -"
            message = f"invalid key {key!r}: {wanted}"
            raise LiterateError(source.path, _line(source, table, "key"), message)


def _check_table(source: Source, table: str, data: object) -> None:
    fields = _FIELDS[table.partition(".")[0]]
    given = data if isinstance(data, dict) else {}
    needed = (name for name in fields if name not in _OPTIONAL)
    for name in dict.fromkeys((*given, *needed)):
        value, kinds = given.get(name), fields.get(name, "").split(" or ")
        types = tuple(_KINDS[kind] for kind in kinds if kind)
        texts = value if isinstance(value, list) else []
        sound = value != "" and isinstance(value, types)
        if not sound or not all(isinstance(text, str) for text in texts):
            wanted = fields.get(name, f"field of its table: {', '.join(fields)}")
            message = f"{table}.{name} must be a {wanted}, not {value!r}".lstrip(".")
            raise LiterateError(source.path, _line(source, table, name), message)


def _line(source: Source, table: str, field: str) -> int:
    """The line of a field in its table, or that of the table."""
    found, here = 1, not table
    for number, line in enumerate(source.lines, start=1):
        if header := re.match(r"\s*\[+([^\[\]]+)\]", line):
            here = header[1].strip() == table
            found = number if here else found
        elif here and re.match(rf"\s*{re.escape(field)}\s*=", line):
            return number
    return found


@dataclass(frozen=True)
class Citation:
    """A citation of an equation: its key, its file and line, and its block."""

    key: str
    path: str
    line: int
    block: Block


def find_citations(
    path: str, blocks: Iterable[Block], registry: Registry, tell: Tell = stop
) -> Iterator[Citation]:
    """The citations in the notes of a page; `tell` gets an error for unknown keys."""
    for block in blocks:
        for piece in block.note.pieces:
            key = piece.target if piece.kind == "citation" else piece.body
            if piece.kind not in {"citation", "include"} or not registry.owns(key):
                continue
            line = block.note_line + block.note.line_of(piece.start)
            try:
                yield Citation(registry.find(key, path, line).key, path, line, block)
            except LiterateError as fault:
                tell(fault)


@dataclass(frozen=True)
class Proof:
    """A test of an equation."""

    key: str
    test: str
    path: str
    line: int


def find_proofs(
    folder: Path, root: Path, registry: Registry, tell: Tell = stop
) -> tuple[Proof, ...]:
    """The tests below a folder that have the marker `@pytest.mark.equation("key")`.

    The files are only parsed, so the site can be built without torch.
    """
    found = []
    for path in sorted(folder.rglob("test_*.py")):
        for proof in _read_proofs(read(path, root)):
            try:
                registry.find(proof.key, proof.path, proof.line)
                found.append(proof)
            except LiterateError as fault:
                tell(fault)
    return tuple(found)


@lru_cache(maxsize=1_000)
def _read_proofs(source: Source) -> tuple[Proof, ...]:
    """The proofs in a test file, also those with unknown keys."""
    if "equation" not in source.text:  # We parse only the files that need it.
        return ()
    return tuple(
        Proof(str(argument.value), node.name, source.path, node.lineno)
        for node, _ in definitions(parse(source))
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute)
        for argument in mark.args
        if mark.func.attr == "equation" and isinstance(argument, ast.Constant)
    )
