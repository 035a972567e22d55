"""One fault in a copy of the project, and the tests that may notice it."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.chosen import failures
from tests.mutants.draw import Mutant
from tests.mutants.kept import read, write
from tests.mutants.lines import TestFile, environment
from tests.test_ground import ROOT, tracked

PATIENCE = 60  # seconds, beside ten times what the tests take without a fault
NO_TEST = 5  # what pytest ends with


@dataclass
class Answer:
    """What came of a trial: the test that noticed it, if any, and what was tried.

    `tried` has the state of each file of tests that the answer stands on, `limit` the
    seconds that those tests were given.
    """

    noticed: str = ""
    tried: dict[str, str] = field(default_factory=dict)
    limit: float = 0

    def holds(self, files: list[TestFile], limit: float = 0) -> bool:
        """Whether nothing has changed since, and no more is asked."""
        now = {file.path: file.state for file in files}
        if self.noticed:
            return self.tried.items() <= now.items()
        return self.tried == now and limit <= self.limit


def copied(folder: Path) -> Path:
    """The files of the project in another folder, as git knows them."""
    for file in tracked():
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    # Some tests ask git.
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


def places(mutant: Mutant, text: str) -> list[str]:
    """The lines of the statement that the fault is in: `path:line`.

    Of a statement with statements in it, those before the first of them.
    """
    last = mutant.line + mutant.old.count("\n")
    around = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt)
        and node.lineno <= mutant.line
        and last <= (node.end_lineno or node.lineno)
    ]
    inner = min(around, key=lambda node: (node.end_lineno or 0) - node.lineno)
    body = getattr(inner, "body", [])
    end = max(last, body[0].lineno - 1) if body else inner.end_lineno or inner.lineno
    return [f"{mutant.path}:{line}" for line in range(inner.lineno, end + 1)]


def tried(
    mutant: Mutant, copy: Path, files: list[TestFile], limit: float = 60
) -> Answer:
    """Run the tests of these files that run the line, the quickest first.

    Those of its own room come first. No more of them run than take `limit` seconds
    without a fault.
    """
    file = copy / mutant.path
    text = file.read_text(encoding="utf-8")
    where = places(mutant, text)
    seconds = {name: one.tests[name] for one in files for name in one.running(where)}
    states = {one.path: one.state for one in files}
    file.write_text(mutant.of(text), encoding="utf-8")
    try:
        # labml_txl/literate/i18n/lint/guard.py: tests/literate/i18n/lint/
        room = "/".join(["tests", *mutant.path.split("/")[1:3], ""])
        for names in _batches(room, seconds, limit):
            patience = PATIENCE + 10 * sum(seconds[name] for name in names)
            for failed in _failed(names, copy, patience):
                # Once more, alone: a busy machine is no fault.
                if failed in names and not _failed([failed], copy, patience):
                    continue
                noted = failed.split("::")[0]
                known = {noted: states[noted]} if noted in states else states
                return Answer(failed, known)
    finally:
        file.write_text(text, encoding="utf-8")
    return Answer("", states, limit)


def _batches(room: str, seconds: dict[str, float], limit: float) -> Iterator[list[str]]:
    """The quickest tests: half the seconds for those of the room, then for all."""
    names = sorted(seconds, key=lambda name: seconds[name])
    near = _taken([name for name in names if name.startswith(room)], seconds, limit / 2)
    yield near
    yield _taken([name for name in names if name not in near], seconds, limit / 2)


def _taken(names: list[str], seconds: dict[str, float], limit: float) -> list[str]:
    """The first names, as many as take no longer; one at least.

    What the quickest of a file takes, a fixture of all of them takes: once.
    """
    batch: list[str] = []
    shared: dict[str, float] = {}
    for name in names:
        file = name.split("::")[0]
        limit -= seconds[name] - shared.setdefault(file, 0.0)
        if limit < 0 and batch:
            break
        batch.append(name)
        shared[file] = shared[file] or seconds[name]
    return batch


def _failed(names: list[str], copy: Path, patience: float) -> list[str]:
    """The first of some tests that fails; none if all pass."""
    if not names:
        return []
    chosen = copy.with_name(f"{copy.name}.chosen.json")
    told = failures(chosen)
    told.unlink(missing_ok=True)
    write(chosen, names)
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist"),
                *("-p", "no:cacheprovider", "-p", "tests.mutants.chosen"),
                *sorted({name.split("::")[0] for name in names}),
            ],
            cwd=copy,
            env={**os.environ, **environment(copy), "MUTANTS_CHOSEN": str(chosen)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ["it does not end"]
    if done.returncode in (0, NO_TEST):
        return []
    return [*read(told)][:1] or ["pytest cannot start"]
