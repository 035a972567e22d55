"""Weights in the layout of labml-nn load into the learned variant.

The reference below computes what that project's attention computes, in its order of
axes and with its way to shift, from a state dict in its layout. It is written anew.
"""

import pytest
import torch
from torch import Tensor

from labml_txl.models import (
    FeedForward,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
    causal_mask,
)

HEADS, D_MODEL, D_FF, REACH = 2, 6, 7, 4096

# Their names, and ours.
ATTENTION_NAMES = {
    "query.linear.weight": "query.weight",
    "key.linear.weight": "key.weight",
    "value.linear.weight": "value.weight",
    "output.weight": "output.weight",
    "output.bias": "output.bias",
    "query_pos_bias": "content_bias",
    "key_pos_embeddings": "distances.keys",
    "key_pos_bias": "distances.bias",
}
LAYER_NAMES = {
    **{f"self_attn.{a}": f"self_attn.{b}" for a, b in ATTENTION_NAMES.items()},
    "feed_forward.layer1.weight": "feed_forward.expand.weight",
    "feed_forward.layer1.bias": "feed_forward.expand.bias",
    "feed_forward.layer2.weight": "feed_forward.contract.weight",
    "feed_forward.layer2.bias": "feed_forward.contract.bias",
    "norm_self_attn.weight": "norm_self_attn.weight",
    "norm_self_attn.bias": "norm_self_attn.bias",
    "norm_ff.weight": "norm_ff.weight",
    "norm_ff.bias": "norm_ff.bias",
}


