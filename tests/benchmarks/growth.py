"""How long a site takes to build as a project grows, and how much memory.

The works are numbers of modules, which are copies of modules of the standard library,
each with a title, two formulas of its own and a name of the copy before it. The
processor's seconds are those of all processes of a build, and memory is the most that
they held together. It reads the processes of Linux.
"""

import os
import socket
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.benchmarks import report
from tests.benchmarks.report import Results
from tests.literate.small import ENVIRONMENT

RESULTS = Path(__file__).with_name("growth.json")
PAGE = report.DOCS / "made.md"
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


def project(folder: Path, size: int) -> None:
    """Write a project of that many modules."""
    (folder / "docs").mkdir(parents=True)
    folder.joinpath("mkdocs.yml").write_text(SETTINGS, encoding="utf-8")
    for number in range(size):
        goal = folder / place(number)
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_text(text(number), encoding="utf-8")
        first = '"""# The first page of a package"""\n'
        goal.with_name("__init__.py").write_text(first, encoding="utf-8")
    folder.joinpath("grown/__init__.py").write_text(first, encoding="utf-8")


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


def build(folder: Path) -> tuple[float, int]:
    """Build a site: seconds of the processor, and bytes at most."""
    most = 0
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
    return used.ru_utime + used.ru_stime, most


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
        project(folder, size)
        cold, most = build(folder)
        warm, _ = build(folder)
        changed = text(size // 2, "A note that was changed.")
        folder.joinpath(place(size // 2)).write_text(changed, encoding="utf-8")
        once, _ = build(folder)
        page, serves = saved(folder, size)
    times = {"cold": cold, "warm": warm, "changed": once, "saved": page}
    return {
        **{name: round(seconds, 2) for name, seconds in times.items()},
        "memory": most,
        "serving": serves,
    }


# What the page shows


def parts(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by the names of their places."""
    head = ["modules", "first build, s", "after one change, s", "without changes, s"]
    head += ["save to page, s", "memory of a build, MB", "while serving, MB"]
    rows = [
        [
            f"{int(size):,}",
            *(f"{found[name]:,.1f}" for name in ("cold", "changed", "warm", "saved")),
            *(f"{found[name] / 1e6:,.0f}" for name in ("memory", "serving")),
        ]
        for size, found in results["sizes"].items()
    ]
    machine = [[what, f"`{value}`"] for what, value in results["machine"].items()]
    conditions = report.lines_of([["what", "value"], ["---", "---"], *machine])
    return {"growth": report.table(head, rows), "growth conditions": conditions}


def work(size: int, results: Results) -> None:
    """Measure a project of that many modules."""
    measured_on = report.machine(1)
    results["machine"] = {
        "processor": f"{measured_on['processor']}, {os.cpu_count()} threads",
        "system": f"{measured_on['system']}, Python {measured_on['python']}",
    }
    results.setdefault("sizes", {})[str(size)] = measure(size)


def write(results: Results) -> None:
    """Write the page."""
    report.write(PAGE, parts(results))


if __name__ == "__main__":
    report.run(RESULTS, {str(size): partial(work, size) for size in SIZES}, write)
