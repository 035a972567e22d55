"""What a notebook shows: figures with words, and a bar that ends clean."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from labml_txl.training.runs.plots import described, draw, plot, progress

WORDS = "The loss falls from 2 to 1."


def figure() -> Figure:
    return draw({"loss": [(0, 2.0), (1, 1.0)]}, "step", "nats")


def test_a_figure_carries_its_words_where_screen_readers_and_pages_look() -> None:
    forms, metadata = described(figure(), WORDS)._repr_mimebundle_()
    assert metadata["image/svg+xml"]["alt"] == WORDS
    assert forms["text/plain"] == WORDS
    root = ElementTree.fromstring(forms["image/svg+xml"])
    assert root.findtext("{http://www.w3.org/2000/svg}title") == WORDS
    with pytest.raises(ValueError, match="description of the figure is empty"):
        described(figure(), " \n")


def test_a_plot_in_files_shows_its_title(tmp_path: Path) -> None:
    lines = {"loss": [(0.0, 2.0), (1.0, 1.0)]}
    _, drawing = plot(tmp_path / "a", lines, "step", "nats", title="One run")
    assert ">One run</text>" in drawing.read_text()


def test_progress_gives_all_items_and_ends_as_a_whole_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert list(progress(range(250), "train")) == [*range(250)]
    shown = capsys.readouterr().err
    assert shown.endswith("100 %\n")
    assert shown.count("\r") < 250
