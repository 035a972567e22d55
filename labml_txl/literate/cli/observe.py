"""# Observe

`txl observe` runs the annotated code and records the values of the names in it. The
pages show these values.

```sh
txl observe
txl observe --check
```

The code to run is configured in `pyproject.toml`: a function that returns recordings.

```toml
[tool.txl.observe]
run = "tests.observed.recordings:recordings"
```
"""

import importlib
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.literate.cli import open_site, site_settings, write_files
from labml_txl.literate.project.settings import import_folders
from labml_txl.literate.recording import recording, records
from labml_txl.literate.sources.source import LiterateError
from labml_txl.options import option


@dataclass(frozen=True)
class Options:
    """The command-line options of `txl observe`."""

    check: bool = option(False, "compare a new run with the records, and write nothing")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Run all recordings, and write their records, or compare them with `--check`."""
    project = open_site(options.config).project
    root, folder = project.root, project.root / project.observations
    for place in map(str, (root, *import_folders(project))):
        if place not in sys.path:
            sys.path.insert(0, place)
    new: dict[str, records.Record] = {}
    for one in load_recordings(root / "pyproject.toml"):
        for record in recording.observe(one, root):
            if record.module in new:
                twice = f"two recordings contain {record.module}"
                raise UsageError(f"{twice}: remove it from one of them")
            new[record.module] = record
    if options.check:
        problems = [*compare_records(folder, root, new)]
        for problem in problems:
            print(problem, file=sys.stderr)
        if not problems:
            print(f"A new run agrees with the records of {len(new)} modules.")
        return int(bool(problems))
    kept, texts = find_unchanged(folder, root, new), dict[Path, str]()
    for module, record in new.items():
        if (path := folder / records.file_of(module)) not in kept:
            texts[path] = records.to_json(record)
    # Records of modules that no recording covers any more are deleted.
    gone = {path: None for path in folder.glob("*.json") if path not in kept}
    write_files({**gone, **texts})
    for path in texts:
        print(f"{path.relative_to(root)}: {path.stat().st_size / 1000:,.0f} kB")
    if kept:
        print(f"{len(kept)} records are unchanged within rounding errors.")
    return 0


def load_recordings(settings: Path) -> "list[recording.Recording]":
    """Call the function that a `pyproject.toml` names, and return its recordings.

    Raises `UsageError` if none is named, if it does not exist, or if it returns
    something else.
    """
    try:
        table = tomllib.loads(settings.read_text(encoding="utf-8"))
        name: str = table["tool"]["txl"]["observe"]["run"]
        module, function = name.split(":")
    # A file that is not valid TOML or UTF-8 raises a subclass of `ValueError`.
    except (AttributeError, OSError, KeyError, TypeError, ValueError):
        wanted = '[tool.txl.observe] with run = "module:function"'
        raise UsageError(
            f"{settings} does not name a function to run: add {wanted}"
        ) from None
    try:
        given = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise UsageError(f"{settings.name}: no module {error.name}") from None
    except AttributeError:
        missing = f"{module} has no function {function}"
        raise UsageError(f"{settings.name}: {missing}") from None
    made = [*given()] if callable(given) else [given]
    for one in made:
        if not isinstance(one, recording.Recording):
            raise UsageError(
                f"{name} returned {type(one).__name__}, expected Recording"
            )
    return made


def find_unchanged(
    folder: Path, root: Path, new: Mapping[str, records.Record]
) -> frozenset[Path]:
    """The files in a folder that say the same as new records.

    Another computer or another version of PyTorch rounds differently. Such a record is
    kept, so that a commit contains only what has changed.
    """
    found = records.read_records(folder, root)
    return frozenset(
        root / path
        for path, old in found
        if not isinstance(old, LiterateError)
        and (again := new.get(old.module))
        and root / path == folder / records.file_of(old.module)
        and not any(records.compare(old, again))
    )


def compare_records(
    folder: Path, root: Path, new: Mapping[str, records.Record]
) -> Iterator[str]:
    """Yield the differences between new records and those in a folder, line by line."""
    known: set[str] = set()
    for _, record in records.read_records(folder, root):
        if isinstance(record, LiterateError):
            yield str(record)
        else:
            known.add(record.module)
            if record.module in new:
                yield from records.compare(record, new[record.module])
            else:
                yield f"{record.module}: not part of the run, but there is a record"
    for module in new:
        if module not in known:
            yield f"{module}: no record: run txl observe"
