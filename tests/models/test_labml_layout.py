"""Attention with weights in the layout of labml-nn is the learned variant.

The reference below computes what that project's attention computes, in its order of
axes and with its way to shift, from a state dict in its layout. It is written anew.
"""

import pytest
import torch
from torch import Tensor

from labml_txl.models import RelativeMultiHeadAttention, causal_mask

HEADS, D_MODEL, REACH = 2, 6, 4096
D_K = D_MODEL // HEADS

# Their names, ours, and the shapes.
NAMES = {
    "query.linear.weight": ("query.weight", (D_MODEL, D_MODEL)),
    "key.linear.weight": ("key.weight", (D_MODEL, D_MODEL)),
    "value.linear.weight": ("value.weight", (D_MODEL, D_MODEL)),
    "output.weight": ("output.weight", (D_MODEL, D_MODEL)),
    "output.bias": ("output.bias", (D_MODEL,)),
    "query_pos_bias": ("content_bias", (HEADS, D_K)),
    "key_pos_embeddings": ("distances.keys", (2 * REACH, HEADS, D_K)),
    "key_pos_bias": ("distances.bias", (2 * REACH, HEADS)),
}


def labml_attention(
    p: dict[str, Tensor], query: Tensor, key: Tensor, mask: Tensor
) -> Tensor:
    """Scores `[i, j, b, h]`; distances counted as offsets; rows moved to the right."""
    q_len, k_len = len(query), len(key)

    def split(x: Tensor, name: str) -> Tensor:
        projected = x @ p[f"{name}.linear.weight"].T
        return projected.view(len(x), -1, HEADS, D_K)

    q, k, v = split(query, "query"), split(key, "key"), split(key, "value")
    v = v + p["value.linear.bias"].view(HEADS, -1)
    rows = slice(REACH - k_len, REACH + q_len)
    R, S = p["key_pos_embeddings"][rows], p["key_pos_bias"][rows]
    ac = torch.einsum("ibhd,jbhd->ijbh", q + p["query_pos_bias"], k)
    bd = torch.einsum("ibhd,jhd->ijbh", q, R) + S[None, :, None]

    # A column of zeros at the right, rows one number longer, the last row away.
    bd = torch.cat((bd, bd.new_zeros(q_len, 1, *bd.shape[2:])), dim=1)
    bd = bd.reshape(k_len + q_len + 1, q_len, *bd.shape[2:])[:-1]
    bd = bd.reshape(q_len, k_len + q_len, *bd.shape[2:])[:, -k_len:]

    scores = (ac + bd) / D_K**0.5
    scores = scores.masked_fill(~mask[..., None], -1e9)
    a = torch.einsum("ijbh,jbhd->ibhd", scores.softmax(1), v).flatten(2)
    return a @ p["output.weight"].T + p["output.bias"]


@pytest.mark.parametrize("mem_len", [0, 4])
def test_weights_of_labml_nn_give_the_output_of_its_attention(mem_len: int) -> None:
    theirs = {
        name: torch.randn(shape, dtype=torch.float64)
        for name, (_, shape) in NAMES.items()
    }
    theirs["value.linear.bias"] = torch.randn(D_MODEL, dtype=torch.float64)
    ours = {NAMES[name][0]: value for name, value in theirs.items() if name in NAMES}
    # The weights of a softmax add up to 1, so a bias of the values comes out of the
    # attention as it is: it belongs into the bias of the last map.
    folded = theirs["output.weight"] @ theirs["value.linear.bias"]
    ours["output.bias"] = ours["output.bias"] + folded
    attention = RelativeMultiHeadAttention(HEADS, D_MODEL, 0.0, encoding="learned")
    attention.double().load_state_dict(ours)  # strict: nothing missing, nothing over

    x = torch.randn(5, 3, D_MODEL, dtype=torch.float64)
    context = torch.cat((torch.randn(mem_len, 3, D_MODEL, dtype=torch.float64), x))
    mask = causal_mask(5, mem_len)
    wanted = labml_attention(theirs, x, context, mask)
    for given in (None, mask):
        torch.testing.assert_close(attention(x, context, context, given), wanted)
