"""The figures on pages are those of the programs that measured or drew them."""

import json
import shlex
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from labml_txl.training.commands.train import chosen_config
from labml_txl.training.config import configure
from tests.benchmarks import ablation, charts, first_run, gpu, growth, report
from tests.commands import parse_options
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
        config = chosen_config(parse_options([name, *words]))
        same = config == configure(run["config"]) and "--seed" in words
        if (program, name, same) != ("txl", "train", True):
            others.append(run["command"])
    assert others == []


# What the sentences beside tables and charts say


def test_the_sentences_beside_the_comparison_are_what_it_shows() -> None:
    small, large = (
        sorted(rows, key=lambda name: float(rows[name]["train"]))
        for rows in (BESIDE[size]["rows"] for size in ("M", "L"))
    )
    assert small == large
    gains = [point["window"] / point["memory"] for point in BESIDE["curve"]]
    assert gains == sorted(gains)


def test_the_sentences_below_the_ablation_are_what_it_shows() -> None:
    mean = {name: statistics.mean(found) for name, found in LOSSES.items()}
    assert mean["xl"] < mean["no-memory"]
    assert mean["absolute"] > mean["neither"]
    same = ("xl", "compressive", "most-used")
    spread = max(max(LOSSES[one]) - min(LOSSES[one]) for one in same)
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


def test_a_returning_name_is_copied_as_far_as_a_memory_reaches() -> None:
    """What the pages say of memory and of compression, in bits of a returning name."""
    alone, xl, compressive = (
        {one["longest"]: one["bits"] for one in RETURNS[name]["returns"]}
        for name in ("vanilla", "xl", "compressive")
    )
    assert max(xl[n] / alone[n] for n in (128, 192)) <= 1 / 3
    assert max(compressive[n] / xl[n] for n in (320, 384, 480)) < 0.75
    assert {round(bits) for bits in alone.values()} <= {27, 28}
    # Exact memory is better than a compressed one as far as both reach.
    assert xl[192] < compressive[192]
    assert compressive[640] > 1.5 * compressive[480]
    steps = {one["step"]: one["bits"] for one in RETURNS["while_training"]}
    without = {one["step"]: one["without"] for one in RETURNS["while_training"]}
    assert steps[500] > 0.95 * without[500]
    assert steps[7000] < without[7000] / 3


def recalled(task: str) -> list[dict[int, float]]:
    """Percent by distance: Transformer-XL's, and the Compressive Transformer's."""
    found = results(report.DOCS.parent / "tests/benchmarks/recall.json")[task]
    names = ("Transformer-XL", "Compressive Transformer")
    return [{int(d): 100 * share for d, share in found[n].items()} for n in names]


def test_what_the_pages_say_about_recall_is_what_was_measured() -> None:
    xl, compressive = recalled("copy")
    assert min(share for d, share in xl.items() if d <= 128) > 99
    assert max(share for d, share in xl.items() if d >= 176) < 100 / 8 + 2
    assert min(share for d, share in compressive.items() if d <= 240) > 99
    xl, compressive = recalled("key-value")
    assert min(share for d, share in xl.items() if d <= 64) > 98.5
    assert max(share for d, share in xl.items() if d > 96) < 100 / 8 + 3
    assert max(share for d, share in compressive.items() if d >= 192) < 100 / 8 + 3
    # "About two thirds" of what is in the compressed memory.
    assert all(abs(compressive[d] - 200 / 3) < 7 for d in compressive if 64 <= d <= 160)


def test_the_numbers_in_sentences_are_those_that_were_measured() -> None:
    steps = {one["step"]: f"{one['bits']:.0f}" for one in RETURNS["while_training"]}
    (copied, squeezed), (xl, both) = recalled("copy"), recalled("key-value")
    middle = [share for d, share in both.items() if 64 <= d <= 160]
    shared = [
        f"{xl[80]:.0f} at 80, {xl[96]:.0f} at 96",
        f"between {min(middle):.0f} and {max(middle):.0f} from 64 to 160 tokens",
        f"{both[32]:.0f} percent at 32 tokens, {both[48]:.0f} at 48",
    ]
    told = {
        "docs/train.md": [f"loss falls to {LOSSES['xl'][0]:.2f} nats"],
        "docs/live.md": [f"{RETURNS['vanilla']['plain']:.2f} bits for a character"],
        "labml_txl/training/returns.py": [
            f"from {steps[1000]} bits at step 1,000 to {steps[2000]} at step 2,000",
            f"from {steps[3500]} at step 3,500 to {steps[4000]} at step 4,000",
        ],
        "docs/papers/transformer_xl.md": [
            *(f"at {d} tokens {copied[d]:.0f} percent" for d in (144, 160)),
            *shared,
        ],
        "docs/papers/compressive_transformer.md": [
            f"up to 240 tokens and {squeezed[256]:.0f} percent at 256",
            *shared,
        ],
    }
    for name, sentences in told.items():
        text = (report.DOCS.parent / name).read_text(encoding="utf-8")
        text = " ".join(text.split())
        assert [words for words in sentences if words not in text] == [], name
