"""# The shift as a view

This is [the relative shift](../relative_shift.md) without a copy: it reads the same
scores from the same storage, in rows of another length.

| measured | gain | without | with |
| --- | ---: | ---: | ---: |
| training, size M | 1.04 × | 1,252 ms | 1,200 ms |
| training, size L | 1.05 × | 2,354 ms | 2,249 ms |
| evaluation, size M | 1.08 × | 320 ms | 296 ms |
| evaluation, size L | 1.06 × | 661 ms | 627 ms |

In evaluation it avoids one copy, and in training two, because the backward pass of a
copy is a copy too. A single query is not shifted, so there is little to save.

A test compares it with the short form, forward and backward.

**An example.** There are three queries and a memory of one state: $L = 3$, $K = 4$.
Letters are queries, numbers are distances, and `·` is a score that no visible key
needs.

```text
distance                      key
    3  2  1  0 -1               0  1  2  3
0  a3 a2 a1 a0  ·           0  a1 a0  · b3
1  b3 b2 b1 b0  ·     →     1  b2 b1 b0  ·
2  c3 c2 c1 c0  ·           2  c3 c2 c1 c0
```

**No element is moved.** In memory, the rows of the left table follow one another. Read
this line again from `a1` on, in rows that are one element shorter:

```text
a3 a2 [a1 a0 · b3] [b2 b1 b0 ·] [c3 c2 c1 c0] ·
```

Since the new rows are one element shorter than the old ones, each of them begins one
column further left in the left table than the row before it. This is the relative
shift, so the result is a view. The column for the distance −1 is needed to make the
rows long enough. After its distance 0, a new row contains scores that do not belong to
its query, but these are at keys of the future, which are masked.
"""

from torch import Tensor


def shift_view(scores: Tensor, k_len: int) -> Tensor:
    """`rel_shift`, as a view of `scores`.

    - `scores`: `[batch, heads, q_len, n_distances]`, contiguous, with at least
      `k_len + 1` distances, of which the last is −1 or less. With distances down to
      $-L$, the scores of keys in the future are right too.
    - `k_len`: the number of keys.

    Returns `[batch, heads, q_len, k_len]`.
    """
    batch, heads, q_len, n_distances = scores.shape
    if n_distances <= k_len:
        raise ValueError(f"{n_distances} distances: {k_len=} needs {k_len + 1} or more")

    # [Row $i$ of $\mathbf B$ is row $i$ of $\widetilde{\mathbf B}$, moved
    # left][txl.shifted_terms]. Row 0 begins after the first $L - 1$ elements. The last
    # element is not needed.
    line = scores.view(batch, heads, q_len * n_distances)[..., q_len - 1 : -1]

    # [The terms (b) of all pairs][txl.position_terms]: $\mathbf B_{i,j}$ is
    # $\widetilde{\mathbf B}_{i,\,j+L-1-i}$.
    rows = line.view(batch, heads, q_len, n_distances - 1)
    return rows[..., :k_len]  # [batch, heads, q_len, k_len]
