"""How long a site takes to build as a project grows, and how much memory.

`python -m tests.benchmarks.growth [SIZE …]` measures projects of that many modules,
without a number 100, 300 and 1,000. The modules are copies of modules of the standard
library, each with a title, two formulas of its own and a name of the copy before it.
The processor's seconds are those of all processes of a build, and memory is the most
that they held together. What is measured goes into `growth.json`, and from there into
the page "The engine" and its plot: `python -m tests.benchmarks.growth --draw` writes
these alone. It reads the processes of Linux.
"""

import json
import math
import os
import platform
import socket
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.benchmarks import report
from tests.benchmarks.bench import processor
from tests.literate.small import ENVIRONMENT

RESULTS = Path(__file__).with_name("growth.json")
PAGE = report.DOCS / "made.md"
FIGURE = report.DOCS / "figures" / "growth.svg"
SIZES = (100, 300, 1_000)
SAVES = 5  # how often a file is saved while a site is served
PAUSE = 0.05  # seconds between two looks at the memory

SUBJECTS = (
    *("abc", "bisect", "calendar", "contextlib", "copy", "csv", "dataclasses"),
    *("fnmatch", "fractions", "functools", "glob", "graphlib", "heapq", "operator"),
    *("queue", "random", "reprlib", "sched", "shlex", "statistics", "string"),
    *("tempfile", "textwrap", "timeit", "types"),
)
SETTINGS = """\
site_name: Growing
theme: {name: material, font: false}
plugins:
  - search
  - literate: {modules: [grown]}
"""
HEAD = '''\
r"""# The module {name}, copy {number}

{word} Its number is $c_{{{number}}}$, and there are others before it:

$$n = \\sum_{{i=1}}^{{{number}}} \\left(c_i - c_{{i-1}}\\right)$$
"""
{before}
'''
WORD = "A copy of a module of the standard library."


def module(number: int) -> tuple[str, str]:
    """The package of a copy, and the module that it is a copy of."""
    part, subject = divmod(number, len(SUBJECTS))
    return f"grown.part_{part:03}", SUBJECTS[subject]


def place(number: int) -> Path:
    """The file of a copy, within the project."""
    return Path(*".".join(module(number)).split(".")).with_suffix(".py")


def text(number: int, word: str = WORD) -> str:
    """The source of a copy; `word` is the first sentence of its first note."""
    name = module(number)[1]
    package, other = module(max(number - 1, 0))
    before = f"from {package} import {other} as before"
    head = HEAD.format(name=name, number=number, word=word, before=before)
    source = Path(sysconfig.get_path("stdlib"), f"{name}.py")
    return head + source.read_text(encoding="utf-8")


def project(folder: Path, size: int) -> int:
    """Write a project of that many modules; the number of its lines."""
    (folder / "docs").mkdir(parents=True)
    folder.joinpath("mkdocs.yml").write_text(SETTINGS, encoding="utf-8")
    lines = 0
    for number in range(size):
        goal, written = folder / place(number), text(number)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_text(written, encoding="utf-8")
        first = '"""# The first page of a package"""\n'
        goal.with_name("__init__.py").write_text(first, encoding="utf-8")
        lines += written.count("\n")
    folder.joinpath("grown/__init__.py").write_text(first, encoding="utf-8")
    return lines


# What a build takes


def processes(process: int) -> Iterator[int]:
    """A process and all below it."""
    yield process
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from processes(int(child))


