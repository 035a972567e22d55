"""What a notebook shows: figures with words, and a bar that ends clean."""

import re
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from labml_txl.training.runs.plots import COLOURS, described, draw, plot, progress

WORDS = "The loss falls from 2 to 1."


def figure() -> Figure:
    return draw({"loss": [(0, 2.0), (1, 1.0)]}, "step", "nats")


def test_a_plot_has_its_description_for_screen_readers_and_pages() -> None:
    forms, metadata = described(figure(), WORDS)._repr_mimebundle_()
    assert metadata["image/svg+xml"]["alt"] == WORDS
    assert forms["text/plain"] == WORDS
    root = ElementTree.fromstring(forms["image/svg+xml"])
    assert root.findtext("{http://www.w3.org/2000/svg}title") == WORDS
    with pytest.raises(ValueError, match="description of the figure is empty"):
        described(figure(), " \n")


def test_heat_maps_are_stored_small_and_look_the_same() -> None:
    colours = np.full((16, 64, 4), 0.5)
    colours[..., 3] = np.random.default_rng(7).random((16, 64))
    heat_map = Figure()
    heat_map.figimage(colours)
    forms, _ = described(heat_map, WORDS)._repr_mimebundle_()
    (stored,) = re.findall(r"data:image/png;base64,([^\"]+)", forms["image/svg+xml"])
    small = Image.open(BytesIO(b64decode(stored)))
    assert small.mode == "P"
    assert len(stored) < 1200  # 2,329 with 256 steps of opacity
    drawn = np.asarray(small.convert("RGBA"), dtype=int)[::-1]
    difference = np.abs(drawn - colours * 255)
    assert difference[drawn[..., 3] > 0].max() <= 9


def test_a_plot_in_files_shows_its_title(tmp_path: Path) -> None:
    lines = {"loss": [(0.0, 2.0), (1.0, 1.0)]}
    _, drawing = plot(tmp_path / "a", lines, "step", "nats", title="One run")
    assert ">One run</text>" in drawing.read_text()


def test_progress_yields_all_items_and_ends_with_a_line_break(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert list(progress(range(250), "train")) == [*range(250)]
    shown = capsys.readouterr().err
    assert shown.endswith("100 %\n")
    assert shown.count("\r") < 250


def test_lines_differ_by_style_and_only_memory_and_segment_have_their_colours() -> None:
    names = ("with memory", "without memory", "compressive", "more", "most")
    points = [(0.0, 1.0), (9.0, 2.0)]
    lines = draw(dict.fromkeys(names, points), "step", "bits").axes[0].lines
    styles = [(line.get_color(), line.get_linestyle()) for line in lines]
    assert styles[:3] == [("#000000", "-"), ("#8a8a8a", "--"), ("#000000", ":")]
    assert len({*styles}) == len(names)
    assert {colour for colour, _ in styles}.isdisjoint(COLOURS[:3])


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_names_at_the_ends_of_lines_are_apart(scale: str) -> None:
    lines = {f"layer {n}": [(0.0, 5.0), (9.0, 1 + n / 1000)] for n in range(5)}
    figure = draw(lines, "step", "bits", scale=scale)
    figure.savefig(BytesIO())  # which gives the names their places
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert [text.get_text() for text in figure.axes[0].texts] == [*lines]
    heights = sorted(box.y0 for box in boxes)
    apart = [after - before for before, after in pairwise(heights)]
    assert min(apart) > 0.9 * max(box.height for box in boxes)
    long = draw({"a name that would take half of the plot": [(0, 1.0)]}, "step", "bits")
    assert long.legends
    assert not long.axes[0].texts
