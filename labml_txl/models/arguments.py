r"""# The arguments of attention

What attention accepts. Whatever does not fit is refused before anything is computed,
with what was given and what was wanted.
"""

from collections.abc import Collection

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
