r"""# From a project to its pages

Runs the steps of the engine over all the files of a project: read, split, translate,
assemble, render. The result is plain values. A plugin hands them to the program that
makes the site, `txl check` looks for what is missing in them, and both see the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from labml_txl.literate.edition.cache import digest
from labml_txl.literate.equations.registry import (
    Citation,
    Proof,
    Registry,
    citations,
    load_registry,
    proofs,
)
from labml_txl.literate.markdown.inline import scan
from labml_txl.literate.pages.overview import equations_page
from labml_txl.literate.pages.page import Page, assemble, rows
from labml_txl.literate.pages.render import render
from labml_txl.literate.pages.resolve import Site
from labml_txl.literate.sources.blocks import Block, parse, split
from labml_txl.literate.sources.docstrings import without_r
from labml_txl.literate.sources.names import index_modules
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError, Source, read
from labml_txl.literate.translation.languages import Language
from labml_txl.literate.translation.pages import Translation, address, anchored


@dataclass(frozen=True)
class Project:
    """What the engine must know of a project. Paths are relative to its root.

    - `modules`: folders and files to annotate;
    - `equations`: registries, as TOML files or folders of them;
    - `tests`: the folder whose tests may prove equations;
    - `notebooks`: tutorials, as Python files or folders of them;
    - `inventories`: where other projects document their names: the address of the
      documentation, and the file with its inventory;
    - `docs`: the folder that the paths of pages and figures start from;
    - `prose`: the pages that are written by hand, relative to `docs`;
    - `locale`: the folder of the languages;
    - `settings`: the file of the settings, and `names`: what they say to a reader, the
      name of the site and its description first;
    - `titles`: the pages that the navigation gives another title, and the title;
    - `trusted`: other hosts that pages may ask for pictures, scripts and the like;
    - `url`: the address that the site is published at, in English, or empty;
    - `directory_urls`: whether pages have addresses without an ending;
    - `files_in_html`: whether a link in HTML names a file of Markdown, as one in
      Markdown does: the host finds its address.
    """

    root: Path
    modules: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    tests: str = "tests"
    notebooks: tuple[str, ...] = ()
    inventories: tuple[tuple[str, str], ...] = ()
    docs: str = "docs"
    prose: tuple[str, ...] = ()
    locale: str = "docs/locale"
    settings: str = "mkdocs.yml"
    names: tuple[str, ...] = ()
    titles: tuple[tuple[str, str], ...] = ()
    repository: Repository = field(default_factory=Repository)
    trusted: tuple[str, ...] = ()
    url: str = ""
    directory_urls: bool = True
    files_in_html: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """What the pages are made of, but for the prose and the translations."""
        inventories = (file for _, file in self.inventories)
        given = (*self.modules, *self.equations, *self.notebooks, *inventories)
        return tuple(self.root / path for path in given)

    @property
    def documented(self) -> Mapping[str, Path]:
        """The file of each inventory that the settings name, by its address."""
        for place, _ in self.inventories:
            if not place.startswith(("https://", "http://")):
                given = f"inventories: {place} is no address of a documentation"
                raise LiterateError(self.settings, 1, f"{given}: https://…")
        return {place: self.root / file for place, file in self.inventories}


@dataclass(frozen=True)
class Annotated:
    """The pages of a project, and what is known of its equations.

    - `pages`: the annotated modules in reading order;
    - `markdown`: the text of every page that the engine writes, by path;
    - `cited`, `proved`: where each equation is implemented and tested;
    - `registries`: the texts that the equations were read from;
    - `warnings`: what an author should know, with file and line.
    """

    site: Site = field(default_factory=Site)
    pages: tuple[Page, ...] = ()
    markdown: Mapping[str, str] = field(default_factory=dict)
    cited: tuple[Citation, ...] = ()
    proved: tuple[Proof, ...] = ()
    registries: tuple[Source, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Module:
    """A source file, the dotted name that it is imported by, and its page."""

    source: Source
    name: str
    path: str
    blocks: tuple[Block, ...]


def annotate(
    project: Project, site: Site | None = None, translation: Translation | None = None
) -> Annotated:
    """Make the pages of a project in a language, or else in English.

    `site` holds what the host knows of addresses; the rest of it is filled in here.
    Raises `LiterateError` for the first thing that is wrong with a text.
    """
    translation = translation or Translation()
    modules = _in_reading_order(_modules(project))
    registries = tuple(_registries(project))
    registry = load_registry(registries)
    site = site or Site()
    site = replace(
        site,
        index=index_modules((m.name, m.source) for m in modules),
        pages={m.name: m.path for m in modules},
        registry=translation.registry(registry, site.equations),
        labels=translation.labels,
        drawing=translation.drawing,
        files_in_html=project.files_in_html,
    )
    english = tuple(
        assemble(m.source, m.blocks, module=m.name, path=m.path) for m in modules
    )
    pages = tuple(
        page.with_blocks(translation.blocks(m.blocks, m.path), translation.labels)
        for m, page in zip(modules, english, strict=True)
    )
    named = site.index.modules
    site = replace(site, rows={p.module: rows(p, named[p.module]) for p in pages})
    cited = tuple(
        citation
        for module in modules
        for citation in citations(module.source.path, module.blocks, registry)
    )
    proved = proofs(project.root / project.tests, project.root, registry)
    markdown = {
        page.path: render(_shown(as_written, page, module.blocks, translation), site)
        for module, as_written, page in zip(modules, english, pages, strict=True)
    }
    if registry.papers:
        marked = translation.registry(registry, site.equations, marked=True)
        markdown[site.equations] = equations_page(marked, pages, cited, proved, site)
    told = tuple(warning for module in modules for warning in _warnings(module.source))
    return Annotated(site, pages, markdown, cited, proved, registries, told)


def _warnings(source: Source) -> Iterator[str]:
    for line in without_r(parse(source), source.text):
        said = 'Python reads this formula in another way: begin its docstring with r"""'
        yield f"{source.path}:{line}: {said}"


