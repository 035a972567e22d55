"""The figures of the pages compute what the models compute.

Node runs their arithmetic, and Python holds every number of it to its own definition.
"""

import itertools
import json
import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
import torch.nn.functional as F

from labml_txl.models import (
    CompressiveMemory,
    CompressiveTransformer,
    FeedForward,
    MemoryLengths,
    RelativeMultiHeadAttention,
    rel_shift,
    sinusoids,
)
from labml_txl.models.compression import (
    COMPRESSIONS,
    MeanPooling,
)
from labml_txl.models.compressive import CompressiveTransformerLayer, newest
from labml_txl.models.embeddings import AbsolutePositions
from labml_txl.models.memory import update_memory
from labml_txl.training.recall import measure_accuracy
from labml_txl.training.runs.eight_bits import load_small
from tests.figures import (
    DATA,
    DRAWN,
    FIGURES,
    LIVE,
    QUERIES,
    RECONSTRUCTION,
    drawn,
    observed,
    page,
    read_by_content,
    recorded,
    rows,
)
from tests.javascript import said
from tests.observed import recall, reconstruction, worked
from tests.observed.recordings import COMPRESSIVE, WEIGHTS, reading


def asked(name: str, expression: str, given: object = None) -> Any:
    """What Node makes of an expression; `m` has the numbers of a figure."""
    figure = json.dumps((FIGURES / f"{name}.mjs").as_uri())
    return said(f"import * as m from {figure}; say({expression});", given)


def test_pictures_data_and_tables_are_what_the_program_writes() -> None:
    wanted = {FIGURES / f"{name}.svg": drawn(name) for name in DRAWN}
    wanted |= {FIGURES / f"{name}.json": write() for name, write in DATA.items()}
    wanted[LIVE] = page()
    old = [f for f, text in wanted.items() if f.read_text("utf-8") != text]
    assert old == [], "`python -m tests.figures` writes them anew"


# One score with numbers


@pytest.mark.equation("txl.scores")
def test_the_worked_score_is_computed_as_the_attention_of_the_models() -> None:
    case, rows = worked.Case(), range(worked.L)
    told = asked(
        "worked-score",
        """((given) => [given, m.TOKENS, m.M, [0, 1, 2].map(i => [
            Array.from({length: m.sees(i)}, (_, j) => m.score(given, i, j)),
            m.weights(given, i), m.receives(given, i)])])
            ({states: m.STATES, u: m.U, v: m.V})""",
    )
    given, tokens, mem_len, queries = told
    assert (tuple(tokens), mem_len) == (worked.TOKENS, worked.M)
    assert given == json.loads(
        json.dumps({"states": worked.STATES, "u": worked.U, "v": worked.V})
    )
    for i, (scores, weights, received) in zip(rows, queries, strict=True):
        names = {**case.terms, "sum": case.total, "score": case.scores}
        for name, table in names.items():
            found = [one[name] for one in scores]
            assert found == pytest.approx(table[i, : len(found)].tolist()), name
        assert weights == pytest.approx(case.weights[i, : len(weights)].tolist())
        assert received == pytest.approx(case.attended[i].tolist())


# The memory, and the derivation of the scores


@pytest.mark.equation("txl.memory")
def test_the_memory_keeps_the_states_that_the_models_keep() -> None:
    sizes = list(itertools.product((2, 3, 5), (0, 2, 4, 6)))
    found = asked("memory-steps", "given.map(([L, M]) => m.history(L, M))", sizes)
    for (seq_len, mem_len), steps in zip(sizes, found, strict=True):
        mem: list[torch.Tensor] = []
        assert len(steps) == 4
        for n, step in enumerate(steps):
            states = torch.arange(n * seq_len, (n + 1) * seq_len)[:, None, None]
            before = mem[0].flatten().tolist() if mem else []
            mem = update_memory(mem, [states], mem_len)
            after = mem[0].flatten().tolist() if mem else []
            assert step["states"] == states.flatten().tolist()
            assert (step["mem"], step["after"]) == (before, after)
            assert step["dropped"] == [
                one for one in before + step["states"] if one not in after
            ]


