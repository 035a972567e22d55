"""What was to be reached, and what a run of `bench.py` measured of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

Results = dict[str, Any]
OURS = "labml_txl"
LABML, TRANSFO = "labml-nn", "TransfoXL"
LUCIDRAINS = "compressive-transformer-pytorch"


class Goal(NamedTuple):
    """A figure, what it is to be at least or at most, and how it is found."""

    words: str
    size: str
    wanted: float
    find: Callable[[Results], float | None]
    at_most: bool = False
    shown: str = "{:.2f} ×"


def share_of_peak(result: Results) -> float:
    """A training step's operations a second, of those of a large product."""
    return _share(result, "train", "peak_flops")


def share_without_dropout(result: Results) -> float | None:
    """The same of a step that drops nothing."""
    return _share(result, "bare", "bare_peak_flops") if _bare(result) else None


def _share(result: Results, work: str, peak: str) -> float:
    size = result["size"]
    seconds = result["rows"][OURS][work] * size["batch"] * size["seq_len"]
    return float(result["step_flops"] / seconds / result[peak])


def _bare(result: Results) -> bool:
    return "bare_peak_flops" in result


def share_of_reading(result: Results) -> float | None:
    """The tokens a second, of those for which all weights could be read once each."""
    if "bytes_per_second" not in result:
        return None
    row = result["rows"][OURS]
    allowed: float = result["bytes_per_second"] / (4 * row["parameters"])
    return float(1 / row["generate"] / allowed)


def share(
    figure: Callable[[Results], float | None], size: str
) -> Callable[[Results], float | None]:
    """Such a share, of the results of a size."""
    return lambda results: figure(results[size])


def of(size: str, work: str, name: str) -> Callable[[Results], float | None]:
    """Our seconds or bytes, divided by those of a library."""

    def find(results: Results) -> float | None:
        rows = results[size]["rows"]
        if not {name, OURS} <= {*rows} or work not in rows[OURS]:
            return None
        return float(rows[OURS][work] / rows[name][work])

    return find


def times(
    size: str, work: str, name: str, other: str | None = None
) -> Callable[[Results], float | None]:
    """How many times as many tokens a second we reach, `other` being their work."""

    def find(results: Results) -> float | None:
        rows = results[size]["rows"]
        ours = rows[OURS].get(work)
        if name not in rows or ours is None:
            return None
        return float(rows[name][other or work] / ours)

    return find


def farthest(results: Results) -> float:
    """Memory against the window, at the longest attention."""
    point = results["curve"][-1]
    return float(point["window"] / point["memory"])


GOALS = (
    Goal("step, against labml-nn", "M", 0.42, of("M", "bare", LABML), True),
    Goal("step, against TransfoXL", "M", 0.50, of("M", "bare", TRANSFO), True),
    Goal("step, against labml-nn", "L", 0.57, of("L", "bare", LABML), True),
    *(
        Goal(
            "step, share of the product",
            size,
            least,
            share(share_without_dropout, size),
            shown="{:.0%}",
        )
        for size, least in (("M", 0.60), ("L", 0.80))
    ),
    Goal("evaluation, against labml-nn", "M", 2.4, times("M", "evaluate", LABML)),
    *(
        goal
        for size, plain, sixteen, least in (("M", 2.5, 4, 0.65), ("L", 3, 5, 0.75))
        for goal in (
            Goal(
                "generation, against labml-nn",
                size,
                plain,
                times(size, "generate", LABML),
            ),
            Goal(
                "generation with 16-bit weights, against labml-nn",
                size,
                sixteen,
                times(size, "sixteen_bits", LABML, "generate"),
            ),
            Goal(
                "generation, share of what main memory allows",
                size,
                least,
                share(share_of_reading, size),
                shown="{:.0%}",
            ),
            Goal(
                "16 sequences in a batch, against one at a time",
                size,
                8,
                times(size, "samples", OURS, "generate"),
            ),
        )
    ),
    Goal(
        "step, against compressive-transformer-pytorch",
        "C",
        0.80,
        of("C", "bare", LUCIDRAINS),
        True,
    ),
    Goal("memory against a window of 3,800", "L", 1874, farthest, shown="{:,.0f} ×"),
    Goal(
        "peak memory, against labml-nn", "M", 0.60, of("M", "peak_bytes", LABML), True
    ),
)


def rows(results: Results) -> list[list[str]]:
    """A row for each goal: what, its size, wanted, measured, and how far it is off."""
    written = []
    for goal in GOALS:
        found = goal.find(results)
        cells = ["–", "–"]
        if found is not None:
            reached = found <= goal.wanted if goal.at_most else found >= goal.wanted
            off = found / goal.wanted - 1
            cells = [goal.shown.format(found), "" if reached else f"{off:+.0%}"]
        sign = "≤" if goal.at_most else "≥"
        wanted = f"{sign} {goal.shown.format(goal.wanted)}"
        written.append([goal.words, goal.size, wanted, *cells])
    return written
