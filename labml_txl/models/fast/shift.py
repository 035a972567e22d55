r"""# The shift as a view

[The relative shift](../relative_shift.md) without a copy: the scores stay where they
are, and are read in rows of another length.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| training, size M | 1.07 × | 1,026 ms | 962 ms |
| training, size L | 1.10 × | 1,921 ms | 1,739 ms |
| evaluation, size M | 1.13 × | 274 ms | 243 ms |
| evaluation, size L | 1.06 × | 551 ms | 522 ms |

It gains in training and in evaluation: the backward pass of a copy is a copy too. For
one query alone there is no shift, and little to gain.

`test_the_view_equals_the_definition_of_the_shift` holds it equal to the short form,
forward and backward.

**The picture.** Three queries, one state of memory: $L = 3$, $K = 4$. A letter is a
query, its number the distance, and `·` is a column that no visible key asks for.

```text
distance                      key
    3  2  1  0 -1               0  1  2  3
0  a3 a2 a1 a0  ·           0  a1 a0  · b3
1  b3 b2 b1 b0  ·     →     1  b2 b1 b0  ·
2  c3 c2 c1 c0  ·           2  c3 c2 c1 c0
```

**No element moves.** Write the left table as one line, and read it again in rows
that are one element shorter, from `a1` on:

```text
a3 a2 [a1 a0 · b3] [b2 b1 b0 ·] [c3 c2 c1 c0] ·
```

A row that is one element shorter starts, in the left table, one column further left
than the row above it. So the shift is a view. The column for distance −1 is there
for this reading: with it no row runs past the end. What a row reads after its own
distance 0 belongs to keys of the future, which the mask hides.
"""

from torch import Tensor


def shift_view(scores: Tensor, k_len: int) -> Tensor:
    r"""`rel_shift` as a view of `scores`.

    `scores` is `[batch, heads, q_len, n_distances]`, contiguous, with at least
    `k_len + 1` distances. More of them, down to $-L$, fill the future too.
    """
    batch, heads, q_len, n_distances = scores.shape
    if n_distances <= k_len:
        raise ValueError(f"{n_distances} distances: {k_len=} needs {k_len + 1} or more")

    # [Row $i$ of $\mathbf B$ is row $i$ of $\widetilde{\mathbf B}$, moved
    # left][txl.shifted_terms]: skip the first $L - 1$ elements, where row 0 starts. The
    # last element is left over.
    line = scores.view(batch, heads, q_len * n_distances)[..., q_len - 1 : -1]

    # [The terms (b) of all pairs][txl.position_terms]: $\mathbf B_{i,j}$ with
    # $\widetilde{\mathbf B}_{i,\,j+L-1-i}$ in its place.
    rows = line.view(batch, heads, q_len, n_distances - 1)
    return rows[..., :k_len]  # [batch, heads, q_len, k_len]
