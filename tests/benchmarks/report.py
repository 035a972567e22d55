"""What all programs share that measure: results in a file, and from there onto a page.

Each is called `python -m tests.benchmarks.NAME [WORK …]`. It does the named works, or
all of them, keeps what came out in `NAME.json`, and writes that into its page. With the
word `page`, only the page is written.
"""

import json
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.sizes import Size, step_flops

OURS = "labml_txl"
ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.json")
DOCS = ROOT / "docs"
PAGE = DOCS / "measured.md"


Results = dict[str, Any]


def run(
    path: Path,
    works: Mapping[str, Callable[[Results], None]],
    write: Callable[[Results], None],
) -> None:
    """The works that the command line names, or all, and then the page.

    Each work writes into the results, which are kept after it in the file `path`.
    """
    words = sys.argv[1:]
    results = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for name in () if words == ["page"] else words or works:
        print(name, file=sys.stderr, flush=True)
        works[name](results)
        keep(path, results)
    write(results)


def keep(path: Path, results: Results) -> None:
    """Write results into their file."""
    text = json.dumps(results, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


class Printed(NamedTuple):
    """What a command printed, line by line, and the processor's seconds of it."""

    result: list[str]
    progress: list[str]
    seconds: float


def txl(line: str, folder: Path, threads: int = 1) -> Printed:
    """Run a command in a folder."""
    print(line, file=sys.stderr, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    known = {"OMP_NUM_THREADS": str(threads), "PYTHONPATH": str(ROOT)}
    before = spent()
    done = subprocess.run(
        [sys.executable, "-m", "labml_txl.cli", *shlex.split(line)[1:]],
        cwd=folder,
        env={**os.environ, **known},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        sys.exit(f"error: {line}: {done.stderr.strip()}")
    lines = done.stdout.splitlines(), done.stderr.splitlines()
    return Printed(*lines, round(spent() - before, 1))


def spent() -> float:
    """The processor's seconds of all commands so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class PageError(Exception):
    """The page lacks a place for figures; the message says which."""


def machine(threads: int) -> dict[str, Any]:
    """What is measured on."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        found = re.search(
            r"^model name\s*: (.+)$", info.read_text("utf-8"), re.MULTILINE
        )
        name = found[1] if found else name
    return {
        "processor": name,
        "threads": threads,
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": version("torch"),
    }


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, numbers to the right."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return lines_of([head, ruler, *rows])


def lines_of(rows: list[list[str]]) -> str:
    """Rows of cells as Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


# What a table or a chart shows, and how its column is called.
HEADS = {
    "train": "step, ms",
    "evaluate": "evaluation, tokens/s",
    "generate": "generation, tokens/s",
    "memory": "peak memory, MB",
}
RATES = ("evaluate", "generate")  # of these, more is better
# The parts of a run, and what the page calls them.
PARTS = {
    "M": "size M",
    "M-writing": "generation at M",
    "L": "size L",
    "L-writing": "generation at L",
    "C": "size C",
    "curve": "sliding window",
}


def value(size: dict[str, Any], work: str, row: dict[str, Any]) -> float:
    """What a library needed or reached, in the unit of the column."""
    if work == "memory":
        return float(row["peak_bytes"] / 1e6)
    if work == "train":
        return float(row[work] * size["batch"] * size["seq_len"] * 1e3)
    return float(1 / row[work])


def times_ours(ratio: float) -> str:
    """How many times ours something is."""
    return f"{ratio:.2f} ×"


def comparison(result: dict[str, Any], works: list[str]) -> str:
    """A row for each library: what it took, and how many times ours that is."""
    rows, size = result["rows"], result["size"]
    head, body = ["library", "parameters"], []
    for work in works:
        head += [HEADS[work], "× ours"]
    for name, row in rows.items():
        cells = [name, f"{row['parameters'] / 1e6:.2f} M"]
        for work in works:
            found, ours = value(size, work, row), value(size, work, rows[OURS])
            cells.append(f"{found:,.0f}")
            cells.append("–" if name == OURS else times_ours(found / ours))
        body.append(cells)
    return table(head, body)


def conditions(results: dict[str, Any]) -> str:
    """The machine, the versions and how often was measured, as a table."""
    machine = results["machine"]
    versions = [v for name, v in results["versions"].items() if name != OURS]
    rows = [
        ["processor", f"{machine['processor']}, {machine['threads']} threads"],
        ["load average before each part", by_part(results["loads"])],
        ["system", f"{machine['system']}, Python {machine['python']}"],
        ["PyTorch", machine["torch"]],
        ["other libraries", ", ".join(versions)],
        ["measurements for each median", by_part(results["repeats"])],
        *shares(results),
        *([size, results[size]["words"]] for size in ("M", "L", "C")),
    ]
    # As code, the values are no sentences that somebody would have to translate.
    rows = [[what, f"`{value}`"] for what, value in rows]
    return lines_of([["what", "value"], ["---", "---"], *rows])


def shares(results: dict[str, Any]) -> list[list[str]]:
    """How much of our training step its products would take alone.

    They would, at the rate of a single large product that was measured beside it.
    """
    cells = []
    for name in ("M", "L"):
        size = Size(**results[name]["size"])
        row = results[name]["rows"][OURS]
        if "product" in row:
            alone = step_flops(size) * row["product"]
            share = alone / (row["train"] * size.batch * size.seq_len)
            cells.append(f"size {name} {share:.0%}")
    what = (
        "share of our training step that its matrix products would take alone, "
        "at the speed of a large one"
    )
    return [[what, ", ".join(cells)]] if cells else []


def by_part(values: dict[str, Any]) -> str:
    """What differs from part to part of the run."""
    return ", ".join(f"{PARTS[part]} {value}" for part, value in values.items())


def generation(results: dict[str, Any]) -> str:
    """Tokens a second: one sequence, and in a batch."""
    body = []
    for size in ("M", "L"):
        row = results[size]["rows"][OURS]
        body.append([size, *(f"{1 / row[work]:,.0f}" for work in WAYS)])
    return table(["size", *WAYS.values()], body)


# How ours generates, in the columns of a table.
WAYS = {
    "generate": "one sequence",
    "samples": "16 in a batch",
}


def parts(results: dict[str, Any]) -> dict[str, str]:
    """All that a run writes into the page, by the names of the places."""
    return {
        "conditions": conditions(results),
        "M": comparison(results["M"], [*HEADS]),
        "L": comparison(results["L"], ["train", "generate", "memory"]),
        "generation": generation(results),
        "C": comparison(results["C"], ["train", "memory"]),
        "curve": curve_table(results["curve"]),
    }


def fill(page: str, figures: dict[str, str]) -> str:
    """The page with new figures between its marks, and its words as they were.

    A place is `<!-- bench NAME -->`, a table, and `<!-- end -->`. People write the
    words around it.
    """
    for name, figure in figures.items():
        begin, end = f"<!-- bench {name} -->\n", "\n<!-- end -->"
        before, found, rest = page.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise PageError(f"{PAGE.name} has no place {begin.strip()} … {end.strip()}")
        page = f"{before}{begin}\n{figure}\n{end}{after}"
    return page


def curve_table(points: list[dict[str, Any]]) -> str:
    """Tokens a second by attention length."""
    head = [
        "attention length",
        "window, tokens/s",
        "memory, tokens/s",
        "segment",
        "faster",
    ]
    return table(
        head,
        [
            [
                f"{point['length']:,}",
                f"{1 / point['window']:,.2f}",
                f"{1 / point['memory']:,.0f}",
                f"{point['segment']:,}",
                f"{point['window'] / point['memory']:,.0f} ×",
            ]
            for point in points
        ],
    )


def write(path: Path, figures: dict[str, str]) -> None:
    """Write new figures into a page."""
    path.write_text(fill(path.read_text(encoding="utf-8"), figures), encoding="utf-8")
