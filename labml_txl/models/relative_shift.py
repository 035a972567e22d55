r"""# The relative shift

One product compares every query with every distance. The shift then finds, for every
key, the score of the distance that it lies away.

Appendix B of the paper starts from terms (b) and (d) of
[the relative scores][txl.scores]. Computed as they are written, they need a vector for
every pair of a query and a key. But a pair matters only by its distance $i - j$, and
there are far fewer distances than pairs. So the scores are computed by distance first
and put in the order of the keys afterwards.

Three queries, one state of memory: $L = 3$, $K = 4$. A letter is a query, its number
the distance, and `·` is a key of the future.

```text
distance                   key
    3  2  1  0               0  1  2  3
0  a3 a2 a1 a0           0  a1 a0  ·  ·
1  b3 b2 b1 b0     →     1  b2 b1 b0  ·
2  c3 c2 c1 c0           2  c3 c2 c1 c0
```

![Two tables of the same scores, three queries and a memory of 2. By distance, all rows
have the distances 4 to 0. By key, each row is moved to the left, and its distance 0
stands under its own key.](figure:relative-shift)

One well-known implementation shifts its rows to the right:
[both are right](../papers/left_or_right.md).

The models do this [without a copy](fast/shift.md).
"""

import torch
from torch import Tensor


def rel_shift(scores: Tensor, k_len: int) -> Tensor:
    r"""From scores by distance to scores by key: move row $i$ left by $L - 1 - i$.

    `scores` is `[batch, heads, q_len, n_distances]`. Column $c$ holds the distance
    $K - 1 - c$: the farthest first, with at least $K$ = `k_len` distances. More of
    them, down to $-L$ with $L$ = `q_len`, fill the future too. Returns
    `[batch, heads, q_len, k_len]`. What is returned for the future means nothing where
    there is no distance for it; a mask hides it.
    """
    batch, heads, q_len, n_distances = scores.shape
    if n_distances < k_len:
        raise ValueError(f"{n_distances} distances: {k_len=} needs as many or more")

    # Query $i$ and key $j$ are $i + K - L - j$ apart, so their score stands in column
    # $j + L - 1 - i$: [row $i$ of $\mathbf B$ is row $i$ of $\widetilde{\mathbf B}$,
    # moved left][txl.shifted_terms].
    i = torch.arange(q_len, device=scores.device)[:, None]  # [q_len, 1]
    j = torch.arange(k_len, device=scores.device)  # [k_len]
    column = (j + q_len - 1 - i).clamp(max=n_distances - 1)  # [q_len, k_len]

    # [The terms (b) of all pairs][txl.position_terms]: $\mathbf B_{i,j}$ with
    # $\widetilde{\mathbf B}_{i,\,j+L-1-i}$ in its place.
    rows = column.expand(batch, heads, q_len, k_len)
    return scores.gather(-1, rows)  # [batch, heads, q_len, k_len]
