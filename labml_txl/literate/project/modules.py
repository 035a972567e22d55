"""# The annotated modules of a project

Finds the source files, parses them, and sorts them in reading order. The results do not
depend on the language.

A folder with modules may have a subfolder `exercises`. The text in its file `memory.md`
is appended to the page of `memory.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath

from labml_txl.literate.equations.registry import Citation, Registry, find_citations
from labml_txl.literate.markdown.note import Note
from labml_txl.literate.markdown.note import read as read_note
from labml_txl.literate.project.cache import Cache, hash_of
from labml_txl.literate.project.pictures import addresses_of
from labml_txl.literate.project.settings import Project
from labml_txl.literate.project.slow import name_if_slow
from labml_txl.literate.render.page import Page, assemble, find_rows
from labml_txl.literate.render.resolve import relative_url
from labml_txl.literate.sources.blocks import Block, split
from labml_txl.literate.sources.docstrings import find_missing_r, find_unconverted
from labml_txl.literate.sources.names import Module, read_names
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import (
    ENDINGS,
    LiterateError,
    Source,
    Tell,
    UnreadableError,
    check_file,
    files_below,
    import_root,
    is_hidden,
    read,
)
from labml_txl.literate.sources.syntax import parse

# The largest file that becomes a page, in bytes. The page is about ten times as large.
LARGEST = 1_000_000


@dataclass(frozen=True)
class ModuleFacts:
    """What the cache stores of a module.

    - `defines`, `imports`, `local`: its names, as in `Module`;
    - `rows`: the anchor of each definition on its page;
    - `mentions`: the names in the first note of a package, which give the reading order
      of its modules; empty for other modules;
    - `cites`: whether its notes cite equations;
    - `readable`: whether it is valid Python;
    - `pictures`: of each picture in its notes, the address, the line, and whether it is
      HTML, whose addresses the host does not change;
    - `faults`: the file, the line and the message of each fault.
    """

    defines: Sequence[str]
    imports: Mapping[str, str]
    local: Mapping[str, Sequence[str]]
    rows: Mapping[str, str]
    mentions: Sequence[str]
    cites: bool
    readable: bool
    pictures: Sequence[tuple[str, int, bool]]
    faults: Sequence[tuple[str, int, str]]

    @property
    def seen(self) -> tuple[object, ...]:
        """The facts that the pages of other modules depend on."""
        return (self.defines, self.imports, self.local, self.rows, self.readable)


@dataclass(frozen=True)
class ModuleSource:
    """An annotated module: its file, its dotted name, and the path of its page.

    The facts follow from the rest. Those from the cache have lists instead of tuples,
    so they do not belong to the text that is hashed.
    """

    source: Source
    exercises: Source | None
    name: str
    path: str
    facts: ModuleFacts = field(repr=False)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the file, followed by that of the exercises, if any."""
        return split_module(self.source, self.exercises)

    @property
    def page(self) -> Page:
        """Its page in English."""
        return _page(self.source, self.exercises, self.name, self.path)

    @cached_property
    def names(self) -> Module:
        """The names that it defines, imports and binds locally."""
        facts = self.facts
        return Module(self.name, tuple(facts.defines), facts.imports, local=facts.local)

    def find_citations(self, registry: Registry) -> tuple[Citation, ...]:
        """The citations of equations in its notes, without faulty ones."""
        if not self.facts.cites:
            return ()
        path = self.source.path
        blocks = split(self.source)  # an exercise implements nothing
        return tuple(find_citations(path, blocks, registry, lambda fault: None))


@lru_cache(maxsize=200)
def split_module(source: Source, exercises: Source | None) -> tuple[Block, ...]:
    """Split a module into blocks; the last one is that of the exercises, if any.

    The first has the title, also if the file is empty or begins with a definition.
    """
    found = split(source)
    if not found or found[0].opens != "module":
        found = (Block(Note(), (), range(0), opens="module"), *found)
    if exercises is None:
        return found
    text, file = exercises.text, exercises.path
    end = Block(read_note(text), (), range(0), opens="exercises", begins=1, file=file)
    return (*found, end)


@lru_cache(maxsize=200)
def _page(source: Source, exercises: Source | None, name: str, path: str) -> Page:
    blocks = split_module(source, exercises)
    return assemble(source, blocks, module=name, path=path, exercises=exercises)


def read_modules(
    project: Project, registry: Registry, cache: Cache, tell: Tell
) -> tuple[ModuleSource, ...]:
    """Read the modules that the settings name, in reading order.

    `tell` is called with a fault for each file that gets no page, because it cannot be
    decoded, is too large, is a symbolic link to a file outside the project, or has the
    same address as another page. Raises `LiterateError` if a path in the settings does
    not exist.
    """
    root, registry_hash = project.root, hash_of(registry)
    addresses = {_address(path): f"{project.docs}/{path}" for path in project.prose}
    found = []
    for start, file in _files(project):
        try:
            one = _read_module(root, start, file, registry, registry_hash, cache)
        except LiterateError as fault:
            tell(fault)
            continue
        address = _address(one.path)
        if address in addresses:
            other = addresses[address]
            message = f"{other} has the same address, {address}: rename one"
            tell(LiterateError(one.source.path, 1, message))
        else:
            addresses[address] = one.source.path
            found.append(one)
    if not found and not project.notebooks:
        message = "no Python file gets a page: name files or folders in `modules`"
        tell(LiterateError(project.settings, 1, message))
    return _sort_modules(found)


