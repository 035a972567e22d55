# ---
# keywords: [zero_triu, relative shift function, padding trick]
# ---
r"""# The relative shift

Terms (b) and (d) of [the relative scores][txl.scores] depend on the distance between a
query and a key. Computed as they are written, they need $\mathbf W_{k,R} \mathbf
R_{i-j}$ for every pair of a query and a key. But there are far fewer distances than
pairs. So, as in Appendix B of the paper, one product computes the scores of all queries
for all distances, and the shift then puts them in the order of the keys.

For $L = 3$ queries and $M = 2$ states in memory, there are $K = M + L = 5$ keys and as
many distances. In [the worked
case](../papers/transformer_xl.md#one-score-with-numbers), these are the keys of the
distances:

| distance $r$ | $\mathbf R_r = (\sin r, \cos r)$ |
| --- | ---: |
| 0 | (0, 1) |
| 1 | (0.84, 0.54) |
| 2 | (0.91, −0.42) |
| 3 | (0.14, −0.99) |
| 4 | (−0.76, −0.65) |

The queries are $(1, 0)$ for *sat*, $(1, -1)$ for *down* and $(-1, 0)$ for *and*. Their
products with these keys are term (b) by distance. They were computed with exact sines
and rounded at the end: from the rounded $\mathbf R_4$, *down* would get $-0.76 + 0.65 =
-0.11$ instead of $-0.10$.

| query | distance 4 | distance 3 | distance 2 | distance 1 | distance 0 |
| --- | ---: | ---: | ---: | ---: | ---: |
| sat | −0.76 | 0.14 | 0.91 | 0.84 | 0 |
| down | −0.10 | 1.13 | 1.33 | 0.30 | −1 |
| and | 0.76 | −0.14 | −0.91 | −0.84 | 0 |

The shift moves the first row to the left by 2 columns, the second by 1 and the third by
0. Then each column belongs to a key. A dash marks a key that comes after the query:

| query | Mrs. | Harker | sat | down | and |
| --- | ---: | ---: | ---: | ---: | ---: |
| sat | 0.91 | 0.84 | 0 | – | – |
| down | 1.13 | 1.33 | 0.30 | −1 | – |
| and | 0.76 | −0.14 | −0.91 | −0.84 | 0 |

Scores that leave the table on the left are for distances that, from this query, lie
beyond the memory.

The figure shows how the authors' code does this. A letter stands for a query, here a
for *sat*, b for *down* and c for *and*, and the number after it is the distance.

![Two tables of the same scores, three queries and a memory of 2. By distance, all rows
have the distances 4 to 0. By key, each row is moved to the left, and its distance 0
stands under its own key.](figure:relative-shift)

**The authors' code pads and reshapes.** Its function `_rel_shift` moves all rows with
two changes of shape, without computing an index for each score:

```python
padded = F.pad(scores, (1, 0))  # [L, K + 1]
rows = padded.view(K + 1, L)[1:]  # [K, L]
by_key = rows.view(L, K)  # [L, K]
```

The first statement puts a zero before each row, so a row has $K + 1$ elements. The
second drops the first $L$ of all elements, and the third reads the rest in rows of $K$.
In the figure, these are the steps 2 to 4:

![The padded scores as they are stored: a zero, a4 to a0, a zero, b4 to b0, a zero and
c4 to c0. The first three elements are dropped, and the rest is read in three rows of
five, which begin with a2, b3 and c4.](../figures/pad_and_reshape.svg)

The $L$ elements that are dropped are the zero before row a and $L - 1$ of its scores,
so row a moves to the left by $L - 1$, which is 2 here. The rows are then read in steps
of $K$, although the next one begins $K + 1$ elements later. So each row moves by one
less than the row before it: row b by 1, row c by 0, and row $i$ by $L - 1 - i$. After
its distance 0, a row contains elements of the next row. Their columns belong to keys
that come after the query, and these keys are masked.

**Our `rel_shift` looks up each score by its column.** It computes for each query and
key the column that holds their score, as [the equation][txl.shifted_terms] states. For
all keys that a query may see, the result equals that of the authors' code; a test
compares both. The models use [a view of the scores](fast/shift.md), which copies
nothing.

labml-nn, a well-known implementation, shifts its rows to the right:
[both are correct](../papers/left_or_right.md).
"""

import torch
from torch import Tensor


def rel_shift(scores: Tensor, k_len: int) -> Tensor:
    """From scores by distance to scores by key: move row $i$ left by $L - 1 - i$.

    `scores` is `[batch, heads, q_len, n_distances]`, with at least $K$ = `k_len`
    distances. Column $c$ contains the scores for the distance $K - 1 - c$, so the
    farthest comes first. Returns `[batch, heads, q_len, k_len]`. A key that comes after
    its query has a negative distance. Columns for negative distances are optional.
    Without them, the scores of such keys have no meaning and must be masked.
    """
    batch, heads, q_len, n_distances = scores.shape
    if n_distances < k_len:
        raise ValueError(f"{n_distances} distances: {k_len=} needs as many or more")

    # Query $i$ and key $j$ are $i + M - j$ apart, with $M = K - L$, so their score is
    # in column $j + L - 1 - i$. The paper calls the scores by distance
    # $\widetilde{\mathbf B}$ and those by key $\mathbf B$: [row $i$ of $\mathbf B$ is
    # row $i$ of $\widetilde{\mathbf B}$, moved left][txl.shifted_terms].
    i = torch.arange(q_len, device=scores.device)[:, None]  # [q_len, 1]
    j = torch.arange(k_len, device=scores.device)  # [k_len]
    column = (j + q_len - 1 - i).clamp(max=n_distances - 1)  # [q_len, k_len]

    # [The terms (b) of all pairs][txl.position_terms]: $\mathbf B_{i,j}$ is
    # $\widetilde{\mathbf B}_{i,\,j+L-1-i}$.
    rows = column.expand(batch, heads, q_len, k_len)
    return scores.gather(-1, rows)  # [batch, heads, q_len, k_len]
