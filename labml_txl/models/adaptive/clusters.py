# ---
# keywords: [div_val, cutoff]
# ---
"""# Clusters of words

The vocabulary is ordered from the most frequent word to the rarest and divided into
clusters. The vectors of each cluster are narrower than those of the cluster before it.
For the larger of their models for WikiText-103, the authors of Transformer-XL use these
clusters:

```text
cluster    words                width with k = 4
1                0 …  19,999    1,024
2           20,000 …  39,999      256
3           40,000 … 199,999       64
4          200,000 … 267,734       16
```
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Cluster(NamedTuple):
    """The tokens from `first` to `end - 1`, and the width of their vectors."""

    first: int
    end: int
    width: int


def cluster_of(tokens: Tensor, clusters: Sequence[Cluster]) -> Tensor:
    """The number of the cluster of each token, from 0, in the shape of `tokens`."""
    cluster = torch.zeros_like(tokens)
    for first, _, _ in clusters[1:]:
        cluster += tokens >= first
    return cluster


@dataclass(frozen=True)
class Clusters:
    """How a vocabulary is divided, and how wide the vectors of each cluster are.

    - `cutoffs`: the first token of each cluster but the first one.
    - `div_val`: the paper's $k$, the factor by which each cluster is narrower than the
      one before it.
    - `d_embed`: the width of the first cluster; `None` is `d_model`.
    - `tied_projections`: whether the softmax uses the projections of the input for all
      clusters but the first, as the authors do for WikiText-103.
    """

    cutoffs: tuple[int, ...] = ()
    div_val: int = 1
    d_embed: int | None = None
    tied_projections: bool = True

    def parts(self, n_vocab: int, d_model: int) -> list[Cluster]:
        """The clusters of a vocabulary of `n_vocab` tokens, the most frequent first.

        Raises `ValueError` if the cutoffs are not in ascending order within the
        vocabulary, or if a cluster would have no width.
        """
        bounds = (0, *self.cutoffs, n_vocab)
        if any(first >= end for first, end in pairwise(bounds)):
            raise ValueError(
                f"cutoffs={list(self.cutoffs)} must rise between 0 and {n_vocab=}"
            )
        if self.div_val < 1:
            raise ValueError(f"div_val={self.div_val} must be at least 1")

        # [The widths][ada.widths] are $d$ for the first cluster and $d/k^{n-1}$ for the
        # $n$-th, rounded down.
        d = self.d_embed or d_model
        widths = [d // self.div_val**n for n in range(len(bounds) - 1)]
        if widths[-1] < 1:
            raise ValueError(
                f"div_val={self.div_val} leaves cluster {len(widths)} without a width: "
                f"{d} / {self.div_val}^{len(widths) - 1} is less than 1"
            )

        # [A partition][ada.clusters] means that each token is in exactly one cluster.
        parts = zip(pairwise(bounds), widths, strict=True)
        return [Cluster(first, end, width) for (first, end), width in parts]

    def projection(self, width: int, d_model: int) -> "Projection | SameWidth":
        """A new projection from vectors of one width to vectors of `d_model`."""
        # Departure: the paper always projects. Like the code of Transformer-XL's
        # authors, we do not if the vectors of all clusters have the width of the model.
        if self.div_val == 1 and width == d_model:
            return SameWidth()
        return Projection(width, d_model)


class Projection(nn.Module):
    """A matrix that maps vectors from a cluster's width to the model's, and back.

    Its initial values are normally distributed with a standard deviation of 0.01, as in
    the code of Transformer-XL's authors.
    """

    def __init__(self, width: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_model, width))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        nn.init.normal_(self.weight, std=0.01)

    def forward(self, x: Tensor) -> Tensor:
        """From the width of the cluster to `d_model`, for the input."""
        # [The projection][ada.projections] $\mathbf W_n$ maps the vectors of cluster
        # $n$ to vectors of $d$ elements.
        return x @ self.weight.T

    def back(self, y: Tensor) -> Tensor:
        """From `d_model` to the width of the cluster, for the softmax."""
        return y @ self.weight


class SameWidth(nn.Module):
    """No projection, for clusters that are as wide as the model."""

    def forward(self, x: Tensor) -> Tensor:
        """`x` itself."""
        return x

    def back(self, y: Tensor) -> Tensor:
        """`y` itself."""
        return y
