"""A memory longer than in training: measured, and drawn as a figure.

The committed Transformer-XL was trained with a memory of 192 states. It is evaluated
with memories up to 16 times as long, once as it is and once with `clamp_len`, so that
all distances beyond the greatest one of training are treated as equal to it.

`python -m tests.observed.longer` measures, which takes four minutes on one core, and
writes the results, the figure and the table of the page.
"""

import json
from pathlib import Path
from typing import Any

from labml_txl.training.evaluation import evaluate, with_memory, with_sight
from labml_txl.training.runs.eight_bits import load_small
from labml_txl.training.scenes import extract_held_out
from tests.benchmarks import report
from tests.observed.recordings import WEIGHTS
from tests.observed.weights import validation

RESULTS = Path(report.RESULTS).with_name("longer.json")
PAGE = report.DOCS / "experiments.md"
FIGURE = report.DOCS / "figures" / "longer_memory.svg"
TIMES = (1, 2, 4, 8, 16)
TEXTS = {"scenes": "scenes", "plain": "plain Shakespeare"}
Results = dict[str, Any]


def measured() -> Results:
    """Bits per character for each text and each length of the memory."""
    model, known = load_small(WEIGHTS / "xl.safetensors")
    config = known.config
    texts = {
        "scenes": validation(known),
        "plain": known.words.encode(extract_held_out()),
    }
    farthest = config.mem_len + config.seq_len - 1

    def bits(name: str, times: int, clamp_len: int) -> float:
        longer = with_memory(model, times * config.mem_len)
        other = with_sight(longer, clamp_len=clamp_len)
        found = evaluate(other, texts[name], config.seq_len, cached=True)
        return round(found.bits, 4)

    return {
        "mem_len": config.mem_len,
        "seq_len": config.seq_len,
        "clamp_len": farthest,
        "times": TIMES,
        "texts": {
            name: {
                kind: [bits(name, times, clamp) for times in TIMES]
                for kind, clamp in (("as it is", 0), ("clamped", farthest))
            }
            for name in TEXTS
        },
    }


def table(results: Results) -> str:
    """A row for each length, and two columns for each text."""
    head = ["states in memory", "times the trained length"]
    head += [f"{name}{end}" for name in TEXTS for end in ("", ", clamped")]
    rows = [
        [
            f"{times * results['mem_len']:,}",
            f"{times}",
            *(
                f"{results['texts'][name][kind][n]:.3f}"
                for name in TEXTS
                for kind in ("as it is", "clamped")
            ),
        ]
        for n, times in enumerate(results["times"])
    ]
    return report.table(head, rows)


def parts(results: Results) -> dict[str, str]:
    """What stands on the page between its marks."""
    return {"longer": table(results)}


def drawing(results: Results) -> str:
    """Four lines over the length of the memory, which doubles from mark to mark.

    They are named below, so that the drawing fits on a phone.
    """
    left, right, top, bottom, end = 36.0, 374.0, 40.0, 240.0, 366
    lowest, most = 1.2, 2.2
    times = results["times"]

    def at(n: int, bits: float) -> tuple[float, float]:
        across = left + 20 + (right - left - 40) * n / (len(times) - 1)
        return across, bottom - (bottom - top) * (bits - lowest) / (most - lowest)

    def text(role: str, x: float, y: float, words: str, form: str = "") -> str:
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="12"{form}'
        return f'  <text class="{role}" {place}>{words}</text>'

    centred, ends = ' text-anchor="middle"', ' text-anchor="end"'
    title = "Bits per character with a longer memory"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 388 {end}">',
        f"  <title>{title}</title>",
        text("fig-ink", 8, 18, title, ' font-weight="600"'),
    ]
    for tenth in range(12, 23, 2):
        _, y = at(0, tenth / 10)
        lines.append(
            f'  <path class="fig-line" d="M{left} {y:.1f}H{right}" stroke-width="0.5"/>'
        )
        lines.append(text("fig-soft", left - 8, y + 4, f"{tenth / 10:.1f}", ends))
    for n, one in enumerate(times):
        label = f"{one * results['mem_len']:,}"
        lines.append(text("fig-soft", at(n, 0)[0], bottom + 18, label, centred))
    across = "states in memory, the first as in training"
    lines.append(text("fig-ink", (left + right) / 2, bottom + 40, across, centred))
    for row, (name, words) in enumerate(TEXTS.items()):
        for column, (kind, role, dash) in enumerate(
            (("as it is", "fig-pen", "none"), ("clamped", "fig-pen", "6 3"))
        ):
            points = [at(n, y) for n, y in enumerate(results["texts"][name][kind])]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            width = 2.5 - row
            form = f'stroke-width="{width}" stroke-dasharray="{dash}"'
            lines.append(f'  <path class="{role}" d="M{path}" {form}/>')
            x, y = 8, bottom + 64 + 18 * (2 * row + column)
            lines.append(f'  <path class="{role}" d="M{x} {y - 4}h24" {form}/>')
            lines.append(text(role, x + 30, y, f"{words}, {kind}"))
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> None:
    """Measure, and write all of it."""
    results = measured()
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    FIGURE.write_text(drawing(results), "utf-8")
    report.write(PAGE, parts(results))


if __name__ == "__main__":
    main()
