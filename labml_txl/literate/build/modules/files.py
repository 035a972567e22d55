r"""# The modules of a project

Each source file is read once: cut into blocks, its names found, and made a page in
English. What becomes of that in a language is not known here.

Beside the modules of a folder may stand a folder `exercises`. What it says in
`memory.md` stands at the end of the page of `memory.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath

from labml_txl.literate.build.cache import Cache, digest
from labml_txl.literate.equations.registry import Citation, Registry, citations
from labml_txl.literate.render.highlight import Code, code_of
from labml_txl.literate.render.page import Page, assemble, rows
from labml_txl.literate.sources.blocks import Block, split
from labml_txl.literate.sources.docstrings import without_r
from labml_txl.literate.sources.names import Module, module
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import (
    LiterateError,
    Source,
    Tell,
    UnreadableError,
    files_below,
    read,
    stop,
)
from labml_txl.literate.sources.syntax import parse


@dataclass(frozen=True)
class Known:
    """What is known of a module, whatever language it is read in.

    - `page`: its page in English;
    - `blocks`: its blocks, as they stand in the file, and that of its exercises;
    - `names`: what it defines and imports, without what it uses;
    - `rows`: the address on its page of each definition;
    - `cited`: the equations that it implements;
    - `faults`: what its author should know.
    """

    page: Page
    blocks: tuple[Block, ...]
    names: Module
    rows: Mapping[str, str]
    cited: tuple[Citation, ...]
    faults: tuple[LiterateError, ...]

    @property
    def source(self) -> Source:
        """The text of its file."""
        return self.page.source

    @property
    def written(self) -> tuple[Block, ...]:
        """The blocks of the file itself, without that of its exercises."""
        return self.blocks[: -1 if self.page.exercises else None]

    @property
    def name(self) -> str:
        """The dotted name that it is imported by."""
        return self.page.module

    @property
    def readable(self) -> bool:
        """Whether its file is valid Python."""
        return not any(isinstance(fault, UnreadableError) for fault in self.faults)

    @property
    def path(self) -> str:
        """The path of its page."""
        return self.page.path


def modules(
    root: Path,
    paths: Iterable[str],
    registry: Registry,
    kept: Cache,
    turn: str = "",
    without: Collection[str] = (),
    settings: str = "mkdocs.yml",
    tell: Tell = stop,
) -> list[Known]:
    """The modules at some paths and below them; `kept` holds those of earlier builds.

    `without` names files and folders to leave out. In it, `*` stands for any letters.

    Languages are built at the same time, and share what they read. So each reads in an
    order of its own, which `turn` decides: any word.

    Raises `LiterateError` where a path leads nowhere. `tell` hears of files whose
    letters cannot be read: they are left out.
    """
    found_below = _files(root, paths, settings)
    places = [p for p in found_below if not left_out(relative_to(p[1], root), without)]
    for fault in _unshown(root, [file for _, file in places]):
        tell(fault)
    turned = sorted(places, key=lambda p: digest(turn, p)) if turn else places
    known, named = dict[tuple[Path, Path], Known](), digest(registry)
    for place in turned:
        try:
            known[place] = _module(root, *place, registry, named, kept)
        except LiterateError as fault:
            tell(fault)
    return [known[place] for place in places if place in known]


def _files(
    root: Path, paths: Iterable[str], settings: str
) -> Iterator[tuple[Path, Path]]:
    """Each file below the paths, with the path that it was found below."""
    for given in paths:
        start = root / given
        if not start.exists():
            message = f"there is no file or folder {given} to annotate"
            raise LiterateError(settings, 1, message)
        for file in [start] if start.is_file() else files_below(start, {".py"}):
            yield start, file


def _unshown(root: Path, files: Iterable[Path]) -> Iterator[LiterateError]:
    """What is wrong with exercises that no module is named like.

    A folder `exercises` that has modules itself is no such folder.
    """
    for folder in dict.fromkeys(file.parent for file in files):
        here = sorted((folder / "exercises").glob("*.md"))
        if any((folder / "exercises").glob("*.py")):
            continue
        for file in here:
            if not (folder / f"{file.stem}.py").is_file():
                names = sorted(path.stem for path in folder.glob("*.py"))
                near = get_close_matches(file.stem, names, n=1)
                meant = f": is {near[0]}.md meant?" if near else ""
                message = f"there is no {file.stem}.py to show these exercises{meant}"
                yield LiterateError(relative_to(file, root), 1, message)


def page_of(start: Path, file: Path) -> str:
    """The path of the page of a file that was found at or below `start`.

    That of `labml_txl/models/memory.py`, found in `labml_txl/models`, is
    `models/memory.md`; that of a package is the first page of its folder.
    """
    path = PurePosixPath(file.relative_to(start.parent).as_posix())
    page = path.with_name("index") if path.stem == "__init__" else path.with_suffix("")
    return f"{page}.md"


def left_out(path: str, patterns: Iterable[str]) -> bool:
    """Whether a file, or a folder that it lies in, has one of these names."""
    named = [p.rstrip("/") for p in patterns]
    return any(fnmatchcase(path, p) or fnmatchcase(path, f"{p}/*") for p in named)


def _module(
    root: Path, start: Path, file: Path, registry: Registry, named: str, kept: Cache
) -> Known:
    """What is known of a file; `named` stands for the registry."""
    source, below = read(file, root), file.parent / "exercises" / f"{file.stem}.md"
    exercises = read(below, root) if below.is_file() else None
    name, goal = _dotted(file), page_of(start, file)
    written = (source.path, source.text, exercises)
    key = digest("source", *written, name, goal, named)
    make = partial(_read, source, exercises, name, goal, registry, kept)
    return kept.made(key, make, shared=True, frozen=True)


def _read(
    source: Source,
    exercises: Source | None,
    name: str,
    path: str,
    registry: Registry,
    kept: Cache,
) -> Known:
    """What is known of a module in every language."""
    blocks, names, faults = split(source), Module(name), list[LiterateError]()
    try:
        names = module(name, source)
        code(name, source, kept)
        faults += _misread(source)
    except UnreadableError as fault:
        faults.append(fault)
    cited = tuple(citations(source.path, blocks, registry, faults.append))
    if exercises:
        text, file = exercises.text, exercises.path
        end = Block(text, (), range(0), opens="exercises", begins=1, file=file)
        blocks = (*blocks, end)
    page = assemble(source, blocks, module=name, path=path, exercises=exercises)
    names, places = replace(names, uses=()), rows(page, names)
    return Known(page, blocks, names, places, cited, tuple(faults))


def code(name: str, source: Source, kept: Cache) -> Code:
    """The code of a module: found while it is read, and shown when its page is made."""
    key = digest("code", name, source.path, source.text)
    return kept.made(key, partial(code_of, name, source), shared=True)


def _dotted(file: Path) -> str:
    """The name that a file is imported by: its packages and its own name."""
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _misread(source: Source) -> Iterator[LiterateError]:
    for line, what in without_r(parse(source), source.text):
        said = f'Python reads {what} in another way: begin its docstring with r"""'
        yield LiterateError(source.path, line, said)
