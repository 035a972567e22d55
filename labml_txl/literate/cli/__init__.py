r"""# The commands of the engine

`txl init`, `txl check`, `txl export`, `txl notebooks`, `txl observe` and `txl i18n`.
One file a command, each with its options and a function that runs it.

What is wrong with a file is told in one line, with the file and the line, and the exit
status is 1; a wrong use of the command line gives 2. All but `txl init`, which writes
them, read the settings of the site, `mkdocs.yml`, so MkDocs must be installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.errors import UsageError
from labml_txl.options import option

if TYPE_CHECKING:
    from labml_txl.literate.build.localized import LocalizedProject


def site_settings() -> Path:
    """The option that all of these commands have."""
    return option(
        Path("mkdocs.yml"), "the settings of the site", short="-f", metavar="FILE"
    )


def settings_of(config: Path) -> Path:
    """The settings of the site. Raises `UsageError` if they are not there."""
    if not config.is_file():
        raise UsageError(f"there is no {config} here: name it with --config")
    return config


def open_site(config: Path) -> LocalizedProject:
    """The project of these settings. Raises `UsageError` if they are not there."""
    # `txl init` does without MkDocs.
    from labml_txl.literate.mkdocs.settings import open_project

    return open_project(settings_of(config))


def write_files(texts: Mapping[Path, str | None]) -> None:
    """Write all files or none: each is whole before one of them takes its place.

    `None` stands for a file that is removed.
    """
    for path in texts:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: choose another with --out")
    partial: dict[Path, Path] = {}
    try:
        for path, text in texts.items():
            if text is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                partial[path] = path.with_name(f".{path.name}.partial")
                partial[path].write_text(text, encoding="utf-8", newline="\n")
        for path in texts:
            if path in partial:
                partial[path].replace(path)
            else:
                path.unlink(missing_ok=True)
    finally:
        for left in partial.values():
            left.unlink(missing_ok=True)
