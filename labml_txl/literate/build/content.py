r"""# What the files of a project hold

Everything that is the same in each language: modules, equations, tests, tutorials,
figures and recorded values. Each is read when it is asked for first, and once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property

from labml_txl.literate.build.cache import Cache
from labml_txl.literate.build.modules import ModuleSource, read_modules
from labml_txl.literate.build.project import Project
from labml_txl.literate.equations.registry import (
    Citation,
    Proof,
    Registry,
    load_registry,
    proofs,
)
from labml_txl.literate.export.notebooks.notebook import Distribution, distribution
from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    tutorials,
)
from labml_txl.literate.recording.records import Record, read_record
from labml_txl.literate.render.figures import Figure, read_figures
from labml_txl.literate.render.references import references
from labml_txl.literate.sources.names import Index
from labml_txl.literate.sources.source import LiterateError, Source, read


class Content:
    """The files of a project; `cache` holds what earlier builds read of them."""

    def __init__(self, project: Project, cache: Cache | None = None) -> None:
        self.project, self.root = project, project.root
        self.cache = cache or Cache()

    # Equations

    @cached_property
    def registries(self) -> tuple[Source, ...]:
        """The texts of the registries of equations."""
        found = []
        for given in self.project.equations:
            place = self.root / given
            if not place.exists():
                message = f"there is no registry of equations {given}"
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
        """Where the annotated code cites equations."""
        return tuple(c for module in self.modules for c in module.cited(self.registry))

    @cached_property
    def _proofs(self) -> tuple[tuple[Proof, ...], list[LiterateError]]:
        faults = list[LiterateError]()
        folder = self.root / self.project.tests
        return proofs(folder, self.root, self.registry, faults.append), faults

    @property
    def proved(self) -> tuple[Proof, ...]:
        """The tests of equations."""
        return self._proofs[0]

    # Modules

    @cached_property
    def _modules(self) -> tuple[tuple[ModuleSource, ...], list[LiterateError]]:
        faults = list[LiterateError]()
        given = (self.project, self.registry, self.cache, faults.append)
        return read_modules(*given), faults

    @property
    def modules(self) -> tuple[ModuleSource, ...]:
        """The annotated modules, in the order of reading."""
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
    def faults(self) -> Iterator[LiterateError]:
        """What an author should know of modules and tests."""
        yield from self._modules[1]
        yield from (fault for module in self.modules for fault in module.faults)
        yield from self._proofs[1]

    # Tutorials, figures, recorded values, documentation of other projects

    @cached_property
    def tutorials(self) -> Mapping[str, Tutorial]:
        """The tutorials in English, by the paths of their pages."""
        given = (self.root, self.project.notebooks, self.project.settings)
        return {tutorial.path: tutorial for tutorial in tutorials(*given)}

    @cached_property
    def install(self) -> Distribution | None:
        """What the notebooks of the project install."""
        repository = self.project.repository
        return distribution(self.root, repository.url, repository.installed)

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """The interactive figures, by their names."""
        return read_figures(self.root, self.project.figures, self.project.settings)

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """What was recorded of each module, by the path of the module.

        A file that cannot be read is left out: `txl check` tells of it.
        """
        found: dict[str, Record] = {}
        for file in sorted((self.root / self.project.observations).glob("*.json")):
            with suppress(LiterateError, OSError):
                record = read_record(file, self.root)
                found.setdefault(record.module, record)
        return found

    @cached_property
    def recorded_words(self) -> Mapping[str, str]:
        """The words that cards show of runs, and the first module each stands for.

        They are the name of a run, its data, the calls that are shown, and what a place
        on an axis is called, unless that is its name.
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
        """Where names of other packages are documented."""
        return references(self.project.inventory_files, self.root)

    def prose(self, path: str) -> Source:
        """A page that is written by hand."""
        return read(self.root / self.project.docs / path, self.root)
