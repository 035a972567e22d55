"""What each idea of `labml_txl.models.fast` gains, measured by itself.

`python -m tests.benchmarks.fast [IDEA …]`, without a name all of them. Both ways take
turns, so that whatever else the machine does falls on both alike, and the time is that
of the processor, on one thread. The medians go into `fast.json`, and from there into
the tables of the modules' docstrings; `tests/models/fast/test_gains.py` holds the two
together.
"""

import json
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from labml_txl.models import (
    Cache,
    Dropout,
    FeedForward,
    LanguageModel,
    MemoryLengths,
    RelativeAttention,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
    causal_mask,
    rel_shift,
    shift_view,
    transformer_xl,
)
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.fast import attention as attention_module
from labml_txl.models.fast import batches, folding
from labml_txl.models.fast import linear as linear_module
from labml_txl.models.fast import long as long_module
from labml_txl.models.fast.attention import weighted_values
from labml_txl.models.fast.batches import few_at_a_time
from labml_txl.models.fast.cache import LayerCache
from labml_txl.models.fast.hiding import hide
from labml_txl.models.fast.one_token import sixteen_bits
from labml_txl.models.fast.products import scores_in_two_products
from tests.benchmarks import gpu
from tests.benchmarks.sizes import L, M, Size

RESULTS = Path(__file__).with_name("fast.json")
MODULES = Path(__file__).resolve().parents[2] / "labml_txl" / "models" / "fast"
REPEATS = 15
THREADS = 1
NOTHING = 1 << 60
# As M, with a batch of 32: more scores than any cache holds.
WIDE = replace(M, name="M, batch 32", batch=32)
# Memories of 1,600 and 3,800, as in the papers.
LONG = tuple(
    replace(
        L,
        name=f"L, segment 512, memory {mem_len:,}",
        batch=1,
        seq_len=512,
        mem_len=mem_len,
    )
    for mem_len in (1600, 3800)
)
SIZES = {"batches": (M, L, WIDE), "fused": (M, L, WIDE), "long": LONG}

Work = Callable[[], Any]
# A step, in words; without the idea; with it.
Pair = tuple[str, Work, Work]


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2] for line in lines if line.startswith("model name")]
    return names[0].strip() if names else platform.processor() or platform.machine()


def trained(work: Callable[..., Tensor], *inputs: Tensor) -> Work:
    """A forward and a backward pass of some work."""

    def step() -> None:
        work(*inputs).sum().backward()
        for one in inputs:
            one.grad = None

    return step


def evaluated(work: Callable[..., Tensor], *inputs: Tensor) -> Work:
    """A forward pass without gradients."""
    return torch.no_grad()(lambda: work(*inputs))


def heads_of(size: Size, length: int, grad: bool = True) -> Tensor:
    """Random queries, keys or values: `[batch, heads, length, d_k]`."""
    d_k = size.d_model // size.heads
    return torch.randn(size.batch, size.heads, length, d_k, requires_grad=grad)


def attentions(size: Size) -> tuple[RelativeAttention, RelativeAttention]:
    """The short form and the fast form, with the same parameters."""
    short = RelativeAttention(size.heads, size.d_model, size.dropout)
    fast = RelativeMultiHeadAttention(size.heads, size.d_model, size.dropout)
    fast.load_state_dict(short.state_dict())
    return short, fast


def states(size: Size) -> tuple[Tensor, Tensor]:
    """A segment, and the memory with the segment."""
    shape = (size.mem_len + size.seq_len, size.batch, size.d_model)
    context = torch.randn(shape, requires_grad=True)
    return context[-size.seq_len :], context


def attention(size: Size) -> Iterator[Pair]:
    short, fast = attentions(size)
    x, context = states(size)
    yield (
        "training",
        trained(lambda c: short(c[-size.seq_len :], c, c), context),
        trained(lambda c: fast(c[-size.seq_len :], c, c), context),
    )
    for one in (short, fast):
        one.eval()
    yield (
        "evaluation",
        evaluated(short, x, context, context),
        evaluated(fast, x, context, context),
    )


