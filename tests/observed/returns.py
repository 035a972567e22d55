"""What a returning name costs, by how far back it occurred: measured and drawn.

RUN="--text scenes --seq-len 64 --batch 16 --steps 7000 --optimizer muon"
RUN="$RUN --learning-rate 0.01"
txl train xl $RUN --mem-len 192 --out runs/xl
txl train compressive $RUN --mem-len 96 --c-mem-len 96 --out runs/compressive
txl train vanilla $RUN --out runs/vanilla
python -m tests.observed.returns runs/vanilla runs/xl runs/compressive

Whoever copies `last.*` of a run to folders of their own while it trains can measure
when copying appears: `python -m tests.observed.returns --while-training xl copies/*`.
The results are kept beside `labml_txl.training.returns`, and both figures, the table
of the page on experiments and a plot of a notebook show them.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from labml_txl.models import LanguageModel
from labml_txl.training import returns
from labml_txl.training.evaluation import evaluate, reach, with_memory
from labml_txl.training.runs.checkpoint import Checkpoint, restore
from labml_txl.training.scenes import extract_held_out
from tests.benchmarks import report

ROOT = Path(__file__).parents[2]
RESULTS = returns.RESULTS
FIGURES = ROOT / "docs" / "figures"
PAGE = ROOT / "docs" / "experiments.md"

# The ends of the ranges of distances, in characters. 192 is what Transformer-XL
# remembers, and 480 what the Compressive Transformer does.
EDGES = (0, 64, 128, 192, 256, 320, 384, 480, 640)
PASSES, FEWER = 24, 2
NAMES = {
    "vanilla": "without memory",
    "xl": "Transformer-XL",
    "compressive": "Compressive Transformer",
}
# Colours are for what is remembered, on every page: blue for the memory and orange for
# the compressed one. So models differ by their lines, and a dashed one has no memory.
ROLES = {"vanilla": "fig-line", "xl": "fig-pen", "compressive": "fig-pen"}
DASHES = {"vanilla": "6 3", "xl": "none", "compressive": "2 3"}
Results = dict[str, Any]


def costs(
    model: LanguageModel, known: Checkpoint, passes: int, edges: Sequence[int]
) -> list[Results]:
    """What a returning name costs a model, a range of distances each."""
    text, names = returns.make_text(extract_held_out(), passes)
    found = returns.average_by_distance(
        model, known.words, text, names, edges, known.config.seq_len
    )
    return [{**cost._asdict(), "bits": round(cost.bits, 2)} for cost in found]


def measured(run: Path) -> Results:
    """A run: what names cost, and a character of plain held-out text."""
    model, known = restore(run, "cpu")
    model.eval()
    seq_len, plain = known.config.seq_len, known.words.encode(extract_held_out())
    return {
        # The vanilla model is a Transformer-XL without memory, with absolute positions.
        "model": known.config.model if reach(model) else "vanilla",
        "steps": known.step,
        "mem_len": min(known.config.mem_len, reach(model)),
        "reach": reach(model),
        "returns": costs(model, known, PASSES, EDGES),
        "plain": round(evaluate(model, plain, seq_len).bits, 4),
    }


def while_training(checkpoints: Sequence[Path]) -> list[Results]:
    """What names within the memory cost at each checkpoint, with it and without."""
    points = []
    for path in checkpoints:
        model, known = restore(path, "cpu")
        model.eval()
        within = (known.config.seq_len, reach(model))
        both = (model, with_memory(model, 0, 0))
        (kept,), (lost,) = (costs(one, known, FEWER, within) for one in both)
        points.append(
            {"step": known.step, "bits": kept["bits"], "without": lost["bits"]}
        )
    return sorted(points, key=lambda point: int(point["step"]))


def chart(
    title: str,
    across: str,
    lines: dict[str, list[tuple[float, float]]],
    styles: dict[str, tuple[str, str]],
    widest: float,
    marks: Sequence[tuple[str, str, float]],
    description: str,
) -> str:
    """Lines over 0 to 40 bits, which are named below, so that it fits on a phone.

    A mark is a dotted line: its colour, what is written on it, and where.
    """
    left, right, top, most = 36.0, 362.0, 34.0 + 14 * len(marks), 40
    bottom = top + 200
    ticks = [n * widest / 4 for n in range(5)]

    def at(x: float, y: float) -> str:
        across_ = left + (right - left) * x / widest
        return f"{across_:.1f} {bottom - (bottom - top) * min(y, most) / most:.1f}"

    def text(role: str, x: float, y: float, words: str, form: str = "") -> str:
        place = f'x="{x:.1f}" y="{y:.1f}" font-size="12"{form}'
        return f'  <text class="{role}" {place}>{escape(words)}</text>'

    def drawn() -> Iterator[str]:
        size = f"0 0 380 {bottom + 56 + 18 * len(lines):.0f}"
        yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}">'
        yield f"  <title>{escape(title)}</title>\n  <desc>{escape(description)}</desc>"
        yield text("fig-ink", 8, 18, title, ' font-weight="600"')
        for bits in range(0, most + 1, 10):
            height = bottom - (bottom - top) * bits / most
            yield f'  <path class="fig-line" d="M{left} {height:.1f}H{right}" stroke-width="0.5"/>'  # noqa: E501
            yield text("fig-soft", left - 6, height + 4, f"{bits}", ENDS)
        for tick in ticks:
            x = left + (right - left) * tick / widest
            yield text("fig-soft", x, bottom + 18, f"{tick:,.0f}", CENTRED)
        yield text("fig-ink", (left + right) / 2, bottom + 44, across, CENTRED)
        for n, (role, words, x) in enumerate(marks):
            dots = 'stroke-width="1" stroke-dasharray="1 4"'
            yield f'  <path class="{role}" d="M{at(x, 0)}L{at(x, most)}" {dots}/>'
            # What is long and far on the right would leave the drawing at its line.
            far = x > widest / 2
            place = right + 14 if far else left + (right - left) * x / widest
            yield text(role, place, top - 8 - 14 * n, words, ENDS if far else CENTRED)
        # The lines are named in the order of their last points, from above.
        ordered = sorted(lines.items(), key=lambda line: -line[1][-1][1])
        for n, (name, points) in enumerate(ordered):
            role, dash = styles[name]
            path = "L".join(at(*point) for point in points)
            form = f'stroke-width="2.5" stroke-dasharray="{dash}"'
            yield f'  <path class="{role}" d="M{path}" {form}/>'
            height = bottom + 66 + 18 * n
            yield f'  <path class="{role}" d="M{left} {height - 4}h28" {form}/>'
            yield text(role, left + 36, height, name)
        yield "</svg>\n"

    return "\n".join(drawn())


ENDS, CENTRED = ' text-anchor="end"', ' text-anchor="middle"'


def by_distance(results: Results) -> str:
    """The figure of the costs by distance."""
    lines, styles, marks, words = {}, {}, [], []
    for model, name in NAMES.items():
        points = results[model]["returns"]
        lines[name] = [((p["shortest"] + p["longest"]) / 2, p["bits"]) for p in points]
        styles[name] = ROLES[model], DASHES[model]
        mem_len, end = results[model]["mem_len"], results[model]["reach"]
        if mem_len:
            marks.append(("fig-accent", f"memory ends at {mem_len}", mem_len))
        if end > mem_len:
            marks.append(("fig-accent2", f"compressed memory ends at {end}", end))
        told = ", ".join(f"{p['bits']:.0f} up to {p['longest']}" for p in points)
        words.append(f"{name[0].upper()}{name[1:]}: {told}.")
    return chart(
        "Bits of a returning name",
        "characters since the name occurred before",
        lines,
        styles,
        EDGES[-1],
        marks,
        f"Mean bits of a name by its distance. {' '.join(words)}",
    )


def table(results: Results) -> str:
    """The same numbers as a table: a row a range, a column a model."""
    rows = zip(*(results[model]["returns"] for model in NAMES), strict=True)
    return report.table(
        ["characters back", *NAMES.values(), "names"],
        [
            [
                f"{row[0]['shortest'] + 1} to {row[0]['longest']}",
                *(f"{one['bits']:.1f}" for one in row),
                f"{row[0]['returns']:,}",
            ]
            for row in rows
        ],
    )


def parts(results: Results) -> dict[str, str]:
    """What stands on the page between its marks."""
    return {"returns": table(results)}


def over_steps(results: Results) -> str:
    """The figure of the moment when copying appears."""
    points = results["while_training"]
    lines = {
        "with memory": [(p["step"], p["bits"]) for p in points],
        "without memory": [(p["step"], p["without"]) for p in points],
    }
    styles = {
        "with memory": ("fig-pen", "none"),
        "without memory": ("fig-line", "6 3"),
    }
    told = ", ".join(f"{p['bits']:.0f} at step {p['step']}" for p in points)
    return chart(
        "Bits of a returning name during training",
        "step",
        lines,
        styles,
        points[-1]["step"],
        (),
        f"Mean bits of a name that returns within the memory: {told}.",
    )


def main(*words: str) -> None:
    """Measure what is named, and draw the figures."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    if words[:1] == ("--while-training",):
        results["while_training"] = while_training([Path(one) for one in words[1:]])
    else:
        for run in words:
            one = measured(Path(run))
            results[one["model"]] = one
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    if all(one in results for one in (*NAMES, "while_training")):
        for path, drawing in drawings(results).items():
            path.write_text(drawing, "utf-8")
        page = report.fill(PAGE.read_text("utf-8"), parts(results))
        PAGE.write_text(page, "utf-8")


def drawings(results: Results) -> dict[Path, str]:
    """Both figures."""
    return {
        FIGURES / "returning_names.svg": by_distance(results),
        FIGURES / "copying_appears.svg": over_steps(results),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
