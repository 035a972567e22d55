r"""# Observe

`txl observe` runs the annotated code and records what the names in it held. The pages
show it.

```sh
txl observe
txl observe --check
```

What is run is said in `pyproject.toml`: a function that gives recordings.

```toml
[tool.txl.observe]
run = "tests.observed.recordings:recordings"
```
"""

import importlib
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.errors import UsageError
from labml_txl.literate.cli import settings_of, site_settings, write_texts
from labml_txl.options import option

if TYPE_CHECKING:
    from labml_txl.literate.recording.recording import Recording
    from labml_txl.literate.recording.records import Record

# What stands in the settings.
WANTED = '[tool.txl.observe] wants run = "module:function"'


@dataclass(frozen=True)
class Options:
    """What `txl observe` can be told."""

    check: bool = option(False, "run again, and compare with what is recorded")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Record all runs, and write all records or none; or compare them."""
    config = settings_of(options.config)
    from labml_txl.literate.build.project import import_folders
    from labml_txl.literate.mkdocs.settings import open_project

    project = open_project(config).project
    folder = project.root / project.observations
    for place in (project.root, *import_folders(project)):
        if str(place) not in sys.path:
            sys.path.insert(0, str(place))
    found = {each.module: each for each in _recorded(project.root)}
    if options.check:
        return _compare(folder, project.root, found)
    _store(folder, project.root, found)
    return 0


def _compare(folder: Path, root: Path, found: "dict[str, Record]") -> int:
    """Print where new records differ from those in the folder."""
    problems = [*_differences(folder, root, found)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"A new run shows what is recorded of {len(found)} modules.")
    return 1 if problems else 0


def _store(folder: Path, root: Path, found: "dict[str, Record]") -> None:
    """Write the records, remove those of other modules, and print what there is."""
    from labml_txl.literate.recording.records import file_of, written

    texts = {file_of(module): written(record) for module, record in found.items()}
    for path in write_texts(texts, folder):
        print(f"{path.relative_to(root)}: {path.stat().st_size / 1000:,.0f} kB")
    for file in folder.glob("*.json"):
        if file.name not in texts:
            file.unlink()


def _recorded(root: Path) -> "Iterator[Record]":
    """The records of all runs. Raises `UsageError` if two are of one module."""
    from labml_txl.literate.recording.recording import observe

    modules: set[str] = set()
    for recording in _recordings(root):
        for observed in observe(recording, root):
            module = observed.module
            if module in modules:
                raise UsageError(f"two recordings are of {module}: leave it out of one")
            modules.add(module)
            yield observed


def _recordings(root: Path) -> "list[Recording]":
    """What the function gives that the settings name."""
    from labml_txl.literate.recording.recording import Recording

    settings = root / "pyproject.toml"
    name = _named(settings)
    module, _, function = name.partition(":")
    if not (module and function):
        raise UsageError(f"{settings.name}: {WANTED}, not {name!r}")
    try:
        made = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise UsageError(f"{settings.name}: there is no module {error.name}") from None
    except AttributeError:
        given = f"{module} has no function {function}"
        raise UsageError(f"{settings.name}: {given}") from None
    found = [*made()] if callable(made) else [made]
    for each in found:
        if not isinstance(each, Recording):
            raise UsageError(f"{name} gives {type(each).__name__}, wanted Recording")
    return found


def _named(settings: Path) -> str:
    """The function that a `pyproject.toml` names."""
    if not settings.is_file():
        raise UsageError(f"there is no {settings.name} beside the settings: {WANTED}")
    try:
        given = tomllib.loads(settings.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{settings.name} is not TOML: {error}") from None
    table = given.get("tool", {}).get("txl", {}).get("observe", {})
    name = table.get("run", "") if isinstance(table, dict) else ""
    if not isinstance(name, str) or not name:
        raise UsageError(f"{settings.name} does not say what to run: {WANTED}")
    return name


def _differences(folder: Path, root: Path, found: "dict[str, Record]") -> Iterator[str]:
    """Where new records differ from those in the folder, a line each."""
    from labml_txl.literate.recording.records import differences, records
    from labml_txl.literate.sources.source import LiterateError

    known: set[str] = set()
    for _, record in records(folder, root):
        if isinstance(record, LiterateError):
            yield str(record)
            continue
        known.add(record.module)
        if record.module in found:
            yield from differences(record, found[record.module])
        else:
            yield f"{record.module}: no run is of this module"
    for module in found:
        if module not in known:
            yield f"{module}: there is no record: run txl observe"
