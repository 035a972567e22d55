r"""# Embeddings and positions

What the first layer reads: a vector for each token, and the sinusoids from which
attention learns how far apart two tokens are.

A Transformer sees its input as a set: without positions it cannot tell *dog bites
man* from *man bites dog*. Two ways of giving it positions stand on this page.

- `AbsolutePositions` says **where** a token stands in its segment. The vanilla
  Transformer adds this to its input.
- `relative_positions` says **how far back** a token stands, seen from the query.
  Transformer-XL gives this to attention, and adds nothing to the input.

The second one exists because the first one breaks as soon as states of an earlier
segment are used again. The note at `AbsolutePositions` shows how.
"""

import math
from functools import lru_cache

import torch
from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    r"""A table with one learned vector for each symbol of the vocabulary.

    Tokens are integers, `[seq_len, batch]`; each becomes a vector of `d_model`
    features. The rows start as normal noise with standard deviation 0.02, as in the
    code that the authors of Transformer-XL published.
    """

    def __init__(self, n_vocab: int, d_model: int) -> None:
        super().__init__()
        if n_vocab < 1 or d_model < 1:
            raise ValueError(f"{n_vocab=} and {d_model=} must both be at least 1")
        self.scale = math.sqrt(d_model)
        self.table = nn.Embedding(n_vocab, d_model)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        r"""Draw new rows."""
        nn.init.normal_(self.table.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        r"""`[seq_len, batch]` to `[seq_len, batch, d_model]`."""
        # The state below the first layer, [the embedded segment][txl.embedding]:
        # $\mathbf h_\tau^0 := \mathbf E_{\mathbf s_\tau}$. No position is added.
        #
        # Departure: the formula has no factor. The authors' code multiplies by
        # $\sqrt d$, so that rows of small values and a residual stream of larger ones
        # start on the same scale. We follow the code.
        embedded: Tensor = self.table(tokens) * self.scale  # [seq_len, batch, d_model]
        return embedded


def sinusoids(positions: Tensor, d_model: int) -> Tensor:
    r"""Encode each position as points on $d/2$ circles that turn at different speeds.

    The row of position $p$ is
    $[\sin(p\,\omega_1), \dots, \sin(p\,\omega_{d/2}),
    \cos(p\,\omega_1), \dots, \cos(p\,\omega_{d/2})]$. The fastest circle turns once in
    about 6 positions; the slowest, in a wide model, once in almost 63,000. Any two
    positions that are equally far apart differ by the same rotation, so a linear layer
    can read a distance.

    *Attention Is All You Need* interleaves sines and cosines. Here the sines come
    first, as in the code of Transformer-XL. The projection behind them is learned, so
    their order makes no difference.

    `positions` are `[n_positions]`, negative ones too.
    """
    if d_model % 2:
        raise ValueError(f"{d_model=} is odd: sines and cosines need an even number")

    # $\omega_k = 10000^{-2(k-1)/d}$ for $k = 1, \dots, d/2$.
    even = torch.arange(0, d_model, 2, device=positions.device)  # [d_model // 2]
    frequencies = 10_000 ** (-even.double() / d_model)  # [d_model // 2]

    # In double precision, since an error in $p\,\omega$ grows with $p$.
    angles = positions.double()[:, None] * frequencies  # [n_positions, d_model // 2]
    return torch.cat((angles.sin(), angles.cos()), dim=-1)  # [n_positions, d_model]


@lru_cache(maxsize=32)
def relative_positions(
    farthest: int,
    nearest: int,
    d_model: int,
    dtype: torch.dtype,
    device: torch.device,
    clamp_len: int = 0,
) -> Tensor:
    r"""The rows $\mathbf R_{i-j}$ for all distances from `farthest` down to `nearest`.

    $\mathbf R$ is the paper's letter. It has **no** learned part: row $r$ depends on
    the number $r$ and on nothing else. So a model that was trained with short memories
    can be evaluated with longer ones. A negative distance is a key that comes after
    its query; only masks of your own ever show one.

    Every layer of every forward pass asks for the same rows. The cache hands out one
    tensor to all of them; nobody may change it.

    Returns `[n_distances, d_model]`, with `n_distances = farthest - nearest + 1`.
    """
    # Farthest first: the order of [the matrix $\mathbf Q$][txl.distance_keys], for
    # which `rel_shift` is made. An ordinary tensor even within `inference_mode`,
    # because training may meet it in the cache.
    with torch.inference_mode(False):
        # In double precision, which not every device has.
        place = device if device.type == "cuda" else "cpu"
        distances = torch.arange(farthest, nearest - 1, -1, device=place)

        # A distance that no text in training had says little. With `clamp_len` all
        # that are greater count as this one, as in the authors' code.
        if clamp_len:
            distances = distances.clamp(max=clamp_len)  # [n_distances]
        return sinusoids(distances, d_model).to(device, dtype)  # [n_distances, d_model]


class AbsolutePositions(nn.Module):
    r"""Add $\mathbf U_{1:L}$, the encodings of the positions 1 to $L$, to a segment.

    **Why Transformer-XL cannot use them.** The scores of a vanilla Transformer come
    from sums of embedding and position. Multiplied out, they are
    [four terms][txl.absolute_scores]:

    $$
    \mathbf A_{i,j}^{\mathrm{abs}}
    = (\mathbf E_{x_i} + \mathbf U_i)^\top \mathbf W_q^\top
      \mathbf W_k (\mathbf E_{x_j} + \mathbf U_j).
    $$

    Each segment starts to count anew. Let the states of the last segment be used again
    as memory: its third token and the third token of this segment then both carry
    $\mathbf U_3$. Of positions, attention sees $\mathbf U_i$ and $\mathbf U_j$ only,
    and cannot tell the token that it reads now from one a whole segment ago.

    The models of this package use distances instead. This class is for comparison: it
    stands for the positions of the vanilla Transformer, the baseline of the benchmarks.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(
                f"{d_model=} is odd: sines and cosines need an even number"
            )
        self.d_model = d_model

    def forward(self, x: Tensor) -> Tensor:
        r"""Add positions to `x`, `[seq_len, batch, d_model]`."""
        # The same $\mathbf U_{1:L}$ for [segment $\tau$ and for segment
        # $\tau+1$][txl.absolute_states]: it depends on the length only. The sum is
        # what puts the position into all [scores][txl.absolute_scores] above.
        positions = torch.arange(1, x.shape[0] + 1)  # [seq_len]
        U = sinusoids(positions, self.d_model).to(x)  # [seq_len, d_model]
        return x + U[:, None]  # [seq_len, batch, d_model]
