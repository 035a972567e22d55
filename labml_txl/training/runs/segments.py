r"""Segment by segment: a text is read with memory.

A text is evaluated as one segment after another, each with the memory of those before.

A segment needs the keys and values of all that is remembered. The model itself computes
them anew each time, as it must where it learns. A cache
keeps them, in less time and more room. It knows the models of this package, and takes
them apart: so it reads those that are as they were written, and no others.
"""

import os
from collections.abc import Callable
from pathlib import Path

from torch import Tensor, nn

from labml_txl.models import (
    Cache,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    FeedForward,
    LanguageModel,
    RelativeAttention,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
)
from labml_txl.training.objective import Memory

# What a container may have, as Linux tells it.
LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def one_after_another(
    model: LanguageModel, batch: int, seq_len: int
) -> Callable[[Tensor, Tensor], Tensor]:
    r"""`LanguageModel.losses` of one segment after another, each with its memory.

    On a CPU keys and values are kept where a cache knows the model and finds room.
    """
    if on_cpu(model) and is_as_written(model) and finds_room(model, batch, seq_len):
        return Cache(model, batch=batch).losses
    memory: Memory = None

    def losses(tokens: Tensor, targets: Tensor) -> Tensor:
        nonlocal memory
        nats, memory = model.losses(tokens, targets, memory)
        return nats

    return losses


def on_cpu(model: LanguageModel) -> bool:
    r"""Whether all parameters are on a CPU."""
    return all(weight.device.type == "cpu" for weight in model.parameters())


def is_as_written(model: LanguageModel) -> bool:
    r"""Whether a cache computes what the model itself would compute.

    It does so if model, layers and attention are those of this package, and nobody
    listens to them with a hook.
    """
    stack = model.transformer
    if type(model) is not LanguageModel:
        return False
    if type(stack) not in (TransformerXL, CompressiveTransformer):
        return False
    for layer, core in zip(stack.layers, stack.cores(), strict=True):
        attention = core.self_attn
        if (
            type(layer) not in (TransformerXLLayer, CompressiveTransformerLayer)
            or type(core) is not TransformerXLLayer
            or type(attention) not in (RelativeAttention, RelativeMultiHeadAttention)
        ):
            return False
        parts = [attention.query, attention.key, attention.value]
        if any(part.bias is not None for part in parts):
            return False
        network = core.feed_forward
        if type(network) is FeedForward:
            parts += [network.expand, network.contract]
        if any(type(part) is not nn.Linear for part in (*parts, attention.output)):
            return False
    return not any(
        "forward" in vars(part) or part._forward_hooks or part._forward_pre_hooks
        for part in model.modules()
    )


def finds_room(model: LanguageModel, batch: int, seq_len: int) -> bool:
    r"""Whether keys and values of all layers fit into a quarter of the main memory."""
    lengths, layers = model.lengths, len(model.transformer.cores())
    n_keys = lengths.mem_len + lengths.c_mem_len + seq_len
    # A window has as much room again.
    size = next(model.parameters()).element_size()
    pair = 2 * 2 * model.transformer.size * size
    return n_keys * batch * layers * pair <= main_memory() / 4


def main_memory() -> int:
    r"""Bytes of main memory that a process may have; if nobody tells, 8 gigabytes."""
    found = [int(words) for words in map(told, LIMITS) if words.isdigit()]
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        pages = size = 0
    if pages > 0 and size > 0:
        found.append(pages * size)
    return min(found, default=8 << 30)


def told(path: Path) -> str:
    r"""What a file of the system says; nothing, where there is no such file."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
