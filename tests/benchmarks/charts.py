"""Draw the bars of the page "Benchmarks" and of the first page: one for each row."""

import json
from functools import partial
from typing import Any, NamedTuple

from tests.benchmarks import ablation, report
from tests.benchmarks.report import DOCS, OURS, RESULTS

FIGURES = DOCS / "figures"
WIDTH = 420

# Variants of the ablation by name, and what a reader calls each.
COMPARED = {
    "xl": "relative, memory",
    "no-memory": "relative, no memory",
    "neither": "absolute, no memory",
    "absolute": "absolute, memory",
}
Results = dict[str, Any]


class Row(NamedTuple):
    """A bar: what it stands for, how long it is, and that in words."""

    words: str
    value: float
    shown: str


def bars(title: str, rows: list[Row], first: str) -> str:
    """An SVG with a bar for each row: its words above it, and its value at its end.

    The bars begin at zero. The row called `first` is the one to look at.
    """
    height = 26 + 43 * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">',
        f'  <text class="fig-ink" x="0" y="16" font-size="14" font-weight="600">'
        f"{title}</text>",
    ]
    longest = WIDTH - 8 - 9 * max(len(row.shown) for row in rows)
    most = max(row.value for row in rows)
    for number, row in enumerate(rows):
        top, width = 44 + 43 * number, longest * row.value / most
        weight = ' font-weight="600"' if row.words == first else ""
        role = "fig-accent" if row.words == first else "fig-rest"
        lines += [
            f'  <text class="fig-ink" x="0" y="{top}" font-size="14"{weight}>'
            f"{row.words}</text>",
            f'  <path class="{role}" d="M0 {top + 12.5}h{width:.1f}" '
            f'stroke-width="13"/>',
            f'  <text class="fig-ink" x="{8 + width:.1f}" y="{top + 17}" '
            f'font-size="14"{weight}>{row.shown}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def compared(title: str, results: Results, size: str, work: str) -> str:
    """What each library needs or reaches, the best first, and how many times ours."""
    rows, ours = results[size]["rows"], results[size]["rows"][OURS]
    value = partial(report.value, results[size]["size"], work)
    drawn = []
    for name, row in rows.items():
        ratio = report.times_ours(value(row) / value(ours))
        beside = "" if name == OURS else f" ({ratio})"
        drawn.append(Row(name, value(row), f"{value(row):,.0f}{beside}"))
    more_is_better = work in report.RATES
    drawn.sort(key=lambda row: row.value, reverse=more_is_better)
    return bars(
        f"{title}: {'more' if more_is_better else 'less'} is better", drawn, OURS
    )


def variants(measured: Results) -> str:
    """The loss of some variants of Transformer-XL, trained alike, the lowest first."""
    by_name = {one.name: ablation.losses(measured, one) for one in ablation.VARIANTS}
    # Those that were trained with the first seed.
    found = sorted((by_name[name][0], words) for name, words in COMPARED.items())
    drawn = [Row(words, loss, f"{loss:.3f}") for loss, words in found]
    return bars("Loss in nats a character: less is better", drawn, drawn[0].words)


def libraries(results: Results) -> dict[str, tuple[str, Results, str, str]]:
    """The figures that compare libraries: their titles, and what they show."""
    return {
        "training_step": ("Training step, ms", results, "M", "train"),
        "evaluation_rate": ("Evaluation, tokens/s", results, "M", "evaluate"),
        "generation_rate": ("Generation, tokens/s", results, "M", "generate"),
        "peak_memory": ("Peak memory, MB", results, "M", "memory"),
        "large_step": ("Training step of a larger model, ms", results, "L", "train"),
        "compressive_step": ("Training step, ms", results, "C", "train"),
        "compressive_memory": ("Peak memory, MB", results, "C", "memory"),
    }


def charts() -> dict[str, str]:
    """The figures by the names of their files."""
    results, measured = (
        json.loads(file.read_text(encoding="utf-8"))
        for file in (RESULTS, ablation.RESULTS)
    )
    points = results["curve"]
    gains = [(f"{one['length']:,}", one["window"] / one["memory"]) for one in points]
    title = "Times faster than a sliding window"
    rows = [Row(f"length {length}", gain, f"{gain:,.0f} ×") for length, gain in gains]
    return {
        "evaluation_speed.svg": bars(title, rows, rows[-1].words),
        **{f"{name}.svg": compared(*what) for name, what in libraries(results).items()},
        "variants.svg": variants(measured),
    }


def write() -> None:
    """Draw all of them."""
    for name, drawing in charts().items():
        (FIGURES / name).write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    write()