@pytest.mark.equation("txl.absolute_scores")
def test_each_step_of_the_derivation_agrees_with_its_text() -> None:
    told = asked(
        "derivation",
        """[2, 3, 4, 5].map(step => [..."abcd"].map(term => [0, 1, 2, 3].map(i =>
            [0, 1, 2, 3, 4, 5, 6, 7].map(j => m.share(term, step, i, j)))))""",
    )
    seen = torch.ones(4, 8, dtype=torch.bool).tril(4)
    absolute, distances, vectors, last = (
        [as_tensor(table) for table in tables] for tables in told
    )
    for tables in (absolute, distances, vectors, last):
        assert all(table.isfinite().equal(seen) for table in tables)
        assert tables[0].equal(absolute[0])
    # Positions repeat, and distances do not.
    b, d = absolute[1], absolute[3]
    assert all(b[i, j] == b[i, 4 + j] for i in range(4) for j in range(i + 1))
    assert all(d[i, j] == d[i, 4 + j] for i in range(4) for j in range(i + 1))
    assert all((row == 1).sum() == 1 for row in distances[1])
    # The trained vectors are the same for all queries.
    assert not distances[2][0, :5].equal(distances[2][1, :5])
    assert all(row[:5].equal(vectors[2][0, :5]) for row in vectors[2])
    for i in range(1, 4):
        assert vectors[3][i, i : i + 5].equal(vectors[3][0, :5])
    # Other projections change no pattern.
    assert all(x.equal(y) for x, y in zip(vectors, last, strict=True))
    # A question names what its factors are: a position until a step replaces it.
    svg = (FIGURES / "derivation.svg").read_text(encoding="utf-8")
    word = dict(re.findall(r'data-word="(\w+)">([^<]+)<', svg))
    names = asked(
        "derivation",
        'given.map(step => [..."bcd"].map(term => m.question(term, step)))',
        [2, 3, 4],
    )
    for step, chosen in zip((2, 3, 4), names, strict=True):
        b, c, d = (word[name] for name in chosen)
        assert ["distance" in one for one in (b, c, d)] == [step > 2, False, step > 2]
        assert ["all queries" in one for one in (b, c, d)] == [False, *[step > 3] * 2]


# The relative shift

SIZES = [(L, M) for L in range(2, 5) for M in range(5)]
SHIFT = "relative-shift"


@pytest.mark.equation("txl.position_terms")
def test_both_orders_of_the_shift_and_their_code_give_the_scores() -> None:
    """For every size that the sliders reach, and every number of both tables."""
    told = asked(
        SHIFT,
        """given.flatMap(([L, M]) => ["falls", "rises"].map(order => {
            const table = m.layout(order, L, M), all = [];
            for (let i = 0; i < L; i++) for (let c = 0; c < table.columns; c++) {
                const places = [0, 1, 2, 3, 4].map(step => m.place(table, i, c, step));
                const far = m.distance(table, c), column = m.unpadded(table, c);
                const gone = m.isDropped(table, i, c);
                all.push([m.read(table, i, c), far, column, gone, places]);
            }
            const moves = [...Array(L)].map((_, i) => m.move(table, i));
            return [table, all, moves, m.code(table)];
        }))""",
        SIZES,
    )
    for table, numbers, moves, code in told:
        L, K, columns = table["L"], table["K"], table["columns"]
        falls = table["order"] == "falls"
        line = torch.arange(L * columns).view(L, columns)
        if falls:
            expected = rel_shift(line[None, None, :, 1:].contiguous(), K)[0, 0]
        else:
            # Row i moves right by i, and the first L columns are cut off.
            expected = torch.stack([line[i].roll(i)[L : L + K] for i in range(L)])
        seen = torch.ones(L, K, dtype=torch.bool).tril(K - L)
        found = torch.full((L, K), -1)
        dropped = []
        for n, (at, far, column, gone, places) in enumerate(numbers):
            i = n // columns
            assert places[:3] == [[i, column]] * 3
            assert places[3] == places[4]
            dropped += [n] if gone else []
            if at is None:
                assert gone or not 0 <= places[3][1] < K
                continue
            assert places[3] == at
            query, key = at
            found[query, key] = n
            if seen[query, key]:
                # What a query may see moves along its row, and keeps its distance.
                assert (query, far) == (i, query + K - L - key)
                assert key + (0 if falls else L) - column == moves[i]
        assert dropped == [*range(L)] if falls else [*range(L * columns)][-L:]
        assert found[seen].equal(expected[seen]), (L, K, table["order"])
        assert (found >= 0).all()
        run_as_shown(code, L, K, falls=falls)


