"""Write the page "Measured" and its figure from the figures of a run."""

import json
import math
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results.json")
DOCS = Path(__file__).resolve().parents[2] / "docs"
OURS = "labml_txl"

HEAD = """---
title: Measured
description: >-
  How fast these models train, evaluate and write on a CPU, and how much memory they
  take, measured beside other public implementations.
---

# Measured

Each library ran in a process of its own, and the processes took turns, one step each.
So whatever else the machine did fell on all of them alike. The figures are medians of
{repeats} turns after {warm_ups} warm-ups. **The ratios are what to read**: absolute
times differ from machine to machine. `make bench` measures anew and writes this page.

- Processor: {processor}, {threads} threads, {system}; load {load_before} at the
  start.
- Python {python}; {versions}.
- All use the same optimizer (Adam), the same sizes and a dropout of {dropout}. The data
  are random symbols: time does not depend on them.
"""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, numbers to the right."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    lines = [head, ruler, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def comparison(result: dict[str, Any], works: list[str]) -> str:
    """A row for each library: what it took, and our share of that."""
    heads = {"train": "step", "evaluate": "evaluation", "generate": "generation"}
    rows = result["rows"]
    ours = rows[OURS]
    size = result["size"]
    tokens = size["batch"] * size["seq_len"]
    head = ["library", "parameters"]
    for work in works:
        head += [heads[work], "ours"]
    head += ["peak memory", "ours"]
    body = []
    for name, row in rows.items():
        cells = [name, f"{row['parameters'] / 1e6:.2f} M"]
        for work in works:
            if work == "train":
                cells.append(f"{row[work] * tokens * 1e3:,.0f} ms")
                ratio = ours[work] / row[work]
            else:
                cells.append(f"{1 / row[work]:,.0f} tokens/s")
                ratio = row[work] / ours[work]
            cells.append("–" if name == OURS else f"{ratio:.2f} ×")
        cells.append(f"{row['peak_bytes'] / 1e6:,.0f} MB")
        memory = ours["peak_bytes"] / row["peak_bytes"]
        cells.append("–" if name == OURS else f"{memory:.2f} ×")
        body.append(cells)
    return table(head, body)


def share_of_peak(result: dict[str, Any]) -> str:
    """How much of the machine's arithmetic a training step of ours uses."""
    size = result["size"]
    tokens = size["batch"] * size["seq_len"]
    rate = result["step_flops"] / (result["rows"][OURS]["train"] * tokens)
    return (
        f"Our step reaches {rate / 1e9:.0f} of the {result['peak_flops'] / 1e9:.0f} "
        f"GFLOP/s that a product of two square matrices reached in the same run: "
        f"**{rate / result['peak_flops']:.0%}**."
    )


def page(results: dict[str, Any]) -> str:
    """The whole page."""
    versions = [v for name, v in results["versions"].items() if name != OURS]
    parts = [
        HEAD.format(
            repeats=results["repeats"],
            warm_ups=3,
            versions=", ".join(versions),
            dropout=results["M"]["size"]["dropout"],
            **results["machine"],
        ),
        "## Transformer-XL",
        "“Ours” is our time, or our memory, divided by theirs: less is better. For "
        "evaluation and generation it is our tokens per second divided by theirs: more "
        "is better. Evaluation reuses the memory. Generation is greedy, one text, one "
        "token at a time. Memory is the peak of a whole process that trains.",
        f"**Size M**: {results['M']['words']}.",
        comparison(results["M"], ["train", "evaluate", "generate"]),
        share_of_peak(results["M"]),
        f"**Size L**: {results['L']['words']}.",
        comparison(results["L"], ["train"]),
        share_of_peak(results["L"]),
        "x-transformers adds a bias for ranges of distances in place of the terms that "
        "depend on position, which is less work than Transformer-XL's attention.",
        "## Compressive Transformer",
        f"{results['C']['words'].capitalize()}. The step has both losses: prediction "
        "and attention reconstruction. compressive-transformer-pytorch stops training "
        "its keys and values at the first compression, so its step does less.",
        comparison(results["C"], ["train"]),
        "## Memory against a sliding window",
        "The paper's headline. A Transformer without memory reads its whole window for "
        "each token that it predicts, here with PyTorch's fused causal attention. "
        "Transformer-XL reads each token once, and its memory gives it at least as "
        f"much context. d_model {results['L']['size']['d_model']}, "
        f"{results['L']['size']['n_layers']} layers, one text; the best of several "
        "segment lengths.",
        curve_table(results["curve"]),
        "![How many times faster evaluation is with memory: it grows with the "
        "attention length](figures/evaluation_speed.svg)",
        "The paper reports 363 × at 800 and 1,874 × at 3,800, on a GPU and against its "
        "own baseline, whose attention is not fused.",
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def curve_table(points: list[dict[str, Any]]) -> str:
    """Tokens a second by attention length."""
    head = ["attention length", "window", "memory", "segment", "faster"]
    return table(
        head,
        [
            [
                f"{point['length']:,}",
                f"{1 / point['window']:,.2f} tokens/s",
                f"{1 / point['memory']:,.0f} tokens/s",
                f"{point['segment']:,}",
                f"{point['window'] / point['memory']:,.0f} ×",
            ]
            for point in points
        ],
    )


def plot(points: list[dict[str, Any]]) -> str:
    """The curve as SVG, both axes logarithmic."""

    def x(length: float) -> float:
        return 70 + 600 * math.log(length / 160) / math.log(4800 / 160)

    def y(times: float) -> float:
        return 270 - 230 * math.log(times / 50) / math.log(3000 / 50)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 330">',
        '  <text class="fig-ink" x="8" y="20" font-size="14" font-weight="600">'
        "Evaluation with memory, times faster than a sliding window</text>",
    ]
    for times in (100, 300, 1000, 3000):
        parts.append(
            f'  <path class="fig-line" d="M70 {y(times):.0f}H670" stroke-width="1"/>'
        )
        parts.append(
            f'  <text class="fig-soft" x="60" y="{y(times) + 4:.0f}" font-size="12" '
            f'text-anchor="end">{times:,} ×</text>'
        )
    places = [
        (x(p["length"]), y(p["window"] / p["memory"]), p["length"]) for p in points
    ]
    line = "L".join(f"{left:.0f} {top:.0f}" for left, top, _ in places)
    parts.append(f'  <path class="fig-accent" d="M{line}" stroke-width="2"/>')
    for (left, top, length), point in zip(places, points, strict=True):
        times = point["window"] / point["memory"]
        parts.append(
            f'  <circle class="fig-fill" cx="{left:.0f}" cy="{top:.0f}" r="5"/>'
        )
        parts.append(
            f'  <text class="fig-accent" x="{left:.0f}" y="{top - 12:.0f}" '
            f'font-size="13" font-weight="600" text-anchor="middle">{times:,.0f}</text>'
        )
        parts.append(
            f'  <text class="fig-soft" x="{left:.0f}" y="292" font-size="12" '
            f'text-anchor="middle">{length:,}</text>'
        )
    parts.append(
        '  <text class="fig-ink" x="370" y="318" font-size="12.5" '
        'text-anchor="middle">attention length (tokens)</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def write(results: dict[str, Any]) -> str:
    """Write the page and the figure; returns the page."""
    text = page(results)
    (DOCS / "measured.md").write_text(text, encoding="utf-8")
    figure = DOCS / "figures" / "evaluation_speed.svg"
    figure.write_text(plot(results["curve"]), encoding="utf-8")
    return text


if __name__ == "__main__":
    write(json.loads(RESULTS.read_text(encoding="utf-8")))
