r"""# What commands ask of the settings

A command names a file of settings, and gets the project that it describes: its pages,
its tutorials, its texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labml_txl.literate.edition.build import Annotated, import_folders
from labml_txl.literate.edition.cache import Cache
from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.hosts.mkdocs.settings import load, project_of, written
from labml_txl.literate.notebooks.notebook import Distribution
from labml_txl.literate.pages.finished.blocks import Render, renderer
from labml_txl.literate.pages.render import EXTENSIONS
from labml_txl.literate.pages.resolve import Site
from labml_txl.literate.translation.inventory import Texts


def settings_of(settings: Path) -> dict[str, Any]:
    """What the project says of its site to any host: name, navigation, theme."""
    return written(settings)


def edition_of(settings: Path) -> Edition:
    """The pages of the project in English."""
    return Edition(project_of(settings))


def for_host(edition: Edition, host: str) -> Edition:
    """The edition for a host that finds the address of each file by itself.

    It knows what earlier builds for this host have made.
    """
    name = f"{host}-{edition.language.code}.pickle"
    return replace(
        edition,
        project=replace(edition.project, files_in_html=True),
        kept=Cache(edition.root / ".cache" / "literate" / name),
    )


@dataclass(frozen=True)
class Notebooks:
    """What a project's tutorials need, to be run and to be stored.

    - `given`: the files and folders that its settings name;
    - `install`: the package at the branch of the repository, since a stored notebook
      cannot name the commit that it becomes a part of;
    - `folders`: where its own modules are imported from.
    """

    given: tuple[str, ...]
    site: Site
    install: Distribution | None
    folders: tuple[Path, ...]


def notebooks_of(settings: Path) -> Notebooks:
    """The tutorials that a `mkdocs.yml` describes."""
    given = project_of(settings)
    edition = Edition(replace(given, repository=replace(given.repository, revision="")))
    return Notebooks(
        given=given.notebooks,
        site=edition.site,
        install=edition.install,
        folders=import_folders(given),
    )


def pages_of(settings: Path) -> tuple[Annotated, Distribution | None]:
    """The pages of the project, and what their notebooks install."""
    edition = edition_of(settings)
    return edition.annotated, edition.install


def texts_of(settings: Path) -> Texts:
    """All that the site says in English, to be translated."""
    return edition_of(settings).texts


def renderer_of(settings: Path) -> Render:
    """How the site that a `mkdocs.yml` describes makes HTML of Markdown."""
    _, config = load(settings)
    # Ours come last: one of them takes the place of what MkDocs has by itself.
    names = dict.fromkeys([*config.markdown_extensions, *EXTENSIONS])
    own = config.mdx_configs
    return renderer({n: {**EXTENSIONS.get(n, {}), **own.get(n, {})} for n in names})


def theme_for(settings: Path, code: str) -> str:
    """What the theme calls a language; English where it has no words of its own."""
    _, config = load(settings)
    words = Path("partials", "languages", f"{code}.html")
    has = any(Path(folder, words).is_file() for folder in config.theme.dirs)
    return code if has else "en"


def inventories_of(settings: Path) -> tuple[Mapping[str, Path], Path]:
    """The inventories that a `mkdocs.yml` names, and the folder that it stands in."""
    project = project_of(settings)
    return project.documented, project.root
