# ---
# keywords: [PositionalEncoding, sinusoidal, absolute positional embedding]
# ---
"""# Embeddings and positions

The embedding turns each token into a vector, which is the input of the first layer.
Attention treats these vectors as a set: by itself, it does not distinguish the keys of
*dog bites man* from those of *man bites dog*. This page has two ways to provide the
order:

- `AbsolutePositions` encodes the position of a token in its segment. A vanilla
  Transformer, which is one without memory, adds this encoding to the embeddings.
- `relative_positions` encodes the distance between a query and a key. Transformer-XL
  uses it in [attention](relative_attention.md) and adds nothing to the embeddings.

Transformer-XL needs the second way, because absolute positions become ambiguous as soon
as states of an earlier segment are used again: see `AbsolutePositions`.
"""

import math

import torch
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """A table with one learned vector for each token of the vocabulary.

    - `n_vocab`: the number of different tokens.
    - `d_model`: the number of features of each vector.

    The initial values are normally distributed with a standard deviation of 0.02, as in
    the code of Transformer-XL's authors.
    """

    def __init__(self, n_vocab: int, d_model: int) -> None:
        super().__init__()
        if n_vocab < 1 or d_model < 1:
            raise ValueError(f"{n_vocab=} and {d_model=} must both be at least 1")
        self.scale = math.sqrt(d_model)
        self.table = nn.Embedding(n_vocab, d_model)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values for the table."""
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        """From tokens, `[seq_len, batch]`, to vectors, `[seq_len, batch, d_model]`."""
        # The input of the first layer is [the embedded segment][txl.embedding]:
        # $\mathbf h_\tau^0 := \mathbf E_{\mathbf s_\tau}$. No position is added.
        #
        # Departure: the formula has no factor. The authors' code multiplies by
        # $\sqrt d$, and we do as they do. The initial values are small, and the factor
        # makes the embeddings larger before the results of the layers are added.
        embedded: Tensor = self.table(tokens) * self.scale  # [seq_len, batch, d_model]
        return embedded


def sinusoids(positions: Tensor, d_model: int) -> Tensor:
    r"""Encode numbers, which may be positions or distances, by sines and cosines.

    The row of the number $p$ is
    $[\sin(p\,\omega_1), \dots, \sin(p\,\omega_{d/2}),
    \cos(p\,\omega_1), \dots, \cos(p\,\omega_{d/2})]$. Each pair of a sine and a cosine
    is a point on a circle. The fastest of these $d/2$ circles turns once in about 6
    positions and distinguishes near ones; the slowest, in a wide model, turns once in
    almost 63,000 and distinguishes far ones. From $p$ to $p + r$ the points of all
    circles turn by angles that depend on $r$ only, whatever $p$ is.

    *Attention Is All You Need* alternates sines and cosines. Here all sines come first,
    as in the code of Transformer-XL. The order makes no difference to encodings of
    distances, because a learned projection is applied to them.

    - `positions`: `[n_positions]`, which may be negative.
    - `d_model`: the length of a row, which must be even.

    Returns `[n_positions, d_model]`.
    """
    if d_model % 2:
        raise ValueError(f"{d_model=} is odd: sines and cosines need an even number")

    # $\omega_k = 10000^{-2(k-1)/d}$ for $k = 1, \dots, d/2$.
    even = torch.arange(0, d_model, 2, device=positions.device)  # [d_model // 2]
    frequencies = 10_000 ** (-even.double() / d_model)  # [d_model // 2]

    # Angles are computed in double precision, because the rounding error of
    # $p\,\omega$ grows with $p$.
    angles = positions.double()[:, None] * frequencies  # [n_positions, d_model // 2]
    return torch.cat((angles.sin(), angles.cos()), dim=-1)  # [n_positions, d_model]


def relative_positions(
    farthest: int,
    nearest: int,
    d_model: int,
    dtype: torch.dtype,
    device: torch.device,
    clamp_len: int = 0,
) -> Tensor:
    r"""The encodings $\mathbf R_{i-j}$ of all distances from `farthest` to `nearest`.

    The encoding of a distance has **no** parameters, so it exists for every distance.
    Whether a model can use the encodings of distances on which it was not trained is
    another question: see [a memory longer than in
    training](../experiments.md#a-memory-longer-than-in-training).

    ![A heat map with a row for each of 16 features and a column for each distance from
    0 to 63. The upper rows change sign every few distances, the lower ones hardly
    change at all.](../figures/encodings.svg)

    - `farthest`, `nearest`: the first and the last distance. A negative distance
      belongs to a key that comes after its query, which the default mask excludes.
    - `d_model`: the length of an encoding.
    - `dtype`, `device`: those of the result.
    - `clamp_len`: the distance from which on all distances have the same encoding, or 0
      for no limit.

    Returns `[n_distances, d_model]`, with `n_distances = farthest - nearest + 1`.
    """
    # The farthest distance comes first, as in [the matrix $\mathbf
    # Q$][txl.distance_keys], and as `rel_shift` expects it. `sinusoids` needs double
    # precision, which not every device supports.
    place = device if device.type == "cuda" else "cpu"
    distances = torch.arange(farthest, nearest - 1, -1, device=place)  # [n_distances]

    # With a longer memory than in training, distances occur that the model has not been
    # trained on. With `clamp_len`, as in the authors' code, all distances beyond it get
    # the encoding of the distance `clamp_len`.
    if clamp_len:
        distances = distances.clamp(max=clamp_len)  # [n_distances]
    return sinusoids(distances, d_model).to(device, dtype)  # [n_distances, d_model]


class AbsolutePositions(nn.Module):
    r"""Add $\mathbf U_{1:L}$, the encodings of the positions 1 to $L$, to a segment.

    **Why Transformer-XL cannot use them.** In a vanilla Transformer, queries and keys
    are computed from sums of an embedding and a position, so
    [the scores][txl.absolute_scores] are

    $$
    \mathbf A_{i,j}^{\mathrm{abs}}
    = (\mathbf E_{x_i} + \mathbf U_i)^\top \mathbf W_q^\top
      \mathbf W_k (\mathbf E_{x_j} + \mathbf U_j).
    $$

    In each segment, positions are counted from 1. If the states of the last segment are
    used again as memory, its third token and the third token of the new segment both
    have the position $\mathbf U_3$. Since $\mathbf U_i$ and $\mathbf U_j$ are all that
    the scores contain about positions, attention cannot tell a token of the segment
    from the one at the same position in the memory.

    The models of this package encode distances instead. This class exists for
    comparison: the vanilla Transformer, which is the baseline of the benchmarks, uses
    it.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(
                f"{d_model=} is odd: sines and cosines need an even number"
            )
        self.d_model = d_model

    def forward(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        """Add the encodings of positions to `x`, `[seq_len, batch, d_model]`.

        `positions` are as for `LanguageModel.forward`. A text that begins within the
        segment is counted from its own beginning.
        """
        # $\mathbf U_{1:L}$ depends only on the length, so it is the same for
        # [segment $\tau$ and for segment $\tau+1$][txl.absolute_states].
        counted = torch.arange(1, x.shape[0] + 1)  # [seq_len]
        U = sinusoids(counted, self.d_model).to(x)  # [seq_len, d_model]
        if positions is None:
            return x + U[:, None]  # [seq_len, batch, d_model]
        i = torch.arange(len(x), device=x.device)[:, None]  # [seq_len, 1]
        return x + U[torch.minimum(positions, i)]  # [seq_len, batch, d_model]
