r"""# The settings of a project

What the engine must know of a project, whichever program builds its site.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError


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
    def unpublished(self) -> frozenset[Path]:
        """The folders that are read, and that no site publishes as they are."""
        return frozenset({self.root / self.locale, self.root / self.observations})

    @property
    def inventory_files(self) -> Mapping[str, Path]:
        """The file of each inventory that the settings name, by its address."""
        for place, _ in self.inventories:
            if not place.startswith(("https://", "http://")):
                given = f"inventories: {place} is no address of a documentation"
                raise LiterateError(self.settings, 1, f"{given}: https://…")
        return {place: self.root / file for place, file in self.inventories}


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
