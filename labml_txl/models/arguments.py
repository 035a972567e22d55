"""# Checks of arguments

Attention, layers, models and caches call these functions before they compute anything.
Each `check_` function raises a `ValueError` that says which shape or value was given
and which was expected. They are on a page of their own, so that the other pages only
show the computation.
"""

from collections.abc import Collection, Sequence

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)


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
    memories: Sequence[Tensor] | None,
    segment: Sequence[int],
    n_layers: int,
    name: str = "memory",
) -> None:
    """Raise `ValueError` unless there is a memory for each layer, or none at all."""
    if not isinstance(memories, list | tuple) or not all(
        isinstance(mem, Tensor) for mem in memories
    ):
        raise ValueError(f"{name}: wanted what the model returned, or None")
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
            f"ended {list(ended.shape)}: wanted {[batch]}, one value per sequence"
        )


def check_usage(usage: Tensor | None, mem: Tensor) -> Tensor:
    """The usage itself. Raises `ValueError` unless each memory has a value."""
    if usage is None:
        raise ValueError("MostUsedCompression needs the usage of each state")
    if usage.shape != mem.shape[:2]:
        raise ValueError(
            f"usage {list(usage.shape)}: wanted {list(mem.shape[:2])}, "
            "one value per state"
        )
    return usage


def check_tokens(tokens: Tensor, name: str = "tokens") -> None:
    """Raise `ValueError` unless `tokens` are integers `[seq_len, batch]`."""
    other = tokens.is_floating_point() or tokens.is_complex()
    integers = not other and tokens.dtype != torch.bool
    if tokens.dim() != 2 or not tokens.numel() or not integers:
        raise ValueError(
            f"{name} {list(tokens.shape)} of {tokens.dtype}: wanted integers "
            "[seq_len, batch], not empty"
        )


def check_targets(targets: Tensor, tokens: Tensor) -> None:
    """Raise `ValueError` unless each token has a target, an integer."""
    check_tokens(targets, "targets")
    if targets.shape != tokens.shape:
        raise ValueError(
            f"targets {list(targets.shape)}: wanted {list(tokens.shape)}, "
            "one for each token"
        )


def check_positions(positions: Tensor | None, tokens: Tensor) -> None:
    """Raise `ValueError` unless each token has a position, an integer."""
    if positions is not None and (
        positions.shape != tokens.shape
        or positions.dtype not in {torch.int16, torch.int32, torch.int64}
    ):
        raise ValueError(
            f"positions {list(positions.shape)} of {positions.dtype}: wanted integers "
            f"{list(tokens.shape)}, one for each token"
        )


def is_plain(module: nn.Module, *types: type[nn.Module]) -> bool:
    """Whether calling `module` does what the class says, and nothing else.

    A fast form that implements the computation of a module by itself, with the module's
    weights, asks this first. It is false unless the module is an instance of one of
    `types`, and not of a subclass, since adapters and quantization replace modules. It
    is also false if a hook is called before or after the module, or if the weight is
    not an ordinary parameter.
    """
    if type(module) not in types or "forward" in vars(module):
        return False
    weight = getattr(module, "weight", None)
    if weight is not None and type(weight) is not nn.Parameter:
        return False
    # The compiler cannot trace the search for hooks.
    return torch.compiler.is_compiling() or not has_hooks(module)


def has_hooks(module: nn.Module) -> bool:
    """Whether other code is called whenever `module` is called."""
    # Modules do not list their hooks, but the handle of a new hook refers to the
    # dictionary that contains all hooks of its kind.
    handles = [
        module.register_forward_hook(no_hook),
        module.register_forward_pre_hook(no_hook),
        register_module_forward_hook(no_hook),
        register_module_forward_pre_hook(no_hook),
    ]
    found = any(len(handle.hooks_dict_ref() or ()) > 1 for handle in handles)
    for handle in handles:
        handle.remove()
    return found


def no_hook(*given: object) -> None:
    """A hook that does nothing."""
