"""What `txl observe` runs here: three runs of small models that have been trained.

A model reads two passages, side by side, until its memory is full. The next segment is
what is recorded: of the layers the last, of the passages both.

- Transformer-XL with the attention that the page on it explains;
- Transformer-XL with the attention that the models use by default, one passage at a
  time, in training and with a cache;
- the Compressive Transformer, with all ways to compress and all losses.

All that is random follows from a seed, and memory that nothing has written yet holds no
numbers.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import torch
from torch import Tensor, nn

from labml_txl.literate.recording.recording import Recording
from labml_txl.models import (
    COMPRESSIONS,
    LOSSES,
    AbsolutePositions,
    Cache,
    CompressiveMemory,
    CompressiveTransformer,
    Dropout,
    LanguageModel,
    LearnedDistances,
    MemoryLengths,
    RelativeAttention,
    TransformerXL,
    causal_mask,
    extend_context,
    reset_memory,
    update_memory,
)
from labml_txl.training.runs.checkpoint import Checkpoint
from labml_txl.training.runs.eight_bits import load_small

WEIGHTS = Path(__file__).parents[2] / "docs" / "observations" / "models"

# Two passages of the validation part of Tiny Shakespeare: its first characters, and
# those from its middle on. A line of the file is a passage, with `\n` written out.
PASSAGES = Path(__file__).with_name("passages.txt")

# The last layer: what a loop over the layers leaves behind is of the same one.
KEPT = 3
LAYER = "layer 4 of 4"

# No two axes of one run have the same size, so that none can be taken for another.
XL = {"seq_len": 24, "mem_len": 72, "k_len": 96}
COMPRESSIVE = {"seq_len": 22, "mem_len": 40, "c_mem_len": 34, "k_len": 96, "n_old": 20}


# What one place on an axis is called where a value is read: who asks, and who is asked.
ASKED = (
    *("seq_len → k_len", "q_len → k_len", "seq_len → seq_len"),
    *("mem_len → mem_len", "seq_len → mem_len"),
)
AXES = {
    **dict.fromkeys(ASKED, "query → key"),
    "seq_len → n_distances": "query → distance",
    "q_len → n_distances": "query → distance",
    "n_distances": "distance",
    "k_len → d_k": "key → d_k",
}

# What stands at each index of an axis.
Tokens = tuple[str, ...]


class Reading(NamedTuple):
    """A model that has read, and what it reads next."""

    model: LanguageModel
    known: Checkpoint
    memory: Any
    tokens: Tensor  # [seq_len, batch]
    before: Sequence[str]  # the characters that each passage has before it
    words: Sequence[str]  # those of the segment, of each passage


def recordings() -> Iterator[Recording]:
    """All runs of the models. What is not learned yet has the values of a seed."""
    with torch.random.fork_rng():
        yield from runs()


def runs() -> Iterator[Recording]:
    """A run for each form of the models."""
    xl = reading("xl", XL)
    short, size = in_short_form(xl), xl.model.transformer.size
    torch.manual_seed(0)  # here: what loading a model has drawn is of no matter
    learned = LearnedDistances(xl.known.config.heads, size, reach=96)
    name = "a small Transformer-XL"
    yield recording(name, xl, XL, partial(short_form, xl, short, learned), SHORT)
    cmp = reading("compressive", COMPRESSIVE)
    yield recording(name, xl, XL, partial(default, xl, cmp), DEFAULT)
    name = "a small Compressive Transformer"
    yield recording(name, cmp, COMPRESSIVE, partial(compressive, cmp), COMPRESSING)


SHORT = (
    *("relative_attention", "relative_shift", "distances", "transformer_xl", "memory"),
    *("feed_forward", "masking", "embeddings", "language_model", "arguments"),
)
DEFAULT = ("dropout", "fast.attention", "fast.batches", "fast.shift", "fast.cache")
COMPRESSING = ("compressive", "compression", "reconstruction")


def recording(
    name: str,
    given: Reading,
    lengths: dict[str, int],
    run: Callable[[], object],
    modules: Sequence[str],
) -> Recording:
    """A run that a reader can repeat, and how its axes are called."""
    config = given.known.config
    again = config.n_layers + KEPT
    layers = (*("TransformerXLLayer.forward", "_last", "LayerCache.read"),)
    calls = {layer: {KEPT: LAYER, again: f"{LAYER}, once more"} for layer in layers}
    # A compressive layer is also called to compress, and to compute both losses.
    first = 2 * config.n_layers
    others = (config.n_layers, first + config.n_layers, first + 2 * config.n_layers)
    layer = {KEPT: LAYER, first + KEPT: f"{LAYER}, once more"}
    within = {number + KEPT: "" for number in others} | {5 * config.n_layers: ""}
    used = {0: LAYER, 1: "most-used compression"}
    nearest = 0 if modules == SHORT else 1
    return Recording(
        run=lambda: repeatable(run),
        modules=[import_module(f"labml_txl.models.{module}") for module in modules],
        name=name,
        data="Tiny Shakespeare, the validation part",
        step=given.known.step,
        seed=config.seed,
        calls={
            **calls,
            "CompressiveTransformerLayer.forward": layer | within,
            "CompressiveTransformerLayer.compress_oldest": used,
            "AttentionReconstructionLoss.layer_loss": used,
            "AutoEncodingLoss.layer_loss": {0: LAYER},
        },
        item=KEPT,
        sizes={
            **lengths,
            "batch": 2,
            "heads": config.heads,
            "d_k": config.d_model // config.heads,
            "d_model": config.d_model,
            "d_ff": config.d_ff,
            "n_vocab": given.model.n_vocab,
        },
        tokens=labels(given, lengths, nearest),
        kept={"batch": 2, "heads": config.heads},
        axes=AXES,
    )


def repeatable(run: Callable[[], object]) -> None:
    """Run with a seed, and with no number where nothing has been written."""
    was = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("error")
    try:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            run()
    finally:
        torch.set_deterministic_debug_mode(was)


def labels(given: Reading, lengths: dict[str, int], nearest: int) -> dict[str, Tokens]:
    """The characters that each axis runs over, of each passage.

    What has no batch has those of the first. Distances run down to `-nearest`.
    """
    rate = given.known.config.compression_rate
    passages = zip(given.before, given.words, strict=True)
    told = [characters(before, words, lengths, rate) for before, words in passages]
    both = {f"batch, {axis}": sum((one[axis] for one in told), ()) for axis in told[0]}
    distances = range(len(told[0]["k_len"]) - 1, -1 - nearest, -1)
    return {**told[0], **both, "n_distances": tuple(map(str, distances))}


def characters(
    before: str, segment: str, lengths: dict[str, int], rate: int
) -> dict[str, Tokens]:
    """Those of one passage; a compressed memory stands for some at once."""
    mem_len, c_mem_len = lengths["mem_len"], lengths.get("c_mem_len", 0)
    old, mem = before[:-mem_len], before[-mem_len:]
    blocks = [
        old[i : i + rate] for i in range(len(old) - rate * c_mem_len, len(old), rate)
    ]
    return {
        "seq_len": (*segment,),
        "q_len": (*segment,),
        "mem_len": (*mem,),
        "c_mem_len": (*blocks,),
        "k_len": (*blocks[:c_mem_len], *mem, *segment),
        "n_old": (*mem[: lengths.get("n_old", 0)],),
        "mem_len + seq_len": (*mem, *segment),
    }


def reading(model: str, lengths: dict[str, int]) -> Reading:
    """A trained model with a memory that is full."""
    network, known = load_small(WEIGHTS / f"{model}.safetensors")
    network.lengths = MemoryLengths(lengths["mem_len"], lengths.get("c_mem_len", 0))
    texts = PASSAGES.read_text(encoding="utf-8").splitlines()
    passages = [text.replace("\\n", "\n") for text in texts]
    tokens = torch.stack([known.words.encode(text) for text in passages], 1)
    seq_len = lengths["seq_len"]
    segments = [part for part in tokens.split(seq_len) if len(part) == seq_len]
    memory: Any = None
    with torch.no_grad():
        while not (is_full(memory, lengths) and len(segments) * seq_len < 100):
            _, memory = network(segments.pop(0), memory)
    position = (len(tokens) // seq_len - len(segments)) * seq_len
    before = [passage[:position] for passage in passages]
    words = [passage[position : position + seq_len] for passage in passages]
    return Reading(network, known, memory, segments[0], before, words)


def is_full(memory: Any, lengths: dict[str, int]) -> bool:
    """Whether a memory has as many states as it may have."""
    if isinstance(memory, CompressiveMemory):
        found = (len(memory.mem[0]), len(memory.c_mem[0]))
        return found == (lengths["mem_len"], lengths["c_mem_len"])
    return memory is not None and len(memory[0]) == lengths["mem_len"]


def in_short_form(given: Reading) -> LanguageModel:
    """The model with the attention that the page explains."""
    model = copy.deepcopy(given.model)
    assert isinstance(model.transformer, TransformerXL)
    for core in model.transformer.cores():
        fast = core.self_attn
        core.self_attn = RelativeAttention(fast.heads, fast.d_model, 0.0)
        core.self_attn.load_state_dict(fast.state_dict())
    return model


@torch.no_grad()
def short_form(given: Reading, model: LanguageModel, learned: nn.Module) -> None:
    """One segment, each term of the scores a line, and what else is on the pages."""
    model(given.tokens, given.memory)
    x, mem = model.embed(given.tokens), given.memory
    assert isinstance(model.transformer, TransformerXL)
    model.transformer(x, mem, causal_mask(len(x), len(mem[0])))
    model.generate(given.tokens, 3, given.memory, top_k=8, top_p=0.9, seed=1)
    model.generate(given.tokens, 1, given.memory, temperature=0, cached=False)

    extend_context(None, x)
    update_memory([], [x, x], 3)
    reset_memory([], torch.tensor([False, True]))
    reset_memory(mem, torch.tensor([False, True]))
    learned(len(mem[0]) + len(x) - 1, 0)
    causal_mask(len(x), len(mem[0]), torch.tensor([len(mem[0]), 40]))
    AbsolutePositions(model.transformer.size)(x)


def default(given: Reading, other: Reading) -> None:
    """One segment in training, one passage at a time, and two read with a cache."""
    mem = given.memory[KEPT]
    model = copy.deepcopy(given.model).train()
    with patch("labml_txl.models.fast.batches.BLOCK", 1):
        logits, _ = model(given.tokens, given.memory)
        logits.sum().backward()
        model.eval()
        attention = model.transformer.cores()[KEPT].self_attn
        mask = causal_mask(len(mem), 0, torch.tensor([0, 0]))
        attention(mem, mem, mem, mask)
        with torch.no_grad():
            attention(mem, mem, mem, mask)
    attention(mem, mem, mem)
    for read in (given, other):
        cache = Cache(model if read is given else read.model, read.memory, 2)
        cache.read(read.tokens)
        cache.copy().memory()

    stack = other.model.transformer
    assert isinstance(stack, CompressiveTransformer)
    x, mem = other.model.embed(other.tokens), other.memory.mem[KEPT]
    stack.stack()[KEPT].usage(x, mem, other.memory.c_mem[KEPT])
    attention.dropout = nn.Dropout(0.1)
    attention(mem, mem, mem)
    weights = torch.rand(2, 4, 6, 10, requires_grad=True).softmax(-1)
    Dropout(0.1).product(weights, torch.rand(2, 4, 10, 6)).sum().backward()


def compressive(given: Reading) -> None:
    """One segment, what is compressed after it, and what that loses."""
    model = copy.deepcopy(given.model)
    stack = model.transformer
    assert isinstance(stack, CompressiveTransformer)
    _, memory = model(given.tokens, given.memory)
    mem, c_mem, x = given.memory.mem, given.memory.c_mem, memory.read[0]
    stack(x, mem, c_mem, causal_mask(len(x), len(mem[0]) + len(c_mem[0])))
    for make in LOSSES.values():
        make(stack.layers)(memory.read, memory.old)
    Cache(model, given.memory, 2)
    Cache(model, None, 2)

    x, old, layer = memory.read[KEPT], memory.old[KEPT], stack.stack()[KEPT]
    usage = layer.usage(x, mem[KEPT], c_mem[KEPT])
    rate, d_model = layer.compress.rate, stack.size
    for compression in COMPRESSIONS.values():
        compress = compression(rate, d_model)
        compress(old, usage[: len(old)])
        compress(old[:1], usage[:1])
    layer.compress = COMPRESSIONS["most_used"](rate, d_model)
    layer.compress_oldest(x, mem[KEPT], c_mem[KEPT], len(mem[KEPT]))
    LOSSES["attention"]([layer])([x], [old])
    memory.detach().reset(torch.tensor([False, True]))