def run_as_shown(
    lines: list[tuple[str, list[int]]], L: int, K: int, falls: bool
) -> None:
    """Each line of the figure's code gives its shape, and all of them the scores."""
    M = K - L
    far = torch.arange(K - 1, -1, -1) if falls else -torch.arange(-K, L)
    i, j = torch.arange(L)[:, None], torch.arange(K)
    names: dict[str, Any] = {"torch": torch, "F": F, "L": L, "M": M, "K": K}
    names |= {"q": 100.0 * (i + 1) + far, "r": torch.eye(len(far)), "i": i, "j": j}
    for line, shape in lines:
        exec(line, names)
        assert [*names[re.split(r"\W", line)[0]].shape] == shape, line
    expected = (100.0 * (i + 1) + i + M - j).masked_fill(j > i + M, -torch.inf)
    assert names["result"].equal(expected)


# The queue of the compressed memory

QUEUE = "compressed-queue"


def compression(name: str, rate: int, weights: list[float]) -> Any:
    """A compression of the models, with the weights that the figure has."""
    compress: Any = COMPRESSIONS[name](rate, 1)
    if hasattr(compress, "conv"):
        compress.conv.weight.data = torch.tensor(weights).float().view(1, 1, rate)
        compress.conv.bias.data.zero_()
    return compress


class Nothing:
    """A compression that leaves what falls out as it is."""

    needs_usage = False

    def __init__(self, rate: int) -> None:
        self.rate = rate

    def __call__(self, mem: torch.Tensor, usage: object = None) -> torch.Tensor:
        return mem


# The figure has the functions of the paper, and may have newer ones of the models.
OF_THE_PAPER = ("max_pooling", "mean_pooling", "conv1d", "dilated_conv", "most_used")
SHOWN: list[str] = asked(QUEUE, "m.FUNCTIONS")


def test_the_queue_has_the_functions_of_the_paper_by_the_names_of_the_models() -> None:
    assert {*OF_THE_PAPER} <= {*SHOWN} <= {*COMPRESSIONS}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.equation("cmp.new_compressed", "cmp.memory_update")
def test_the_queues_move_and_compress_as_the_layers_do(name: str) -> None:
    sizes: list[dict[str, Any]] = [
        {"segment": s, "mem_len": m, "c_mem_len": c, "rate": rate, "name": name}
        for rate, s, m, c in itertools.product(
            (1, 2, 3, 4), (2, 3, 4), (2, 3, 6), (1, 4)
        )
    ]
    told = asked(
        QUEUE,
        """[Array.from({length: 40}, (_, n) => m.state(n)), given.map(m.history),
            given.map(size => m.weights(size.rate))]""",
        sizes,
    )
    states, histories, weights = told
    values = torch.tensor([float(one["value"]) for one in states])
    uses = torch.tensor([float(one["use"]) for one in states])
    for size, steps, given in zip(sizes, histories, weights, strict=True):
        compress = compression(name, size["rate"], given)
        layer = SimpleNamespace(compress=Nothing(size["rate"]))
        # The token stands beside its value, so that it can be followed.
        mem = torch.empty(0, 1, 1)
        c_mem = torch.empty(0, 1, 1)
        for step in steps:
            read = torch.tensor([float(one["first"]) for one in step["read"]])
            mem, old, _ = CompressiveTransformerLayer.compress_oldest(
                cast(Any, layer), read.view(-1, 1, 1), mem, c_mem, size["mem_len"]
            )
            old_values = values[old.long()].requires_grad_()
            usage = uses[old.long()][..., 0]
            made = compress(old_values, usage) if len(old) else old
            lost = max(len(c_mem) + len(made) - size["c_mem_len"], 0)
            c_mem = newest(torch.cat((c_mem, made.detach())), size["c_mem_len"])
            firsts = [float(one["first"]) for one in step["after"]["mem"]]
            assert firsts == mem.flatten().tolist()
            assert [one["first"] for one in step["old"]] == old.flatten().tolist()
            assert len(step["lost"]) == (lost if len(made) else 0)
            # What the memory holds too much has not filled a block yet.
            waiting = [float(one["first"]) for one in step["waiting"]]
            assert waiting == firsts[: max(len(firsts) - size["mem_len"], 0)]
            found = [one["value"] for one in step["after"]["c_mem"]]
            assert found == pytest.approx(c_mem.flatten().tolist(), abs=1e-5)
            # No slot depends on the states that the figure calls dropped, and every
            # other state has a slot. A function by blocks reads whole blocks, although
            # a slot may depend on a single state, as a maximum does.
            by_block = getattr(compress, "by_block", False)
            unread: list[float] = []
            if len(made) and not by_block:
                (moved,) = torch.autograd.grad(
                    made.sum(), old_values, retain_graph=True
                )
                unread = old[moved == 0].tolist()
            assert [float(one["first"]) for one in step["dropped"]] == unread
            for n, one in enumerate(step["made"]):
                (moved,) = torch.autograd.grad(
                    made[n].sum(), old_values, retain_graph=True
                )
                tokens = old[moved.abs() > 0].tolist()
                if by_block:
                    rate = size["rate"]
                    assert one["tokens"] == old[n * rate :][:rate].flatten().tolist()
                    assert set(tokens) <= set(one["tokens"])
                else:
                    assert tokens == one["tokens"]


