"""What each kind of kept result saves: `python -m tests.benchmarks.kinds [TURNS]`.

The engine keeps what it made under digests (`edition/cache.py`). Here builds of a
project of 100 modules are measured with all kinds, and without one of them at a time,
in turns. The word `ours` measures this project with its languages too, which takes
long. The seconds are those of the processor, of all processes of a build. What is
measured goes into `kinds.json`, and from there into the page "The engine".
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks import growth, report
from tests.literate.small import ENVIRONMENT
from tests.test_ground import ROOT, tracked

RESULTS = Path(__file__).with_name("kinds.json")
TURNS = 5
MODULES = 100

# Runs before anything else in every process of a build.
WITHOUT = """\
import json
import os

from labml_txl.literate.build import cache

without, told = os.environ.get("WITHOUT"), os.environ.get("KINDS_TOLD")
kinds = {}
digest, get, keep = cache.digest, cache.Cache.get, cache.Cache.keep
made, save = cache.Cache.made, cache.Cache.save


def named(*parts):
    name = digest(*parts)
    if parts and isinstance(parts[0], str) and parts[0].isidentifier():
        kinds[name] = parts[0]
    return name


def getting(self, key):
    return None if without and kinds.get(key) == without else get(self, key)


def keeping(self, key, value, parts=()):
    if not without or kinds.get(key) != without:
        keep(self, key, value, parts)


def making(self, key, make, **how):
    if without and kinds.get(key) == without:
        return make()
    return made(self, key, make, **how)


def saving(self, **how):
    if told:
        sizes = [[kinds.get(k, ""), len(v.packed)] for k, v in self._used.items()]
        with open(told, "a") as file:
            file.write(json.dumps(sizes) + "\\n")
    save(self, **how)


cache.digest = named
cache.Cache.get, cache.Cache.keep = getting, keeping
cache.Cache.made, cache.Cache.save = making, saving
"""


def grown(folder: Path) -> Callable[[str], None]:
    """A project of many modules, and what changes a note of one of them."""
    growth.project(folder, MODULES)
    place = folder / growth.place(MODULES // 2)

    def change(word: str) -> None:
        place.write_text(growth.text(MODULES // 2, word), encoding="utf-8")

    return change


def ours(folder: Path) -> Callable[[str], None]:
    """A copy of this project, and what changes a note of one of its models."""
    for file in tracked():
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    place = folder / "labml_txl/models/feed_forward.py"
    text = place.read_text(encoding="utf-8")
    title, rest = text.split("\n", 1)

    def change(word: str) -> None:
        place.write_text(f"{title}\n\n{word}\n{rest}", encoding="utf-8")

    return change


PROJECTS: dict[str, Callable[[Path], Callable[[str], None]]] = {
    "grown": grown,
    "ours": ours,
}


def build(folder: Path, hooks: Path, **given: str) -> float:
    """The processor's seconds of a build, with all processes that it starts."""
    paths = os.pathsep.join([str(hooks), str(folder)])
    process = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "build", "--quiet"],
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONPATH": paths, **given},
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the site was not built: see above ({folder})")
    return used.ru_utime + used.ru_stime


def sizes(told: Path) -> dict[str, tuple[int, int]]:
    """How many results of each kind were kept, and their bytes."""
    found: dict[str, tuple[int, int]] = {}
    for line in told.read_text(encoding="utf-8").splitlines():
        for kind, size in json.loads(line):
            count, room = found.get(kind, (0, 0))
            found[kind] = count + 1, room + size
    return found


def measure(name: str, turns: int) -> dict[str, Any]:
    """Builds of one project, with all kinds and without each."""
    with tempfile.TemporaryDirectory() as place:
        hooks, folder = Path(place, "hooks"), Path(place, "project")
        hooks.mkdir()
        (hooks / "sitecustomize.py").write_text(WITHOUT, encoding="utf-8")
        change = PROJECTS[name](folder)
        build(folder, hooks)
        told = Path(place, "told")
        build(folder, hooks, KINDS_TOLD=str(told))
        found = sizes(told)
        taken: dict[str, dict[str, list[float]]] = {
            kind: {"warm": [], "changed": []}
            for kind in ["", *sorted(filter(None, found))]
        }
        for turn in range(turns):
            for kind, seconds in taken.items():
                seconds["warm"].append(build(folder, hooks, WITHOUT=kind))
                change(f"A note for turn {turn} without {kind or 'nothing'}.")
                seconds["changed"].append(build(folder, hooks, WITHOUT=kind))
                print(name, turn, kind, seconds, file=sys.stderr, flush=True)
                # What was left out is there again for the next one.
                build(folder, hooks)
        medians = {
            kind: {work: round(statistics.median(one), 2) for work, one in each.items()}
            for kind, each in taken.items()
        }
    whole = medians.pop("")
    rows = {
        kind: {"kept": found[kind][0], "bytes": found[kind][1], **medians[kind]}
        for kind in medians
    }
    return {**whole, "without": rows}


def table(results: dict[str, Any]) -> str:
    """What each kind saves, as a table."""
    head = ["kept", "results", "kB"]
    head += ["nothing changed, s", "one note changed, s"]
    found, rows = results["grown"], []
    for kind, one in found["without"].items():
        saved = [f"{one[work] - found[work]:+.2f}" for work in ("warm", "changed")]
        room = f"{one['bytes'] / 1e3:,.0f}"
        rows.append([f"`{kind}`", f"{one['kept']:,}", room, *saved])
    return report.table(head, rows)


def main(words: list[str]) -> None:
    """Measure, and write what came out."""
    turns = int(words[0]) if words else TURNS
    results = {name: measure(name, turns) for name in ["grown", *words[1:]]}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    page = growth.PAGE.read_text(encoding="utf-8")
    filled = report.fill(page, {"kinds": table(results)})
    growth.PAGE.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
