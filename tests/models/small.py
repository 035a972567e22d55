"""Models so small that a definition in plain loops can be held against them."""

from typing import Any

import torch
from torch import Tensor, nn

from labml_txl.models import (
    COMPRESSIONS,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    FeedForward,
    RelativeAttention,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
)

HEADS, D_MODEL, D_FF = 2, 6, 7
Form = type[RelativeAttention]
# The short form, which is read, and the fast one, which is used: one law for both.
FORMS: list[Form] = [RelativeAttention, RelativeMultiHeadAttention]


def random_parameters(module: nn.Module, std: float = 0.7) -> None:
    """Values of size 1 for everything, so that no term is too small to be missed."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=std)


def parts(
    norm: str = "pre",
    encoding: str = "sinusoidal",
    form: Form = RelativeMultiHeadAttention,
    dropout: float = 0.0,
    clamp_len: int = 0,
    sizes: tuple[int, int, int] = (HEADS, D_MODEL, D_FF),
) -> dict[str, Any]:
    """The arguments of a layer."""
    heads, d_model, d_ff = sizes
    return {
        "d_model": d_model,
        "self_attn": form(heads, d_model, dropout, encoding, clamp_len),
        "feed_forward": FeedForward(d_model, d_ff, dropout),
        "dropout_prob": dropout,
        "norm": norm,
    }


def make_xl(
    n_layers: int = 2, *, same_length: bool = False, **given: Any
) -> TransformerXL:
    """A Transformer-XL of random parameters, in float64; `given` are its parts."""
    layer = TransformerXLLayer(**parts(**given))
    model = TransformerXL(layer, n_layers, same_length=same_length).double()
    random_parameters(model)
    return model


def make_compressive(
    compression: str = "conv1d", rate: int = 2, n_layers: int = 2, **given: Any
) -> CompressiveTransformer:
    """A Compressive Transformer of random parameters, in float64."""
    named = parts(**given)
    compress = COMPRESSIONS[compression](rate, named["d_model"])
    layer = CompressiveTransformerLayer(**named, compress=compress)
    model = CompressiveTransformer(layer, n_layers).double()
    random_parameters(model)
    return model


def states(length: int, batch: int = 2, d_model: int = D_MODEL) -> Tensor:
    """States with a gradient, in float64."""
    return torch.randn(length, batch, d_model, dtype=torch.float64, requires_grad=True)
