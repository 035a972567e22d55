r"""# What attention knows about distances

A key and a bias for every distance between two tokens: the paper's sinusoids behind a
projection, or learned tables.

Attention has two questions about a distance. Does this query look that far? That is
term (b) of [the relative scores][txl.scores], and a key of the distance answers it.
Does this distance matter to every query? That is term (d), and a bias answers it. Both
depend on the parameters and on the number of keys, and on no token.

`SinusoidalDistances` is the paper's way. `LearnedDistances` is that of the best-known
annotated implementation.
"""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from labml_txl.models.embeddings import relative_positions


class DistanceKeys(NamedTuple):
    r"""All that a layer knows about distances: a key and a bias for each.

    It depends on the parameters and on the number of keys, and on no token.
    """

    keys: Tensor  # [heads, d_k, n_distances]
    bias: Tensor  # [heads, 1, n_distances]


class Distances(Protocol):
    r"""What attention wants of an encoding of distances, an entry of `ENCODINGS`.

    It is made of `heads`, `d_model` and `clamp_len`. Distances beyond `clamp_len` count
    as `clamp_len`; 0 is no limit. It is a module with parameters of its own.
    """

    def __init__(self, heads: int, d_model: int, clamp_len: int = 0) -> None: ...

    def __call__(self, farthest: int, nearest: int) -> DistanceKeys:
        r"""Keys and biases of all distances from `farthest` down to `nearest`.

        A negative distance is that of a key which comes after its query: it has a key
        and a bias like any other, since a mask may show it. What is returned has the
        device and the data type of the parameters.
        """


class SinusoidalDistances(nn.Module):
    r"""The paper's distances: $\mathbf W_{k,R}\,\mathbf R_r$, and $v$ to weigh them.

    Any distance has its row of sinusoids, so memory may be longer in evaluation than it
    was in training. Distances beyond `clamp_len` count as `clamp_len`; 0 is no limit.
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
        r"""Draw a new $v$; the projection draws its own weights."""
        # The authors' code draws $v$ with a standard deviation of 0.02, small beside
        # the queries that it is added to.
        nn.init.normal_(self.position_bias, std=0.02)

    def forward(self, farthest: int, nearest: int) -> DistanceKeys:
        r"""Keys and biases of the distances from `farthest` down to `nearest`."""
        # $\mathbf R$, one row a distance, the farthest first. `torch.compile`
        # looks through the cache and warns of it, so it gets the function behind.
        compiling = torch.compiler.is_compiling()
        rows = relative_positions.__wrapped__ if compiling else relative_positions
        weight = self.projection.weight
        R = rows(
            farthest, nearest, self.d_model, weight.dtype, weight.device, self.clamp_len
        )  # [n_distances, d_model]

        # [The matrix $\mathbf Q$][txl.distance_keys]:
        # $\mathbf Q_c = \mathbf W_{k,R}\,\mathbf R_{M+L-1-c}$, once for all queries.
        Q: Tensor = self.projection(R)  # [n_distances, d_model]
        Q = Q.view(len(R), self.heads, -1)  # [n_distances, heads, d_k]
        keys = Q.permute(1, 2, 0)  # [heads, d_k, n_distances]

        # [One row for term (d)][txl.position_bias_terms]:
        # $\widetilde{\mathbf d} = [\mathbf Q\,v]^\top$. All queries share it.
        bias = self.position_bias[:, None] @ keys  # [heads, 1, n_distances]
        return DistanceKeys(keys, bias)


class LearnedDistances(nn.Module):
    r"""Another way to describe a distance: a learned key and a learned bias for each.

    Departure: the paper has sinusoids and a projection. Here every distance $r$ has its
    own key $\widehat{\mathbf R}_r$, as in Shaw et al. (2018), and its own bias $S_r$:

    $$
    \mathbf A_{i,j} = q_i^\top k_j + q_i^\top \widehat{\mathbf R}_{i-j}
    + u^\top k_j + S_{i-j}
    $$

    This is what labml-nn has under the name of Transformer-XL, and it is here so that
    such weights can be loaded. It can prefer any distance to any other, at the price of
    $2P\,(d + h)$ parameters a layer for a table that reaches $P$ tokens, with $h$
    heads. It knows nothing about a distance that it never met in training.

    Both tables are indexed by the offset $j - i$, plus $P$. `clamp_len` is as for
    `SinusoidalDistances`.
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
        r"""Draw new tables."""
        nn.init.normal_(self.keys, std=0.02)
        nn.init.normal_(self.bias, std=0.02)

    def forward(self, farthest: int, nearest: int) -> DistanceKeys:
        r"""Keys and biases of the distances from `farthest` down to `nearest`."""
        # Offsets $j - i$ rise as distances fall, so the rows are in the right order.
        # Beyond the table's reach, or `clamp_len`, all distances share one row.
        device = self.keys.device
        offsets = torch.arange(-farthest, 1 - nearest, device=device)  # [n_distances]
        if self.clamp_len:
            offsets = offsets.clamp(min=-self.clamp_len)  # [n_distances]
        rows = (offsets + self.reach).clamp(0, 2 * self.reach - 1)  # [n_distances]

        keys = self.keys[rows].permute(1, 2, 0)  # [heads, d_k, n_distances]
        bias = self.bias[rows].t()[:, None]  # [heads, 1, n_distances]
        return DistanceKeys(keys, bias)


# Names for the two, as `encoding` takes them. To add one, write a class like
# `Distances` and a line here.
ENCODINGS = {"sinusoidal": SinusoidalDistances, "learned": LearnedDistances}
