"""What attention reconstruction loses, recorded for `attention-reconstruction`.

`python -m tests.observed.reconstruction` writes it. The committed Compressive
Transformer reads the first passage until its memories are full. What leaves the memory
after the next segment is compressed in five ways. For each head of the last layer there
stand, in 8 bits, the queries of the segment, the keys and values of the old states,
and the keys and values of the slots that each function makes of them.

The model's own function has the weights of the model. Any other function that has
parameters is trained here, by the attention-reconstruction loss of that layer on the
training part of Tiny Shakespeare, while the model itself stays as it is.
"""

import json
from base64 import b64encode
from itertools import islice
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from labml_txl.models import COMPRESSIONS, CompressiveTransformer
from labml_txl.models.compression import Compression
from labml_txl.models.compressive import CompressiveTransformerLayer
from labml_txl.models.reconstruction import (
    AttentionReconstructionLoss,
    content_queries,
    content_weights,
    frozen,
    normalized,
)
from labml_txl.training.corpora import cut_part, open_corpus
from tests.observed.recordings import COMPRESSIVE, KEPT, Reading, reading

GOAL = (
    Path(__file__).parents[2]
    / "labml_txl"
    / "figures"
    / "attention-reconstruction.json"
)
STEPS = 300
BATCH = 16


def states(given: Reading) -> tuple[CompressiveTransformerLayer, Tensor, Tensor]:
    """The layer, what it has read of the first passage, and what leaves its memory."""
    with torch.no_grad():
        _, memory = given.model(given.tokens, given.memory)
    stack = given.model.transformer
    assert isinstance(stack, CompressiveTransformer)
    h, old = memory.read[KEPT][:, :1], memory.old[KEPT][:, :1]
    return stack.stack()[KEPT], h, old


def make(layer: CompressiveTransformerLayer, name: str) -> nn.Module:
    """A function of this name for a layer, untrained."""
    made = COMPRESSIONS[name](layer.compress.rate, layer.size)
    assert isinstance(made, nn.Module)
    return made


def is_own(layer: CompressiveTransformerLayer, made: object) -> bool:
    """Whether the model itself compresses with functions of this class."""
    return type(made) is type(layer.compress)


def needs_training(layer: CompressiveTransformerLayer, name: str) -> bool:
    """Whether a function has parameters for which the model has no weights."""
    made = make(layer, name)
    return any(True for _ in made.parameters()) and not is_own(layer, made)


def train_function(given: Reading, name: str) -> nn.Module:
    """A function that has learned to reconstruct the layer's attention."""
    stack = given.model.transformer
    assert isinstance(stack, CompressiveTransformer)
    layer = stack.stack()[KEPT]
    was, words = layer.compress, given.known.words
    corpus = open_corpus("tiny-shakespeare", words.kind, words.symbols)
    text = cut_part(corpus, "train")
    length = COMPRESSIVE["seq_len"]
    streams = text[: len(text) // BATCH * BATCH].long().view(BATCH, -1).t()
    torch.manual_seed(0)
    made = make(layer, name)
    # A convolution begins as the mean of its inputs instead of as noise.
    for part in made.modules():
        if isinstance(part, nn.Conv1d):
            assert part.bias is not None
            nn.init.zeros_(part.bias)
            part.weight.data = torch.eye(stack.size)[..., None].repeat(1, 1, was.rate)
            part.weight.data /= was.rate
    optimizer = torch.optim.Adam(made.parameters(), lr=1e-3)
    loss = AttentionReconstructionLoss([layer])
    memory: Any = None
    for tokens in islice(streams.split(length), STEPS):
        with torch.no_grad():
            _, memory = given.model(tokens, memory)
        if len(memory.old[KEPT]) < was.rate:
            continue
        layer.compress = cast(Compression, made)
        value = loss([memory.read[KEPT]], [memory.old[KEPT]])
        layer.compress = was
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    return made.eval()


def parts(layer: CompressiveTransformerLayer, x: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values of states: both are [heads, states, d_k]."""
    attention, m = layer.core.self_attn, normalized(layer.core, x)
    k = attention.split_heads(frozen(attention.key, m))[0]
    return k, attention.split_heads(frozen(attention.value, m))[0]


def sources(compress: Compression, old: Tensor, usage: Tensor) -> list[list[int]]:
    """The old states that each slot is made of, by their numbers."""
    inputs = old.detach().clone().requires_grad_()
    made = compress(inputs, usage)
    moved = (
        torch.autograd.grad(slot.sum(), inputs, retain_graph=True)[0] for slot in made
    )
    return [one.abs().amax((1, 2)).nonzero().flatten().tolist() for one in moved]


def compressions(
    given: Reading, layer: CompressiveTransformerLayer, train: bool
) -> dict[str, Compression]:
    """All functions, with the weights of the model or, if `train`, trained ones."""
    found: dict[str, Any] = {name: make(layer, name) for name in COMPRESSIONS}
    for name, made in found.items():
        if is_own(layer, made):
            found[name] = layer.compress
        elif train and needs_training(layer, name):
            found[name] = train_function(given, name)
    return found


def coded(values: Tensor) -> list[Any]:
    """Numbers in 8 bits: the least, a step, and how many steps each lies above it."""
    low = float(values.min())
    step = (float(values.max()) - low) / 255 or 1.0
    codes = bytes(((values - low) / step).round().to(torch.uint8).flatten().tolist())
    return [low, step, b64encode(codes).decode()]


def recorded(train: bool = True) -> dict[str, Any]:
    """The data of the figure. Without `train`, some functions have random weights."""
    given = reading("compressive", COMPRESSIVE)
    layer, h, old = states(given)
    with torch.no_grad():
        q = content_queries(layer.core, h)[0]  # [heads, seq_len, d_k]
        weights = content_weights(layer.core, q[None], old)
    usage = weights.mean((1, 2)).t()  # [mem_len, batch]
    functions, slots = [], []
    for name, compress in compressions(given, layer, train).items():
        made = compress(old, usage).detach()
        functions.append({"name": name, "of": sources(compress, old, usage)})
        slots.append([part.detach() for part in parts(layer, made)])
    k, v = (part.detach() for part in parts(layer, old))
    heads = [
        {
            **{n: coded(x[head]) for n, x in (("q", q), ("k", k), ("v", v))},
            "slots": [[coded(one[head]) for one in pair] for pair in slots],
        }
        for head in range(len(q))
    ]
    return {
        "command": "python -m tests.observed.reconstruction",
        "data": "Tiny Shakespeare, the validation part",
        "step": given.known.step,
        "dilated_steps": STEPS,
        "rate": layer.compress.rate,
        "d_k": q.shape[-1],
        "queries": [*given.words[0]],
        "old": [*given.before[0][-COMPRESSIVE["mem_len"] :][: len(old)]],
        "functions": functions,
        "heads": heads,
    }


if __name__ == "__main__":
    text = json.dumps(recorded(), indent=1, ensure_ascii=False)
    GOAL.write_text(f"{text}\n", encoding="utf-8")