# How far it sees


def influence(
    n_layers: int, segment: int, mem_len: int, c_mem_len: int, rate: int, tokens: int
) -> list[list[bool]]:
    """Whether each token (second) moves the last layer's state of each token (first).

    A model reads the text as often as it has tokens, each time with another one
    changed. Without any memory, each segment is read by itself.
    """
    torch.manual_seed(0)
    layer = CompressiveTransformerLayer(
        d_model=4,
        self_attn=RelativeMultiHeadAttention(1, 4, dropout_prob=0.0),
        feed_forward=FeedForward(4, 8, 0.0),
        dropout_prob=0.0,
        compress=MeanPooling(rate, 4),
    )
    model = CompressiveTransformer(layer, n_layers).double().eval()
    text = torch.randn(tokens, 1, 4, dtype=torch.float64).repeat(1, tokens + 1, 1)
    # One feature: a norm would take a change of all of them back.
    text[range(tokens), range(tokens), 0] += 1
    lengths, read = MemoryLengths(mem_len, c_mem_len), list[torch.Tensor]()
    memory: CompressiveMemory | None = None
    with torch.no_grad():
        for start in range(0, tokens, segment):
            given = memory if mem_len + c_mem_len else None
            y, memory = model.advance(text[start : start + segment], given, lengths)
            read.append(y)
    states = torch.cat(read)
    moved = (states - states[:, -1:]).abs().amax(-1) > 0
    found: list[list[bool]] = moved[:, :-1].tolist()
    return found


# Layers, segment, memory, compressed memory, and its rate.
REACHES = [
    *((3, 4, 0, 0, 2), (1, 4, 4, 0, 2), (3, 4, 4, 0, 3), (2, 3, 5, 0, 2)),
    *((3, 2, 1, 0, 4), (1, 4, 4, 2, 3), (2, 3, 2, 2, 4), (3, 2, 0, 1, 3)),
    *((4, 2, 1, 2, 2), (2, 5, 3, 1, 2)),
]


@pytest.mark.equation("cmp.temporal_range")
def test_highlighted_tokens_are_those_that_a_state_depends_on() -> None:
    given = []
    for layers, segment, mem_len, c_mem_len, rate in REACHES:
        mode = "compressed" if c_mem_len else "recurrence" if mem_len else "none"
        size = {"segment": segment, "mem_len": mem_len, "c_mem_len": c_mem_len}
        given.append([{**size, "mode": mode, "rate": rate}, layers])
    told = asked(
        "how-far",
        """given.map(([size, layers]) => Array.from({length: m.TOKENS},
            (_, token) => m.reached(size, layers, token).at(-1)))""",
        given,
    )
    for sizes, firsts in zip(REACHES, told, strict=True):
        found = influence(*sizes[:4], sizes[4] if sizes[3] else 1, 24)
        for token, moved in enumerate(found):
            lit = [firsts[token] <= at <= token for at in range(24)]
            assert moved == lit, (sizes, token)


@pytest.mark.equation("cmp.temporal_range")
def test_the_reach_is_that_of_the_papers_plus_that_of_segments() -> None:
    """Where memory and blocks end with a segment, only the own segment adds to it."""
    size = {"segment": 4, "mem_len": 8, "c_mem_len": 3, "rate": 4}
    for mode, reach in (("recurrence", 8), ("compressed", 8 + 3 * 4)):
        tokens = asked(
            "how-far",
            """[1, 2, 4].map(layers => [0, 1, 2, 3].map(token =>
                [m.theory(given, layers), m.exactly(given, layers, token)]))""",
            {**size, "mode": mode},
        )
        for far, found in zip((reach, 2 * reach, 4 * reach), tokens, strict=True):
            assert found == [[far, far + 1 + token] for token in range(4)]


