"""The variants of the models, by the names that settings, help and tests use.

This module does not import PyTorch, so that the help works without it. The classes are
in tables of the same names in `labml_txl.models`. To add a variant, write its class,
and add a line to both tables.
"""

from typing import NamedTuple


class Variant(NamedTuple):
    """What settings and pages have to know about a variant.

    - `is_learned`: whether it has weights, which need a loss that trains them;
    - `by_block`: whether a compressed slot depends on a single block of states;
    - `runs_on_pages`: whether `live.mjs` can compute it.
    """

    is_learned: bool = False
    by_block: bool = False
    runs_on_pages: bool = False


# How distances are encoded: `labml_txl.models.distances`.
ENCODINGS = {
    "sinusoidal": Variant(runs_on_pages=True),
    "learned": Variant(is_learned=True),
}

# How memories are compressed: `labml_txl.models.compression`.
COMPRESSIONS = {
    "max_pooling": Variant(by_block=True, runs_on_pages=True),
    "mean_pooling": Variant(by_block=True, runs_on_pages=True),
    "conv1d": Variant(is_learned=True, by_block=True, runs_on_pages=True),
    "dilated_conv": Variant(is_learned=True),
    "most_used": Variant(),
}

# How a compression is trained: `labml_txl.models.reconstruction`.
LOSSES = {"attention": Variant(), "auto_encoding": Variant(), "none": Variant()}


def on_pages(variants: dict[str, Variant]) -> tuple[str, ...]:
    """The names of those that pages can compute."""
    return tuple(name for name, variant in variants.items() if variant.runs_on_pages)
