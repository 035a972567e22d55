"""How many small faults the tests notice: `python -m tests.mutants engine`.

Mutants are drawn by a seed, and each is put into a copy of the project. There the tests
run until one fails: first those of its own room, then all that may concern it. The list
is kept in a file beside this one. What is said there about one that no test noticed
stays when the list is made anew.

It takes an hour or two, so it is no test itself.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.draw import Mutant, draw
from tests.test_ground import tracked

ROOT = Path(__file__).parents[2]
# The code of a part, and its tests; those of the mutant's own room come before them.
PARTS = {
    "engine": ("labml_txl/literate", ["tests/literate"]),
    "training": (
        "labml_txl/training",
        ["tests/training", "tests/test_command_line.py"],
    ),
}
PATIENCE = 1_200  # seconds: a fault may keep a program from ending


def main() -> None:
    """Draw mutants of a part of the project, try them, and keep the list."""
    parser = argparse.ArgumentParser(description="How many faults the tests notice.")
    parser.add_argument("part", choices=sorted(PARTS))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    code, tests = PARTS[given.part]
    drawn = draw(ROOT, (ROOT / code).rglob("*.py"), given.count, given.seed)
    file = Path(__file__).with_name(f"{given.part}.json")
    said = _said(file)
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.processes):
            copies.put(_copied(Path(folder) / str(number)))
        if failed := _failed(tests, Path(folder) / "0"):
            sys.exit(f"error: without a fault, {failed} fails: see to that first")

        def tried(mutant: Mutant) -> dict[str, object]:
            copy = copies.get()
            try:
                noticed = _noticed(mutant, copy, tests)
            finally:
                copies.put(copy)
            entry: dict[str, object] = {"mutant": mutant.name, "line": mutant.line}
            return entry | (
                {"noticed by": noticed}
                if noticed
                else {"survives": said.get(mutant.name, "not explained yet")}
            )

        found = []
        with ThreadPoolExecutor(given.processes) as pool:
            for entry in pool.map(tried, drawn):
                found.append(entry)
                print(len(found), entry, flush=True)
    caught = sum("noticed by" in entry for entry in found)
    command = f"python -m tests.mutants {given.part} --count {given.count}"
    answer = {
        "command": f"{command} --seed {given.seed}",
        "drawn": len(found),
        "noticed": caught,
        "mutants": found,
    }
    text = json.dumps(answer, indent=1, ensure_ascii=False)
    file.write_text(f"{text}\n", encoding="utf-8")
    print(f"{caught} of {len(found)} noticed; {file.relative_to(ROOT)}")


def _said(file: Path) -> dict[str, str]:
    """What was said about those that no test noticed."""
    if not file.is_file():
        return {}
    entries = json.loads(file.read_text(encoding="utf-8"))["mutants"]
    return {one["mutant"]: one["survives"] for one in entries if "survives" in one}


def _copied(folder: Path) -> Path:
    """The files of the project in another folder, as git knows them."""
    for file in tracked():
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    # Some tests ask git.
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


def _noticed(mutant: Mutant, copy: Path, tests: list[str]) -> str:
    """The first test that fails; empty if all pass."""
    file = copy / mutant.path
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.of(text), encoding="utf-8")
    try:
        for some in _order(mutant, copy, tests):
            # Once more, alone: a busy machine is no fault.
            if (failed := _failed(some, copy)) and (
                "::" not in failed or _failed([failed], copy)
            ):
                return failed
    finally:
        file.write_text(text, encoding="utf-8")
    return ""


def _order(mutant: Mutant, copy: Path, tests: list[str]) -> Iterator[list[str]]:
    """The tests in the order in which they are likely to notice."""
    # labml_txl/literate/lint/guard.py: tests/literate/lint
    room = "/".join(["tests", *mutant.path.split("/")[1:3]])
    if (copy / room).is_dir():
        yield [room]
    for folder in tests:
        if (copy / folder).is_file():
            yield [folder]
        else:
            others = [one for one in (copy / folder).iterdir() if "test" in one.name]
            rooms = [one for one in (copy / folder).iterdir() if one.is_dir()]
            names = [one.relative_to(copy).as_posix() for one in (*others, *rooms)]
            yield sorted({*names} - {room})


def _failed(tests: list[str], copy: Path) -> str:
    """The first of some tests that fails; empty if all pass."""
    try:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-x", "-q", "--no-header"),
                *("--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider", *tests),
            ],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "it does not end"
    if done.returncode in (0, 5):  # 5: there is no test
        return ""
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    told = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    found = told[0].partition(" ")[2].partition(" - ")[0] if told else ""
    return found or "pytest cannot start"


if __name__ == "__main__":
    main()