# Absolute positions


@pytest.mark.equation("txl.absolute_states")
def test_similarities_of_positions_are_those_of_the_encodings() -> None:
    sizes = [
        {"segment": segment, "mem_len": mem_len, "start": start}
        for segment, mem_len, start in itertools.product(
            (2, 4, 5), (0, 3, 6), (0, 5, 10)
        )
    ]
    told = asked(
        "positions",
        """given.map(size => {
            const query = size.start + size.segment - 1;
            return m.seen(size, query).map(token => [token, m.position(size, token),
                m.absolute(size, query, token), m.relative(query, token),
                m.collisions(size, query, token)]);
        })""",
        sizes,
    )
    for size, tokens in zip(sizes, told, strict=True):
        length, start = size["segment"], size["start"]
        query = start + length - 1
        # The text is cut into segments, one of which begins at `start`.
        begins = start - 10 * length
        U = AbsolutePositions(16)(torch.zeros(length, 1, 16))[:, 0].repeat(11, 1)
        R = sinusoids(torch.arange(query + 1), 16)
        assert [one[0] for one in tokens] == [
            *range(max(0, start - size["mem_len"]), query + 1)
        ]
        for token, position, absolute, relative, collisions in tokens:
            mine = U[token - begins]
            assert absolute == pytest.approx(float(mine @ U[-1] / 8), abs=1e-5)
            assert relative == pytest.approx(
                float(R[query - token] @ R[0] / 8), abs=1e-5
            )
            same = [one for one, *_ in tokens if U[one - begins].equal(mine)]
            assert sorted([token, *collisions]) == same
            assert U[position - 1].equal(mine)


# Four terms

FOUR = "four-terms"
FOUR_NAMES = ("content", "position", "content_bias", "position_bias")
SHARES = ("1111", "1011", "0101", "1000", "0000")


def as_tensor(table: Any) -> torch.Tensor:
    """A table in which the future is null, as a tensor with -inf there."""
    rows = [[float("-inf") if n is None else n for n in row] for row in table]
    return torch.tensor(rows, dtype=torch.float64)


def shown(name: str, head: int) -> tuple[torch.Tensor, float]:
    """The last rows of what was recorded, and the size of a step of its 8 bits."""
    one, width = recorded(observed(), name, head)
    values = torch.tensor(one.values(), dtype=torch.float64).view(-1, width)
    return values[-QUERIES:], one.step