class ByAutograd:
    """Stands for `Attention`: the same from the same projections, by autograd."""

    def __init__(self, attention: RelativeAttention) -> None:
        self.attention = attention

    def apply(
        self,
        own: Tensor,
        old: Tensor,
        u: Tensor,
        keys: Tensor,
        bias: Tensor,
        *_: float,
    ) -> Tensor:
        q, k, v = own.chunk(3, dim=-1)
        rows = zip(old.chunk(2, dim=-1), (k, v), strict=True)
        parts = (q, *map(torch.cat, rows))
        q, k, v = (self.attention.split_heads(x) for x in parts)
        read = partial(weighted_values, self.attention, DistanceKeys(keys, bias))
        return few_at_a_time(read, q, k, v, None).permute(2, 0, 1, 3).flatten(2)


def layers(size: Size) -> tuple[Work, Work, Work]:
    """A layer that learns: not folded, folded, and with gradients by hand too."""
    layer = layer_of(size)
    x, context = states(size)
    x, mem = x.detach().requires_grad_(), context[: size.mem_len].detach()
    attention = layer.self_attn
    learn = trained(lambda x: layer(x=x, mem=mem), x)

    def folded() -> None:
        with patch.object(folding, "Attention", ByAutograd(attention)):
            learn()

    def plain() -> None:
        with patch.object(transformer_xl, "folds", return_value=False):
            learn()

    return plain, folded, learn


def folds(size: Size) -> Iterator[Pair]:
    plain, folded, _ = layers(size)
    yield "a layer in training", plain, folded


def by_hand(size: Size) -> Iterator[Pair]:
    _, folded, by_hand = layers(size)
    yield "a layer in training", folded, by_hand


def products(size: Size) -> Iterator[Pair]:
    short, _ = attentions(size)
    q = heads_of(size, size.seq_len)
    k = heads_of(size, size.seq_len + size.mem_len)
    u = short.content_bias[:, None].detach()
    distances = type(short.distances(1, -1))(
        *(part.detach() for part in short.distances(k.shape[2] - 1, -1))
    )

    def four(q: Tensor, k: Tensor) -> Tensor:
        a, c = q @ k.mT, u @ k.mT
        b = shift_view(q @ distances.keys, k.shape[2])
        d = distances.bias.expand(len(q), -1, q.shape[2], -1).contiguous()
        return short.scale * (a + b + c + shift_view(d, k.shape[2]))

    def two(q: Tensor, k: Tensor) -> Tensor:
        return scores_in_two_products(q, k, u, distances, short.scale)

    yield "training", trained(four, q, k), trained(two, q, k)
    yield "evaluation", evaluated(four, q, k), evaluated(two, q, k)


def shift(size: Size) -> Iterator[Pair]:
    k_len = size.mem_len + size.seq_len
    shape = (size.batch, size.heads, size.seq_len)
    by_distance = torch.randn(*shape, k_len + 1, requires_grad=True)
    content = torch.randn(*shape, k_len)

    def index(scores: Tensor) -> Tensor:
        return content + rel_shift(scores, k_len)

    def view(scores: Tensor) -> Tensor:
        return content + shift_view(scores, k_len)

    yield "training", trained(index, by_distance), trained(view, by_distance)
    yield "evaluation", evaluated(index, by_distance), evaluated(view, by_distance)


def hiding(size: Size) -> Iterator[Pair]:
    k_len = size.mem_len + size.seq_len
    scores = torch.randn(size.batch, size.heads, size.seq_len, k_len)

    def masked() -> None:
        visible = causal_mask(size.seq_len, size.mem_len).permute(2, 0, 1)[:, None]
        scores.masked_fill_(~visible, -torch.inf)

    yield "hiding", masked, lambda: hide(scores, None)


def uncut(work: Work) -> Work:
    """The work with all sequences of a batch at once."""

    def run() -> None:
        batches.BLOCK, before = NOTHING, batches.BLOCK
        work()
        batches.BLOCK = before

    return run


def cut(size: Size) -> Iterator[Pair]:
    _, fast = attentions(size)
    x, context = states(size)

    step = trained(lambda c: fast(c[-size.seq_len :], c, c), context)
    yield "training", uncut(step), step
    fast.eval()
    read = evaluated(fast, x, context, context)
    yield "evaluation", uncut(read), read


