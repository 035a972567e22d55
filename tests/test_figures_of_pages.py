"""The figures on pages are those of the programs that measured or drew them."""

import json
import math
import re
import shlex
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from labml_txl.models.compression import COMPRESSIONS
from labml_txl.models.reconstruction import AttentionReconstructionLoss
from labml_txl.training.commands.train import choose_config
from labml_txl.training.config import configure
from tests.benchmarks import ablation, charts, first_run, gpu, growth, report
from tests.commands import parse_options
from tests.observed import context, longer, returns, worked
from tests.observed.weights import known_of


def results(file: Path) -> dict[str, Any]:
    """What was measured."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


BESIDE, GROWN = results(report.RESULTS), results(growth.RESULTS)
FIRST, ABLATION = results(first_run.RESULTS), results(ablation.RESULTS)
RETURNS, LONGER = results(returns.RESULTS), results(longer.RESULTS)
CASE = worked.Case()
LOSSES = {one.name: ablation.losses(ABLATION, one) for one in ablation.VARIANTS}


def test_every_table_is_written_from_its_results() -> None:
    for path, parts in (
        (report.PAGE, report.parts(BESIDE)),
        (report.PAGE, ablation.parts(ABLATION)),
        (report.PAGE, gpu.parts(results(gpu.RESULTS))),
        (first_run.PAGE, first_run.parts(FIRST)),
        (growth.PAGE, growth.parts(GROWN)),
        (returns.PAGE, returns.parts(RETURNS)),
        (longer.PAGE, longer.parts(LONGER)),
        *worked.pages(CASE).items(),
    ):
        page = path.read_text(encoding="utf-8")
        assert report.fill(page, parts) == page, path


def drawings() -> Iterator[tuple[Path, str]]:
    """The drawings of the pages, and what their programs draw today."""
    yield from ((charts.FIGURES / name, one) for name, one in charts.charts().items())
    yield from returns.drawings(RETURNS).items()
    yield from worked.drawings().items()
    yield longer.FIGURE, longer.drawing(LONGER)


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
        config = choose_config(parse_options([name, *words]))
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
    # The newest 32 states save nearly all that the memory of 64 saves.
    alone = LOSSES["no-memory"][0]
    assert alone - swept["32"] > 0.9 * (alone - swept["64"])
    assert swept["64"] - min(swept.values()) < 0.001


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
    assert all(1.5 < compressive[n] / xl[n] < 2.2 for n in (64, 128))
    assert 4.5 < compressive[192] / xl[192] < 5.5
    assert compressive[640] > 1.5 * compressive[480]
    names = {one["longest"]: one["returns"] for one in RETURNS["xl"]["returns"]}
    assert names[64] < sum(names.values()) / 10
    steps = {one["step"]: one["bits"] for one in RETURNS["while_training"]}
    without = {one["step"]: one["without"] for one in RETURNS["while_training"]}
    assert steps[500] > 0.95 * without[500]
    assert steps[7000] < without[7000] / 10


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


def the_marked_letter() -> tuple[float, float]:
    """What the letter after the marked one costs, with memory and without."""
    one = known_of("xl")["examples"][0]
    at = one["looks"][0]["at"]
    assert one["text"][at - 2 : at + 5] == "ZELMYRA"
    return one["with"][at], one["without"][at]


def a_name_of_the_example() -> dict[str, float]:
    """What the third *Quillomar* of the live page costs without its first letter."""
    one = known_of("xl")["examples"][0]
    before, place = [m.start() for m in re.finditer("Quillomar", one["text"])][1:3]
    # The first character is not predicted, so the list begins with the second.
    letters = slice(place, place + len("Quillomar") - 1)
    costs = {name: sum(one[name][letters]) for name in ("with", "without")}
    return {"distance": place - before, **costs}


def product(x: Sequence[float], y: Sequence[float]) -> str:
    """The products of their numbers, added."""
    pairs = zip(x, y, strict=True)
    return " + ".join(rf"{worked.number(a)} \cdot {worked.number(b)}" for a, b in pairs)


def worked_sentences() -> list[str]:
    """How the page on the paper computes a score and what its query receives."""
    number, vector = worked.number, worked.vector
    i, j = 0, 1
    terms = {name: number(float(one[i, j])) for name, one in CASE.terms.items()}
    q, k, R = (one.tolist() for one in (CASE.q[i], CASE.k[j], CASE.R[1]))
    products = {
        "a": rf"$q \cdot k = {product(q, k)}",
        "b": rf"$q \cdot \mathbf{{R}}_1 = {product(q, R)}",
        "c": rf"$u \cdot k = {product(worked.U, k)}",
        "d": rf"$v \cdot \mathbf{{R}}_1 = {product(worked.V, R)}",
    }
    a, b, c, d = (minus(float(one[2, 1])) for one in CASE.terms.values())
    total, score = (minus(float(one[2, 1])) for one in (CASE.total, CASE.scores))
    drawn = [
        f"{token} {vector(h)}" for token, h in zip(worked.TOKENS, CASE.h, strict=True)
    ]
    weights = [number(float(one)) for one in CASE.weights[i, :3]]
    scores = [number(float(one)) for one in CASE.scores[i, :3]]
    values = [vector(one) for one in CASE.h[:3]]
    mean = " + ".join(
        rf"{weight} \cdot {value}"
        for weight, value in zip(weights, values, strict=True)
    )
    return [
        "*Harker* and *sat* are {}, {} and {}, and their softmax gives the weights {}, "
        "{} and {}:".format(*scores, *weights),
        f"$u = {vector(worked.U)}$ and $v = {vector(worked.V)}$",
        f"The query is $q = {vector(CASE.q[i])}$, the key is $k = {vector(CASE.k[j])}$",
        rf"$\mathbf{{R}}_1 = {vector(CASE.R[1])}$",
        *(f"- ({name}) {one} = {terms[name]}$" for name, one in products.items()),
        f"Their sum is {number(float(CASE.total[i, j]))}.",
        f"the score that enters the softmax is {number(float(CASE.scores[i, j]))}.",
        "{} and {} from the memory, {}, {} and {} of the segment".format(*drawn),
        f"*Harker* is {worked.M + 2 - j} tokens before *and*, so the four terms are "
        f"${a}$, ${b}$, ${c}$ and ${d}$. Their sum is ${total}$, the score is "
        f"${score}$, and the softmax over the five keys of *and* gives it the weight "
        f"{number(float(CASE.weights[2, 1]))}.",
        f"${mean} = {vector(CASE.attended[i])}$",
    ]


def minus(value: float) -> str:
    """A number as a formula has it, with a hyphen for the minus sign."""
    return worked.number(value).replace("−", "-")


def worked_sum() -> list[str]:
    """How the note on attention adds up the same score, from the same vectors."""
    terms = [worked.number(float(one[0, 1])) for one in CASE.terms.values()]
    total = worked.number(float(CASE.total[0, 1]))
    return [
        f"$u = {worked.vector(worked.U)}$ and $v = {worked.vector(worked.V)}$",
        f"${' + '.join(terms)} = {total}$",
    ]


def test_a_memory_longer_than_in_training_helps_a_little_and_clamping_helps_more() -> (
    None
):
    """What the page says beside the figure."""
    for name, gains in (("scenes", 2), ("plain", 4)):
        free, clamped = (
            dict(zip(LONGER["times"], LONGER["texts"][name][kind], strict=True))
            for kind in ("as it is", "clamped")
        )
        assert all(free[n] < free[1] for n in (2, gains))
        assert all(abs(free[n] - clamped[n]) < 0.003 for n in (1, 2))
        assert all(clamped[n] < free[n] for n in (4, 8, 16))
        assert min(clamped, key=lambda n: clamped[n]) == gains
    plain = LONGER["texts"]["plain"]
    assert plain["clamped"][-1] < plain["clamped"][0] < plain["as it is"][-1]
    scenes = LONGER["texts"]["scenes"]
    assert min(scenes["clamped"][-1], scenes["as it is"][-1]) > scenes["clamped"][0]


@pytest.mark.equation("txl.scores", "txl.weighted_values")
def test_the_worked_case_follows_from_its_formulas_by_hand() -> None:
    """In plain numbers, without any function of the package."""
    for i in range(worked.L):
        powers, values = [], []
        for j in range(worked.M + i + 1):
            q, k = worked.STATES[worked.M + i][::-1], worked.STATES[j]
            r = i + worked.M - j
            R = (math.sin(r), math.cos(r))
            pairs = {"a": (q, k), "b": (q, R), "c": (worked.U, k), "d": (worked.V, R)}
            terms = {
                name: sum(x * y for x, y in zip(*pair, strict=True))
                for name, pair in pairs.items()
            }
            for name, value in terms.items():
                assert CASE.terms[name][i, j].item() == pytest.approx(value)
            powers.append(math.exp(sum(terms.values()) / math.sqrt(2)))
            values.append(k)
        weights = [power / sum(powers) for power in powers]
        shown = CASE.weights[i, : len(weights)].tolist()
        assert shown == pytest.approx(weights)
        for n in range(2):
            mean = sum(w * v[n] for w, v in zip(weights, values, strict=True))
            assert CASE.attended[i, n].item() == pytest.approx(mean)
    # The memory keeps the input of the layer, and not what it returns.
    assert CASE.memory.tolist() == [[*one] for one in worked.STATES[-worked.M :]]


@pytest.mark.equation("cmp.attention_loss")
def test_the_losses_of_the_worked_case_are_those_of_the_package() -> None:
    functions = {
        "mean": "mean_pooling",
        "maximum": "max_pooling",
        "most used": "most_used",
    }
    x = CASE.h[:, None]
    for name, function in functions.items():
        layer = worked.compressive(COMPRESSIONS[function](worked.RATE, 2))
        loss = AttentionReconstructionLoss([layer])([x[worked.M :]], [x[: worked.M]])
        if name != "most used":
            assert loss.item() == pytest.approx(CASE.loss(name).mean().item())
        else:  # It judges *Mrs.*, whereas the model keeps *Harker*.
            lost = (CASE.old[0] - CASE.wanted).square().mean()
            assert loss.item() == pytest.approx(lost.item())
    assert CASE.slots["most used"].tolist() == [CASE.old[1].tolist()]


def test_what_a_query_loses_depends_on_the_function_that_compresses() -> None:
    """As the page says: nothing of a mean; with maxima it depends on the states."""
    old, slots = CASE.old, CASE.slots
    lost = {
        kind: [(slots[kind][0] - one).square().mean() for one in (*old, old.mean(0))]
        for kind in ("mean", "maximum")
    }
    *one_state, evenly = lost["mean"]
    assert evenly == 0 < min(one_state)
    _, harker, evenly = lost["maximum"]
    assert harker == 0 < evenly


# Notes of the code that show tables of the worked case.
NOTES = {
    "relative_attention": (
        worked.distances(),
        worked.states(CASE),
        worked.encodings(CASE),
        worked.by_key(CASE.total),
    ),
    "relative_shift": (
        worked.encodings(CASE),
        worked.by_distance(CASE),
        worked.by_key(CASE.terms["b"]),
    ),
}


@pytest.mark.parametrize("name", NOTES)
def test_the_notes_beside_the_code_show_the_numbers_of_the_worked_case(
    name: str,
) -> None:
    note = (report.DOCS.parent / f"labml_txl/models/{name}.py").read_text("utf-8")
    assert [table for table in NOTES[name] if table not in note] == []


def test_the_numbers_in_sentences_are_those_that_were_measured() -> None:
    steps = {one["step"]: f"{one['bits']:.0f}" for one in RETURNS["while_training"]}
    bits = {
        model: {
            one["longest"]: f"{one['bits']:.1f}" for one in RETURNS[model]["returns"]
        }
        for model in ("vanilla", "xl", "compressive")
    }
    plain = {model: RETURNS[model]["plain"] for model in ("vanilla", "xl")}
    group = results(context.GOAL)["models"]
    reach = {one["mode"]: one["effective"] for one in group}
    ends = [f"{one['nats'][-1]:.2f}" for one in group]
    # As a reader computes it from the table.
    swept = {n: round(nats, 4) for n, nats in ABLATION["sweep"]["nats"].items()}
    alone = round(LOSSES["no-memory"][0], 4)
    saved = alone - swept["64"]
    peak = results(gpu.RESULTS)["machine"]["peak_flops"]
    pays = a_name_of_the_example()
    (copied, squeezed), (xl, both) = recalled("copy"), recalled("key-value")
    middle = [share for d, share in both.items() if 64 <= d <= 160]
    shared = [
        f"{xl[80]:.0f} at 80, {xl[96]:.0f} at 96",
        f"between {min(middle):.0f} and {max(middle):.0f} from 64 to 160 tokens",
        f"{both[32]:.0f} percent at 32 tokens, {both[48]:.0f} at 48",
    ]
    told = {
        "docs/train.md": [f"loss falls to {LOSSES['xl'][0]:.2f} nats"],
        "docs/measured.md": [
            f"costs this model {swept['0'] - swept['64']:.4f} nats per character",
            f"is {alone:.4f} with the same seed, the memory saves {saved:.4f}",
            f"the loss is only {swept['32'] - swept['64']:.4f} higher",
            f"the {peak / 1e12:.0f} TFLOP/s that the product of the last table below "
            "reached",
        ],
        "docs/live.md": [
            "this M costs {:.1f} bits with memory, and {:.1f} with the memory switched "
            "off".format(*the_marked_letter()),
            f"a character of plain Shakespeare {plain['vanilla']:.2f}",
        ],
        "labml_txl/training/returns.py": [
            f"from {steps[1000]} bits at step 1,000 to {steps[2000]} at step 2,000",
            f"from {steps[3500]} at step 3,500 to {steps[4000]} at step 4,000",
        ],
        "docs/experiments.md": [
            *(f"at {d} tokens {copied[d]:.0f} percent" for d in (144, 160)),
            f"up to 240 tokens and {squeezed[256]:.0f} percent at 256",
            f"{both[64]:.0f} percent at 64 tokens and {both[160]:.0f} at 160",
            *shared,
            f"pays {bits['xl'][128]} bits for a name that is 65 to 128 characters back",
            f"{bits['xl'][320]} bits, nearly as much as without memory",
            f"pays {bits['compressive'][320]} bits for the name that Transformer-XL",
            "five times as much "
            f"({bits['compressive'][192]} against {bits['xl'][192]})",
            f"it costs {bits['compressive'][320]} instead of {bits['xl'][320]}",
            f"saves {plain['vanilla'] - plain['xl']:.2f} bits per character",
            f"with a memory of 64 states, saves {saved / math.log(2):.2f}.",
            f"effective length is {reach['none']} characters without memory",
            f"{reach['recurrence']} for Transformer-XL and {reach['compressed']} for",
            f"{ends[0]}, {ends[1]} and {ends[2]} nats per character",
        ],
        "docs/index.md": [
            f"all its letters except the first together cost "
            f"{float(bits['vanilla'][128]):.0f} bits",
            f"from its memory, for {bits['xl'][128]} bits",
        ],
        "docs/path.md": [
            "all its letters except the first together cost a small Transformer-XL "
            f"{pays['with']:.1f} bits",
            f"they cost the same model {pays['without']:.1f} bits",
            f"returns {pays['distance']:.0f} characters later",
        ],
        "docs/papers/transformer_xl.md": worked_sentences(),
        "labml_txl/models/relative_attention.py": worked_sum(),
        "labml_txl/models/relative_shift.py": [
            f"${worked.vector(CASE.q[i])}$ for *{token}*".replace("−", "-")
            for i, token in enumerate(worked.TOKENS[worked.M :])
        ],
        "labml_txl/models/compression.py": [
            f"become the slot ${worked.vector(CASE.slots['mean'][0])}$ by their mean, "
            f"and ${worked.vector(CASE.slots['maximum'][0])}$ by their maximum",
        ],
        "labml_txl/models/reconstruction.py": [
            "they give the weights {} and {}".format(
                *(worked.number(float(one)) for one in CASE.wanted_weights[1])
            ),
            f"query receives ${worked.vector(CASE.wanted[1])}$; from the slot",
            f"square of the difference, {float(CASE.loss('mean')[1]):.3f}",
        ],
        "docs/papers/compressive_transformer.md": [
            f"*Harker* become a single slot, ${worked.vector(CASE.slots['mean'][0])}$",
            f"Max pooling gives ${worked.vector(CASE.slots['maximum'][0])}$",
            f"mean of the last column, {float(CASE.loss('mean').mean()):.3f}",
            f"*Mrs.* receives {float(CASE.wanted_weights[:, 0].mean()):.2f}.",
            f"three queries lose {float(CASE.loss('maximum').mean()):.3f} on average",
            f"*Harker* receives a weight of {CASE.usage[1]:.2f} on average over the "
            f"three queries and *Mrs.* only {CASE.usage[0]:.2f}",
            f"for the next token, the slot is at distance {len(CASE.kept) + 1}",
        ],
    }
    for name, sentences in told.items():
        text = (report.DOCS.parent / name).read_text(encoding="utf-8")
        text = " ".join(text.split())
        assert [words for words in sentences if words not in text] == [], name
