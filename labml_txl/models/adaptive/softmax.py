r"""# Adaptive softmax

A softmax over a large vocabulary that looks at a rare word only where it is needed.

A first softmax, the **head**, decides between the frequent words and, with an entry for
each, the other clusters. Within each of these, the **tails**, another softmax decides
between its words. With $C(w)$ for the cluster of the word $w$ and $h$ for the state
that it is predicted from:

$$
\ln p(w \mid h) = \begin{cases}
\ln p_{\text{head}}(w \mid h) & \text{if } w \text{ is in the first cluster} \\
\ln p_{\text{head}}(C(w) \mid h) + \ln p_{C(w)}(w \mid h) & \text{otherwise}
\end{cases}
$$

These probabilities sum to 1, so this is no approximation of a softmax: it is another
distribution. What it saves is in the loss. A target in the first cluster needs no tail
at all, and most words of a text are frequent ones.
"""

from typing import cast

import torch
from torch import Tensor, nn

from labml_txl.models.adaptive.clusters import Clusters, Projection, SameWidth
from labml_txl.models.adaptive.embedding import AdaptiveEmbedding


class AdaptiveSoftmax(nn.Module):
    r"""A head, and a tail for every cluster but the first.

    As in the code of Transformer-XL's authors, each of them has a projection, the head
    too, where the vectors of the clusters are not all as wide as the model.
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
        # The entries of the other clusters in the head.
        n_tails = len(self.clusters) - 1
        self.tails = nn.Linear(self.clusters[0].width, n_tails) if n_tails else None

    def tie(self, embed: AdaptiveEmbedding) -> None:
        r"""Share the tables of the input, and with `tied_projections` these too."""
        for mine, table in zip(self.tables, embed.tables, strict=True):
            mine.weight = table.weight
        if self.tied_projections:
            for n in range(1, len(self.clusters)):
                self.projections[n] = embed.projections[n]

    def forward(self, y: Tensor) -> Tensor:
        r"""$\ln p$ of every token: `[seq_len, batch, d_model]` to `[…, n_vocab]`."""
        # A tail is $\ln p_C(w \mid h)$, and the head's entry for it is added to all of
        # it.
        head = self.head(y)
        n_words = self.clusters[0].end
        words, entries = head[..., :n_words], head[..., n_words:].unbind(-1)
        tails = [self.tail(n, y) + e[..., None] for n, e in enumerate(entries, start=1)]
        return torch.cat((words, *tails), dim=-1)  # [seq_len, batch, n_vocab]

    def losses(self, y: Tensor, targets: Tensor) -> Tensor:
        r"""$-\ln p$ of each target, in nats, `[seq_len, batch]`; no tail in full."""
        # What the head says of a target: of the word itself, or of its cluster.
        cluster = torch.zeros_like(targets)  # [seq_len, batch]
        for first, _, _ in self.clusters[1:]:
            cluster += targets >= first
        entry = torch.where(cluster > 0, self.clusters[0].end + cluster - 1, targets)
        nats = -self.head(y).gather(-1, entry[..., None])[..., 0]  # [seq_len, batch]

        # What the tail of a cluster says, only where the target is in it.
        for n in range(1, len(self.clusters)):
            here = cluster == n  # [seq_len, batch]
            word = targets[here] - self.clusters[n].first
            found = self.tail(n, y[here]).gather(-1, word[:, None])[:, 0]
            nats = nats.index_put((here,), -found, accumulate=True)
        return nats  # [seq_len, batch]

    def head(self, y: Tensor) -> Tensor:
        r"""$\ln p$ of the frequent words, and then of the other clusters."""
        scores = self.scores(0, y)
        if self.tails is not None:
            narrow = self.narrow(0, y)
            scores = torch.cat((scores, self.tails(narrow)), dim=-1)
        return log_softmax(scores)

    def tail(self, n: int, y: Tensor) -> Tensor:
        r"""$\ln p$ of the words of cluster `n`, given that the word is one of them."""
        return log_softmax(self.scores(n, y))

    def scores(self, n: int, y: Tensor) -> Tensor:
        r"""The scores of the words of cluster `n`."""
        scores: Tensor = self.tables[n](self.narrow(n, y))
        return scores

    def narrow(self, n: int, y: Tensor) -> Tensor:
        r"""The states `y` in the width of cluster `n`."""
        return cast(Projection | SameWidth, self.projections[n]).back(y)


def log_softmax(scores: Tensor) -> Tensor:
    r"""The logarithm of the softmax. Sums are taken in 32 bits at least."""
    wide = torch.promote_types(scores.dtype, torch.float32)
    return scores.log_softmax(-1, dtype=wide)
