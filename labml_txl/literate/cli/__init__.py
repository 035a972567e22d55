"""# The commands of the engine

`txl init`, `txl check`, `txl export`, `txl notebooks`, `txl observe` and `txl i18n`.
One file a command, each with its options and a function that runs it.

An error in a file is reported in one line, with the file and the line number, and the
exit status is 1; a wrong use of the command line gives 2. All commands except `txl
init`, which writes it, read `mkdocs.yml`, so MkDocs must be installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.errors import UsageError
from labml_txl.options import option

if TYPE_CHECKING:
    from labml_txl.literate.project.localized import LocalizedProject


def site_settings() -> Path:
    """The option `--config`, which all of these commands except `txl init` have."""
    return option(
        Path("mkdocs.yml"), "the settings file of the site", short="-f", metavar="FILE"
    )


def settings_of(config: Path) -> Path:
    """Return the path of the settings. Raises `UsageError` if it is no file."""
    if not config.is_file():
        raise UsageError(
            f"{config} does not exist: pass the settings file with --config"
        )
    return config


def open_site(config: Path) -> LocalizedProject:
    """Open the project of these settings.

    Raises `UsageError` if the file does not exist, `LiterateError` if it is not valid.
    """
    # Imported here because `txl init` must work without MkDocs.
    from labml_txl.literate.mkdocs.settings import open_project

    return open_project(settings_of(config))


def write_files(texts: Mapping[Path, str | None]) -> None:
    """Write several files, so that an error leaves the old ones unchanged.

    All texts are first written to temporary files, which then replace the old files. A
    file whose text is None is deleted. Raises `UsageError` if a path is a folder.
    """
    for path in texts:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: choose another path with --out")
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
