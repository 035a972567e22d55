r"""# From a project to its pages

Runs the steps of the engine over all the files of a project: read, split, translate,
assemble, render. The result is plain values. A plugin hands them to the program that
makes the site, `txl check` looks for what is missing in them, and both see the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from labml_txl.literate.build.cache import Cache, Lazy, digest
from labml_txl.literate.build.modules.digests import contents
from labml_txl.literate.build.modules.figures import figures
from labml_txl.literate.build.modules.files import Known, code, modules
from labml_txl.literate.build.modules.observed import records
from labml_txl.literate.build.modules.order import in_reading_order
from labml_txl.literate.equations.registry import (
    Citation,
    Proof,
    Registry,
    load_registry,
    proofs,
)
from labml_txl.literate.i18n.pages import Translation, address, anchored
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.recording.records import Record
from labml_txl.literate.render.figures.touched import Figure
from labml_txl.literate.render.observed.data import facts
from labml_txl.literate.render.observed.marks import observed
from labml_txl.literate.render.overview import equations_page
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.render import render_page
from labml_txl.literate.render.resolve import Site, published
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.names import Index
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError, Source, Tell, read


@dataclass(frozen=True)
class Project:
    """What the engine must know of a project. Paths are relative to its root.

    - `modules`: folders and files to annotate;
    - `exclude`: files and folders among them to leave out;
    - `equations`: registries, as TOML files or folders of them;
    - `tests`: the folder with the tests of equations;
    - `notebooks`: tutorials, as Python files or folders of them;
    - `figures`: folders of figures that one can touch;
    - `inventories`: where other projects document their names: the address of the
      documentation, and the file with its inventory;
    - `docs`: the folder that the paths of pages and figures start from;
    - `prose`: the pages that are written by hand, relative to `docs`;
    - `locale`: the folder of the languages;
    - `observations`: the folder of what runs showed, a record for each module;
    - `settings`: the file of the settings, and `names`: what they say to a reader, the
      name of the site and its description first;
    - `titles`: the pages that the navigation gives another title, and the title;
    - `trusted`: other hosts that pages may ask for pictures, scripts and the like;
    - `model_hosts`: other hosts that a page may fetch the model from that runs in it;
    - `url`: the address that the site is published at, in English, or empty;
    - `directory_urls`: whether pages have addresses without an ending;
    - `files_in_html`: whether a link in HTML names a file of Markdown, as one in
      Markdown does: the host finds its address.
    """

    root: Path
    modules: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    tests: str = "tests"
    notebooks: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    inventories: tuple[tuple[str, str], ...] = ()
    docs: str = "docs"
    prose: tuple[str, ...] = ()
    locale: str = "docs/locale"
    observations: str = "docs/observations"
    settings: str = "mkdocs.yml"
    names: tuple[str, ...] = ()
    titles: tuple[tuple[str, str], ...] = ()
    repository: Repository = field(default_factory=Repository)
    trusted: tuple[str, ...] = ()
    model_hosts: tuple[str, ...] = ()
    url: str = ""
    directory_urls: bool = True
    files_in_html: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """What the pages are made of, but for the prose and the translations."""
        inventories = (file for _, file in self.inventories)
        folders = (*self.equations, *self.notebooks, *self.figures)
        given = (*self.modules, *folders, *inventories)
        return tuple(self.root / path for path in given)

    @property
    def touched(self) -> Mapping[str, Figure]:
        """The figures that one can touch, by their names."""
        return figures(self.root, self.figures, self.settings)

    @property
    def unseen(self) -> frozenset[Path]:
        """The folders that are read, and that no site publishes as they are."""
        return frozenset({self.root / self.locale, self.root / self.observations})

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
    - `markdown`: the text of every page that the engine writes, by path, which is
      made when it is asked for;
    - `cited`, `proved`: where each equation is implemented and tested;
    - `registries`: the texts that the equations were read from;
    - `faults`: what an author should know, in the order of the pages;
    - `around`: a name for all that a page shows of the site around it;
    - `blocks`: the blocks of each module in English, by the path of its page;
    - `made_of`: a name for all that the page of a module is made of, by its path;
    - `records`: what runs showed, by the paths of the modules.
    """

    site: Site = field(default_factory=Site)
    pages: tuple[Page, ...] = ()
    markdown: Mapping[str, str] = field(default_factory=dict)
    cited: tuple[Citation, ...] = ()
    proved: tuple[Proof, ...] = ()
    registries: tuple[Source, ...] = ()
    faults: tuple[LiterateError, ...] = ()
    around: str = ""
    made_of: Mapping[str, str] = field(default_factory=dict)
    blocks: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)


