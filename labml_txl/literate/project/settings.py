"""# The settings of a project

The settings that the engine needs, independent of the host that builds the site.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from labml_txl.literate.i18n.languages import ENGLISH
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError, import_root


@dataclass(frozen=True)
class Project:
    """The settings of a project. Paths are relative to `root`, its folder.

    - `modules`: folders and files to annotate;
    - `exclude`: patterns of files and folders among them to leave out;
    - `equations`: registries, as TOML files or folders of them;
    - `tests`: the folder with the tests of equations;
    - `notebooks`: tutorials, as Python files or folders of them;
    - `figures`: folders of interactive figures;
    - `inventories`: pairs of the address of a documentation and the file with its
      inventory;
    - `docs`: the folder that the paths of pages and figures are relative to;
    - `prose`: the pages that are written by hand, relative to `docs`;
    - `locale`: the folder with a subfolder for each language;
    - `translators`: the page that explains how to translate the site, or empty;
    - `observations`: the folder with a record of observed values for each module;
    - `settings`: the file of the settings, and `names`: the texts in it that readers
      see, the name and the description of the site first;
    - `titles`: pairs of a page and the title that the navigation gives it;
    - `repository`: the repository that pages and notebooks link to;
    - `trusted`: other hosts that pages may load pictures, scripts and the like from;
    - `macros`: pairs of a command of TeX and what it stands for;
    - `connect`: pairs of a page and the other hosts that its scripts may request data
      from;
    - `language`: the code of the language in which the pages are written;
    - `url`: the URL that the pages in this language are published at, or empty;
    - `directory_urls`: whether the URLs of pages are folders (`use_directory_urls`);
    - `files_in_html`: whether links in HTML name Markdown files, as links in Markdown
      do, because the host replaces them.
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
    translators: str = ""
    observations: str = "docs/observations"
    settings: str = "mkdocs.yml"
    names: tuple[str, ...] = ()
    titles: tuple[tuple[str, str], ...] = ()
    repository: Repository = field(default_factory=Repository)
    trusted: tuple[str, ...] = ()
    macros: tuple[tuple[str, str], ...] = ()
    connect: tuple[tuple[str, tuple[str, ...]], ...] = ()
    language: str = ENGLISH.code
    url: str = ""
    directory_urls: bool = True
    files_in_html: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """The sources of the pages outside `docs`, which a preview has to watch."""
        inventories = (file for _, file in self.inventories)
        folders = (*self.equations, *self.notebooks, *self.figures)
        given = (*self.modules, *folders, *inventories)
        return tuple(self.root / path for path in given)

    @property
    def unpublished(self) -> frozenset[Path]:
        """The folders within `docs` whose files are not copied to the site."""
        return frozenset({self.root / self.locale, self.root / self.observations})

    @property
    def inventory_files(self) -> Mapping[str, Path]:
        """The file of each configured inventory, by the address of the documentation.

        Raises `LiterateError` for an address that is no HTTP URL.
        """
        for place, _ in self.inventories:
            if not place.startswith(("https://", "http://")):
                given = f"inventories: {place} is not an address"
                raise LiterateError(self.settings, 1, f"{given}: https://…")
        return {place: self.root / file for place, file in self.inventories}


def import_folders(project: Project) -> tuple[Path, ...]:
    """The folders to add to `sys.path` so that the modules can be imported."""
    starts = [project.root / given for given in project.modules]
    folders = (start.parent if start.is_file() else start for start in starts)
    return tuple(dict.fromkeys(map(import_root, folders)))
