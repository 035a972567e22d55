"""The figures on pages are those of the programs that measured or drew them."""

import json
import shlex
import statistics
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from labml_txl.cli import options_of
from labml_txl.command_line import read
from labml_txl.training.commands.train import chosen_config
from labml_txl.training.runs.config import configure
from tests import pictures
from tests.benchmarks import ablation, charts, growth, report
from tests.literate.small import build

PAGE = report.PAGE.read_text(encoding="utf-8")
RESULTS: dict[str, Any] = json.loads(ablation.RESULTS.read_text(encoding="utf-8"))
LOSSES = {one.name: ablation.losses(RESULTS, one) for one in ablation.VARIANTS}


def test_the_tables_are_written_from_the_results() -> None:
    assert report.fill(PAGE, ablation.parts(RESULTS)) == PAGE
    beside = json.loads(report.RESULTS.read_text(encoding="utf-8"))
    assert report.fill(PAGE, report.parts(beside)) == PAGE


def test_the_bars_of_the_first_page_are_drawn_from_the_results() -> None:
    for name, drawing in charts.charts().items():
        assert (charts.FIGURES / name).read_text(encoding="utf-8") == drawing
        # A bar is as long as what it stands for.
        paths = [e for e in ElementTree.fromstring(drawing).iter() if e.get("d")]
        wide = [float(path.get("d", "").partition("h")[2]) for path in paths]
        texts = [e.text or "" for e in ElementTree.fromstring(drawing).iter() if e.text]
        shown = [float(t.replace(",", "")) for t in texts if t[0].isdigit()]
        assert len(wide) == len(shown) == 4
        for width, value in zip(wide, shown, strict=True):
            assert width / wide[-1] == pytest.approx(value / shown[-1], abs=2e-3)


@pytest.mark.parametrize("run", RESULTS["runs"], ids=lambda run: str(run["command"]))
def test_a_command_stands_for_the_settings_that_were_measured(
    run: dict[str, Any],
) -> None:
    program, name, *words = shlex.split(run["command"])
    assert (program, name) == ("txl", "train")
    config = chosen_config(read(options_of(name, words), words, name))
    assert config == configure(run["config"])
    assert "--seed" in words


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


@pytest.mark.parametrize("sizes", [(), (100,), (300,), (100, 1_000), growth.SIZES])
def test_the_plot_of_growth_shows_the_sizes_that_there_are(
    sizes: tuple[int, ...],
) -> None:
    found = {
        str(size): {
            name: size / 7 * (place + 1) for place, name in enumerate(growth.LINES)
        }
        for size in sizes
    }
    drawn = ElementTree.fromstring(growth.plot({"sizes": found}))
    marks = [(e.get("cx"), e.get("cy")) for e in drawn if e.tag.endswith("circle")]
    assert len({*marks}) == len(marks) == len(growth.LINES) * len(sizes)
    said = [e for e in drawn if e.tag.endswith("text")]
    assert [e.text for e in said[1:]].count("1,000") >= 1
    places = [(e.get("x"), e.get("y")) for e in said]
    assert len({*places}) == len(places)


def test_copies_of_modules_make_a_site_without_a_warning(tmp_path: Path) -> None:
    lines = growth.project(tmp_path / "project", 3)
    assert lines > 1_000
    tmp_path.joinpath("project", growth.place(2)).write_text(growth.text(2, "Other."))
    done = build(tmp_path / "project", "--strict")
    assert done.returncode == 0, done.stderr
    page = tmp_path.joinpath("project/site", growth.place(2).with_suffix(""))
    assert "<p>Other." in page.joinpath("index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", pictures.DRAWINGS)
def test_a_picture_of_the_engine_is_what_the_engine_makes(name: str) -> None:
    drawn = pictures.FIGURES.joinpath(name).read_text(encoding="utf-8")
    assert drawn == pictures.DRAWINGS[name]()
