"""# A project in one language

Makes the pages of one language from the contents of a project:

    settings ─► Project ─ content ─► modules, equations, tutorials, …
             ─ kinds ─► a `SitePage` for each page
             ─ localized ─► the Markdown of each page ─ files ─► the files beside them

A page is rendered once. As long as none of its inputs changes, it is then taken from
the cache. `SitePage` has what differs between kinds of pages, `LocalizedProject` what
they share.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import ClassVar, Self
from urllib.parse import quote, urljoin, urlsplit

from labml_txl.literate.equations.registry import Symbol, find_citations
from labml_txl.literate.export.text import change_extension
from labml_txl.literate.i18n.catalog import Catalog, State
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import ENGLISH, SETTINGS, Language
from labml_txl.literate.i18n.pages import Tally, Translation, collect_sentences
from labml_txl.literate.i18n.pages import compute_share as share_of
from labml_txl.literate.i18n.pages import count_translated as tally_of
from labml_txl.literate.i18n.po import (
    LABELS,
    file_of,
    file_of_shipped,
    load_catalog,
    load_shipped,
)
from labml_txl.literate.i18n.update import Inventory, Message
from labml_txl.literate.project.cache import hash_of
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.inventory import (
    SITE,
    figure_messages,
    has_engine,
    label_messages,
    site_messages,
)
from labml_txl.literate.project.settings import Project
from labml_txl.literate.project.slow import name_if_slow
from labml_txl.literate.render.equations import PATH as EQUATIONS
from labml_txl.literate.render.observed import select_values
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.resolve import Site, relative_url
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.repository import Repository, relative_to
from labml_txl.literate.sources.source import LiterateError, Source, files_below

# The URL that opens a notebook in Colab is this, followed by the URL of the notebook.
_COLAB = "https://colab.research.google.com/#fileId="

# The file, the line and the message of a fault.
Fault = tuple[str, int, str]


@dataclass(frozen=True)
class PageEntry:
    """A page in one language in all its formats, as the cache stores it.

    - `markdown`: the input of the host, and `text`: plain Markdown for other readers;
    - `notebook`: the notebook as JSON, or an empty string;
    - `title`, `description`: plain text;
    - `share`: the percentage of its messages that are translated;
    - `sentences`: JSON with the place at which each translated sentence is edited;
    - `faults`: the faults in its text.
    """

    markdown: str
    title: str
    description: str = ""
    text: str = ""
    notebook: str = ""
    share: int = 100
    faults: Sequence[Fault] = ()
    sentences: str = "{}"


@dataclass(frozen=True)
class SitePage(ABC):
    """A page of the site, whatever its language. Each kind of page is a subclass.

    `path` is the path of its Markdown, such as `models/memory.md`.
    """

    path: str

    # Whether the page is a file in `docs`. All others are generated.
    by_hand: ClassVar[bool] = False
    # Whether it has rows of a note and code, which the search reads in its own way.
    has_rows: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def find(cls, content: Content) -> Iterable[Self]:
        """All pages of this kind in a project, in reading order."""

    @abstractmethod
    def render(self, localized: LocalizedProject) -> PageEntry:
        """Render the page in a language. Its translation's state is added later."""

    @property
    def source(self) -> Source | None:
        """The file that the page is made from, if it is one."""
        return None

    @property
    def sources(self) -> Sequence[Source]:
        """The files that its formulas may come from."""
        return (self.source,) if self.source else ()

    def inputs(self, localized: LocalizedProject) -> Sequence[object]:
        """What the page depends on, apart from what every page depends on.

        By default these are the fields of this object, which have its contents.
        """
        return (self,)

    def messages(self, project: Project) -> Iterable[Message]:
        """The messages of the page to translate, in their order."""
        return ()

    def find_missing_rows(self, anchors: Collection[str]) -> Iterator[LiterateError]:
        """The rows whose anchors are not on the page that the host made of them."""
        yield from ()

    @property
    def has_notebook(self) -> bool:
        """Whether the page can be downloaded as a notebook."""
        return False

    @property
    def scripts(self) -> str:
        """The text whose inline scripts the page may run."""
        return ""

    def edit_url(self, repository: Repository, given: str) -> str:
        """The URL at which its English can be edited; `given` is the host's."""
        return (self.source and repository.edit(self.source.path)) or given

    def group(self, localized: LocalizedProject) -> str:
        """The heading in `llms.txt` below which it is listed; empty for none."""
        return ""


