"""The figures on pages are those of the programs that measured or drew them."""

import json
import shlex
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from labml_txl.cli import options_of
from labml_txl.command_line import read
from labml_txl.training.commands.train import chosen_config
from labml_txl.training.config import configure
from tests import pictures
from tests.benchmarks import ablation, charts, first_run, gpu, growth, report
from tests.literate.small import build

PAGE = report.PAGE.read_text(encoding="utf-8")
RESULTS: dict[str, Any] = json.loads(ablation.RESULTS.read_text(encoding="utf-8"))
LOSSES = {one.name: ablation.losses(RESULTS, one) for one in ablation.VARIANTS}


def test_the_tables_are_written_from_the_results() -> None:
    assert report.fill(PAGE, ablation.parts(RESULTS)) == PAGE
    beside = json.loads(report.RESULTS.read_text(encoding="utf-8"))
    assert report.fill(PAGE, report.parts(beside)) == PAGE
    found = json.loads(gpu.RESULTS.read_text(encoding="utf-8"))
    assert report.fill(PAGE, gpu.parts(found)) == PAGE


def test_a_bar_is_as_long_as_what_it_stands_for() -> None:
    for name, drawing in charts.charts().items():
        assert (charts.FIGURES / name).read_text(encoding="utf-8") == drawing, name
        tree = [*ElementTree.fromstring(drawing).iter()]
        wide = [float(e.get("d", "").partition("h")[2]) for e in tree if e.get("d")]
        texts = [e.text or "" for e in tree if e.tag.endswith("text")]
        shown = [float(t.split()[0].replace(",", "")) for t in texts if t[0].isdigit()]
        assert len(wide) == len(shown) >= 3, name
        wanted = [value / shown[-1] for value in shown]
        assert [one / wide[-1] for one in wide] == pytest.approx(wanted, rel=9e-3), name


@pytest.mark.parametrize("name", charts.libraries({}))
def test_a_chart_says_how_many_times_ours_a_figure_is(name: str) -> None:
    drawing = charts.charts()[f"{name}.svg"]
    tree = ElementTree.fromstring(drawing).iter()
    texts = [e.text or "" for e in tree if e.tag.endswith("text")]
    shown = {
        words: [float(part.strip("(").replace(",", "")) for part in value.split()[:2]]
        for words, value in zip(texts[1::2], texts[2::2], strict=True)
    }
    (ours,) = shown.pop(report.OURS)
    for value, ratio in shown.values():
        assert ratio == pytest.approx(value / ours, abs=0.008)
    # The best stands first, and more is better of rates only.
    best = max if "more is better" in texts[0] else min
    assert best([[ours], *shown.values()]) == [ours]
    assert texts[1] == report.OURS


def test_the_sentences_beside_the_charts_are_what_they_show() -> None:
    beside = json.loads(report.RESULTS.read_text(encoding="utf-8"))

    def times(size: str, work: str) -> dict[str, float]:
        rows, sizes = beside[size]["rows"], beside[size]["size"]
        found = {name: report.value(sizes, work, row) for name, row in rows.items()}
        return {n: v / found[report.OURS] for n, v in found.items() if n != report.OURS}

    small, large = times("M", "train"), times("L", "train")
    assert sorted(small, key=lambda name: small[name]) == sorted(
        large, key=lambda name: large[name]
    )
    assert max(times("M", "generate").values()) < 0.5
    assert max(times("M", "evaluate").values()) < 1
    for size, work in (("C", "train"), ("C", "memory"), ("M", "memory")):
        assert min(times(size, work).values()) > 1
    gains = [point["window"] / point["memory"] for point in beside["curve"]]
    assert gains == sorted(gains)


# The page "Train a model"


FIRST: dict[str, Any] = json.loads(first_run.RESULTS.read_text(encoding="utf-8"))
TRAIN = first_run.PAGE.read_text(encoding="utf-8")


def test_what_the_page_on_training_shows_is_what_was_printed() -> None:
    assert report.fill(TRAIN, first_run.parts(FIRST)) == TRAIN
    lines = {one.name: one.line for one in first_run.COMMANDS}
    assert {name: one["line"] for name, one in FIRST["commands"].items()} == lines
    drawn = first_run.curve(FIRST["curve"])
    assert first_run.FIGURE.read_text(encoding="utf-8") == drawn


