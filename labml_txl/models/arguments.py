r"""# The arguments of attention

What attention, layers, models and caches accept. Whatever does not fit is refused
before anything is computed, with what was given and what was wanted.
"""

from collections.abc import Collection, Sequence

import torch
from torch import Tensor


def check_heads(
    heads: int, d_model: int, encoding: str, encodings: Collection[str]
) -> None:
    r"""Raise `ValueError` for sizes that no attention can have."""
    if heads < 1 or d_model % heads:
        raise ValueError(f"{d_model=} is not a multiple of {heads=}")
    if encoding not in encodings:
        raise ValueError(f"{encoding=} is not one of {', '.join(encodings)}")


def check_attention(
    d_model: int, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None
) -> None:
    r"""Raise `ValueError` for shapes that do not fit, with both shapes named."""
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
    r"""Raise `ValueError` for a segment that no layer of this width can read."""
    if len(shape) != 3 or shape[2] != d_model or not shape[0]:
        raise ValueError(
            f"segment {list(shape)}: wanted [seq_len, batch, {d_model}], not empty"
        )


def check_memory(
    mem: Sequence[int], segment: Sequence[int], name: str = "memory"
) -> None:
    r"""Raise `ValueError` for the shape of a memory that does not fit its segment."""
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
    r"""Raise `ValueError` unless every layer has a memory that fits, or none has."""
    if memories and len(memories) != n_layers:
        raise ValueError(f"{name} of {len(memories)} layers for a model of {n_layers}")
    for mem in memories:
        check_memory(mem.shape, segment, name)


def check_update(mem: Sequence[Tensor], states: Sequence[Tensor], mem_len: int) -> None:
    r"""Raise `ValueError` for states that cannot be remembered with the others."""
    if mem_len < 0:
        raise ValueError(f"{mem_len=} is negative")
    if mem and len(mem) != len(states):
        raise ValueError(f"memory of {len(mem)} layers, states of {len(states)} layers")
    for old, new in zip(mem, states, strict=False):
        check_memory(old.shape, new.shape)


def check_tokens(tokens: Tensor, name: str = "tokens") -> None:
    r"""Raise `ValueError` for what is no segment of tokens."""
    integers = not (tokens.is_floating_point() or tokens.dtype == torch.bool)
    if tokens.dim() != 2 or not tokens.numel() or not integers:
        raise ValueError(
            f"{name} {list(tokens.shape)} of {tokens.dtype}: wanted integers "
            "[seq_len, batch], not empty"
        )
