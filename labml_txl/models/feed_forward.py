r"""# Position-wise feed-forward network

Two linear layers with a ReLU between them, applied to every token by itself. Attention
moves information between tokens; this network works on what has arrived.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.fast.dropout import Dropout


class FeedForward(nn.Module):
    r"""$\mathrm{FFN}(x) = \max(0, x\,W_1 + b_1)\,W_2 + b_2$

    `d_ff` is the width between the two layers, by custom four times `d_model`. It may
    differ from layer to layer. The residual connection and the normalization around it
    belong to the layer: see `TransformerXLLayer`.
    """

    def __init__(self, d_model: int, d_ff: int, dropout_prob: float = 0.1) -> None:
        super().__init__()
        if d_model < 1 or d_ff < 1:
            raise ValueError(f"{d_model=} and {d_ff=} must both be at least 1")
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout_prob)

    def forward(self, x: Tensor) -> Tensor:
        r"""Each token of `x`, `[seq_len, batch, d_model]`, by itself."""
        # $\max(0, x\,W_1 + b_1)$, with dropout. Dropout multiplies by 0 or by a
        # positive number, so it may as well come before the ReLU. Then the ReLU and
        # the second layer keep the same tensor for their backward passes.
        hidden = F.relu(self.dropout(self.expand(x)))  # [seq_len, batch, d_ff]

        # The second layer gives the width of the residual stream again. The dropout
        # behind it is the layer's.
        out: Tensor = self.contract(hidden)  # [seq_len, batch, d_model]
        return out