def test_the_curve_of_the_page_goes_through_the_losses_of_the_run() -> None:
    tree = [*ElementTree.fromstring(first_run.curve(FIRST["curve"]))]
    (line,) = (e for e in tree if "L" in e.get("d", ""))
    points = [
        tuple(map(float, at.split())) for at in line.get("d", "").strip("M").split("L")
    ]
    losses = [point["nats"] for point in FIRST["curve"] if "nats" in point]
    tops = [y for _, y in points]
    for (one, two), (top, other) in zip(pairwise(losses), pairwise(tops), strict=True):
        # A lower loss stands lower, and by as much.
        slope = (tops[-1] - tops[0]) / (losses[0] - losses[-1])
        assert other - top == pytest.approx(slope * (one - two), abs=0.11)
    texts = [e.text for e in tree]
    for point in FIRST["curve"]:
        if "validation_nats" in point:
            assert f"{point['validation_nats']:.2f}" in texts


def test_the_sentences_of_the_page_on_training_are_what_it_shows() -> None:
    by_name = FIRST["commands"]
    assert 30 < by_name["train"]["seconds"] < 90  # about a minute
    rows = [line.split() for line in by_name["sweep"]["result"][1:]]
    nats = [float(row[3]) for row in sorted(rows, key=lambda row: int(row[1]))]
    assert nats == sorted(nats, reverse=True)
    assert f"the loss falls to {LOSSES['xl'][0]:.2f}" in TRAIN
    losses = {p["step"]: p["nats"] for p in FIRST["curve"] if "nats" in p}
    assert losses[10] - losses[100] > losses[100] - losses[500]


# What variants are worth


def test_a_command_stands_for_the_settings_that_were_measured() -> None:
    others = []
    for run in RESULTS["runs"]:
        program, name, *words = shlex.split(run["command"])
        config = chosen_config(read(options_of(name, words), words, name))
        same = config == configure(run["config"]) and "--seed" in words
        if (program, name, same) != ("txl", "train", True):
            others.append(run["command"])
    assert others == []


def test_every_variant_was_measured_by_a_command_that_can_be_run_again() -> None:
    assert all(LOSSES.values())
    measured = {run["command"] for run in RESULTS["runs"]}
    assert measured <= {*ablation.runs(())}
    assert RESULTS["sweep"]["command"] == ablation.SWEEP
    assert f"`{ablation.SWEEP}`" in PAGE


def test_the_sweep_is_of_the_checkpoint_that_the_table_begins_with() -> None:
    swept = RESULTS["sweep"]["nats"]
    assert swept["64"] == pytest.approx(LOSSES["xl"][0], abs=5e-5)


def test_the_sentences_below_the_table_are_what_it_shows() -> None:
    mean = {name: statistics.mean(found.values()) for name, found in LOSSES.items()}
    assert mean["xl"] < mean["no-memory"]
    assert mean["absolute"] > mean["neither"]
    same = ("xl", "compressive", "most-used")
    spread = max(max(LOSSES[one].values()) - min(LOSSES[one].values()) for one in same)
    means = [mean[one] for one in same]
    assert max(means) - min(means) < spread
    swept = RESULTS["sweep"]["nats"]
    assert swept["0"] - swept["32"] > 0.9 * (swept["0"] - min(swept.values()))


# The engine's page


GROWN: dict[str, Any] = json.loads(growth.RESULTS.read_text(encoding="utf-8"))


def test_the_growth_that_is_shown_is_what_was_measured() -> None:
    page = growth.PAGE.read_text(encoding="utf-8")
    assert report.fill(page, growth.parts(GROWN)) == page
    assert growth.FIGURE.read_text(encoding="utf-8") == growth.plot(GROWN)


def test_copies_of_modules_make_a_site_without_a_warning(tmp_path: Path) -> None:
    lines = growth.project(tmp_path / "project", 3)
    assert lines > 1_000
    tmp_path.joinpath("project", growth.place(2)).write_text(growth.text(2, "Other."))
    done = build(tmp_path / "project", "--strict")
    assert done.returncode == 0, done.stderr
    page = tmp_path.joinpath("project/site", growth.place(2).with_suffix(""))
    assert "<p>Other." in page.joinpath("index.html").read_text(encoding="utf-8")


def test_a_picture_of_a_page_is_what_the_code_and_the_engine_make() -> None:
    for name, draw in pictures.DRAWINGS.items():
        drawn = pictures.FIGURES.joinpath(name).read_text(encoding="utf-8")
        assert drawn == draw(), name
