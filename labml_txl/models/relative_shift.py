r"""# The relative shift

One product compares every query with every distance. The shift then finds, for every
key, the distance that it lies away, without moving a number.

Appendix B of the paper starts from terms (b) and (d) of
[the relative scores][txl.scores]. Computed as they are written, they need a vector for
every pair of a query and a key. But a pair matters only by its distance $i - j$, and
there are far fewer distances than pairs. So the scores are computed by distance first
and put in the order of the keys afterwards.
"""

from torch import Tensor


def rel_shift(scores: Tensor, k_len: int) -> Tensor:
    r"""From scores by distance to scores by key: move row $i$ left by $L - 1 - i$.

    Column $c$ of the input holds the distance $K - 1 - c$: the farthest first. Query
    $i$ and key $j$ are $i + K - L - j$ apart, with $K$ = `k_len` keys and $L$ =
    `q_len` queries, so their score stands in column $j + L - 1 - i$.

    **The picture.** Three queries, one state of memory: $L = 3$, $K = 4$. A letter is a
    query, its number the distance, and `·` is a column that no visible key asks for.

    ```text
    distance                      key
        3  2  1  0 -1               0  1  2  3
    0  a3 a2 a1 a0  ·           0  a1 a0  · b3
    1  b3 b2 b1 b0  ·     →     1  b2 b1 b0  ·
    2  c3 c2 c1 c0  ·           2  c3 c2 c1 c0
    ```

    **No number moves.** Write the left table as one line, and read it again in rows
    that are one number shorter, from `a1` on:

    ```text
    a3 a2 [a1 a0 · b3] [b2 b1 b0 ·] [c3 c2 c1 c0] ·
    ```

    A row that is one number shorter starts, in the left table, one column further left
    than the row above it. So the shift is a view. The column for distance −1 is there
    for this reading: with it no row runs past the end. What a row reads after its own
    distance 0 belongs to keys of the future, which the mask hides.

    **Left or right?** `shift_right` of labml-nn moves row $i$ to the right by $i$, and
    a public issue calls that a bug. The code is right. The paper's columns count the
    distance $i - j$, falling from $K - 1$. Those columns count the offset $j - i$,
    rising from $-K$, and the first $L$ of them are cut off afterwards.

    ```text
    the paper: distance i - j     move left by 2, 1, 0
         3  2  1  0                         0  1  2  3  key
    0   a3 a2 a1 a0                   a3 a2|a1 a0
    1   b3 b2 b1 b0                      b3|b2 b1 b0
    2   c3 c2 c1 c0                        |c3 c2 c1 c0

    labml-nn: offset j - i        move right by 0, 1, 2
        -4 -3 -2 -1  0                      0  1  2  3  key
    0   a4 a3 a2 a1 a0             a4 a3 a2|a1 a0
    1   b4 b3 b2 b1 b0                b4 b3|b2 b1 b0
    2   c4 c3 c2 c1 c0                   c4|c3 c2 c1 c0
    ```

    Behind the bar both tables are the same. A test holds one against the other.

    `scores` is `[batch, heads, q_len, n_distances]`, contiguous, with at least
    `k_len + 1` distances. More of them, down to $-L$, fill the future too.
    """
    batch, heads, q_len, n_distances = scores.shape
    if n_distances <= k_len:
        raise ValueError(f"{n_distances} distances: {k_len=} needs {k_len + 1} or more")

    # [Row $i$ of $\mathbf B$ is row $i$ of $\widetilde{\mathbf B}$, moved
    # left][txl.shifted_terms]: skip the first $L - 1$ numbers, where row 0 starts. The
    # last number is left over.
    line = scores.view(batch, heads, q_len * n_distances)[..., q_len - 1 : -1]

    # [The terms (b) of all pairs][txl.position_terms]: $\mathbf B_{i,j}$ with
    # $\widetilde{\mathbf B}_{i,\,j+L-1-i}$ in its place.
    rows = line.view(batch, heads, q_len, n_distances - 1)
    return rows[..., :k_len]  # [batch, heads, q_len, k_len]
