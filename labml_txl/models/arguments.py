"""# Checks of arguments

Attention, layers, models and caches call these functions before they compute anything.
Each of them raises a `ValueError` that says which shape or value was given and which
was expected. They are on a page of their own, so that the other pages only show the
computation.
"""

from collections.abc import Collection, Sequence

import torch
from torch import Tensor


def check_heads(
    heads: int, d_model: int, encoding: str, encodings: Collection[str]
) -> None:
    """Raise `ValueError` unless `heads` divides `d_model` and the encoding exists."""
    if heads < 1 or d_model % heads:
        raise ValueError(f"{d_model=} is not a multiple of {heads=}")
    if encoding not in encodings:
        raise ValueError(f"{encoding=} is not one of {', '.join(encodings)}")


def check_attention(
    d_model: int, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
) -> None:
    """Raise `ValueError` unless query, key, value and mask have shapes that fit."""
    if query.dim() != 3 or not len(query):
        raise ValueError(
            f"query {list(query.shape)}: wanted [seq_len, batch, {d_model}], not empty"
        )
    seq_len, batch, width = query.shape
    k_len = len(key)
    if width != d_model:
        raise ValueError(f"query has d_model={width}, wanted {d_model}")
    if key.shape != (k_len, batch, d_model) or value.shape != key.shape:
        raise ValueError(
            f"key {list(key.shape)} and value {list(value.shape)}: "
            f"wanted [k_len, {batch}, {d_model}] for both, as the query has it"
        )
    if k_len < seq_len:
        raise ValueError(
            f"{k_len} keys for {seq_len} queries: the segment's own keys come last"
        )
    if mask is not None and (
        mask.dtype != torch.bool
        or mask.shape not in {(seq_len, k_len, batch), (seq_len, k_len, 1)}
    ):
        raise ValueError(
            f"mask {list(mask.shape)} of {mask.dtype}: wanted "
            f"[{seq_len}, {k_len}, {batch} or 1] of torch.bool"
        )


def check_segment(shape: Sequence[int], d_model: int) -> None:
    """Raise `ValueError` unless a segment is `[seq_len, batch, d_model]`."""
    if len(shape) != 3 or shape[2] != d_model or not shape[0]:
        raise ValueError(
            f"segment {list(shape)}: wanted [seq_len, batch, {d_model}], not empty"
        )


def check_memory(
    mem: Sequence[int], segment: Sequence[int], name: str = "memory"
) -> None:
    """Raise `ValueError` unless memory and segment have the same batch and width."""
    if len(mem) != 3 or [*mem[1:]] != [*segment[1:]]:
        raise ValueError(
            f"{name} {list(mem)} does not fit the segment {list(segment)}: "
            "both must have the same batch and d_model"
        )


def check_memories(
    memories: Sequence[Tensor],
    segment: Sequence[int],
    n_layers: int,
    name: str = "memory",
) -> None:
    """Raise `ValueError` unless there is a memory for each layer, or none at all."""
    if memories and len(memories) != n_layers:
        raise ValueError(f"{name} of {len(memories)} layers for a model of {n_layers}")
    for mem in memories:
        check_memory(mem.shape, segment, name)


def check_update(mem: Sequence[Tensor], states: Sequence[Tensor], mem_len: int) -> None:
    """Raise `ValueError` unless each layer's new states fit its memory."""
    if mem_len < 0:
        raise ValueError(f"{mem_len=} is negative")
    if mem and len(mem) != len(states):
        raise ValueError(f"memory of {len(mem)} layers, states of {len(states)} layers")
    for old, new in zip(mem, states, strict=False):
        check_memory(old.shape, new.shape)


def check_ended(ended: Tensor, batch: int) -> None:
    """Raise `ValueError` unless `ended` has one truth value for each sequence."""
    if ended.shape != (batch,):
        raise ValueError(
            f"ended {list(ended.shape)}: wanted {[batch]}, one truth value a sequence"
        )


def check_usage(usage: Tensor | None, mem: Tensor) -> Tensor:
    """The usage itself. Raises `ValueError` unless each memory has a value."""
    if usage is None:
        raise ValueError("MostUsedCompression needs the usage of each memory")
    if usage.shape != mem.shape[:2]:
        raise ValueError(
            f"usage {list(usage.shape)}: wanted {list(mem.shape[:2])}, "
            "one value a memory"
        )
    return usage


def check_tokens(tokens: Tensor, name: str = "tokens") -> None:
    """Raise `ValueError` unless `tokens` are integers `[seq_len, batch]`."""
    integers = not (tokens.is_floating_point() or tokens.dtype == torch.bool)
    if tokens.dim() != 2 or not tokens.numel() or not integers:
        raise ValueError(
            f"{name} {list(tokens.shape)} of {tokens.dtype}: wanted integers "
            "[seq_len, batch], not empty"
        )