def from_labml(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state dict of our `TransformerXL` from one of theirs."""
    ours = {}
    for name, value in state.items():
        if name.startswith("layers."):
            _, n, rest = name.split(".", 2)
            if rest in LAYER_NAMES:
                ours[f"layers.{n}.{LAYER_NAMES[rest]}"] = value
        else:
            ours[name] = value
    # The weights of a softmax add up to 1, so a bias of the values comes out of the
    # attention as it is: it belongs into the bias of the last map.
    for name, value in state.items():
        if name.endswith("value.linear.bias"):
            attention = name.removesuffix("value.linear.bias")
            folded = state[f"{attention}output.weight"] @ value
            ours[f"{attention}output.bias"] = ours[f"{attention}output.bias"] + folded
    return ours


def labml_state(n_layers: int) -> dict[str, Tensor]:
    """Random weights under their names, in their shapes."""
    d_k = D_MODEL // HEADS
    shapes = {
        **{
            f"self_attn.{name}.linear.weight": (D_MODEL, D_MODEL)
            for name in ("query", "key", "value")
        },
        "self_attn.value.linear.bias": (D_MODEL,),
        "self_attn.output.weight": (D_MODEL, D_MODEL),
        "self_attn.output.bias": (D_MODEL,),
        "self_attn.key_pos_embeddings": (2 * REACH, HEADS, d_k),
        "self_attn.key_pos_bias": (2 * REACH, HEADS),
        "self_attn.query_pos_bias": (HEADS, d_k),
        "feed_forward.layer1.weight": (D_FF, D_MODEL),
        "feed_forward.layer1.bias": (D_FF,),
        "feed_forward.layer2.weight": (D_MODEL, D_FF),
        "feed_forward.layer2.bias": (D_MODEL,),
        "norm_self_attn.weight": (D_MODEL,),
        "norm_self_attn.bias": (D_MODEL,),
        "norm_ff.weight": (D_MODEL,),
        "norm_ff.bias": (D_MODEL,),
    }
    state = {
        f"layers.{n}.{name}": torch.randn(shape, dtype=torch.float64)
        for n in range(n_layers)
        for name, shape in shapes.items()
    }
    state["norm.weight"], state["norm.bias"] = torch.randn(2, D_MODEL).double()
    return state


def labml_model(
    state: dict[str, Tensor], x: Tensor, mem: list[Tensor], mask: Tensor
) -> Tensor:
    """What their model computes: pre-norm, and memory normalized like the segment."""
    for n in range(len(mem)):
        p = {
            name.removeprefix(f"layers.{n}."): value
            for name, value in state.items()
            if name.startswith(f"layers.{n}.")
        }
        z = norm(x, p["norm_self_attn.weight"], p["norm_self_attn.bias"])
        m = norm(mem[n], p["norm_self_attn.weight"], p["norm_self_attn.bias"])
        x = x + labml_attention(p, z, torch.cat((m, z)), mask)
        z = norm(x, p["norm_ff.weight"], p["norm_ff.bias"])
        hidden = z @ p["feed_forward.layer1.weight"].T + p["feed_forward.layer1.bias"]
        x = x + hidden.relu() @ p["feed_forward.layer2.weight"].T
        x = x + p["feed_forward.layer2.bias"]
    return norm(x, state["norm.weight"], state["norm.bias"])


def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    centred = x - x.mean(-1, keepdim=True)
    return centred / (
        centred.square().mean(-1, keepdim=True) + 1e-5
    ).sqrt() * weight + (bias)


def labml_attention(
    p: dict[str, Tensor], query: Tensor, key: Tensor, mask: Tensor
) -> Tensor:
    """Scores `[i, j, b, h]`; distances counted as offsets; rows moved to the right."""
    q_len, k_len = len(query), len(key)

    def split(x: Tensor, name: str) -> Tensor:
        projected = x @ p[f"self_attn.{name}.linear.weight"].T
        return projected.view(len(x), -1, HEADS, D_MODEL // HEADS)

    q, k, v = split(query, "query"), split(key, "key"), split(key, "value")
    v = v + p["self_attn.value.linear.bias"].view(HEADS, -1)
    rows = slice(REACH - k_len, REACH + q_len)
    R, S = p["self_attn.key_pos_embeddings"][rows], p["self_attn.key_pos_bias"][rows]
    ac = torch.einsum("ibhd,jbhd->ijbh", q + p["self_attn.query_pos_bias"], k)
    bd = torch.einsum("ibhd,jhd->ijbh", q, R) + S[None, :, None]

    # A column of zeros at the right, rows one number longer, the last row away.
    bd = torch.cat((bd, bd.new_zeros(q_len, 1, *bd.shape[2:])), dim=1)
    bd = bd.reshape(k_len + q_len + 1, q_len, *bd.shape[2:])[:-1]
    bd = bd.reshape(q_len, k_len + q_len, *bd.shape[2:])[:, -k_len:]

    scores = (ac + bd) / (D_MODEL // HEADS) ** 0.5
    scores = scores.masked_fill(~mask[..., None], -1e9)
    a = torch.einsum("ijbh,jbhd->ibhd", scores.softmax(1), v).flatten(2)
    return a @ p["self_attn.output.weight"].T + p["self_attn.output.bias"]


@pytest.mark.parametrize("mem_len", [0, 4])
def test_weights_in_the_layout_of_labml_give_the_same_outputs(mem_len: int) -> None:
    state = labml_state(n_layers=2)
    layer = TransformerXLLayer(
        d_model=D_MODEL,
        self_attn=RelativeMultiHeadAttention(HEADS, D_MODEL, 0.0, encoding="learned"),
        feed_forward=FeedForward(D_MODEL, D_FF, 0.0),
        dropout_prob=0.0,
    )
    model = TransformerXL(layer, n_layers=2).double()
    model.load_state_dict(from_labml(state))  # strict: nothing missing, nothing over

    x = torch.randn(5, 3, D_MODEL, dtype=torch.float64)
    mem = [torch.randn(mem_len, 3, D_MODEL, dtype=torch.float64) for _ in range(2)]
    mask = causal_mask(5, mem_len)
    theirs = labml_model(state, x, mem, mask)
    ours, _ = model(x, mem)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)
    torch.testing.assert_close(model(x, mem, mask)[0], theirs, rtol=0, atol=1e-5)