@dataclass(frozen=True)
class LocalizedProject:
    """A project in one language. Its properties are computed lazily and cached.

    `kinds` are the kinds of pages that it has.
    """

    content: Content
    kinds: tuple[type[SitePage], ...]
    language: Language

    @property
    def project(self) -> Project:
        """The settings of the project."""
        return self.content.project

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self.project.root

    @property
    def locale(self) -> Path:
        """The folder with a subfolder for each language."""
        return self.content.locale

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages of the project, that of the pages first."""
        return self.content.languages

    def select_language(self, language: Language) -> LocalizedProject:
        """The same project in another language."""
        return self if language == self.language else replace(self, language=language)

    # Pages

    @property
    def site_pages(self) -> Mapping[str, SitePage]:
        """The pages of all kinds, by their paths, in the order of `kinds`.

        Raises `LiterateError` if two pages have the same path.
        """
        return _site_pages(self.content, self.kinds)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all generated pages: modules first, in reading order."""
        return tuple(p for p, page in self.site_pages.items() if not page.by_hand)

    @property
    def inventory(self) -> Inventory:
        """The messages of the project, by the paths of pages without extension."""
        return _extract_inventory(self.content, self.kinds)

    def messages_in(self, code: str) -> Inventory:
        """What is translated into a language.

        Labels are written in English, and everything else in the language of the pages.
        A site translates a label if the engine does not, or if its catalog does so.
        """
        if code == self.content.language.code:
            return {SITE: self._labels_in(code)}
        labels = {*label_messages(self.root)}
        found = {m.text: m for m in self.inventory[SITE] if m not in labels}
        for label in () if code == ENGLISH.code else self._labels_in(code):
            found.setdefault(label.text, label)
        return {**self.inventory, SITE: tuple(found.values())}

    def _labels_in(self, code: str) -> tuple[Message, ...]:
        """The labels of the engine that the site has to translate, or does."""
        if has_engine(self.root):
            return ()
        known, own = (
            load_shipped(code),
            load_catalog(self.locale, code, SITE, self.root),
        )
        return tuple(
            label
            for label in label_messages(self.root)
            if known.look_up(label.text).state is not State.TRANSLATED
            or own.look_up(label.text).state is not State.MISSING
        )

    @cached_property
    def entry(self) -> Callable[[str], PageEntry]:
        """A function from the path of a page to its `PageEntry`.

        It is memoized in addition to the cache, because a build calls it about six
        times for each page: for its Markdown, its other formats, its title and so on.
        """
        return lru_cache(maxsize=200)(self._entry)

    def _entry(self, path: str) -> PageEntry:
        page = self.site_pages[path]

        def render() -> PageEntry:
            # A page without a file, that of translations, renders all others first.
            slow = name_if_slow(page.source.path) if page.source else nullcontext()
            with slow:
                return self._add_translation(path, page.render(self))

        given = (self._around, self.catalog_hash(path), *page.inputs(self))
        return self.content.cache.get_or_make(
            hash_of("page", path, self.language, *given),
            PageEntry,
            render,
        )

    def _add_translation(self, path: str, entry: PageEntry) -> PageEntry:
        """Add the state of the translation to the entry of a page."""
        if self.language.source:
            return entry
        messages, catalog = self._messages(path), self.translation.catalog_of(path)
        return replace(
            entry,
            share=share_of(tally_of(messages, catalog)),
            sentences=collect_sentences(path, messages, self.translation) or "{}",
            faults=[*entry.faults, *(fault.fields for fault in catalog.faults)],
        )

    @cached_property
    def page(self) -> Callable[[str], Page]:
        """A memoized function from a path to the translated page of a module."""
        return lru_cache(maxsize=200)(self._page)

    def _page(self, path: str) -> Page:
        module, translation = self.content.by_path[path], self.translation
        blocks = translation.translate_blocks(module.blocks, path)
        page = module.page.with_blocks(blocks, translation.labels)
        record = self.content.records.get(module.source.path)
        if record is None or not module.facts.readable:
            return page
        return replace(page, observed=select_values(module.source, record))

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages of all modules, in reading order."""
        return tuple(self.page(module.path) for module in self.content.modules)

    def check_sources(self) -> None:
        """Raise `LiterateError` if a file of a page has been deleted meanwhile."""
        for page in self.site_pages.values():
            for source in page.sources:
                if not (self.root / source.path).is_file():
                    message = "this file was deleted during the build: build again"
                    raise LiterateError(source.path, 1, message)

    # Addresses

    @cached_property
    def url(self) -> str:
        """The URL that the language is published at, or empty."""
        start = self.project.url or self.project.repository.pages
        return urljoin(start, self.language.folder) if start else ""

    @property
    def home(self) -> str:
        """The path of the language's front page on the server; `/` if unknown."""
        start = urlsplit(self.select_language(self.content.language).url).path or "/"
        return urljoin(start, self.language.folder)

    def edit(self, path: str, line: int = 0) -> str:
        """The URL at which a file can be edited; empty if it does not exist."""
        there = (self.root / path).is_file()
        return self.project.repository.edit(path, line) if there else ""

    def edit_url(self, path: str, given: str) -> str:
        """The URL at which a page can be edited: its source, or its catalog.

        `given` is the host's edit URL, which we use for pages that are written by hand.
        The result is empty if no repository is configured.
        """
        repository, given = self.project.repository, given.replace(path, quote(path))
        page, file = self.site_pages.get(path), self.catalog_file(path)
        address = page.edit_url(repository, given) if page else given
        if address and not self.language.source and file.is_file():
            return repository.edit(relative_to(file, self.root))
        return address

    def links(self, path: str) -> dict[str, str]:
        """The URLs of the other formats of a page, for its template.

        They are those of the Markdown, and where they exist, of the notebook and of
        Colab.
        """
        found = {"markdown_url": quote(change_extension(path, "md"))}
        if not self.site_pages[path].has_notebook:
            return found
        notebook_url = found["notebook_url"] = quote(change_extension(path, "ipynb"))
        whole = urljoin(self.url, notebook_url)
        in_colab = self.content.install and self.project.repository.in_colab
        if in_colab and whole.startswith("https://"):
            found["colab_url"] = f"{_COLAB}{quote(whole, safe='')}"
        return found

    def sources(self, path: str) -> tuple[Source, ...]:
        """The files that the formulas of a page may come from, to locate an error."""
        page = self.site_pages.get(path)
        own = page.sources if page else ()
        return tuple(dict.fromkeys([*own, *self.content.registries]))

    # Translation

    @cached_property
    def translation(self) -> Translation:
        """The translation into the language, which loads catalogs lazily."""
        root, code, locale = self.root, self.language.code, self.locale

        @cache
        def catalog(page: str) -> Catalog:
            if page == LABELS and has_engine(root):
                return load_shipped(code)
            found = load_catalog(locale, code, page, root)
            return found.fill_from(load_shipped(code)) if page == SITE else found

        labels, source = Labels(catalog(SITE)), self.content.language
        if self.language.source:
            return Translation(self.language, labels=labels, source=source)
        return Translation(self.language, catalog, self.edit, labels, source)

    def catalog_file(self, path: str) -> Path:
        """The path of the catalog of a page, which need not exist."""
        if path == LABELS and has_engine(self.root):
            return file_of_shipped(self.language.code)
        return file_of(self.locale, self.language.code, path)

    def catalog_hash(self, path: str) -> str:
        """A hash of the catalog of a page and of its address; empty without one."""
        file = self.catalog_file(path)
        if self.language.source or not file.is_file():
            return ""
        edit = self.edit(relative_to(file, self.root))
        return hash_of(file.read_bytes(), edit)

    @property
    def names(self) -> tuple[str, str]:
        """The name and the description of the site, translated."""
        given = (*self.project.names, "", "")[:2]
        name, about = (
            self.translation.translate_words(words, "site") for words in given
        )
        return name, about

    def nav_title(self, path: str) -> str | None:
        """The title that the navigation gives a page, translated, or None."""
        given = dict(self.project.titles).get(path)
        return self.translation.translate_words(given, "site") if given else None

    def _messages(self, path: str) -> list[str]:
        found = self.messages_in(self.language.code).get(path.removesuffix(".md"), ())
        return [message.text for message in found]

    def tally(self, path: str) -> Tally:
        """How many messages of a page are in which state."""
        return tally_of(self._messages(path), self.translation.catalog_of(path))

    # What pages share

    @cached_property
    def site(self) -> Site:
        """What rendering a page needs to know about the rest of the site."""
        content, project, translation = self.content, self.project, self.translation
        drawings = {name: f.drawing for name, f in content.figures.items()}
        return Site(
            index=content.index,
            pages={module.name: module.path for module in content.modules},
            rows={module.name: module.facts.rows for module in content.modules},
            registry=translation.translate_registry(content.registry, EQUATIONS),
            equations=EQUATIONS,
            computed=content.computed,
            figures=project.root / project.docs,
            root=project.root,
            drawings=drawings,
            source=project.repository.source,
            address=partial(relative_url, directory_urls=project.directory_urls),
            url=self.url,
            references=content.references,
            tag=self.language.tag,
            labels=translation.labels,
            drawing=translation.translate_drawing,
            files_in_html=project.files_in_html,
            macros=dict(project.macros),
        )

    def symbols(self, path: str, blocks: Iterable[Block]) -> tuple[Symbol, ...]:
        """The symbols of the equations that the text of a file cites."""
        registry = self.site.registry
        found = find_citations(path, blocks, registry, lambda fault: None)
        return registry.symbols_of(citation.key for citation in found)

    @cached_property
    def _around(self) -> str:
        """A hash of everything that any page may depend on, apart from its own files.

        From other modules, it only includes their names and anchors, so that editing
        the notes of a module does not invalidate all pages.
        """
        site = self.site
        labels = (self.catalog_hash(f"figures/{name}") for name in site.drawings)
        # The drawings in `docs`.
        figures = files_below(self.root / self.project.docs, {".svg"})
        return hash_of(
            json.dumps([(m.name, m.path, m.facts.seen) for m in self.content.modules]),
            (site.registry, site.references, sorted(site.computed.items())),
            (site.source, site.labels, self.language, self.project, self.url),
            self.content.install,
            (site.drawings, *labels),
            *(part for file in figures for part in (str(file), file.read_bytes())),
        )

    @cached_property
    def everything(self) -> str:
        """A hash of the contents of all pages, for a page that may depend on any."""
        content = self.content
        titles = [self.catalog_hash(module.path) for module in content.modules]
        given = (content.proved, content.recorded_words, titles)
        return hash_of(*given, _hash_pages(content, self.kinds))

    # Faults

    @property
    def faults(self) -> tuple[LiterateError, ...]:
        """All faults for authors and translators, without duplicates.

        Broken links to anchors and formulas that KaTeX rejects are not among them,
        since they are only found when the host makes HTML.
        """
        found = [*self.content.faults]
        for path in self.site_pages:
            found += [LiterateError(*fault) for fault in self.entry(path).faults]
        # The catalogs of labels and of interactive figures belong to no page.
        for page in (SITE, *(f"figures/{name}" for name in self.content.figures)):
            found += self.translation.catalog_of(page).faults
        return tuple({str(fault): fault for fault in found}.values())


