r"""# The commands of the engine

`txl init`, `txl check`, `txl export`, `txl notebooks`, `txl observe` and `txl i18n`.
One file a command, each with its options and a function that runs it.

What is wrong with a file is told in one line, with the file and the line, and the exit
status is 1; a wrong use of the command line gives 2. All but `txl init`, which writes
them, read the settings of the site, `mkdocs.yml`, so MkDocs must be installed. It is
asked for when one runs.
"""

from collections.abc import Mapping
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.options import option


def site_settings() -> Path:
    """The option that all of these commands have."""
    return option(
        Path("mkdocs.yml"), "the settings of the site", short="-f", metavar="FILE"
    )


def settings_of(config: Path) -> Path:
    """The settings of the site. Raises `UsageError` if there are none."""
    if not config.is_file():
        raise UsageError(f"there is no {config} here: name it with --config")
    return config


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write all files or none: each is whole before one of them takes its place."""
    goals = {folder / path: content for path, content in texts.items()}
    for goal in goals:
        if goal.is_dir():
            raise UsageError(f"{goal} is a folder: choose another with --out")
    partial: dict[Path, Path] = {}
    try:
        for goal, content in goals.items():
            goal.parent.mkdir(parents=True, exist_ok=True)
            partial[goal] = goal.with_name(f".{goal.name}.partial")
            partial[goal].write_text(content, encoding="utf-8", newline="\n")
        for goal, whole in partial.items():
            whole.replace(goal)
    finally:
        for left in partial.values():
            left.unlink(missing_ok=True)
    return [*goals]
