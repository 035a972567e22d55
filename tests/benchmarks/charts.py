"""Draw the figures of the first page from what was measured: a bar for each row."""

import json
from typing import Any

from tests.benchmarks import ablation
from tests.benchmarks.report import DOCS, OURS, RESULTS

FIGURES = DOCS / "figures"

# Variants of the ablation by name, and what a reader calls each.
COMPARED = {
    "xl": "relative, memory",
    "no-memory": "relative, no memory",
    "neither": "absolute, no memory",
    "absolute": "absolute, memory",
}
# The seed that each of them was trained with.
SEED = 0


def bars(title: str, rows: list[tuple[str, float, str]], first: str) -> str:
    """An SVG with a bar for each row: its words, its value, and the value in words.

    The bars begin at zero. The row called `first` is the one to look at.
    """
    height = 34 + 26 * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 {height}">',
        f'  <text class="fig-ink" x="0" y="16" font-size="14" font-weight="600">'
        f"{title}</text>",
    ]
    most = max(value for _, value, _ in rows)
    for number, (words, value, shown) in enumerate(rows):
        top, width = 34 + 26 * number, 190 * value / most
        weight = ' font-weight="600"' if words == first else ""
        role = "fig-accent" if words == first else "fig-line"
        lines += [
            f'  <text class="fig-ink" x="150" y="{top + 12}" font-size="12.5" '
            f'text-anchor="end"{weight}>{words}</text>',
            f'  <path class="{role}" d="M160 {top + 7.5}h{width:.1f}" '
            f'stroke-width="15"/>',
            f'  <text class="fig-ink" x="{168 + width:.1f}" y="{top + 12}" '
            f'font-size="12.5"{weight}>{shown}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def training_step(results: dict[str, Any]) -> str:
    """How long a training step of each library takes, the shortest first."""
    size, rows = results["M"]["size"], results["M"]["rows"]
    tokens = size["batch"] * size["seq_len"]
    took = sorted((row["train"] * tokens * 1e3, name) for name, row in rows.items())
    drawn = [(name, value, f"{value:,.0f}") for value, name in took]
    return bars("A training step, in ms: less is better", drawn, OURS)


def variants(measured: dict[str, Any]) -> str:
    """The loss of some variants of Transformer-XL, trained alike, the lowest first."""
    by_name = {one.name: ablation.losses(measured, one) for one in ablation.VARIANTS}
    found = sorted((by_name[name][SEED], words) for name, words in COMPARED.items())
    drawn = [(words, loss, f"{loss:.3f}") for loss, words in found]
    return bars("Loss in nats a character: less is better", drawn, drawn[0][0])


def charts() -> dict[str, str]:
    """The figures by the names of their files."""
    results, measured = (
        json.loads(file.read_text(encoding="utf-8"))
        for file in (RESULTS, ablation.RESULTS)
    )
    return {
        "training_step.svg": training_step(results),
        "variants.svg": variants(measured),
    }


if __name__ == "__main__":
    for name, drawing in charts().items():
        (FIGURES / name).write_text(drawing, encoding="utf-8")
