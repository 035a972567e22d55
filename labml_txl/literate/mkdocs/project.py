r"""# What commands ask of the settings

A command names a file of settings, and gets the edition that it describes: its pages,
its tutorials, its texts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from labml_txl.literate.build.cache import Cache
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.mkdocs.settings import load, project_of, written
from labml_txl.literate.render.finished.blocks import Render, renderer
from labml_txl.literate.render.render import EXTENSIONS


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


def for_notebooks(edition: Edition) -> Edition:
    """The edition for notebooks that are stored: they install the branch.

    None can name the commit that it becomes a part of.
    """
    project = edition.project
    branch = replace(project.repository, revision="")
    return replace(edition, project=replace(project, repository=branch))


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
