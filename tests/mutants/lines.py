"""Which tests run which lines of a part, measured once and kept in `.cache`.

Each file of tests is measured in a process of its own. What is known of it holds until
the file or the code changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

from tests.mutants.kept import read, write
from tests.mutants.watch import EVERY

SETTINGS = """\
[run]
source = labml_txl
parallel = true
sigterm = true
data_file = {folder}/data
plugins = tests.mutants.whose
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""


@dataclass(frozen=True)
class TestFile:
    """A file of tests: what it stands for, each test with its seconds, and the lines.

    `state` changes whenever the file or the code does. `lines` has the numbers of the
    tests that run a line, under `path:line`.
    """

    __test__ = False

    path: str
    state: str
    tests: dict[str, float]
    lines: dict[str, list[int]]

    def running(self, places: Iterable[str]) -> list[str]:
        """The tests that run one of these lines and pass without a fault."""
        names = list(self.tests)
        found = {number for place in places for number in self.lines.get(place, [])}
        return [names[one] for one in sorted(found) if self.tests[names[one]] >= 0]


def measured(copy: Path, path: str, code: str, cache: Path) -> TestFile:
    """What a file of tests runs, measured if that is not known yet."""
    content = (copy / path).read_bytes()
    state = hashlib.sha256(f"{code} {path} ".encode() + content).hexdigest()[:16]
    known = cache / f"{state}.json"
    if not known.is_file():
        write(known, _measure(copy, path))
    found = read(known)
    return TestFile(path, state, found["tests"], found["lines"])


def state_of(copy: Path, code: str) -> str:
    """A digest of the files of a part."""
    digest = hashlib.sha256()
    for file in sorted((copy / code).rglob("*")):
        if file.is_file() and file.suffix != ".pyc":
            digest.update(f"{file.relative_to(copy)} ".encode() + file.read_bytes())
    return digest.hexdigest()


def _measure(copy: Path, path: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = folder / "coveragerc"
        settings.write_text(SETTINGS.format(folder=folder), encoding="utf-8")
        measuring = {"MUTANTS": name, "COVERAGE_PROCESS_START": str(settings)}
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "-p", "no:xdist"),
                *("-p", "no:cacheprovider", "-p", "tests.mutants.watch", path),
            ],
            cwd=copy,
            env={**os.environ, **environment(copy), **measuring},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        told = folder / "tests.json"
        tests = json.loads(told.read_text(encoding="utf-8")) if told.is_file() else {}
        return {"path": path, "tests": tests, "lines": _lines(folder, copy, len(tests))}


def environment(copy: Path) -> dict[str, str]:
    """What lets every process find the copy."""
    return {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}


def _lines(folder: Path, copy: Path, tests: int) -> dict[str, list[int]]:
    """The tests of each line, out of what each process wrote."""
    lines: dict[str, set[int]] = {}
    for file in folder.glob("data.*"):
        data = CoverageData(str(file))
        data.read()
        for path in map(Path, data.measured_files()):
            if not path.is_relative_to(copy.resolve()):
                continue
            name = path.relative_to(copy.resolve()).as_posix()
            for line, contexts in data.contexts_by_lineno(str(path)).items():
                found = lines.setdefault(f"{name}:{line}", set())
                for context in contexts:
                    shared = context in ("", EVERY)
                    found.update(range(tests) if shared else [int(context)])
    return {place: sorted(found) for place, found in sorted(lines.items())}
