"""Adaptive input and softmax word by word, in plain loops, in float64.

Nothing is taken from the models but their parameters.
"""

from typing import Any

import torch
from torch import Tensor

from labml_txl.models import AdaptiveEmbedding, AdaptiveSoftmax


def cluster_of(word: int, cutoffs: tuple[int, ...]) -> int:
    return sum(word >= cutoff for cutoff in cutoffs)


def matrix(projection: Any, width: int) -> Tensor:
    """W of a cluster, [d_model, width]; the identity where there is none."""
    found: Tensor = getattr(projection, "weight", torch.eye(width).double())
    return found


def vector(embed: AdaptiveEmbedding, word: int, cutoffs: tuple[int, ...]) -> Tensor:
    """What the embedding gives for one word."""
    n = cluster_of(word, cutoffs)
    table: Any = embed.tables[n]
    row: Tensor = table.weight[word - (0, *cutoffs)[n]]
    W = matrix(embed.projections[n], len(row))
    numbers = [sum(W[i, j] * row[j] for j in range(len(row))) for i in range(len(W))]
    scale: float = len(W) ** 0.5
    return scale * torch.stack([torch.as_tensor(x) for x in numbers])


def probabilities(
    softmax: AdaptiveSoftmax, state: Tensor, n_vocab: int, cutoffs: tuple[int, ...]
) -> Tensor:
    """p(w) of every word after one state: exponentials and sums, nothing else."""
    bounds = (0, *cutoffs, n_vocab)

    def exponentials(n: int) -> list[Tensor]:
        table: Any = softmax.tables[n]
        W = matrix(softmax.projections[n], table.weight.shape[1])
        narrow = W.T @ state
        words = range(bounds[n + 1] - bounds[n])
        return [(table.weight[w] @ narrow + table.bias[w]).exp() for w in words]

    head = exponentials(0)
    if softmax.tails is not None:
        width = softmax.tails.weight.shape[1]
        narrow = matrix(softmax.projections[0], width).T @ state
        for n in range(len(cutoffs)):
            score = softmax.tails.weight[n] @ narrow + softmax.tails.bias[n]
            head.append(score.exp())
    p_head = [e / sum(head, torch.zeros(())) for e in head]
    found = p_head[: bounds[1]]
    for n in range(1, len(cutoffs) + 1):
        tail = exponentials(n)
        total = sum(tail, torch.zeros(()))
        found += [p_head[bounds[1] + n - 1] * e / total for e in tail]
    return torch.stack(found)
