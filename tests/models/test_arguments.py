"""The same wrong arguments get the same answer, whatever form computes."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import (
    COMPRESSIONS,
    AbsolutePositions,
    AutoEncodingLoss,
    Cache,
    CompressiveMemory,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    Dropout,
    FeedForward,
    LanguageModel,
    MemoryLengths,
    MostUsedCompression,
    RelativeAttention,
    TokenEmbedding,
    TransformerXL,
    extend_context,
    rel_shift,
    reset_memory,
    shift_view,
    sinusoids,
    update_memory,
)
from labml_txl.models.distances import ENCODINGS
from tests.models.small import (
    D_MODEL,
    FORMS,
    HEADS,
    Form,
    make_compressive,
    make_xl,
)

N_VOCAB, N_LAYERS = 5, 2
Stack = TransformerXL | CompressiveTransformer


def stack(form: Form, kind: str, norm: str, encoding: str) -> Stack:
    given: dict[str, Any] = {"form": form, "norm": norm, "encoding": encoding}
    if kind == "xl":
        return make_xl(**given).float()
    return make_compressive("mean_pooling", **given).float()


STACKS = {
    given: [stack(form, *given) for form in FORMS]
    for given in product(("xl", "cmp"), ("pre", "post"), ENCODINGS)
}


def answer(run: Callable[[], object]) -> str:
    """What is refused, in its own words; nothing if all went well."""
    try:
        run()
    except ValueError as error:
        return str(error)
    return ""


# Shapes that fit, and shapes that do not.
shapes = st.one_of(
    st.just((3, 2, D_MODEL)),
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([5, D_MODEL])),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
memories = st.lists(shapes, max_size=N_LAYERS + 1)
masks = st.none() | st.tuples(
    st.lists(st.integers(1, 9), min_size=2, max_size=4),
    st.sampled_from([torch.bool, torch.float32]),
)


@settings(max_examples=400, deadline=None)
@given(
    given_stack=st.sampled_from([*STACKS]),
    x=shapes,
    mem=memories,
    c_mem=memories,
    mask=masks,
    training=st.booleans(),
    gradient=st.booleans(),
)
def test_both_implementations_raise_the_same_errors(
    given_stack: tuple[str, str, str],
    x: tuple[int, ...],
    mem: list[tuple[int, ...]],
    c_mem: list[tuple[int, ...]],
    mask: tuple[list[int], torch.dtype] | None,
    training: bool,
    gradient: bool,
) -> None:
    given = [[torch.randn(shape) for shape in states] for states in (mem, c_mem)]
    if given_stack[0] == "xl":
        given = given[:1]
    shown = None if mask is None else torch.ones(mask[0]).to(mask[1])
    segment = torch.randn(x)

    def run(model: Stack) -> Callable[[], object]:
        return lambda: model(segment, *given, shown)

    def run_layer(model: Stack) -> Callable[[], object]:
        names = ("mem", "c_mem")
        states = [each[0] if each else None for each in given]
        named = dict(zip(names, states, strict=False))
        return lambda: model.layers[0](x=segment, mask=shown, **named)

    with torch.set_grad_enabled(gradient):
        for way in (run, run_layer):
            one, other = (answer(way(m.train(training))) for m in STACKS[given_stack])
            assert one == other
    fits = all(
        [len(states) in (0, N_LAYERS) for states in given]
        + [
            m.dim() == 3 and m.shape[1:] == segment.shape[1:]
            for ms in given
            for m in ms
        ]
        + [len(x) == 3 and x[0] > 0 and x[-1] == D_MODEL]
    )
    if not fits or shown is None:
        assert bool(answer(run(STACKS[given_stack][0]))) != fits


def models(kind: str) -> list[LanguageModel]:
    lengths = MemoryLengths(4, 3)
    found = STACKS[kind, "pre", "sinusoidal"]
    return [LanguageModel(one, N_VOCAB, lengths).eval() for one in found]


LANGUAGE_MODELS = {kind: models(kind) for kind in ("xl", "cmp")}


@settings(max_examples=200, deadline=None)
@given(
    kind=st.sampled_from(["xl", "cmp"]),
    tokens=st.lists(st.integers(0, 3), min_size=1, max_size=3),
    mem=memories,
    c_mem=memories,
)
def test_a_cache_refuses_what_the_model_refuses(
    kind: str, tokens: list[int], mem: list[tuple[int, ...]], c_mem: list[Any]
) -> None:
    states = [torch.randn(shape) for shape in mem]
    memory: Any = states
    if kind == "cmp":
        memory = CompressiveMemory(states, [torch.randn(s) for s in c_mem], [], [])
    prompt = torch.ones(tokens, dtype=torch.long)
    for model in LANGUAGE_MODELS[kind]:
        kept, anew = (
            answer(partial(model.generate, prompt, 2, memory, cached=cached))
            for cached in (True, False)
        )
        assert kept == anew


@pytest.mark.parametrize("kind", ["xl", "cmp"])
def test_a_memory_of_another_model_is_refused_everywhere(
    kind: str,
) -> None:
    text, states = torch.zeros(3, 2, dtype=torch.long), torch.zeros(4, 2, D_MODEL)
    lists: list[Any] = [[None] * N_LAYERS, [states, None], [4] * N_LAYERS]
    other: list[Any] = [states, torch.stack([states] * N_LAYERS), "memory"]
    if kind == "cmp":
        other += [[states] * N_LAYERS, CompressiveMemory([states], [], [], [])]
        lists = [CompressiveMemory(one, one, [], []) for one in lists] + lists
    for model, memory in product(models(kind), lists + other):
        for run in (
            partial(model, text, memory),
            partial(model.losses, text, text, memory),
            partial(model.generate, text, 1, memory),
            partial(Cache, model, memory),
        ):
            assert "memory" in answer(run)


def test_a_cache_of_another_batch_size_raises_the_error_of_a_memory() -> None:
    text = torch.ones(6, 3, dtype=torch.long)
    for found in LANGUAGE_MODELS.values():
        for model in found:
            cache = Cache(model, None, 3)
            cache.read(text)
            segment: Tensor = text[:2, :2]
            wanted = answer(partial(model, segment, cache.memory()))
            assert "does not fit the segment [2, 2, 6]" in wanted
            assert answer(partial(cache.read, segment)) == wanted
            assert answer(partial(model.generate, segment, 1, cache)) == wanted


# What is refused, each with the words that name what was given and what was wanted.

attend = RelativeAttention(2, 6)
model = LANGUAGE_MODELS["xl"][0]
xl, cmp = (STACKS[kind, "pre", "sinusoidal"][0] for kind in ("xl", "cmp"))
layer_of: dict[str, Any] = {"xl": xl.layers[0], "cmp": cmp.layers[0]}
most_used = MostUsedCompression(2, 3)


def attended(
    key: tuple[int, ...], value: tuple[int, ...], mask: Tensor | None = None
) -> object:
    return attend(torch.zeros(3, 2, 6), torch.zeros(key), torch.zeros(value), mask)


def generated(**options: Any) -> object:
    prompt = torch.ones(options.pop("prompt", 2), 3, dtype=torch.long)
    return model.generate(prompt, **{"n_tokens": 3, **options})


def judged() -> object:
    layers = [
        CompressiveTransformerLayer(
            d_model=D_MODEL,
            self_attn=RelativeAttention(HEADS, D_MODEL),
            feed_forward=FeedForward(D_MODEL, 7),
            dropout_prob=0.0,
            compress=MostUsedCompression(2, D_MODEL),
        )
    ]
    return AutoEncodingLoss(layers)([torch.zeros(3, 2, 6)], [torch.zeros(4, 2, 6)])


zeros, boolean = torch.zeros, torch.bool
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: attend(*[zeros(3, 2, 8)] * 3), "query has d_model=8, wanted 6"),
    (lambda: attended((5, 1, 6), (5, 1, 6)), "wanted [k_len, 2, 6]"),
    (lambda: attended((5, 2, 6), (4, 2, 6)), "value [4, 2, 6]"),
    (lambda: attended((2, 2, 6), (2, 2, 6)), "2 keys for 3 queries"),
    *(
        (
            partial(attended, (5, 2, 6), (5, 2, 6), mask),
            "wanted [3, 5, 2 or 1] of torch.bool",
        )
        for mask in (
            torch.ones(3, 3, 1, dtype=boolean),
            torch.ones(3, 5, dtype=boolean),
            torch.ones(3, 5, 4, dtype=boolean),
            torch.ones(3, 5, 1),
        )
    ),
    (lambda: RelativeAttention(8, 100), "d_model=100 is not a multiple of heads=8"),
    (lambda: RelativeAttention(0, 6), "d_model=6 is not a multiple of heads=0"),
    (
        lambda: RelativeAttention(2, 6, encoding="rotary"),
        f"'rotary' is not one of {', '.join(ENCODINGS)}",
    ),
    (lambda: RelativeAttention(2, 6, clamp_len=-1), "-1 is negative; 0 is no limit"),
    (lambda: rel_shift(zeros(1, 1, 2, 3), 4), "k_len=4 needs as many or more"),
    (lambda: shift_view(zeros(1, 1, 2, 4), 4), "k_len=4 needs 5 or more"),
    (lambda: sinusoids(torch.arange(3), 7), "d_model=7 is odd"),
    (lambda: AbsolutePositions(7), "d_model=7 is odd"),
    (lambda: TokenEmbedding(0, 4), "n_vocab=0 and d_model=4"),
    (lambda: FeedForward(6, 0), "d_model=6 and d_ff=0"),
    (lambda: Dropout(1.0), "1.0 is not in [0, 1)"),
    (lambda: Dropout(-0.1), "-0.1 is not in [0, 1)"),
    *(
        (partial(one, 0, 3), "compression_rate=0 must be at least 1")
        for one in COMPRESSIONS.values()
    ),
    (lambda: most_used(zeros(4, 2, 3)), "needs the usage"),
    (lambda: most_used(zeros(4, 2, 3), zeros(3, 2)), "usage [3, 2]: wanted [4, 2]"),
    (judged, "most-used compression has no parameters"),
    (lambda: update_memory([], [zeros(2, 2, 3)], -1), "mem_len=-1 is negative"),
    (
        lambda: update_memory([zeros(2, 2, 3)], [zeros(2, 2, 3)] * 2, 4),
        "memory of 1 layers, states of 2",
    ),
    (lambda: extend_context(zeros(4, 3, 3), zeros(2, 2, 3)), "memory [4, 3, 3]"),
    (lambda: reset_memory([zeros(2, 2, 3)], zeros(3, dtype=boolean)), "ended [3]"),
    (lambda: stack(RelativeAttention, "xl", "middle", "learned"), "norm='middle' is"),
    (lambda: TransformerXL(layer_of["xl"], 0), "n_layers=0"),
    (lambda: CompressiveTransformer(layer_of["cmp"], 0), "n_layers=0"),
    (lambda: xl(zeros(3, 2, 6), [zeros(2, 2, 6)]), "memory of 1 layers for a model of"),
    (lambda: cmp(zeros(3, 2, 6), [], [zeros(2, 2, 6)]), "compressed memory of 1 lay"),
    (lambda: LanguageModel(xl, N_VOCAB, MemoryLengths(-1)), "must not be negative"),
    (lambda: generated(n_tokens=-1), "n_tokens=-1 is negative"),
    (lambda: generated(temperature=-0.5), "temperature=-0.5 is negative"),
    (lambda: generated(top_k=0), "top_k=0 must be at least 1"),
    (lambda: generated(top_p=1.5), "top_p=1.5 is not in (0, 1]"),
    (lambda: generated(prompt=0), "prompt [0, 3]"),
]


@pytest.mark.parametrize(("run", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_a_wrong_argument_is_refused_by_its_name(
    run: Callable[[], object], words: str
) -> None:
    assert words in answer(run)


def test_an_unknown_setting_is_refused_before_anything_is_computed() -> None:
    with pytest.raises(TypeError, match="'topk'"):
        generated(topk=3, n_tokens=0)