# All languages share the pages and the messages of the same content.
@lru_cache(maxsize=1)
def _site_pages(
    content: Content, kinds: tuple[type[SitePage], ...]
) -> Mapping[str, SitePage]:
    found: dict[str, SitePage] = {}
    for page in (page for kind in kinds for page in kind.find(content)):
        if other := found.get(page.path):
            file = other.source.path if other.source else content.project.settings
            message = "the plugin generates a page at this address: rename yours"
            raise LiterateError(file, 1, message)
        found[page.path] = page
    folders = {path.partition("/")[0] for path in found}
    for code in (language.code for language in content.languages[1:]):
        if code in folders or (content.root / content.project.docs / code).exists():
            file = relative_to(content.locale / code / SETTINGS, content.root)
            message = (
                "pages or files of the site are in a folder of this name: rename one"
            )
            raise LiterateError(file, 1, message)
    return found


@lru_cache(maxsize=1)
def _hash_pages(content: Content, kinds: tuple[type[SitePage], ...]) -> str:
    return hash_of(*_site_pages(content, kinds).values())


@lru_cache(maxsize=1)
def _extract_inventory(
    content: Content, kinds: tuple[type[SitePage], ...]
) -> Inventory:
    """Extract the messages of each page, in their order and without duplicates."""

    def all_messages() -> Iterator[tuple[str, Iterable[Message]]]:
        yield SITE, site_messages(content)
        if has_engine(content.root):
            yield LABELS, label_messages(content.root)
        for path, page in _site_pages(content, kinds).items():
            yield (
                str(PurePosixPath(path).with_suffix("")),
                page.messages(content.project),
            )
        for name, figure in content.figures.items():
            yield f"figures/{name}", figure_messages(figure.drawing)

    found: dict[str, dict[str, Message]] = {}
    for page, given in all_messages():
        for message in given:
            found.setdefault(page, {}).setdefault(message.text, message)
    return {page: tuple(messages.values()) for page, messages in found.items()}