@pytest.mark.parametrize("head", range(4))
@pytest.mark.equation("txl.scores")
def test_the_four_terms_give_the_recorded_scores_and_weights(
    head: int,
) -> None:
    data = json.loads(DATA[FOUR]())
    shares = [dict(zip("abcd", map(int, one), strict=True)) for one in SHARES]
    told = asked(
        FOUR,
        """(({data, head, shares}) => {
            const parts = m.terms(data, head), sum = m.scores(parts, shares[0]);
            const weights = shares.map(one => m.weights(m.scores(parts, one)));
            return { parts, sum, weights, looks: m.looks(data, weights[0]),
                means: m.means(data, weights[0]), smallest: m.smallest(parts) };
        })(given)""",
        {"data": data, "head": head, "shares": shares},
    )
    parts = {name: as_tensor(table) for name, table in told["parts"].items()}
    found, (scores, step) = as_tensor(told["sum"]), shown("return", head)
    seen = torch.ones(QUERIES, 96, dtype=torch.bool).tril(96 - QUERIES)
    assert found.isfinite().equal(seen)
    # Each of five values is off by half a step of its 8 bits at most.
    steps = [shown(name, head)[1] / 32**0.5 for name in FOUR_NAMES] + [step]
    assert (found - scores)[seen].abs().max() <= sum(steps) / 2
    # Term c is one row, and term d one diagonal after another.
    assert all(row[:85].equal(parts["c"][0, :85]) for row in parts["c"])
    d = parts["d"]
    assert all(d[i, : i + 85].equal(d[-1, 11 - i :]) for i in range(QUERIES))
    # The weights are the softmax of the terms that are switched on.
    nothing = torch.zeros(QUERIES, 96, dtype=torch.float64)
    for share, table in zip(SHARES, told["weights"], strict=True):
        kept = [parts[n] for n, on in zip("abcd", share, strict=True) if on == "1"]
        wanted = sum(kept, nothing).masked_fill(~seen, -torch.inf).softmax(-1)
        assert torch.allclose(as_tensor(table), wanted, atol=1e-12), share
    # With all four, they are those of the run, as far as 8 bits tell.
    weights = as_tensor(told["weights"][0])
    assert (weights - shown("weights", head)[0]).abs().max() < 0.02
    # A head is named by where half of its weight is.
    keys = data["keys"]
    back = (96 - QUERIES + torch.arange(QUERIES))[:, None] - torch.arange(96)
    same = torch.tensor([[q == k for k in keys] for q in keys[-QUERIES:]])
    masks = {
        "itself": back == 0,
        "previous": back == 1,
        "same": same & (back > 0),
        "behind_same": same.roll(1, 1) & (torch.arange(96) > 0) & (back > 0),
    }

    def share_of(mask: torch.Tensor) -> float:
        return float((weights * mask).sum(1).mean())

    of = {name: share_of(mask) for name, mask in masks.items()}
    looks, means, smallest = (told[name] for name in ("looks", "means", "smallest"))
    named = max(of, key=lambda name: of[name])
    assert looks["share"] == pytest.approx(of[named])
    assert looks["kind"] == (named if looks["share"] >= 0.5 else None)
    assert looks["near"] == sum(share_of(back <= n) < 0.5 for n in range(96))
    assert means["memory"] == pytest.approx(share_of(torch.arange(96) < 72))
    assert means["distance"] == pytest.approx(share_of(back))
    sizes = {name: float(t[t.isfinite()].abs().max()) for name, t in parts.items()}
    assert smallest["most"] == pytest.approx(min(sizes.values()))
    assert sizes[smallest["term"]] == min(sizes.values())


# Attention reconstruction


def reconstructions() -> dict[str, Any]:
    """What the figure has recorded."""
    text = (FIGURES / f"{RECONSTRUCTION}.json").read_text(encoding="utf-8")
    return cast(dict[str, Any], json.loads(text))


@pytest.mark.equation("cmp.content_attention", "cmp.attention_loss")
def test_reconstruction_loss_and_weights_are_those_of_content_attention() -> None:
    data = reconstructions()
    found = asked(
        RECONSTRUCTION,
        """given.heads.map((_, head) => given.functions.map(
            (_, n) => m.reconstruct(given, head, n)))""",
        data,
    )
    for head, functions in zip(data["heads"], found, strict=True):
        q, k, v = (rows(head[name], data["d_k"]) for name in "qkv")
        for function, slots, queries in zip(
            data["functions"], head["slots"], functions, strict=True
        ):
            memories = [rows(codes, data["d_k"]) for codes in slots]
            for name, (weights, output) in {
                "wanted": read_by_content(q, k, v),
                "got": read_by_content(q, *memories),
            }.items():
                told = [one[name] for one in queries]
                for part, tensor in (("weights", weights), ("output", output)):
                    shown = torch.tensor([one[part] for one in told]).double()
                    assert torch.allclose(shown, tensor, atol=1e-6)
            losses = torch.tensor([one["loss"] for one in queries]).double()
            lost = read_by_content(q, k, v)[1] - read_by_content(q, *memories)[1]
            assert torch.allclose(losses, lost.square().mean(-1), rtol=1e-4)
            # A function may also select states, and lose nothing of these.
            if any(len(states) > 1 for states in function["of"]):
                # A query that attends to one state loses more than one that does not.
                sharpest = read_by_content(q, k, v)[0].amax(1).argsort(descending=True)
                ordered, third = losses[sharpest], len(losses) // 3
                assert ordered[:third].sum() > 1.2 * ordered[-third:].sum()