def annotate(
    project: Project,
    site: Site | None = None,
    translation: Translation | None = None,
    kept: Cache | None = None,
) -> Annotated:
    """Make the pages of a project in a language, or else in English.

    `site` holds what the host knows of addresses; the rest of it is filled in here.
    `kept` holds what earlier builds have made of each module. Raises `LiterateError`
    where the settings or a registry are at fault.
    """
    translation, kept = translation or Translation(), kept or Cache()
    registries = tuple(_registries(project))
    registry = load_registry(registries)
    told: list[LiterateError] = []
    given = (project.root, project.modules, registry, kept, translation.language.folder)
    unordered = modules(
        *given, without=project.exclude, settings=project.settings, tell=told.append
    )
    known = in_reading_order(_apart(unordered, project, told.append))
    site = site or Site()
    site = replace(
        site,
        index=Index({m.name: m.names for m in known if m.readable}),
        pages={m.name: m.path for m in known},
        rows={m.name: m.rows for m in known},
        registry=translation.registry(registry, site.equations),
        drawings={name: figure.drawing for name, figure in project.touched.items()},
        tag=translation.language.tag,
        labels=translation.labels,
        drawing=translation.drawing,
        files_in_html=project.files_in_html,
    )
    around = _around(project, site, translation)
    seen = records(project.root, project.observations)
    made = [
        _made(module, seen.get(module.source.path), site, translation, around, kept)
        for module in known
    ]
    pages = tuple(page for page, *_ in made)
    markdown = {page.path: text for page, _, text, _ in made}
    made_of = {page.path: key for page, *_, key in made}
    cited = tuple(citation for module in known for citation in module.cited)
    told += [fault for module in known for fault in module.faults]
    told += [fault for _, faults, *_ in made for fault in faults]
    proved = proofs(project.root / project.tests, project.root, registry, told.append)
    if registry.papers:
        marked = translation.registry(registry, site.equations, marked=True)
        page = equations_page(marked, pages, cited, proved, site)
        markdown[site.equations] = lambda: page
    faults = tuple({str(fault): fault for fault in told}.values())
    texts = Lazy(markdown)
    found = (site, pages, texts, cited, proved, registries, faults, around, made_of)
    return Annotated(*found, {m.path: m.written for m in known}, seen)


def _apart(modules: Iterable[Known], project: Project, tell: Tell) -> Iterator[Known]:
    """The modules without those whose page has the address of another page.

    There are disks and hosts for which `Foo` and `foo` are one name.
    """
    docs = ((f"{project.docs}/{path}", path) for path in project.prose)
    taken = {_place(path): file for file, path in docs}
    for module in modules:
        file, place = module.source.path, _place(module.path)
        if place in taken:
            message = f"{taken[place]} has the same address, {place}: rename one"
            tell(LiterateError(file, 1, message))
        else:
            taken[place] = file
            yield module


def _place(path: str) -> str:
    return published("index.md", path).casefold()


def _around(project: Project, site: Site, translation: Translation) -> str:
    """A name for all that a page shows of the site around it.

    Of other modules that is where their names stand, and nothing that they say.
    """
    return digest(
        (site.index, site.pages, site.rows, site.registry, site.references),
        (site.source, site.labels, translation.language),
        # No page of a module says where the site is published.
        replace(project, url=""),
        *contents(
            map(project.root.joinpath, (project.docs, *project.figures)), {".svg"}
        ),
        # Their words have catalogs of their own.
        *(site.drawing(d.text, f"figures/{name}") for name, d in site.drawings.items()),
    )


def _made(
    module: Known,
    record: Record | None,
    site: Site,
    translation: Translation,
    around: str,
    kept: Cache,
) -> tuple[Page, tuple[LiterateError, ...], Callable[[], str], str]:
    """The page of a module in a language, what is wrong with it, and its Markdown.

    The last is a name for all that they are made of.
    """
    catalog = translation.of(module.path)
    seen = (record.digest, facts(record)) if record is not None else ()
    edit = translation.edit(catalog.path, 0)
    written = (module.source.path, module.source.text, module.page.exercises)
    key = digest(around, *written, catalog, edit, seen)

    def told() -> Page:
        blocks = translation.blocks(module.blocks, module.path)
        page = module.page.with_blocks(blocks, translation.labels)
        if record is None or not module.readable:
            return page
        return replace(page, observed=observed(module.source, record))

    def rendered() -> tuple[str, tuple[LiterateError, ...]]:
        shown = _shown(module.page, page, module.blocks, translation)
        faults: list[LiterateError] = []
        known = code(module.name, module.source, kept)
        return render_page(shown, site, known, faults.append), tuple(faults)

    def found() -> tuple[LiterateError, ...]:
        text, faults = rendered()
        kept.keep(digest("markdown", key), text)
        return faults

    page = module.page
    if record is not None or not catalog.is_english:
        page = kept.made(digest("told", key), told)
    faults = kept.made(digest("module", key), found)
    name = digest("markdown", key)
    return page, faults, lambda: kept.made(name, lambda: rendered()[0]), key


def words_of(registry: Registry) -> Iterator[str]:
    """What a translator reads of the equations."""
    for paper in registry.papers:
        for equation in paper.equations:
            yield from (equation.title, equation.text)
        for symbol in paper.symbols:
            yield symbol.meaning


def _shown(
    english: Page, page: Page, blocks: tuple[Block, ...], translation: Translation
) -> Page:
    """A page as the site shows it.

    What is not translated is marked, and each heading has the address that it has in
    English.
    """
    # The rows have the first choice of addresses.
    taken = {section.anchor for section in english.sections}
    anchor = address(english.heading or english.title, taken)
    anchors = []
    for block in blocks:
        head, text = divided(block.note)
        within = block.opens != "module"
        text = anchored(text.lstrip("\n") if head else text, taken, first=within)
        anchors.append(block.with_note(head + text))
    marked = translation.blocks(tuple(anchors), english.path, marked=True)
    shown = english.with_blocks(marked)
    return replace(
        page,
        sections=shown.sections,
        heading=shown.heading or shown.title,
        anchor=anchor,
    )


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


def _registries(project: Project) -> list[Source]:
    return [
        read(file, project.root)
        for given in project.equations
        for file in _toml_files(project, given)
    ]


def _toml_files(project: Project, given: str) -> Iterable[Path]:
    place = project.root / given
    if not place.exists():
        message = f"there is no registry of equations {given}"
        raise LiterateError(project.settings, 1, message)
    return [place] if place.is_file() else sorted(place.glob("*.toml"), reverse=True)