def fused(size: Size) -> Iterator[Pair]:
    _, fast = attentions(size)
    fast.eval()
    x, context = states(size)
    kernel = vars(attention_module)["fused_attention"]

    def steps(
        q: Tensor,
        k: Tensor,
        v: Tensor,
        u: Tensor,
        distances: DistanceKeys,
        scale: float,
        mask: Tensor | None,
    ) -> Tensor:
        scores = scores_in_two_products(q, k, u, distances, scale)
        hide(scores, mask)
        return scores.softmax(-1) @ v

    def by(way: Callable[..., Tensor], x: Tensor) -> Work:
        def run() -> None:
            vars(attention_module)["fused_attention"] = way
            with torch.no_grad():
                fast(x, context, context)
            vars(attention_module)["fused_attention"] = kernel

        return run

    yield "whole batches", uncut(by(steps, x)), uncut(by(kernel, x))
    yield "batches that fit the cache", by(steps, x), by(kernel, x)
    yield "one query", by(steps, x[-1:]), by(kernel, x[-1:])


def long(size: Size) -> Iterator[Pair]:
    _, fast = attentions(size)
    fast.eval()
    x, context = states(size)
    read = evaluated(fast, x, context, context)

    def together() -> None:
        with patch.object(long_module, "MANY", NOTHING):
            read()

    yield "evaluation", together, read


def dropout(size: Size) -> Iterator[Pair]:
    k_len = size.mem_len + size.seq_len
    weights = torch.rand(size.batch, size.heads, size.seq_len, k_len)
    v = heads_of(size, k_len)
    plain, ours = nn.Dropout(size.dropout), Dropout(size.dropout)
    yield (
        "training",
        trained(lambda w, v: plain(w) @ v, weights.requires_grad_(), v),
        trained(ours.product, weights, v),
    )


def linear_layers(size: Size) -> Iterator[Pair]:
    network = FeedForward(size.d_model, size.d_ff, size.dropout)
    x, _ = states(size)
    x = x.detach().requires_grad_()

    def by_pytorch(work: Work) -> Work:
        def run() -> None:
            with patch.object(linear_module, "IS_BUILT", False):
                work()

        return run

    step, read = trained(network, x), evaluated(network, x)
    yield "a feed-forward network in training", by_pytorch(step), step
    network.eval()
    yield "the same in evaluation", by_pytorch(read), read


def layer_of(size: Size) -> TransformerXLLayer:
    return TransformerXLLayer(
        d_model=size.d_model,
        self_attn=RelativeMultiHeadAttention(size.heads, size.d_model),
        feed_forward=FeedForward(size.d_model, size.d_ff),
        dropout_prob=0.1,
    )


def model_of(size: Size) -> LanguageModel:
    transformer = TransformerXL(layer_of(size), size.n_layers)
    return LanguageModel(transformer, size.n_vocab, MemoryLengths(size.mem_len)).eval()


def cache(size: Size) -> Iterator[Pair]:
    model = model_of(size)
    for batch in (1, size.batch):
        _, memory = model(torch.zeros(size.mem_len, batch, dtype=torch.long))
        start = torch.zeros(1, batch, dtype=torch.long)

        def write(cached: bool, start: Tensor = start, memory: Any = memory) -> Tensor:
            return model.generate(start, 16, memory, temperature=0, cached=cached)

        words = f"16 tokens of {batch} at once"
        yield words, partial(write, False), partial(write, True)
    segment = torch.zeros(size.seq_len, size.batch, dtype=torch.long)
    with torch.no_grad():
        _, memory = model(torch.zeros(size.mem_len, size.batch, dtype=torch.long))
    known = Cache(model, memory, size.batch)
    read = torch.inference_mode()(lambda: model(segment, memory))
    yield f"a segment of {size.seq_len} tokens", read, lambda: known.read(segment)


def as_segment(layer: LayerCache) -> None:
    """Let a layer read single tokens as it reads segments."""
    vars(layer)["read"] = layer.read_many


