"""# The vanilla Transformer

This Transformer with absolute positions, which the paper calls the vanilla model, is
the baseline with which Transformer-XL is compared.

Apart from attention and positions, it consists of the same code as
[Transformer-XL](../models/transformer_xl.md), so a difference in the loss is due to
these two. (Relative attention also has more parameters: $u$, $v$ and the projection of
distances.) It can be used with a memory, but then a state in memory and a state of the
segment may [have the same position](../models/embeddings.md#AbsolutePositions). The
ablation on the page [Benchmarks](../measured.md) shows how much this increases the
loss.
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
    """Multi-head attention without distances: of the four terms, it has only (a).

    Its arguments are those of `RelativeMultiHeadAttention`.
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
        """Attend from the segment to the memory and the segment.

        For the arguments see `RelativeMultiHeadAttention.forward`. Returns
        `[seq_len, batch, d_model]`.
        """
        q = self.split_heads(self.query(query))  # [batch, heads, seq_len, d_k]
        k = self.split_heads(self.key(key))  # [batch, heads, k_len, d_k]
        v = self.split_heads(self.value(value))  # [batch, heads, k_len, d_k]

        # Without terms for distances, PyTorch's fused attention can compute the scores.
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
        """`[len, batch, d_model]` to `[batch, heads, len, d_k]`."""
        length, batch, _ = x.shape
        return x.view(length, batch, self.heads, -1).permute(1, 2, 0, 3)


class AbsoluteTransformer(TransformerXL):
    """Layers with `AbsoluteAttention`. Positions are added to their input."""

    def __init__(
        self, layer: TransformerXLLayer, n_layers: int, same_length: bool = False
    ) -> None:
        super().__init__(layer, n_layers, same_length)
        self.positions = AbsolutePositions(layer.size)

    def advance(
        self,
        x: Tensor,
        memory: list[Tensor] | None,
        lengths: MemoryLengths,
        positions: Tensor | None = None,
    ) -> tuple[Tensor, list[Tensor]]:
        """Process one segment, in which positions are counted from 1."""
        x = self.positions(x, positions)
        return super().advance(x, memory, lengths, positions)
