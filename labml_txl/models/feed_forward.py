"""# Position-wise feed-forward network

The feed-forward network consists of two linear layers with a ReLU between them.
Attention moves information from one token to another, whereas this network processes
the state of each token separately, with the same weights for all tokens.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.dropout import Dropout


class FeedForward(nn.Module):
    r"""$\mathrm{FFN}(x) = \max(0, x\,W_1 + b_1)\,W_2 + b_2$

    - `d_model`: the number of features of a token.
    - `d_ff`: the number of features between the two linear layers, usually four times
      `d_model`.
    - `dropout_prob`: the probability with which one of these features is dropped in
      training.

    The residual connection and the layer norm are not part of this network: see
    `TransformerXLLayer`.
    """

    def __init__(self, d_model: int, d_ff: int, dropout_prob: float = 0.1) -> None:
        super().__init__()
        if d_model < 1 or d_ff < 1:
            raise ValueError(f"{d_model=} and {d_ff=} must both be at least 1")
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout_prob)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the network to each token of `x`, `[seq_len, batch, d_model]`."""
        # $\max(0, x\,W_1 + b_1)$, with dropout. Dropout multiplies by 0 or by a
        # positive number, so its result is the same before the ReLU as after it. We
        # apply it before, because then the ReLU and the second linear layer store the
        # same tensor for their backward passes.
        hidden = F.relu(self.dropout(self.expand(x)))  # [seq_len, batch, d_ff]

        # The second linear layer returns to `d_model` features. `TransformerXLLayer`
        # applies dropout to its result.
        out: Tensor = self.contract(hidden)  # [seq_len, batch, d_model]
        return out
