"""How many small faults the tests notice: `python -m tests.mutants engine`.

Mutants are drawn by a seed, and each is put into a copy of the project. There those
tests run that run its line, the quickest first, until one fails. The list is kept in a
file beside this one. What is said there about one that no test noticed stays when the
list is made anew.

First it is measured which tests run which lines. That and every answer is kept in
`.cache/mutants`, so a command that was stopped goes on where it was, and after a change
of a test only what may be another now is tried again.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.draw import Mutant, draw
from tests.mutants.kept import read, write
from tests.mutants.lines import TestFile, measured, state_of
from tests.mutants.trial import Answer, copied, tried
from tests.test_ground import ROOT

# The code of a part, and its tests.
PARTS = {
    "engine": (
        "labml_txl/literate",
        ["tests/literate", "tests/models/test_shapes.py", "tests/site/test_book.py"],
    ),
    "training": (
        "labml_txl/training",
        ["tests/training", "tests/test_command_line.py"],
    ),
}
CACHE = ROOT / ".cache" / "mutants"
UNEXPLAINED = "not explained yet"


def main() -> None:
    """Draw mutants of a part of the project, try them, and keep the list."""
    parser = argparse.ArgumentParser(description="How many faults the tests notice.")
    parser.add_argument("part", choices=sorted(PARTS))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "--seconds", type=float, default=120, help="of tests for each mutant"
    )
    given = parser.parse_args()
    code, tests = PARTS[given.part]
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder) / "copy")
        state = state_of(copy, code)
        files = [*_measured(copy, tests, state)]
        drawn = draw(copy, (copy / code).rglob("*.py"), given.count, given.seed)
        answers = {}
        for number, mutant in enumerate(drawn, 1):
            kept = CACHE / f"{state}.json"
            answers[mutant.name] = _answer(mutant, copy, files, kept, given.seconds)
            noticed = answers[mutant.name].noticed
            print(number, mutant.name, "→", noticed or "SURVIVES", flush=True)
    command = f"python -m tests.mutants {given.part} --count {given.count}"
    chosen = f"--seed {given.seed} --seconds {given.seconds:g}"
    _keep(given.part, f"{command} {chosen}", answers)


def _measured(copy: Path, tests: Iterable[str], state: str) -> Iterable[TestFile]:
    """What the files of tests run; a test that fails without a fault is named."""
    for name in tests:
        place = copy / name
        for file in sorted(place.rglob("test_*.py")) if place.is_dir() else [place]:
            found = measured(copy, file.relative_to(copy).as_posix(), state, CACHE)
            print(f"{found.path}: {len(found.tests)} tests", flush=True)
            for test, seconds in found.tests.items():
                if seconds < 0:
                    print(f"without a fault, {test} does not pass", flush=True)
            yield found


def _answer(
    mutant: Mutant, copy: Path, files: list[TestFile], cache: Path, limit: float
) -> Answer:
    """The answer that is known, where it still holds, or a new one."""
    kept = read(cache)
    known = Answer(**kept.get(mutant.name, {}))
    if known.holds(files, limit):
        return known
    # Where nothing noticed it before, what has not changed need not run again.
    done = {} if known.noticed or known.limit < limit else known.tried
    left = [file for file in files if done.get(file.path) != file.state]
    found = tried(mutant, copy, left, limit)
    if not found.noticed:
        found = Answer("", {file.path: file.state for file in files}, limit)
    write(cache, {**kept, mutant.name: vars(found)})
    return found


def _keep(part: str, command: str, answers: dict[str, Answer]) -> None:
    """Write the list, with what was said of those that no test noticed."""
    file = Path(__file__).with_name(f"{part}.json")
    said = {one["mutant"]: one.get("survives") for one in read(file).get("mutants", [])}
    entries = [
        {"mutant": name, "noticed by": answer.noticed}
        if answer.noticed
        else {"mutant": name, "survives": said.get(name) or UNEXPLAINED}
        for name, answer in answers.items()
    ]
    caught = sum(bool(answer.noticed) for answer in answers.values())
    counts = {"drawn": len(entries), "noticed": caught}
    write(file, {"command": command, **counts, "mutants": entries})
    print(f"{caught} of {len(entries)} noticed; {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
