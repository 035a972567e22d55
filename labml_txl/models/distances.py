# ---
# keywords: [pos_emb, clamp_len, relative positional encoding, unseen distances, longer
#   than in training]
# ---
r"""# The encoding of distances

Two of the four terms of [the relative scores][txl.scores] depend on the distance
between a query and a key. For each distance, this page computes what they need:

- a **key** of the distance, $\mathbf W_{k,R} \mathbf R_{i-j}$. In term (b) it is
  compared with the query, so a query can look for keys at a certain distance.
- a **bias** of the distance, $v^\top \mathbf W_{k,R} \mathbf R_{i-j}$. It is term (d),
  which makes a distance more or less important to every query.

Neither of them depends on the tokens, so they are computed once for all queries and all
sequences of a batch. There are two encodings: `SinusoidalDistances` is the paper's, and
`LearnedDistances` is that of labml-nn, a well-known annotated implementation.

The [live page](../live.md) shows the terms (b) and (d) that a trained model computes
for the distance between two characters.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from labml_txl.models.embeddings import relative_positions


class DistanceKeys(NamedTuple):
    """A key and a bias for each distance, the farthest distance first."""

    keys: Tensor  # [heads, d_k, n_distances]
    bias: Tensor  # [heads, 1, n_distances]


class Distances(Protocol):
    """The interface of an encoding of distances, which is a module in `ENCODINGS`.

    - `heads`: the number of heads. Each has keys and biases of its own.
    - `d_model`: the number of features of a token.
    - `clamp_len`: the distance from which on all distances are treated as equal, or 0
      for no limit.
    """

    def __init__(self, heads: int, d_model: int, clamp_len: int = 0) -> None: ...

    def __call__(self, farthest: int, nearest: int) -> DistanceKeys:
        """Keys and biases of all distances from `farthest` down to `nearest`.

        A distance is negative if the key comes after the query. Under the causal mask,
        no distance below 0 is needed. Negative ones have keys and biases too, because
        the caller may pass a mask that allows such keys. The result has the device and
        the data type of the parameters.
        """


class SinusoidalDistances(nn.Module):
    r"""The paper's encoding: the sinusoids $\mathbf R$, projected by $\mathbf W_{k,R}$.

    Sinusoids exist for every distance, also for those that [a longer memory in
    evaluation](../experiments.md#a-memory-longer-than-in-training) adds. For the
    arguments see `Distances`.
    """

    def __init__(self, heads: int, d_model: int, clamp_len: int = 0) -> None:
        super().__init__()
        self.clamp_len = clamp_len
        self.heads = heads
        self.d_model = d_model
        self.projection = nn.Linear(d_model, d_model, bias=False)
        self.position_bias = nn.Parameter(torch.empty(heads, d_model // heads))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new $v$. The projection resets itself."""
        # As in the authors' code, the standard deviation is 0.02.
        nn.init.normal_(self.position_bias, std=0.02)

    def forward(self, farthest: int, nearest: int) -> DistanceKeys:
        """Keys and biases of the distances from `farthest` down to `nearest`."""
        # $\mathbf R$ has one row for each distance, the farthest first.
        v = self.position_bias
        R = relative_positions(
            farthest, nearest, self.d_model, v.dtype, v.device, self.clamp_len
        )  # [n_distances, d_model]

        # [The matrix $\mathbf Q$][txl.distance_keys] contains the keys of all
        # distances, $\mathbf Q_c = \mathbf W_{k,R}\,\mathbf R_{M+L-1-c}$.
        Q: Tensor = self.projection(R)  # [n_distances, d_model]
        Q = Q.view(len(R), self.heads, -1)  # [n_distances, heads, d_k]
        keys = Q.permute(1, 2, 0)  # [heads, d_k, n_distances]

        # Term (d) [needs one row only][txl.position_bias_terms],
        # $\widetilde{\mathbf d} = [\mathbf Q\,v]^\top$, since $v$ is the same for all
        # queries.
        bias = v[:, None] @ keys  # [heads, 1, n_distances]
        return DistanceKeys(keys, bias)


class LearnedDistances(nn.Module):
    r"""Another encoding: a learned key and a learned bias for each distance.

    Departure: the paper projects sinusoids. Here every distance $r$ has a key
    $\widehat{\mathbf R}_r$ of its own, as in Shaw et al. (2018), and a bias $S_r$:

    $$
    \mathbf A_{i,j} = q_i^\top k_j + q_i^\top \widehat{\mathbf R}_{i-j}
    + u^\top k_j + S_{i-j}
    $$

    The Transformer-XL of labml-nn computes these scores, and this class exists so that
    its weights can be loaded. With this encoding, a model can prefer any distance to
    any other. The disadvantages are that a layer with $h$ heads needs $2P\,(d + h)$
    parameters for distances up to $P$, and that the vectors of distances that do not
    occur in training are not trained.

    `reach` is $P$. In the tables, row $j - i + P$ belongs to the offset $j - i$, and
    all distances beyond $P$ share a row. For the other arguments see `Distances`.
    """

    def __init__(
        self, heads: int, d_model: int, clamp_len: int = 0, reach: int = 4096
    ) -> None:
        super().__init__()
        self.clamp_len = clamp_len
        self.reach = reach
        self.keys = nn.Parameter(torch.empty(2 * reach, heads, d_model // heads))
        self.bias = nn.Parameter(torch.empty(2 * reach, heads))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values for both tables."""
        nn.init.normal_(self.keys, std=0.02)
        nn.init.normal_(self.bias, std=0.02)

    def forward(self, farthest: int, nearest: int) -> DistanceKeys:
        """Keys and biases of the distances from `farthest` down to `nearest`."""
        # The offset $j - i$ is the negative distance. Offsets in ascending order are
        # therefore distances in descending order, as attention expects them.
        device = self.keys.device
        offsets = torch.arange(-farthest, 1 - nearest, device=device)  # [n_distances]
        if self.clamp_len:
            offsets = offsets.clamp(min=-self.clamp_len)  # [n_distances]
        rows = (offsets + self.reach).clamp(0, 2 * self.reach - 1)  # [n_distances]

        keys = self.keys[rows].permute(1, 2, 0)  # [heads, d_k, n_distances]
        bias = self.bias[rows].t()[:, None]  # [heads, 1, n_distances]
        return DistanceKeys(keys, bias)


# The encodings by the names that the argument `encoding` accepts. To add another one,
# write a class with the interface of `Distances`, and name it here and in
# `labml_txl.variants`.
ENCODINGS: dict[str, Callable[[int, int, int], Any]] = {
    "sinusoidal": SinusoidalDistances,
    "learned": LearnedDistances,
}
