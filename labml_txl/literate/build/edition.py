r"""# An edition

A project in a language: all that a program needs to make a site of it, or a part of it.
Everything is a function of the files of the project and of the language. What an
edition was asked for once it knows, so each module is read, split and assembled once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urljoin, urlsplit

from labml_txl.literate.build.build import Annotated, Project, annotate, words_of
from labml_txl.literate.build.cache import Cache, digest
from labml_txl.literate.build.forms import around, forms
from labml_txl.literate.build.making import by_hand, made
from labml_txl.literate.build.modules.digests import contents, fingerprint, written
from labml_txl.literate.build.modules.observed import run_words
from labml_txl.literate.equations.registry import load_registry
from labml_txl.literate.export.notebooks.notebook import Distribution, distribution
from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    outputs_of,
    sources,
    tutorials,
)
from labml_txl.literate.i18n.catalog import Catalog
from labml_txl.literate.i18n.files.po import file_of, load_catalog
from labml_txl.literate.i18n.inventory import Inventory, Texts, inventory
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import ENGLISH, Language, languages
from labml_txl.literate.i18n.pages import Translation
from labml_txl.literate.render.references import references
from labml_txl.literate.render.resolve import Site, published
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import (
    LiterateError,
    Source,
    UnreadableError,
    read,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Edition:
    """A project in a language.

    `kept` holds what earlier builds have made: an edition is the same without it.
    """

    project: Project
    language: Language = ENGLISH
    kept: Cache = field(default_factory=Cache, compare=False, repr=False)

    def pages(self) -> Mapping[str, str]:
        """The Markdown of every page that is not written by hand, by path.

        The annotated modules come first, in the order of reading.
        """
        return self._pages

    def prose(self, path: str) -> str | None:
        """The Markdown of a page that is written by hand, its links resolved.

        It is None for a page that is not among them.
        """
        return self._by_hand(path)[0] if path in self.project.prose else None

    @cached_property
    def _by_hand(self) -> Callable[[str], tuple[str, tuple[LiterateError, ...]]]:
        return lru_cache(maxsize=None)(partial(by_hand, self))

    def files(self) -> Mapping[str, str | bytes]:
        """The other forms of the pages, the list of all, and what cards ask for."""
        return forms(self)

    # What the pages are made of

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self.project.root

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """The languages of the project, English first."""
        return (ENGLISH, *languages(self.root / self.project.locale, self.root))

    def into(self, language: Language) -> Edition:
        """The same project in another language."""
        if language == self.language:
            return self
        return replace(self, language=language)

    @cached_property
    def url(self) -> str:
        """The address that the edition is published at, or empty."""
        start = self.project.url or self.project.repository.pages
        return urljoin(start, self.language.folder) if start else ""

    @property
    def home(self) -> str:
        """Where the language starts, from the root of its host: `/` if unknown."""
        start = urlsplit(self.into(ENGLISH).url).path or "/"
        return urljoin(start, self.language.folder)

    @property
    def faults(self) -> Iterator[LiterateError]:
        """What an author should know, or a translator, but for links and formulas.

        Those are known when the pages are HTML.
        """
        yield from self.annotated.faults
        for path in self.project.prose:
            yield from self._by_hand(path)[1]
        for page in self.inventory if self.language != ENGLISH else ():
            yield from self.translation.of(page).faults

    @cached_property
    def unreadable(self) -> Mapping[str, UnreadableError]:
        """What is wrong with each file that is not valid Python."""
        faults = self.annotated.faults
        return {f.path: f for f in faults if isinstance(f, UnreadableError)}

    @cached_property
    def translation(self) -> Translation:
        """The language and its catalogs."""
        if self.language == ENGLISH:
            return Translation()
        catalog = lru_cache(maxsize=None)(self._catalog)
        return Translation(self.language, catalog, self.edit, Labels(catalog("site")))

    def edit(self, path: str, line: int = 0) -> str:
        """Where a file can be edited; empty if it is not there."""
        there = (self.root / path).is_file()
        return self.project.repository.edit(path, line) if there else ""

    def _catalog(self, page: str) -> Catalog:
        file = self.catalog_file(page)
        data = file.read_bytes() if file.is_file() else b""
        locale, code = self.root / self.project.locale, self.language.code
        key = digest("catalog", code, page, str(self.root), data)
        make = partial(load_catalog, locale, code, page, self.root)
        return replace(self.kept.made(key, make, shared=True), name=key)

    def catalog_file(self, page: str) -> Path:
        """Where the translations of a page stand or should stand."""
        return file_of(self.root / self.project.locale, self.language.code, page)

    @cached_property
    def annotated(self) -> Annotated:
        """The annotated modules and the equations."""
        project, translation = self.project, self.translation
        site = Site(
            figures=self.root / project.docs,
            source=project.repository.source,
            address=partial(published, directory_urls=project.directory_urls),
            references=self._references,
        )
        found = annotate(project, site, translation, self.kept)
        return replace(found, site=replace(found.site, url=self.url))

    @cached_property
    def _references(self) -> Mapping[str, str]:
        return references(self.project.documented, self.root)

    @cached_property
    def _made_of(self) -> str:
        # No page that is kept says where the site is published.
        project = replace(self.project, url="")
        locale = self.root / project.locale / self.language.code
        return digest(
            fingerprint(project, self.language, self.root / project.docs, locale),
            sorted(self._references.items()),
        )

    @cached_property
    def state(self) -> str:
        """A name for all that the edition is made of, and for where it is published."""
        return digest(self._made_of, written(self.project), self.url)

    def unchanged_since(self, before: Edition | None) -> frozenset[str]:
        """The pages of modules that are, in every form, what they were before."""
        if before is None or around(self) != around(before):
            return frozenset()
        same = self.annotated.made_of.items() & before.annotated.made_of.items()
        return frozenset(path for path, _ in same)

    @property
    def hosts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The hosts that all pages may ask, and those that models may come from."""
        return self.project.trusted, self.project.model_hosts

    @property
    def site(self) -> Site:
        """What a page must know of the site around it."""
        return self.annotated.site

    @cached_property
    def tutorials(self) -> Mapping[str, Tutorial]:
        """The tutorials in the language, without marks, by the paths of their pages."""
        into = self.translation
        return {
            path: tutorial.translated(
                partial(into.markdown, path=path), partial(into.output, path=path)
            )
            for path, tutorial in self.written.items()
        }

    @cached_property
    def written(self) -> Mapping[str, Tutorial]:
        """The tutorials as they are written, by the paths of their pages."""
        found = self.kept.made(
            digest("notebooks", written(self.project)),
            lambda: tutorials(self.root, self.project.notebooks, self.project.settings),
        )
        return {tutorial.path: tutorial for tutorial in found}

    @cached_property
    def install(self) -> Distribution | None:
        """What the notebooks of the project install."""
        repository = self.project.repository
        return distribution(self.root, repository.url, repository.installed)

    @cached_property
    def texts(self) -> Texts:
        """All that the site says in English, to be translated."""
        project = self.project
        given = (self.root, project.notebooks, project.settings)
        notebooks = {f"{folder}/{s.stem}.md": s for folder, s in sources(*given)}
        return Texts(
            root=self.root,
            modules={page.path: page.source for page in self.annotated.pages},
            blocks=self.annotated.blocks,
            exercises=self.exercises,
            registries=self.annotated.registries,
            equations=self.site.equations,
            prose={path: self._read(path) for path in sorted(project.prose)},
            notebooks=notebooks,
            outputs={p: outputs_of(s, self.root) for p, s in notebooks.items()},
            figures={n: figure.drawing for n, figure in project.touched.items()},
            names=project.names,
            settings=project.settings,
            runs=run_words(self.annotated.records),
            docs=self.root / project.docs,
            locale=self.root / project.locale,
        )

    @cached_property
    def inventory(self) -> Inventory:
        """The messages of each page; languages share those of the modules."""
        drawn = contents([self.root / self.project.docs], {".svg"})
        given = digest(self.project.modules, *drawn)

        def once(page: Source, make: Callable[[], T]) -> T:
            return self.kept.made(digest("said", given, page), make, shared=True)

        key = digest("inventory", self.state)
        return self.kept.made(key, lambda: inventory(self.texts, once))

    # What is known of one page

    def source(self, path: str) -> Source:
        """The text that a page is made of."""
        return self.made.get(path) or self._read(path)

    def _read(self, path: str) -> Source:
        return read(self.root / self.project.docs / path, self.root)

    @cached_property
    def made(self) -> Mapping[str, Source]:
        """The files that pages are made of, by the path of the page."""
        modules = {page.path: page.source for page in self.annotated.pages}
        return modules | {path: t.source for path, t in self.written.items()}

    @cached_property
    def exercises(self) -> Mapping[str, Source]:
        """The files of the exercises, by the path of the page that they end."""
        pages = self.annotated.pages
        return {page.path: page.exercises for page in pages if page.exercises}

    def sources(self, path: str) -> tuple[Source, ...]:
        """Where the formulas of a page may stand: in its text, or in a registry."""
        registries = self.annotated.registries
        if path in self._pages and path not in self.made:
            return registries
        below = self.exercises.get(path)
        return (self.source(path), *([below] if below else []), *registries)

    def english(self, path: str) -> str:
        """What a page says in English, as it is written."""
        if tutorial := self.written.get(path):
            return "\n".join(cell.text for cell in tutorial.cells)
        if path in self.made:
            below = self.exercises.get(path, Source("", ""))
            blocks = self.annotated.blocks[path]
            return "\n".join([*(block.note for block in blocks), below.text])
        if path == self.site.equations:
            return "\n".join(words_of(load_registry(self.annotated.registries)))
        return self._read(path).text if path in self.project.prose else ""

    def edit_url(self, path: str, given: str) -> str:
        """Where a page can be edited in its language; `given` is what the host knows.

        It is empty if nobody said where the repository is.
        """
        repository, source = self.project.repository, self.made.get(path)
        known = source and repository.edit(source.path)
        address = known or given.replace(path, quote(path))
        file = self.catalog_file(path)
        if address and self.language != ENGLISH and file.is_file():
            return repository.edit(relative_to(file, self.root))
        return address

    def given_title(self, path: str) -> str | None:
        """The title that the navigation gives a page, if it does."""
        given = dict(self.project.titles).get(path)
        return self.translation.words(given, "site") if given else None

    # Making pages

    @cached_property
    def _pages(self) -> Mapping[str, str]:
        return made(self)

    @property
    def names(self) -> tuple[str, str]:
        """The name of the site and what is said of it, in the language."""
        given = (*self.project.names, "", "")[:2]
        name, about = (self.translation.words(words, "site") for words in given)
        return name, about