def _files(project: Project) -> Iterator[tuple[Path, Path]]:
    """Yield each file below the paths in the settings, after that path.

    Leaves out a file if a pattern matches its path or that of a folder above it.
    """
    excluded = [pattern.rstrip("/") for pattern in project.exclude]
    for given in project.modules:
        start = project.root / given
        if not start.exists():
            message = f"the file or folder {given} does not exist"
            raise LiterateError(project.settings, 1, message)
        found = files_below(start, ENDINGS, broken=True)
        for file in [start] if start.is_file() else found:
            if is_hidden(file):
                continue
            path = relative_to(file, project.root)
            if not any(
                fnmatchcase(path, each) or fnmatchcase(path, f"{each}/*")
                for each in excluded
            ):
                yield start, file


def page_of(start: Path, file: Path) -> str:
    """The path of the page of a module; `start` is the path in the settings above it.

    For `labml_txl/models/memory.py` and the setting `labml_txl/models`, it is
    `models/memory.md`; for a package, it is the `index.md` of its folder.
    """
    path = PurePosixPath(file.relative_to(start.parent).as_posix())
    page = path.with_name("index") if path.stem == "__init__" else path.with_suffix("")
    return f"{page}.md"


def _address(page: str) -> str:
    """The URL of a page, case-folded, since some file systems ignore case."""
    return relative_url("index.md", page).casefold()


def _read_module(
    root: Path,
    start: Path,
    file: Path,
    registry: Registry,
    registry_hash: str,
    cache: Cache,
) -> ModuleSource:
    below = file.parent / "exercises" / f"{file.stem}.md"
    check_file(file, root)
    if (size := file.stat().st_size) > LARGEST:
        sizes = f"{size / 1e6:,.1f} MB, the limit for a page is {LARGEST / 1e6:g} MB"
        message = f"this file has {sizes}: name it under `exclude`, or divide it"
        raise LiterateError(relative_to(file, root), 1, message)
    source = read(file, root)
    exercises = read(below, root) if below.is_file() else None
    name, path = _dotted_name(file), page_of(start, file)

    def find_facts() -> ModuleFacts:
        with name_if_slow(source.path):
            return facts()

    def facts() -> ModuleFacts:
        blocks, names, readable = split_module(source, exercises), Module(name), True
        faults = list[LiterateError]()
        try:
            names = read_names(name, source)
            for line in find_missing_r(parse(source), source):
                message = (
                    "Python interprets a backslash of this formula: begin the docstring"
                )
                faults.append(LiterateError(source.path, line, f'{message} with r"""'))
            for line, word in find_unconverted(parse(source), source):
                message = f"as Markdown, this docstring would lack the word {word!r}"
                message += ": it is shown as it is written"
                faults.append(LiterateError(source.path, line, message))
        except UnreadableError as fault:
            readable = False
            faults.append(fault)
        cited = [*find_citations(source.path, split(source), registry, faults.append)]
        first = (blocks[0].note if blocks else Note()).pieces
        return ModuleFacts(
            defines=names.defines,
            imports=names.imports,
            local=names.local,
            rows=find_rows(_page(source, exercises, name, path), names),
            mentions=[
                piece.body if piece.kind == "code" else _module_of(piece.target)
                for piece in first
                if source.stem == "__init__" and piece.kind in {"code", "link"}
            ],
            cites=bool(cited),
            readable=readable,
            pictures=[
                (address, block.note_line + line, html)
                for block in split(source)
                for address, line, html in addresses_of(block.note)
            ],
            faults=[fault.fields for fault in faults],
        )

    given = (source.path, source.text, exercises, name, path, registry_hash)
    known = cache.get_or_make(hash_of("module", *given), ModuleFacts, find_facts)
    return ModuleSource(source, exercises, name, path, known)


def _module_of(target: str) -> str:
    """The name of the module that a link leads to; an `index` means its package."""
    path = PurePosixPath(target.partition("#")[0])
    return path.parent.name if path.stem == "index" else path.stem


def _dotted_name(file: Path) -> str:
    """The dotted name by which a file is imported."""
    module = file.parent if file.stem == "__init__" else file.with_suffix("")
    return ".".join(module.relative_to(import_root(file.parent)).parts)


def _sort_modules(modules: Sequence[ModuleSource]) -> tuple[ModuleSource, ...]:
    """Sort modules in the order in which the docstrings of their packages name them.

    A package comes before its modules. Modules that it does not name come last, sorted
    by name.
    """
    packages = {
        m.name: m.facts.mentions for m in modules if m.source.stem == "__init__"
    }

    def place(module: ModuleSource) -> list[tuple[int, str]]:
        steps: list[tuple[int, str]] = []
        package, _, stem = module.name.rpartition(".")
        while package in packages:
            named = packages[package]
            place = named.index(stem) if stem in named else len(named)
            steps.insert(0, (place, stem))
            package, _, stem = package.rpartition(".")
        return steps

    folders = [module.path.partition("/")[0] for module in modules]
    given = {folder: number for number, folder in reversed([*enumerate(folders)])}
    order = sorted(modules, key=lambda m: (given[m.path.partition("/")[0]], place(m)))
    return tuple(order)
