# ---
# keywords: [smaller embeddings]
# ---
"""# Adaptive input

The adaptive input is an embedding in which rare words have narrower vectors than
frequent ones. Each [cluster](clusters.md) has a table of its own, and a linear layer
maps its vectors to the width of the model.
"""

import math

import torch
from torch import Tensor, nn

from labml_txl.models.adaptive.clusters import Clusters, cluster_of


class AdaptiveEmbedding(nn.Module):
    """One table and one projection for each cluster.

    It is called like `TokenEmbedding`, and its initial values have the same standard
    deviation of 0.02.

    - `n_vocab`: the number of different tokens.
    - `d_model`: the width of the model.
    - `clusters`: how the vocabulary is divided.
    """

    def __init__(self, n_vocab: int, d_model: int, clusters: Clusters) -> None:
        super().__init__()
        self.clusters = clusters.parts(n_vocab, d_model)
        self.scale = math.sqrt(d_model)
        self.tables = nn.ModuleList(
            nn.Embedding(end - first, width) for first, end, width in self.clusters
        )
        self.projections = nn.ModuleList(
            clusters.projection(width, d_model) for _, _, width in self.clusters
        )
        # If all clusters have the same width, they share one projection.
        if clusters.div_val == 1:
            for n in range(1, len(self.clusters)):
                self.projections[n] = self.projections[0]
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values for the tables."""
        for table in self.tables:
            nn.init.normal_(table.get_parameter("weight"), std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        """From tokens, `[seq_len, batch]`, to vectors, `[seq_len, batch, d_model]`."""
        # Each token is in exactly one of [the clusters][ada.clusters], so each vector
        # of the result is filled once, by
        # [the projection of the cluster][ada.projections]. A token outside of the
        # vocabulary raises an `IndexError` in the table of the first or the last one.
        x = torch.zeros(())
        cluster = cluster_of(tokens, self.clusters)  # [seq_len, batch]
        parts = zip(self.clusters, self.tables, self.projections, strict=True)
        for n, ((first, _, _), table, project) in enumerate(parts):
            # Tokens of other clusters look up the first word, and their result is not
            # used. Selecting the tokens of this cluster instead would give a shape that
            # depends on them, which `vmap` and exported programs do not allow.
            here = cluster == n  # [seq_len, batch]
            vectors = project(table((tokens - first).where(here, 0)))
            x = vectors.where(here[..., None], x)  # [seq_len, batch, d_model]

        # The same factor as in `TokenEmbedding`.
        return x * self.scale  # [seq_len, batch, d_model]