def one_token(size: Size) -> Iterator[Pair]:
    model = model_of(size)

    def write(cache: Cache) -> Work:
        start = torch.zeros(1, cache.layers[0].c_mem.shape[1], dtype=torch.long)
        cache.read(start.expand(size.mem_len, -1))
        return lambda: [cache.read(start) for _ in range(16)]

    for batch in (1, size.batch):
        segments = Cache(model, None, batch)
        for layer in segments.layers:
            layer.distances, _ = layer.project_distances(size.mem_len + 1)
            as_segment(layer)
        words = f"16 tokens of {batch} at once"
        yield words, write(segments), write(Cache(model, None, batch))
    if sixteen_bits(torch.device("cpu"), torch.float16):
        small = Cache(model, None, 1, torch.float16)
        yield "16-bit weights", write(Cache(model, None, 1)), write(small)


IDEAS: dict[str, Callable[[Size], Iterator[Pair]]] = {
    "attention": attention,
    "folding": folds,
    "gradients": by_hand,
    "products": products,
    "shift": shift,
    "hiding": hiding,
    "batches": cut,
    "fused": fused,
    "long": long,
    "dropout": dropout,
    "linear": linear_layers,
    "cache": cache,
    "one_token": one_token,
}


def measure(pair: Pair, repeats: int) -> tuple[float, float]:
    """The median seconds of the processor for both ways, which take turns."""
    _, without, with_it = pair
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeats + 2):
        for work, times in zip((without, with_it), seconds, strict=True):
            start = time.process_time()
            work()
            if turn > 1:
                times.append(time.process_time() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def table(rows: list[dict[str, Any]]) -> str:
    """The Markdown table of an idea."""
    lines = ["| measured | gain | without | with |", "| --- | ---: | ---: | ---: |"]
    for row in rows:
        slow, quick = row["without"] * 1e3, row["with"] * 1e3
        lines.append(
            f"| {row['step']}, size {row['size']} | {slow / quick:.1f} × "
            f"| {slow:,.1f} ms | {quick:,.1f} ms |"
        )
    return "\n".join(lines)


def conditions(machine: dict[str, Any]) -> str:
    """The machine, as a table."""
    rows = [f"| {what} | `{value}` |" for what, value in machine.items()]
    return "\n".join(["| measured on | value |", "| --- | --- |", *rows])


_TABLE = re.compile(r"^\| measured .*?(?=\n\n)", re.MULTILINE | re.DOTALL)


def tables(results: dict[str, Any]) -> dict[str, str]:
    """Every table by the name of the module whose docstring has it."""
    found = {name: table(rows) for name, rows in results["ideas"].items()}
    found["fusion"] = table([gpu.gain()])
    return {"__init__": conditions(results["machine"]), **found}


def write(results: dict[str, Any]) -> None:
    """Put the tables into the docstrings."""
    for name, new in tables(results).items():
        path = MODULES / f"{name}.py"
        text, count = _TABLE.subn(new, path.read_text(encoding="utf-8"), count=1)
        if not count:
            raise ValueError(f"{path.name} has no table that begins with “| measured”")
        path.write_text(text, encoding="utf-8")


def main() -> None:
    """Measure all ideas, and write what came out."""
    names = sys.argv[1:] or [*IDEAS]
    torch.set_num_threads(THREADS)
    ideas: dict[str, list[dict[str, Any]]] = {}
    if RESULTS.is_file():
        ideas = json.loads(RESULTS.read_text(encoding="utf-8"))["ideas"]
    for name in names:
        ideas[name] = []
        for size in SIZES.get(name, (M, L)):
            for pair in IDEAS[name](size):
                without, with_it = measure(pair, REPEATS)
                row: dict[str, Any] = {"step": pair[0], "size": size.name}
                row |= {"without": round(without, 6), "with": round(with_it, 6)}
                ideas[name].append(row)
                print(f"{name}: {table([row]).splitlines()[-1]}", file=sys.stderr)
    machine = {
        "processor": processor(),
        "threads": THREADS,
        "Python": platform.python_version(),
        "PyTorch": torch.__version__,
        "turns": REPEATS,
    }
    results = {"machine": machine, "ideas": ideas}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write(results)


if __name__ == "__main__":
    main()
