# ---
# keywords: [ProjectedAdaptiveLogSoftmax]
# ---
r"""# Adaptive softmax

The adaptive softmax predicts a word of a large vocabulary in two stages, of which the
second is often not needed.

A first softmax, the **head**, distributes probability over the words of the first
[cluster](clusters.md), which are the most frequent ones, and over the other clusters,
each of which has a single entry. For each of the other clusters, a further softmax, a
**tail**, distributes probability over its words. Let $C(w)$ be the cluster of the word
$w$, and $h$ the state from which the word is predicted:

$$
\ln p(w \mid h) = \begin{cases}
\ln p_{\text{head}}(w \mid h) & \text{if } w \text{ is in the first cluster} \\
\ln p_{\text{head}}(C(w) \mid h) + \ln p_{C(w)}(w \mid h) & \text{otherwise}
\end{cases}
$$

The probabilities of all words sum to 1, so this is not an approximation of a softmax
but a distribution of its own. It saves time when the loss is computed: the loss of a
word in the first cluster needs only the head, and most words of a text are in this
cluster.
"""

from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.adaptive.clusters import (
    Clusters,
    Projection,
    SameWidth,
    cluster_of,
)
from labml_txl.models.adaptive.embedding import AdaptiveEmbedding


class AdaptiveSoftmax(nn.Module):
    """A head, and a tail for every cluster but the first.

    As in the code of Transformer-XL's authors, the head and each tail have a
    projection, unless the vectors of all clusters are as wide as the model.

    - `n_vocab`: the number of different tokens.
    - `d_model`: the width of the model.
    - `clusters`: how the vocabulary is divided.
    """

    def __init__(self, n_vocab: int, d_model: int, clusters: Clusters) -> None:
        super().__init__()
        self.clusters = clusters.parts(n_vocab, d_model)
        self.tied_projections = clusters.tied_projections
        self.tables = nn.ModuleList(
            nn.Linear(width, end - first) for first, end, width in self.clusters
        )
        self.projections = nn.ModuleList(
            clusters.projection(width, d_model) for _, _, width in self.clusters
        )
        # The entries of the head for the other clusters.
        n_tails = len(self.clusters) - 1
        self.tails = nn.Linear(self.clusters[0].width, n_tails) if n_tails else None

    def tie(self, embed: AdaptiveEmbedding) -> None:
        """Use the tables of the input, and with `tied_projections` its projections."""
        for mine, table in zip(self.tables, embed.tables, strict=True):
            mine.weight = table.weight
        if self.tied_projections:
            for n in range(1, len(self.clusters)):
                self.projections[n] = embed.projections[n]

    def forward(self, y: Tensor) -> Tensor:
        r"""$\ln p$ of every token, `[seq_len, batch, n_vocab]`.

        `y` is the output of the transformer, `[seq_len, batch, d_model]`.
        """
        # The probability of a word in a tail is a product, so its logarithm is a sum:
        # the head's entry for the cluster is added to $\ln p_C(w \mid h)$.
        head = self.head(y)
        n_words = self.clusters[0].end
        words, entries = head[..., :n_words], head[..., n_words:].unbind(-1)
        tails = [self.tail(n, y) + e[..., None] for n, e in enumerate(entries, start=1)]
        return torch.cat((words, *tails), dim=-1)  # [seq_len, batch, n_vocab]

    def losses(self, y: Tensor, targets: Tensor) -> Tensor:
        r"""$-\ln p$ of each target, in nats, `[seq_len, batch]`.

        A tail is computed only for those tokens whose target is in its cluster. A
        target of -100 is ignored, and its loss is 0.
        """
        # The head contributes $-\ln p$ of one of its entries: that of the target itself
        # if the target is in the first cluster, or else that of its cluster.
        cluster = cluster_of(targets, self.clusters)  # [seq_len, batch]
        entry = torch.where(cluster > 0, self.clusters[0].end + cluster - 1, targets)
        nats = pick_losses(self.head(y), entry)  # [seq_len, batch]

        # If the target is in another cluster, its tail adds $-\ln p$ of the word within
        # this cluster.
        for n in range(1, len(self.clusters)):
            here = cluster == n  # [seq_len, batch]
            word = targets[here] - self.clusters[n].first
            found = pick_losses(self.tail(n, y[here]), word)
            nats = nats.index_put((here,), found, accumulate=True)
        return nats  # [seq_len, batch]

    def head(self, y: Tensor) -> Tensor:
        r"""$\ln p$ of the words of the first cluster, then of the other clusters."""
        scores = self.scores(0, y)
        if self.tails is not None:
            narrow = self.narrow(0, y)
            scores = torch.cat((scores, self.tails(narrow)), dim=-1)
        return log_softmax(scores)

    def tail(self, n: int, y: Tensor) -> Tensor:
        r"""$\ln p$ of the words of cluster `n`, given that the word is one of them."""
        return log_softmax(self.scores(n, y))

    def scores(self, n: int, y: Tensor) -> Tensor:
        """The logits of the words of cluster `n`."""
        scores: Tensor = self.tables[n](self.narrow(n, y))
        return scores

    def narrow(self, n: int, y: Tensor) -> Tensor:
        """Map the states `y` to the width of cluster `n`."""
        return cast(Projection | SameWidth, self.projections[n]).back(y)


def pick_losses(logp: Tensor, targets: Tensor) -> Tensor:
    r"""$-\ln p$ of each target, in the shape of `targets`; 0 for a target of -100."""
    nats = F.nll_loss(logp.flatten(0, -2), targets.flatten(), reduction="none")
    return nats.view(targets.shape)


def log_softmax(scores: Tensor) -> Tensor:
    """The logarithm of the softmax, computed with at least 32 bits."""
    wide = torch.promote_types(scores.dtype, torch.float32)
    return scores.log_softmax(-1, dtype=wide)