def words_of(registry: Registry) -> Iterator[str]:
    """What a translator reads of the equations."""
    for paper in registry.papers:
        for equation in paper.equations:
            yield from (equation.title, equation.text)
        for symbol in paper.symbols:
            yield symbol.meaning


def fingerprint(project: Project, language: Language, *folders: Path) -> str:
    """A name for all that the pages of a project are made of.

    `folders` holds what is read beside the project: figures and translations.
    """
    starts = [*project.modules, *project.equations, project.tests]
    files = {
        file
        for start in (*(project.root / given for given in starts), *folders)
        for file in ([start] if start.is_file() else start.rglob("*"))
        if file.suffix in {".py", ".toml", ".svg", ".po"}
    }
    return digest(project, language, *((str(f), f.read_bytes()) for f in sorted(files)))


def _shown(
    english: Page, page: Page, blocks: tuple[Block, ...], translation: Translation
) -> Page:
    """A page as the site shows it.

    What is not translated is marked, and each heading has the address that it has in
    English.
    """
    # The rows have the first choice of addresses.
    taken = {section.anchor for section in english.sections}
    anchor = address(english.title, taken)
    anchors = tuple(
        block.with_note(anchored(block.note, taken, first=block.opens != "module"))
        for block in blocks
    )
    marked = translation.blocks(anchors, english.path, marked=True)
    shown = english.with_blocks(marked)
    return replace(page, sections=shown.sections, heading=shown.title, anchor=anchor)


def _modules(project: Project) -> list[_Module]:
    found: dict[str, _Module] = {}
    for given in project.modules:
        start = project.root / given
        if not start.exists():
            message = f"there is no file or folder {given} to annotate"
            raise LiterateError("mkdocs.yml", 1, message)
        files = [start] if start.is_file() else sorted(start.rglob("*.py"))
        for file in files:
            module = _module(project.root, start, file)
            if other := found.get(module.path):
                message = f"{other.source.path} has the same page, {module.path}"
                raise LiterateError(module.source.path, 1, f"{message}: rename one")
            found[module.path] = module
    return list(found.values())


def _module(root: Path, start: Path, file: Path) -> _Module:
    source = read(file, root)
    # The page of `labml_txl/models/memory.py`, found in `labml_txl/models`, is
    # `models/memory.md`; that of a package is the first page of its folder.
    path = PurePosixPath(file.relative_to(start.parent).as_posix())
    page = path.with_name("index") if path.stem == "__init__" else path.with_suffix("")
    return _Module(source, _dotted(file), f"{page}.md", split(source))


def _dotted(file: Path) -> str:
    """The name that a file is imported by: its packages and its own name."""
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def import_folders(project: Project) -> tuple[Path, ...]:
    """The folders that the modules of a project are imported from."""
    found = []
    for given in project.modules:
        start = project.root / given
        folder = start.parent if start.is_file() else start
        while (folder / "__init__.py").is_file():
            folder = folder.parent
        found.append(folder)
    return tuple(dict.fromkeys(found))


def _in_reading_order(modules: list[_Module]) -> list[_Module]:
    """The order in which the docstrings of the packages name their modules.

    A package comes before its modules. Those that it does not name come last, by name.
    """
    packages = {m.name: m for m in modules if m.source.stem == "__init__"}

    def place(module: _Module) -> list[tuple[int, str]]:
        steps: list[tuple[int, str]] = []
        package, _, stem = module.name.rpartition(".")
        while package in packages:
            steps.insert(0, (_mention(packages[package], stem), stem))
            package, _, stem = package.rpartition(".")
        return steps

    given = {m.path.partition("/")[0]: i for i, m in reversed([*enumerate(modules)])}
    return sorted(modules, key=lambda m: (given[m.path.partition("/")[0]], place(m)))


def _mention(package: _Module, stem: str) -> int:
    note = package.blocks[0].note if package.blocks else ""
    names = [
        piece.body if piece.kind == "code" else PurePosixPath(piece.target).stem
        for piece in scan(note)
        if piece.kind in {"code", "link"}
    ]
    return names.index(stem) if stem in names else len(names)


def _registries(project: Project) -> list[Source]:
    return [
        read(file, project.root)
        for given in project.equations
        for file in _toml_files(project.root / given)
    ]


def _toml_files(given: Path) -> Iterable[Path]:
    if not given.exists():
        message = f"there is no registry of equations {given.name}"
        raise LiterateError("mkdocs.yml", 1, message)
    return [given] if given.is_file() else sorted(given.glob("*.toml"), reverse=True)
