r"""# The vanilla Transformer

The baseline: the same layers, with absolute positions in place of distances. Without
memory it is the Transformer that Transformer-XL is compared with.

Everything but the attention and the positions is Transformer-XL's own code, so that a
difference in the loss comes from these two. Memory can be switched on here as well. The
paper says why nobody would: a remembered state and a state of this segment may then
carry the same position. The ablation on the page *Benchmarks* shows what that costs.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models import (
    AbsolutePositions,
    MemoryLengths,
    TransformerXL,
    TransformerXLLayer,
    causal_mask,
)


class AbsoluteAttention(nn.Module):
    r"""Multi-head attention that knows no positions: term (a) and nothing else.

    It is called like `RelativeMultiHeadAttention`.
    """

    def __init__(self, heads: int, d_model: int, dropout_prob: float) -> None:
        super().__init__()
        self.heads = heads
        self.d_model = d_model
        self.dropout_prob = dropout_prob
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, d_model)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        r"""`[seq_len, batch, d_model]` from the queries, the keys and the values."""
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # Nothing is added to these scores, so PyTorch's fused attention can be used.
        seq_len, mem_len = len(query), len(key) - len(query)
        if mask is None and mem_len:
            mask = causal_mask(seq_len, mem_len, device=query.device)
        a = F.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=None if mask is None else mask.permute(2, 0, 1)[:, None],
            dropout_p=self.dropout_prob if self.training else 0.0,
            is_causal=mask is None,
        )  # [batch, heads, seq_len, d_k]
        joined = a.permute(2, 0, 1, 3).flatten(2)
        attended: Tensor = self.output(joined)  # [seq_len, batch, d_model]
        return attended

    def split_heads(self, x: Tensor) -> Tensor:
        r"""`[len, batch, d_model]` to `[batch, heads, len, d_k]`."""
        length, batch, _ = x.shape
        return x.view(length, batch, self.heads, -1).permute(1, 2, 0, 3)


class AbsoluteTransformer(TransformerXL):
    r"""Layers with such attention; the input says where in its segment a token is."""

    def __init__(
        self, layer: TransformerXLLayer, n_layers: int, same_length: bool = False
    ) -> None:
        super().__init__(layer, n_layers, same_length)
        self.positions = AbsolutePositions(layer.size)

    def advance(
        self, x: Tensor, memory: list[Tensor] | None, lengths: MemoryLengths
    ) -> tuple[Tensor, list[Tensor]]:
        r"""One segment, whose positions start at 1 like those of every other."""
        return super().advance(self.positions(x), memory, lengths)
