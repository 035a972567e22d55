r"""# Plots

Each plot is written twice: as PNG, to be looked at anywhere, and as SVG, sharp at any
size and with text that can be searched.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from labml_txl.training.cache import written_whole

# Colours that can be told apart by most people who see colours otherwise, on a light
# page and on a dark one.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a8a8a")

Points = Sequence[tuple[float, float]]


def plot(
    path: Path,
    lines: Mapping[str, Points],
    across: str,
    up: str,
    title: str = "",
) -> list[Path]:
    r"""Draw lines through points, named in a legend; `across` and `up` name the axes.

    Writes `path` with the endings `.png` and `.svg`, and returns both paths.
    """
    written = []
    # Text stays text, and the same plot gives the same file.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "labml_txl"}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for number, (name, points) in enumerate(lines.items()):
            axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                label=name,
                color=COLOURS[number % len(COLOURS)],
                marker="o" if len(points) < 30 else None,
                markersize=4,
            )
        axes.set(xlabel=across, ylabel=up, title=title)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False)
        for ending, metadata in (("png", {}), ("svg", {"Date": None})):
            goal = path.with_suffix(f".{ending}")
            with written_whole(goal) as file:
                figure.savefig(file, format=ending, dpi=150, metadata=metadata)
            written.append(goal)
    return written