def held(process: int) -> int:
    """The bytes of memory that a process and all below it hold now."""
    pages = 0
    for one in processes(process):
        with suppress(OSError):
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def build(folder: Path) -> tuple[float, float, int]:
    """Build a site: seconds of the processor, seconds that passed, bytes at most."""
    start, most = time.perf_counter(), 0
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=folder,
        env=ENVIRONMENT,
    )
    ended, status = 0, 0
    while not ended:
        time.sleep(PAUSE)
        most = max(most, held(process.pid))
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
    if status:
        raise SystemExit(f"the site was not built: see above ({folder})")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start, most


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """The address of a site that is served, and the process that serves it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-P", "-m", "mkdocs", "serve", "-q", "-a", address]
    process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT)
    try:
        yield f"http://{address}/", process.pid
    finally:
        process.terminate()
        process.wait()


def until_read(address: str, word: str, process: int) -> int:
    """Wait until a page has a word; the most memory that was held meanwhile."""
    most = 0
    while True:
        most = max(most, held(process))
        with suppress(OSError), urlopen(address) as page:
            if word in page.read().decode():
                return most
        time.sleep(PAUSE)


def saved(folder: Path, size: int) -> tuple[float, int]:
    """The median seconds from saving a file to its page; bytes at most."""
    number = size // 2
    waited = []
    with serving(folder) as (site, process):
        address = f"{site}{place(number).with_suffix('').as_posix()}/"
        most = until_read(address, "The module", process)
        for turn in range(SAVES):
            word = f"Saved for the time {turn}."
            start = time.perf_counter()
            folder.joinpath(place(number)).write_text(text(number, word))
            most = max(most, until_read(address, word, process))
            waited.append(time.perf_counter() - start)
    return statistics.median(waited), most


def measure(size: int) -> dict[str, Any]:
    """All figures of a project of that many modules."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "project")
        lines = project(folder, size)
        cold, passed, most = build(folder)
        warm, *_ = build(folder)
        changed = text(size // 2, "A note that was changed.")
        folder.joinpath(place(size // 2)).write_text(changed, encoding="utf-8")
        once, *_ = build(folder)
        page, serves = saved(folder, size)
    times = {"cold": cold, "warm": warm, "changed": once, "saved": page}
    return {
        "lines": lines,
        **{name: round(seconds, 2) for name, seconds in times.items()},
        "passed": round(passed, 2),
        "memory": most,
        "serving": serves,
    }


# What the page shows

LINES = {
    "cold": ("everything anew", "fig-accent", "none"),
    "changed": ("one module changed", "fig-accent2", "7 3"),
    "warm": ("nothing changed", "fig-line", "2 3"),
    "saved": ("saved, until the page is seen", "fig-term-c", "10 3 2 3"),
}


def parts(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by the names of their places."""
    head = ["modules", "everything anew, s", "one changed, s", "nothing changed, s"]
    head += ["save to page, s", "memory, MB", "while serving, MB"]
    rows = [
        [
            f"{int(size):,}",
            *(f"{found[name]:,.1f}" for name in LINES),
            *(f"{found[name] / 1e6:,.0f}" for name in ("memory", "serving")),
        ]
        for size, found in results["sizes"].items()
    ]
    machine = [[what, f"`{value}`"] for what, value in results["machine"].items()]
    lines = [["what", "value"], ["---", "---"], *machine]
    conditions = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return {"growth": report.table(head, rows), "growth conditions": conditions}


def plot(results: dict[str, Any]) -> str:
    """Seconds by modules as SVG, both axes logarithmic; sizes may be missing."""
    sizes = {int(size): found for size, found in results["sizes"].items()}
    slowest = max((found[n] for found in sizes.values() for n in LINES), default=100)
    top = 10 ** math.ceil(math.log10(max(slowest, 10)))

    def x(size: float) -> float:
        return 60 + 390 * math.log(size / 80) / math.log(1_000 / 80)

    def y(seconds: float) -> float:
        return 270 - 220 * math.log(max(seconds, 0.5) / 0.5) / math.log(top / 0.5)

    drawn = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 326">',
        '  <text class="fig-ink" x="8" y="20" font-size="14" font-weight="600">'
        "Seconds to a site, by the number of modules</text>",
    ]
    for seconds in (t for t in (1, 3, 10, 30, 100, 300, 1_000) if t <= top):
        at = f"{y(seconds):.0f}"
        drawn.append(f'  <path class="fig-line" d="M60 {at}H450" stroke-width="0.5"/>')
        drawn.append(_label("fig-soft", 52, y(seconds) + 4, f"{seconds:,}", "end"))
    for size in SIZES:
        drawn.append(_label("fig-soft", x(size), 288, f"{size:,}", "middle"))
    drawn.append(_label("fig-ink", 255, 314, "modules", "middle"))
    ends = dict[str, float]()
    for name, (_, role, dashes) in LINES.items():
        points = [(x(size), y(found[name])) for size, found in sorted(sizes.items())]
        line = "L".join(f"{left:.0f} {up:.0f}" for left, up in points)
        if len(points) > 1:
            dashed = f'stroke-width="2" stroke-dasharray="{dashes}"'
            drawn.append(f'  <path class="{role}" d="M{line}" {dashed}/>')
        for left, up in points:
            at = f'cx="{left:.0f}" cy="{up:.0f}"'
            drawn.append(f'  <circle class="{role}" {at} r="4" stroke-width="2"/>')
            ends[name] = up
    # The names stand at the ends of the lines, and never on each other.
    free = 0.0
    for name in sorted(ends, key=lambda name: ends[name]):
        free = max(free + 16, ends[name] + 4)
        last = f"{sizes[max(sizes)][name]:,.1f}"
        words = f"{last} {LINES[name][0]}"
        drawn.append(_label("fig-ink", x(max(sizes)) + 14, free, words, "start"))
    return "\n".join([*drawn, "</svg>", ""])


def _label(role: str, x: float, y: float, words: str, anchor: str) -> str:
    form = f'font-size="12" text-anchor="{anchor}"'
    return f'  <text class="{role}" x="{x:.0f}" y="{y:.0f}" {form}>{words}</text>'


def write(results: dict[str, Any]) -> None:
    """Write the tables into the page, and the plot."""
    page = report.fill(PAGE.read_text(encoding="utf-8"), parts(results))
    PAGE.write_text(page, encoding="utf-8")
    FIGURE.write_text(plot(results), encoding="utf-8")


def main(words: list[str]) -> None:
    """Measure the sizes that are named, and write what came out."""
    results: dict[str, Any] = {"machine": {}, "sizes": {}}
    if RESULTS.is_file():
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for size in () if words == ["--draw"] else map(int, words or SIZES):
        found = measure(size)
        print(f"{size:,} modules: {found}", file=sys.stderr, flush=True)
        known = {**results["sizes"], str(size): found}
        results = {
            "machine": {
                "processor": f"{processor()}, {os.cpu_count()} threads",
                "system": f"{platform.system()}, Python {platform.python_version()}",
            },
            "sizes": dict(sorted(known.items(), key=lambda item: int(item[0]))),
        }
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write(results)


if __name__ == "__main__":
    main(sys.argv[1:])
