"""# The contents of a project

Reads everything that does not depend on the language: modules, equations, tests,
tutorials, figures and recorded values. Each is read lazily, and only once.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from labml_txl.literate.equations.registry import (
    Citation,
    Proof,
    Registry,
    find_proofs,
    load_registry,
)
from labml_txl.literate.export.notebooks.notebook import Distribution, read_distribution
from labml_txl.literate.export.notebooks.tutorial import Tutorial
from labml_txl.literate.i18n.languages import Language, read_languages, source_language
from labml_txl.literate.markdown.note import read as note
from labml_txl.literate.project.cache import Cache
from labml_txl.literate.project.modules import ModuleSource, read_modules
from labml_txl.literate.project.pictures import addresses_of, fault_of, find_picture
from labml_txl.literate.project.settings import Project
from labml_txl.literate.project.tutorials import read_tutorials
from labml_txl.literate.recording.records import Record, read_record
from labml_txl.literate.render.figures import Figure, read_figures
from labml_txl.literate.render.references import read_references
from labml_txl.literate.render.resolve import relative_url
from labml_txl.literate.sources.names import Index
from labml_txl.literate.sources.source import LiterateError, Source, read


class Content:
    """The contents of the files of a project.

    Each property raises `LiterateError` if its files are missing or not valid, unless
    its docstring says otherwise. `cache` has the results of earlier builds.
    """

    def __init__(self, project: Project, cache: Cache | None = None) -> None:
        self.project, self.root = project, project.root
        self.cache = cache or Cache()

    # Equations

    @cached_property
    def registries(self) -> tuple[Source, ...]:
        """The TOML files of the registries of equations."""
        found = []
        for given in self.project.equations:
            place = self.root / given
            if not place.exists():
                message = f"the registry of equations {given} does not exist"
                raise LiterateError(self.project.settings, 1, message)
            files = [place] if place.is_file() else place.glob("*.toml")
            found += [read(file, self.root) for file in sorted(files, reverse=True)]
        return tuple(found)

    @cached_property
    def registry(self) -> Registry:
        """The equations of all papers."""
        return load_registry(self.registries)

    @cached_property
    def cited(self) -> tuple[Citation, ...]:
        """The citations of equations in the notes of all modules."""
        return tuple(
            c for module in self.modules for c in module.find_citations(self.registry)
        )

    @cached_property
    def computed(self) -> Mapping[str, tuple[str, str]]:
        """Where the code of an equation is, if a single block of all modules has it.

        It is the path of a page and an anchor on it.
        """
        places = defaultdict[str, set[tuple[str, str]]](set)
        for module in self.modules:
            cited = module.find_citations(self.registry)
            sections = module.page.sections if cited else ()
            found = {s.block.lines: s.anchor for s in sections if s.computes}
            for one in cited:
                if anchor := found.get(one.block.lines):
                    places[one.key].add((module.path, anchor))
        return {key: one for key, (one, *more) in places.items() if not more}

    @cached_property
    def _proofs(self) -> tuple[tuple[Proof, ...], list[LiterateError]]:
        faults = list[LiterateError]()
        folder = self.root / self.project.tests
        return find_proofs(folder, self.root, self.registry, faults.append), faults

    @property
    def proved(self) -> tuple[Proof, ...]:
        """The tests that are marked with an equation."""
        return self._proofs[0]

    # Modules

    @cached_property
    def _modules(self) -> tuple[tuple[ModuleSource, ...], list[LiterateError]]:
        faults = list[LiterateError]()
        given = (self.project, self.registry, self.cache, faults.append)
        return read_modules(*given), faults

    @property
    def modules(self) -> tuple[ModuleSource, ...]:
        """The annotated modules, in reading order."""
        return self._modules[0]

    @cached_property
    def by_path(self) -> Mapping[str, ModuleSource]:
        """The modules by the paths of their pages."""
        return {module.path: module for module in self.modules}

    @cached_property
    def index(self) -> Index:
        """The names of all modules that are valid Python."""
        return Index({m.name: m.names for m in self.modules if m.facts.readable})

    @property
    def pictures(self) -> Iterator[tuple[str, Path]]:
        """The pictures beside the modules: their paths in the site, and their files."""
        for module in self.modules:
            for address, _, html in module.facts.pictures:
                folder = self._folder(module, html)
                if found := find_picture(
                    address, module.source.path, folder, self.root
                ):
                    yield found

    def _folder(self, module: ModuleSource, html: bool) -> str:
        """The folder in the site that the addresses of pictures are relative to."""
        page = module.path
        if html:
            page = relative_url("index.md", page, self.project.directory_urls)
        return posixpath.dirname(page)

    @property
    def faults(self) -> Iterator[LiterateError]:
        """The faults that do not stop a build."""
        yield from self._modules[1]
        for module in self.modules:
            yield from (LiterateError(*fault) for fault in module.facts.faults)
            project, path = self.project, module.source.path
            for address, line, html in module.facts.pictures:
                drawn = address.endswith(".svg") and "://" not in address
                if drawn and not html:
                    continue  # the renderer draws it, and reports it if it is missing
                given = (address, path, self._folder(module, html), self.root)
                if why := fault_of(*given, project.docs, project.trusted):
                    yield LiterateError(path, line, why)
        yield from self._faults_of_prose
        yield from self._tutorials[1]
        yield from self._proofs[1]

    @cached_property
    def _faults_of_prose(self) -> list[LiterateError]:
        """The pictures on pages that are written by hand which nobody would see."""
        project, faults = self.project, list[LiterateError]()
        for page in project.prose:
            source = self.prose(page)
            url = relative_url("index.md", page, project.directory_urls)
            given = (posixpath.dirname(url), self.root, project.docs, project.trusted)
            # MkDocs itself checks the pictures of Markdown that are in the project.
            pictures = "![" in source.text and "://" in source.text
            shown = "<img" in source.text or pictures
            for address, line, html in addresses_of(note(source.text)) if shown else ():
                there = html or "://" in address
                if there and (why := fault_of(address, "", *given)):
                    faults.append(LiterateError(source.path, line + 1, why))
        return faults

    # Languages

    @cached_property
    def locale(self) -> Path:
        """The folder with a subfolder for each language."""
        return self.root / self.project.locale

    @cached_property
    def language(self) -> Language:
        """The language in which the pages are written."""
        return source_language(self.project.language, self.locale, self.root)

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """The languages of the project, that of the pages first."""
        others = read_languages(self.locale, self.root, self.project.language)
        return (self.language, *others)

    # Tutorials, figures, recorded values, documentation of other projects

    @cached_property
    def _tutorials(self) -> tuple[Mapping[str, Tutorial], list[LiterateError]]:
        faults, project = list[LiterateError](), self.project
        given = (self.root, project.notebooks, project.settings, faults.append)
        return {
            tutorial.path: tutorial for tutorial in read_tutorials(*given, self.cache)
        }, faults

    @property
    def tutorials(self) -> Mapping[str, Tutorial]:
        """The tutorials in English, by the paths of their pages."""
        return self._tutorials[0]

    @cached_property
    def install(self) -> Distribution | None:
        """The package that the notebooks install; None if the project has none."""
        repository = self.project.repository
        return read_distribution(self.root, repository.url, repository.installed)

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """The interactive figures, by their names."""
        return read_figures(self.root, self.project.figures, self.project.settings)

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """The record of observed values of each module, by the path of the module.

        A file that cannot be read is skipped here, and reported by `txl check`.
        """
        found: dict[str, Record] = {}
        for file in sorted((self.root / self.project.observations).glob("*.json")):
            with suppress(LiterateError, OSError):
                record = read_record(file, self.root)
                found.setdefault(record.module, record)
        return found

    @cached_property
    def recorded_words(self) -> Mapping[str, str]:
        """The texts of records to translate, each with the first module it occurs in.

        Cards show them: the name of a run, its data, the calls, and the descriptions of
        axes. Identifiers are left out.
        """
        found: dict[str, str] = {}
        for path, record in self.records.items():
            calls = (part for value in record.values for part in value.call.split(", "))
            words = [record.run.name, record.run.data]
            words += [part for part in calls if not part.isidentifier()]
            for axes in record.run.axes:
                names, called = (pair.split(" → ") for pair in axes)
                pairs = zip(names, called, strict=False)
                words += [words for name, words in pairs if words != name]
            for one in words:
                if one.strip():
                    found.setdefault(one, path)
        return found

    @cached_property
    def references(self) -> Mapping[str, str]:
        """The URL of the documentation of names of other packages."""
        return read_references(self.project.inventory_files, self.root)

    def prose(self, path: str) -> Source:
        """Read a page that is written by hand; `path` is relative to `docs`."""
        return read(self.root / self.project.docs / path, self.root)