def test_recorded_memories_and_slots_are_those_of_the_model() -> None:
    data = reconstructions()
    layer = reconstruction.states(reading("compressive", COMPRESSIVE))[0]
    now = reconstruction.recorded(train=False)
    names = [one["name"] for one in data["functions"]]
    places = {one["name"]: n for n, one in enumerate(now["functions"])}
    assert [*places] == [*COMPRESSIONS]
    for name in ("step", "rate", "d_k", "queries", "old"):
        assert data[name] == now[name]
    # A function that is new is in the figure after its next training.
    for n, name in enumerate(names):
        place = places[name]
        assert data["functions"][n] == now["functions"][place]
        if reconstruction.needs_training(layer, name):
            continue
        for head, again in zip(data["heads"], now["heads"], strict=True):
            pairs = [(head[x], again[x]) for x in "qkv"]
            pairs += zip(head["slots"][n], again["slots"][place], strict=True)
            for codes, others in pairs:
                found, expected = rows(codes, data["d_k"]), rows(others, data["d_k"])
                assert (found - expected).abs().max() <= codes[1] * 1.01


# Tell, wait, ask

TELL = "tell-wait-ask"


def tell(name: str, expression: str) -> Any:
    """What Node makes of a model that was asked for a fact: `data`, `reader`, `ask`."""
    data = json.loads((FIGURES / f"{TELL}.json").read_text(encoding="utf-8"))
    program = f"""
        import {{ read }} from {json.dumps((FIGURES / "live.mjs").as_uri())};
        import * as m from {json.dumps((FIGURES / f"{TELL}.mjs").as_uri())};
        const {{ data, file }} = given, bytes = readFileSync(file);
        const reader = read(new Uint8Array(bytes).buffer).reader();
        const ask = async (asked) => {{
            const tokens = m.told(data, asked), at = tokens.length - 1;
            await m.follow(reader, tokens);
            const spot = m.place(reader.lengths, at, data.told);
            return {{ answers: m.answers(data, reader.logits), spot, tokens,
                spans: m.spans(reader.lengths, at), ...m.looks(reader, spot.key) }};
        }};
        say({expression});
    """
    return said(program, {"data": data, "file": str(WEIGHTS / f"{name}.safetensors")})


@pytest.mark.parametrize("name", recall.FILES)
def test_the_page_answers_questions_as_python_does(name: str) -> None:
    """Also after other questions: a reader goes on from what both texts share."""
    data = json.loads((FIGURES / f"{TELL}.json").read_text(encoding="utf-8"))
    about = next(model for model in data["models"] if model["name"] == name)
    asks = [
        {"key": k, "value": v, "distance": d}
        for k, v, d in ((2, 6, 128), (2, 6, 40), (0, 1, 200), (0, 1, 8), (3, 7, 72))
    ]
    file = recall.FILES[name]
    asks.append(data["recorded"])
    model, known = load_small(WEIGHTS / f"{file}.safetensors")
    found = tell(
        file, f"[{', '.join(f'await ask({json.dumps(one)})' for one in asks)}]"
    )
    for one, told in zip(asks, found, strict=True):
        tokens = torch.tensor(told["tokens"]).view(-1, 1)
        at = recall.TOLD + one["distance"] - 1
        assert len(tokens) == at + 1
        assert tokens[recall.TOLD] == recall.TASK.fact(one["key"], one["value"])
        assert tokens[-1] == recall.TASK.question(one["key"])
        length = known.config.seq_len
        answers, looks = recall.asks(model, tokens, length)
        assert told["answers"] == pytest.approx(answers.tolist(), abs=1e-3)
        key = recall.at_fact(known.config, tokens, looks[0].shape[-1])
        assert told["spot"]["key"] == (-1 if key is None else key)
        weights = looks[told["layer"]][told["head"]]
        assert told["weights"] == pytest.approx(weights.tolist(), abs=1e-3)
        if key is not None:
            most = max(float(layer[:, key].max()) for layer in looks)
            assert told["weights"][key] == pytest.approx(most, abs=1e-3)
            spot = told["spans"][key]
            assert spot["first"] <= recall.TOLD < spot["first"] + spot["length"]
            assert spot["region"] == told["spot"]["region"]
    # The last answer is what the figure shows before the models are loaded.
    assert data["text"] == recall.filler()
    assert (WEIGHTS / f"{file}.safetensors").stat().st_size == about["bytes"]
    for part in ("answers", "weights"):
        assert found[-1][part] == pytest.approx(about["recorded"][part], abs=2e-3)
    for part in ("layer", "head"):
        assert found[-1][part] == about["recorded"][part]
    # So is its curve.
    share, _ = measure_accuracy(model, recall.TASK, 40, known.config.seq_len)
    column = data["distances"].index(40)
    assert share == pytest.approx(about["accuracy"][column], abs=0.005)
