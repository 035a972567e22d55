"""The figures on pages are those of the programs that measured or drew them."""

import json
import shlex
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labml_txl.cli import options_of
from labml_txl.command_line import read
from labml_txl.training.commands.train import chosen_config
from labml_txl.training.config import configure
from tests.benchmarks import ablation, charts, first_run, gpu, growth, report
from tests.observed import returns


def results(file: Path) -> dict[str, Any]:
    """What was measured."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


BESIDE, GROWN = results(report.RESULTS), results(growth.RESULTS)
FIRST, ABLATION = results(first_run.RESULTS), results(ablation.RESULTS)
RETURNS = results(returns.RESULTS)
LOSSES = {one.name: ablation.losses(ABLATION, one) for one in ablation.VARIANTS}


def test_every_table_is_written_from_its_results() -> None:
    for path, parts in (
        (report.PAGE, report.parts(BESIDE)),
        (report.PAGE, ablation.parts(ABLATION)),
        (report.PAGE, gpu.parts(results(gpu.RESULTS))),
        (first_run.PAGE, first_run.parts(FIRST)),
        (growth.PAGE, growth.parts(GROWN)),
        (returns.PAGE, returns.parts(RETURNS)),
    ):
        page = path.read_text(encoding="utf-8")
        assert report.fill(page, parts) == page, path


def drawings() -> Iterator[tuple[Path, str]]:
    """The drawings of the pages, and what their programs draw today."""
    yield from ((charts.FIGURES / name, one) for name, one in charts.charts().items())
    yield from returns.drawings(RETURNS).items()


def test_every_drawing_is_what_its_program_draws() -> None:
    stale = [
        path.name
        for path, drawn in drawings()
        if path.read_text(encoding="utf-8") != drawn
    ]
    assert stale == []


def test_a_command_stands_for_the_settings_that_were_measured() -> None:
    lines = {one.name: one.line for one in first_run.COMMANDS}
    assert {name: one["line"] for name, one in FIRST["commands"].items()} == lines
    others = []
    for run in ABLATION["runs"]:
        program, name, *words = shlex.split(run["command"])
        config = chosen_config(read(options_of(name, words), words, name))
        same = config == configure(run["config"]) and "--seed" in words
        if (program, name, same) != ("txl", "train", True):
            others.append(run["command"])
    assert others == []


# What the sentences beside tables and charts say


def times_ours(size: str, work: str) -> dict[str, float]:
    """What each other library needs or reaches, in times of ours."""
    rows, sizes = BESIDE[size]["rows"], BESIDE[size]["size"]
    found = {name: report.value(sizes, work, row) for name, row in rows.items()}
    return {n: v / found[report.OURS] for n, v in found.items() if n != report.OURS}


def test_the_sentences_beside_the_comparison_are_what_it_shows() -> None:
    small, large = times_ours("M", "train"), times_ours("L", "train")
    assert sorted(small, key=small.__getitem__) == sorted(large, key=large.__getitem__)
    assert max(times_ours("M", "generate").values()) < 0.5
    assert max(times_ours("M", "evaluate").values()) < 1
    for size, work in (("C", "train"), ("C", "memory"), ("M", "memory")):
        assert min(times_ours(size, work).values()) > 1
    gains = [point["window"] / point["memory"] for point in BESIDE["curve"]]
    assert gains == sorted(gains)


def test_the_sentences_below_the_ablation_are_what_it_shows() -> None:
    mean = {name: statistics.mean(found.values()) for name, found in LOSSES.items()}
    assert mean["xl"] < mean["no-memory"]
    assert mean["absolute"] > mean["neither"]
    same = ("xl", "compressive", "most-used")
    spread = max(max(LOSSES[one].values()) - min(LOSSES[one].values()) for one in same)
    means = [mean[one] for one in same]
    assert max(means) - min(means) < spread
    swept = ABLATION["sweep"]["nats"]
    assert swept["0"] - swept["32"] > 0.9 * (swept["0"] - min(swept.values()))


def test_the_sentences_of_the_page_on_training_are_what_it_shows() -> None:
    commands = FIRST["commands"]
    assert 30 < commands["train"]["seconds"] < 90  # about a minute
    rows = [line.split() for line in commands["sweep"]["result"][1:]]
    nats = [float(row[3]) for row in sorted(rows, key=lambda row: int(row[1]))]
    assert nats == sorted(nats, reverse=True)
    page = first_run.PAGE.read_text(encoding="utf-8")
    assert f"loss falls to {LOSSES['xl'][0]:.2f} nats" in page


def test_a_returning_name_is_copied_as_far_as_a_memory_reaches() -> None:
    """What the pages say of memory and of compression, in bits of a returning name."""
    alone, xl, compressive = (
        {one["longest"]: one["bits"] for one in RETURNS[name]["returns"]}
        for name in ("vanilla", "xl", "compressive")
    )
    for name in ("vanilla", "xl", "compressive"):
        assert all(one["returns"] >= 1000 for one in RETURNS[name]["returns"])
    for within in (128, 192):
        assert xl[within] <= alone[within] / 3
    for beyond in (320, 384, 480):
        assert compressive[beyond] < 0.75 * xl[beyond]
    live = " ".join((report.DOCS / "live.md").read_text(encoding="utf-8").split())
    assert {round(bits) for bits in alone.values()} <= {27, 28}
    assert "pays about 27 bits for such a name at every distance" in live
    assert f"{RETURNS['vanilla']['plain']:.2f} bits for a character of plain" in live
    # Exact memory is better than a compressed one as far as both reach.
    assert xl[192] < compressive[192]
    assert compressive[640] > 1.5 * compressive[480]
    told = " ".join(
        returns.ROOT.joinpath("labml_txl/training/returns.py")
        .read_text("utf-8")
        .split()
    )
    steps = {one["step"]: one["bits"] for one in RETURNS["while_training"]}
    without = {one["step"]: one["without"] for one in RETURNS["while_training"]}
    assert steps[500] > 0.95 * without[500]
    assert steps[1000] > 0.8 * without[1000]
    assert steps[2000] < 0.7 * steps[1000]
    assert steps[4000] < 0.5 * steps[3500]
    first, second, third, fourth = (f"{steps[n]:.0f}" for n in (1000, 2000, 3500, 4000))
    assert f"from {first} bits at step 1,000 to {second} at step 2,000" in told
    assert f"from {third} at step 3,500 to {fourth} at step 4,000" in told
    assert steps[7000] < without[7000] / 3
