r"""# Clusters of words

The vocabulary, ordered from the most frequent word to the rarest, is cut into clusters.
The vectors of each cluster are narrower than those of the cluster before it.

```text
cluster    words                width with k = 4
1                0 …  19,999    1,024
2           20,000 …  39,999      256
3           40,000 … 199,999       64
4          200,000 … 267,734       16
```

So the authors of Transformer-XL cut WikiText-103, in their larger model.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Cluster(NamedTuple):
    r"""Tokens from `first` to before `end`, and the width of their vectors."""

    first: int
    end: int
    width: int


@dataclass(frozen=True)
class Clusters:
    r"""Where a vocabulary is cut, and how wide the vectors of each cluster are.

    `cutoffs` are the first tokens of all clusters but the first one. `div_val` is the
    paper's $k$: each cluster is narrower than the one before by this factor. `d_embed`
    is the width of the first cluster; by itself it is `d_model`.

    With `tied_projections` the softmax shares the projections of all clusters but the
    first with the input. The authors do so for WikiText-103.
    """

    cutoffs: tuple[int, ...] = ()
    div_val: int = 1
    d_embed: int | None = None
    tied_projections: bool = True

    def parts(self, n_vocab: int, d_model: int) -> list[Cluster]:
        r"""The clusters of a vocabulary of `n_vocab` tokens, the most frequent first.

        Raises `ValueError` for clusters that no such vocabulary has.
        """
        bounds = (0, *self.cutoffs, n_vocab)
        if any(first >= end for first, end in pairwise(bounds)):
            raise ValueError(
                f"cutoffs={list(self.cutoffs)} must rise between 0 and {n_vocab=}"
            )
        if self.div_val < 1:
            raise ValueError(f"div_val={self.div_val} must be at least 1")

        # [The widths][ada.widths]: $d$ for the first cluster, $d/k^{n-1}$ for the
        # $n$-th, without a remainder.
        d = self.d_embed or d_model
        widths = [d // self.div_val**n for n in range(len(bounds) - 1)]
        if widths[-1] < 1:
            raise ValueError(
                f"div_val={self.div_val} leaves cluster {len(widths)} without a width: "
                f"{d} / {self.div_val}^{len(widths) - 1} is less than 1"
            )

        # [The partition][ada.clusters]: each token is in exactly one cluster.
        parts = zip(pairwise(bounds), widths, strict=True)
        return [Cluster(first, end, width) for (first, end), width in parts]

    def projection(self, width: int, d_model: int) -> "Projection | SameWidth":
        r"""What brings vectors of one width to `d_model`, with values of its own."""
        # Departure: the paper projects always. As in the authors' code, vectors that
        # all have the width of the model are taken as they are.
        if self.div_val == 1 and width == d_model:
            return SameWidth()
        return Projection(width, d_model)


class Projection(nn.Module):
    r"""A matrix between the width of a cluster and that of the model, for both ways.

    Its initial values are normal with a standard deviation of 0.01, as in the authors'
    code.
    """

    def __init__(self, width: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw new values."""
        nn.init.normal_(self.weight, std=0.01)

    def forward(self, x: Tensor) -> Tensor:
        r"""From the width of the cluster to `d_model`: for the input."""
        # [The projections][ada.projections]: $\mathbf W_n$ maps the vectors of cluster
        # $n$ to the dimension $d$.
        return x @ self.weight.T

    def back(self, y: Tensor) -> Tensor:
        r"""From `d_model` to the width of the cluster: for the softmax."""
        return y @ self.weight


class SameWidth(nn.Module):
    r"""No projection, where the cluster is as wide as the model."""

    def forward(self, x: Tensor) -> Tensor:
        r"""`x` itself."""
        return x

    def back(self, y: Tensor) -> Tensor:
        r"""`y` itself."""
        return y
