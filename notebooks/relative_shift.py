# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   keywords: [numeric example]
# ---

# %% [markdown]
# # The relative shift and the four terms, by hand
#
# How does a query decide where to look, and why do the rows of a table have to move for
# that? In this notebook
#
# - we compute one score with numbers, and then the same with the class of the library,
# - we compute the four terms of a whole text with loops, and see what each looks for,
# - we compute the same scores with one matrix product and a shift that copies nothing,
# - we see why a shift to the right is correct too, for another order of the columns,
# - and we check the attention of the library, score by score.
#
# Time: a few seconds on two CPU cores. A T4 makes no difference: all tables are small.

# %% tags=["parameters"]
import os

QUICK = bool(os.environ.get("TXL_QUICK"))  # small sizes, to see quickly that all runs
MEMORY = "the cat saw a bird"  # read before, and remembered
SEGMENT = "and the bird saw the cat"  # read now
LOOKS_BACK = {"and": 5, "the": 1, "bird": 2, "saw": 4, "cat": 3}  # tokens
LARGE = 32 if QUICK else 512  # queries of the large table, with twice as many keys

if not (type(LARGE) is int and 1 <= LARGE <= 2048):
    raise ValueError(f"LARGE = {LARGE!r}: give a whole number from 1 to 2048")
for parameter, least in (("MEMORY", 1), ("SEGMENT", 2)):
    given = globals()[parameter]
    if not (isinstance(given, str) and len(given.split()) >= least):
        raise ValueError(f"{parameter} = {given!r}: give {least} or more words")
for position, word in enumerate(SEGMENT.split(), len(MEMORY.split())):
    back = LOOKS_BACK.get(word)
    if not (type(back) is int and 0 <= back <= position):
        wanted = f"a whole number from 0 to {position}, where the text begins"
        raise ValueError(f"LOOKS_BACK[{word!r}] = {back!r}: give {wanted}")

# %% tags=["imports"]
import torch
import torch.nn.functional as F
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from torch import Tensor

from labml_txl.models import RelativeAttention, rel_shift, shift_view, sinusoids
from labml_txl.training import described, find_device

device = find_device("auto")
torch.set_num_threads(1)  # the tables are small: more threads would only wait

# %% [markdown]
# ## One score with numbers
#
# We begin with [the worked case](../papers/transformer_xl.md#one-score-with-numbers) of
# the page on the paper. *Mrs.* and *Harker* are in the memory, *sat*, *down* and *and*
# in the segment. A state has two features, and there is one head. How strongly does
# *sat* attend to *Harker*, one token before it?

# %%
states = torch.tensor(
    [[1, 0], [1, 1], [0, 1], [-1, 1], [0, -1]], dtype=torch.float64
)  # Mrs. Harker | sat down and
key = states[1]  # Harker: the projection of the keys changes nothing
query = states[2].flip(0)  # sat: the projection of the queries exchanges both features
far = sinusoids(torch.tensor([1]), 2)[0]  # the distance 1: its sine and its cosine
u, v = torch.tensor([[1, 0], [0, 1]], dtype=torch.float64)

four = {"(a)": query @ key, "(b)": query @ far, "(c)": u @ key, "(d)": v @ far}
for term, product in four.items():
    print(f"{term} {product:.2f}")
print(f"sum {sum(four.values()):.2f}, score {sum(four.values()) / 2**0.5:.2f}")

# %% [markdown]
# The class does the same for all queries and keys at once. We give it the projections
# of the worked case and print the weights, a row for each query.

# %%
small = RelativeAttention(heads=1, d_model=2, dropout_prob=0).double()
with torch.no_grad():
    small.query.weight.copy_(torch.eye(2).flip(0))
    for projection in (small.key, small.distances.projection):
        projection.weight.copy_(torch.eye(2))
    small.content_bias.copy_(u[None])
    small.distances.position_bias.copy_(v[None])
    q = small.split_heads(small.query(states[2:, None]))
    k = small.split_heads(small.key(states[:, None]))
    scored = small.scores(q, k, small.distances(4, 0))
    shares = small.weights(scored)[0, 0]
for token, row in zip(("sat", "down", "and"), shares.tolist(), strict=True):
    print(f"{token:<5}", *(f"{share:5.2f}" for share in row))

# %% [markdown]
# *sat* gives *Harker* 0.58 of its attention. The zeros are keys that come after the
# query.

# %% tags=["claim"]
by_hand = sum(four.values()) / 2**0.5
(
    by_hand.allclose(scored[0, 0, 0, 1])
    and round(shares[0, 1].item(), 2) == 0.58
    and not shares.triu(3).any()
)

# %% [markdown]
# ## A text, a memory, a segment
#
# The next text is longer, so that the patterns of the four terms can be seen.
# The model has the states of $M$ tokens in its memory, and processes a segment of $L$
# tokens. The queries are the $L$ tokens of the segment, whereas the keys are all
# $K = M + L$ tokens.

# %%
memory, segment = MEMORY.split(), SEGMENT.split()
words = memory + segment
M, L, K = len(memory), len(segment), len(words)
print(f"{M = } remembered, {L = } new, {K = } keys")

# %% [markdown]
# How far is each key from each query? We number the queries from 0, and the keys from 0
# too, beginning with the memory. Then query $i$ is at position $i + M$ of the whole
# text, and key $j$ is $i + M - j$ tokens before it. If this distance is negative, the
# key is in the future and the query must not attend to it.

# %%
distance = torch.arange(L)[:, None] + M - torch.arange(K)  # [q_len, k_len]
visible = distance >= 0
print("key".rjust(6), *(f"{word:>4}" for word in words))
for word, row in zip(segment, distance.tolist(), strict=True):
    print(f"{word:>6}", *(f"{r:4}" if r >= 0 else "   ·" for r in row))

# %% [markdown]
# ## Parameters chosen by hand
#
# The parameters of a trained model are hard to interpret, so we choose simple ones
# instead.
#
# - A **key** encodes its word, with one element for each word of the vocabulary.
# - $\mathbf R_r$ encodes the distance $r$ with [sines and cosines of different
#   frequencies](../models/embeddings.md#sinusoids). Our $\mathbf W_{k,R}$ uses the five
#   highest.
# - A **query** looks for its own word and for a token at a certain distance. The word
#   *cat*, for example, looks 3 tokens back.
# - $u$ raises the scores of nouns, for every query.
# - $v$ raises the scores of near tokens, for every query.

# %%
vocabulary = sorted(set(words))
n_words, n_speeds, d_model = len(vocabulary), 5, 64
R = dict(
    zip(range(-L, K + 1), sinusoids(torch.arange(-L, K + 1), d_model), strict=True)
)

# Sines stand in the first half of a row of R, cosines in the second; fast ones first.
sines = torch.eye(d_model, dtype=torch.float64)[:n_speeds]
cosines = sines.roll(d_model // 2, dims=1)
W_kR = torch.cat((torch.zeros(n_words, d_model), sines, cosines)) / n_speeds**0.5


def places(*chosen: str) -> Tensor:
    numbers = [vocabulary.index(word) for word in chosen if word in vocabulary]
    found = torch.zeros(len(W_kR), dtype=torch.float64)  # [d_k]
    found[numbers] = 1
    return found


k = torch.stack([places(word) for word in words])  # [k_len, d_k]
q = torch.stack([places(w) + W_kR @ R[LOOKS_BACK[w]] for w in segment])  # [q_len, d_k]
u = places("bird", "cat")
v = torch.zeros_like(u)
v[-1] = n_speeds**0.5  # the slowest of the five cosines: it falls all the way

# %% [markdown]
# ## The four terms, in loops
#
# The score of query $i$ and key $j$ determines how strongly the query attends to the
# key. [The relative scores][txl.scores] have four terms. If $q_i$ and $k_j$ are the
# projected words, they are
#
# $$
# \mathbf A_{i,j}^{\mathrm{rel}}
# = \underbrace{q_i^\top k_j}_{(a)}
# + \underbrace{q_i^\top \mathbf W_{k,R} \mathbf R_{i-j}}_{(b)}
# + \underbrace{u^\top k_j}_{(c)}
# + \underbrace{v^\top \mathbf W_{k,R} \mathbf R_{i-j}}_{(d)}
# $$
#
# In the paper, $i$ and $j$ are positions in the same text, so that the distance is
# $i - j$. Here query 0 is the first token of the segment, which is key $M$, and
# therefore the distance is $i + M - j$.

# %%
a, b, c, d = torch.zeros(4, L, K, dtype=torch.float64)
for i in range(L):
    for j in range(M + i + 1):  # the memory, the past and the token itself
        r = i + M - j
        a[i, j] = q[i] @ k[j]
        b[i, j] = q[i] @ W_kR @ R[r]
        c[i, j] = u @ k[j]
        d[i, j] = v @ W_kR @ R[r]

# %% [markdown]
# The next two cells define functions that draw tables. Orange is above zero, purple
# below. The blue line separates the memory from the segment.


# %% tags=["plot"]
def heat(axes, table, title, shown=None, marks=None, limit=1.25):
    """Draw a table, where `shown` is true, with `marks` in its cells."""
    if shown is not None:
        table = table.masked_fill(~shown, torch.nan)
    orange, purple = ([*to_rgb(colour), 1] for colour in ("#d55e00", "#6a51a3"))
    # Zero is transparent: the ground of the page, be it light or dark.
    drawn = torch.where(
        (table > 0)[..., None], torch.tensor(orange), torch.tensor(purple)
    )
    drawn[..., 3] = 0.75 * (table.abs() / limit).nan_to_num().clamp(max=1)
    axes.imshow(drawn, interpolation="none")
    axes.set_title(title, fontsize=10)
    axes.tick_params(length=0, labelfontfamily="monospace")
    axes.spines[:].set_visible(False)
    for i, row in enumerate(marks if marks is not None else ()):
        for j, mark in enumerate(row):
            if mark != "" and (shown is None or shown[i, j]):
                axes.text(j, i, f"{mark}", ha="center", va="center")


def name(axes, keys=words, queries=segment, border=M):
    """Write keys below a table and queries beside it."""
    axes.set_xticks(range(len(keys)), keys, rotation=90 if keys is words else 0)
    axes.set_yticks(range(len(queries)), queries)
    if border is not None:
        axes.axvline(border - 0.5, color="#0072b2", linewidth=2)


# %% tags=["plot"]
figure = Figure(figsize=(4.4, 3.6), layout="constrained")
grid = figure.subplots(2, 2, sharex=True, sharey=True)
heat(grid[0, 0], a, "(a)  Is it my word?", visible)
heat(grid[0, 1], b, "(b)  Is it at my distance?", visible)
heat(grid[1, 0], c, "(c)  u: is it a noun?", visible)
heat(grid[1, 1], d, "(d)  v: is it near?", visible)
for axes in grid.flat:
    name(axes)
described(
    figure,
    "Four tables with a row for each query and a column for each key. Term (a) is "
    "orange where key and query are the same word, and zero elsewhere. Term (b) has "
    "one deepest cell in each row, at the distance that its word looks back. Term (c) "
    "has orange columns under cat and bird. Term (d) is orange on the diagonal, fades "
    "with the distance and is purple for the farthest keys.",
)

# %% [markdown]
# Each term has its own pattern:
#
# - **(a)** gives **single cells**, because it compares words: a word finds the same
#   word wherever it occurs.
# - **(b)** gives **one distance in each row**, which the query chooses. *and* looks 5
#   tokens back, where the first word of the memory is.
# - **(c)** gives **columns**, because it depends on the key only.
# - **(d)** gives **diagonals**, because it depends on the distance only.
#
# None of the four patterns changes at the blue line, because the distance between two
# tokens remains the same when one of them is in the memory. Therefore the states of an
# earlier segment can be used again.

# %% tags=["claim"]
rows, columns = visible.nonzero(as_tuple=True)
same_word = [[float(x == y) for y in words] for x in segment]
spots = a[visible].allclose(torch.tensor(same_word).double()[visible])
looks = distance.gather(1, b.masked_fill(~visible, -9).argmax(1, keepdim=True))
one_a_row = looks.flatten().tolist() == [LOOKS_BACK[word] for word in segment]
equal_rows = c[visible].equal(c[-1].expand(L, K)[visible])
diagonals = d[1:, 1:][visible[1:, 1:]].equal(d[:-1, :-1][visible[1:, 1:]])
spots and one_a_row and equal_rows and diagonals

# %% [markdown]
# The score is the sum of the four terms. A softmax over each row turns the scores into
# attention weights.

# %%
scores = a + b + c + d
attention = scores.masked_fill(~visible, -torch.inf).softmax(-1)

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 2.1), layout="constrained")
left, right = figure.subplots(1, 2, sharey=True)
heat(left, scores, "scores", visible, limit=4)
heat(right, attention, "attention", visible, limit=0.6)
for axes in (left, right):
    name(axes)
first = words[attention[0].argmax()]
described(
    figure,
    f"The sum of the four terms, and attention. The first query, {segment[0]}, attends "
    f"most to {first} in the memory, with {attention[0].max():.2f} of its attention.",
)

# %% [markdown]
# The first query is the word *and*. Its term (b) points 5 tokens back, to *the*.
# However, *cat*, which is one step nearer, is a noun and has the largest sum.

# %% tags=["claim"]
looked = M - LOOKS_BACK[segment[0]]  # the position that term (b) finds
first == "cat" and attention[0].max().item() > attention[0, looked].item()

# %% [markdown]
# ## Many pairs, few distances
#
# The loops project the encoding of the distance for every pair of a query and a key,
# although there are only $K$ *different* distances.

# %%
for queries, keys in ((L, K), (512, 1024), (4096, 8192)):
    print(f"{queries * keys:>10,} pairs {keys:>6,} distances")

# %% [markdown]
# So Appendix B projects each distance once, [the farthest first][txl.distance_keys].
# Then one product compares [every query with every distance][txl.shifted_terms]:
# $\widetilde{\mathbf B} = \mathbf q\,\mathbf Q^\top$.

# %%
Q = torch.stack([W_kR @ R[r] for r in range(K - 1, -1, -1)])  # [k_len, d_k]
by_distance = q @ Q.T  # [q_len, k_len]

fallen = [str(r) for r in range(K - 1, -1, -1)]

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 5.4), layout="constrained")
above, below = figure.subplots(2, 1)
heat(
    above, by_distance, "before: a column is a distance", marks=[fallen] * L, limit=1.7
)
heat(below, b, "after: a column is a key", visible, distance.tolist(), limit=1.7)
name(above, fallen, border=None)
name(below)
described(
    figure,
    "Term (b) twice, with the distance written into each cell. Before, the column of "
    "each distance is straight. After, each row has moved to the left and the zeros "
    "form the diagonal; the last row stands where it was.",
)

# %% [markdown]
# The colour of a cell is its score, and its number the distance. The shift changes
# neither of them, but moves each row to the left: the first row by $L - 1$ columns, the
# next by one less, and the last not at all. Afterwards, the distance 0 of each row is
# in the column of the query's own token. The cells that leave the table on the left
# belong to tokens before the memory.

# %% tags=["claim"]
all(
    by_distance[i, L - 1 - i :].allclose(b[i, : M + i + 1], atol=1e-12)
    for i in range(L)
)

# %% [markdown]
# ## The paper's Appendix B, entry by entry
#
# The paper writes [the moved matrix][txl.position_terms] with rows of $\mathbf Q$:
# entry $(i, j)$ is $q_i^\top \mathbf Q_{L-1-i+j}$, and zero for a key of the future.
# The next cell prints which row of $\mathbf Q$ belongs to each entry.

# %%
row_of_q = torch.arange(K) + L - 1 - torch.arange(L)[:, None]  # [q_len, k_len]
for i, row in enumerate(row_of_q.tolist()):
    print(f"q{i}:", *(f"Q{n}".rjust(3) if n < K else "  0" for n in row))

# %% [markdown]
# Compare the corners with [the equation][txl.position_terms]. The first row runs from
# $\mathbf Q_{L-1}$ to $\mathbf Q_{M+L-1}$, the last from $\mathbf Q_0$ to
# $\mathbf Q_{M+L-1}$. All entries agree with the loops, for term (b) and for [term
# (d)][txl.position_bias_terms], each of whose rows is $\widetilde{\mathbf d}$, shifted.
# The paper writes this matrix a second time, with $\mathbf R$. There its last row has
# [a misprint](../papers/transformer_xl.md#the-relative-shift).

# %% tags=["claim"]
B, D = torch.zeros(2, L, K, dtype=torch.float64)
d_tilde = Q @ v  # [k_len]
for i, j in visible.nonzero().tolist():
    B[i, j] = q[i] @ Q[L - 1 - i + j]
    D[i, j] = d_tilde[L - 1 - i + j]
B.allclose(b, atol=1e-12) and D.allclose(d, atol=1e-12)

# %% [markdown]
# ## A shift without copying
#
# Moving the rows means copying their elements, which can be avoided. We show this with
# a smaller table of $L = 3$ queries a, b, c and $K = 4$ keys. For each query we compute
# the score of one more distance, $-1$. No query attends to a key at this distance, but
# the additional score makes every row one element longer. (The authors' code adds a
# column of zeros on the left instead. A column that is computed with the others saves
# this copy.)


# %% tags=["plot"]
def strip(axes, cells, title, spent=lambda i, j: False):
    """Draw named cells; a letter has a colour, what is hidden is grey."""
    colours = {"a": "#d3c6e8", "b": "#f0c4da", "c": "#e6dba6"}
    for i, row in enumerate(cells):
        for j, cell in enumerate(row):
            colour = "#d0d0d0" if spent(i, j) else colours[cell[0]]
            axes.barh(i, 0.94, 0.92, j - 0.47, color=colour)
            axes.text(j, i, cell, color="#111111", ha="center", va="center")
    middle = (max(map(len, cells)) - 1) / 2
    axes.set(xlim=(middle - 7.6, middle + 7.6), ylim=(len(cells) - 0.5, -0.5))
    axes.set_title(title, fontsize=10)
    axes.set_axis_off()


table = [[f"{letter}{r}" for r in (3, 2, 1, 0, -1)] for letter in "abc"]
line = [cell for row in table for cell in row]
again = [line[2 + 4 * i :][:4] for i in range(3)]  # from L - 1 on, in rows of K

figure = Figure(figsize=(4.4, 2.9), layout="constrained")
axes = figure.subplots(3, 1, height_ratios=(3, 1.2, 3))
strip(axes[0], table, "1. By distance, in rows of K + 1", lambda i, j: j == 4)
strip(axes[1], [line], "2. The same cells as one line", lambda i, j: j % 5 == 4)
strip(axes[2], again, "3. From a1 on, in rows of K: by key", lambda i, j: j > i + 1)
described(
    figure,
    "A table with the rows a3 a2 a1 a0 a-1, b3 to b-1 and c3 to c-1; the same fifteen "
    "cells as one line; and the line cut from its third cell on into rows of four: "
    "a1 a0 and two grey cells, b2 b1 b0 and one grey cell, c3 c2 c1 c0.",
)

# %% [markdown]
# We skip the first $L - 1 = 2$ elements and read the rest in rows that are one element
# shorter. So the first row loses 2 elements at its start, the second row 1 and the
# third row none, and this is the shift. The grey cells belong to keys of the future,
# which the mask hides.

# %% tags=["claim"]
[" ".join(row[: i + 2]) for i, row in enumerate(again)] == [
    "a1 a0",
    "b2 b1 b0",
    "c3 c2 c1 c0",
]

# %% [markdown]
# `shift_view` does the same with the large table. The stride of the rows is the number
# of elements in memory from the start of one row to that of the next, and the offset is
# the element with which the first row starts.

# %%
large = torch.randn(1, 8, LARGE, 2 * LARGE + 1, device=device)
shifted = shift_view(large, 2 * LARGE)
for label, x in (("by distance", large), ("by key", shifted)):
    print(f"{label:<12} row stride {x.stride(2):>5}  offset {x.storage_offset():>4}")

# %% [markdown]
# The stride is one less than before and the offset is $L - 1$. Both tables use the same
# memory, so nothing was copied. The authors' code adds a column to the table instead,
# which copies all of it. Applied to the scores of our example, `shift_view` gives term
# (b) again, and so does `rel_shift`, which selects the score of each cell by its index.

# %% tags=["claim"]
same_memory = large.untyped_storage().data_ptr() == shifted.untyped_storage().data_ptr()
strides = shifted.stride(2) == large.stride(2) - 1
one_more = F.pad(by_distance, (0, 1), value=99.0)  # no key wants these numbers
term_b = shift_view(one_more[None, None], K)[0, 0]
by_index = rel_shift(by_distance[None, None], K)[0, 0]
(
    same_memory
    and strides
    and shifted.storage_offset() == LARGE - 1
    and term_b[visible].allclose(b[visible], atol=1e-12)
    and by_index[visible].equal(term_b[visible])
)

# %% [markdown]
# ## Left or right?
#
# labml-nn, a well-known annotated implementation, shifts to the **right**, and a public
# issue reports this as a bug. The next cell contains both functions. They differ in the
# side on which the column is added, and in the row that is dropped.
#
# ![Two tables of the same scores, three queries and a memory of 2. By distance, all
# rows have the distances 4 to 0. By key, each row is moved to the left, and its
# distance 0 stands under its own key.](figure:relative-shift)


# %%
def shift_left(x: Tensor) -> Tensor:
    """The paper's way: a column on the left, then skip the first row."""
    return F.pad(x, (1, 0)).flatten()[len(x) :].view_as(x)


def shift_right(x: Tensor) -> Tensor:
    """The way of labml-nn: a column on the right, then skip the last row."""
    return F.pad(x, (0, 1)).flatten()[: -len(x)].view_as(x)


# %% [markdown]
# The functions are applied to different tables. In the paper, the columns are
# distances, which fall to 0. In labml-nn, they are offsets $j - i$, which rise from
# $-K$ to $L - 1$, and the first $L$ columns are cut off after the shift. The figure
# shifts both the scores and the distances. A mark shows where the distance 0 is
# afterwards.

# %%
offsets = range(-K, L)
by_offset = q @ torch.stack([W_kR @ R[-o] for o in offsets]).T  # [q_len, k_len + q_len]
falling = torch.arange(K - 1, -1, -1).expand(L, K)
rising = -torch.tensor(offsets).expand(L, K + L)

results = {
    "the paper: its table, to the left": (
        shift_left(by_distance),
        shift_left(falling == 0),
    ),
    "labml-nn: its table, to the right": (
        shift_right(by_offset)[:, L:],
        shift_right(rising == 0)[:, L:],
    ),
    "exchanged: the paper's table, to the right": (
        shift_right(by_distance),
        shift_right(falling == 0),
    ),
}

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 7.2), layout="constrained")
for axes, (title, (table, zero)) in zip(
    figure.subplots(3, 1), results.items(), strict=True
):
    marks = [["0" if here else "" for here in row] for row in zero.tolist()]
    heat(axes, table, title, visible, marks, limit=1.7)
    name(axes)
described(
    figure,
    "Term (b) by key, made in three ways. The paper's way and that of labml-nn show "
    "the same colours, with the distance 0 on the diagonal. With the function "
    "exchanged, the colours differ and the distance 0 has left the diagonal.",
)

# %% [markdown]
# Both ways give the same scores for all keys to which a query may attend, so the shift
# to the right is not a bug. It would be one if only the function were exchanged and the
# table kept.

# %% tags=["claim"]
left, right, exchanged = (table[visible] for table, _ in results.values())
left.allclose(right, atol=1e-12) and not left.allclose(exchanged, atol=0.1)

# %% [markdown]
# ## The attention of the library
#
# Finally, we use random parameters and two heads, and compare the four terms, computed
# with loops, with the scores of `RelativeAttention`. The formula of the paper contains
# no scaling. Like the authors' code, the library multiplies all four terms by
# $1/\sqrt{d_k}$, and so do the loops.

# %%
torch.manual_seed(0)
heads, d_model = 2, 16
module = RelativeAttention(heads, d_model).to(device)
for parameter in module.parameters():
    torch.nn.init.normal_(parameter)
h = torch.randn(K, 1, d_model, device=device)  # states of memory and segment

with torch.no_grad():
    queries = module.split_heads(module.query(h[M:]))  # [1, heads, q_len, d_k]
    keys = module.split_heads(module.key(h))  # [1, heads, k_len, d_k]
    ours = module.scores(queries, keys, module.distances(K - 1, 0))[0]

    looped = torch.full_like(ours, torch.nan)  # [heads, q_len, k_len]
    for n, i, j in torch.cartesian_prod(*map(torch.arange, (heads, L, K))).tolist():
        if visible[i, j]:
            encoding = sinusoids(distance[i, j].view(1), d_model).to(h)
            R_n = module.distances.projection(encoding).view(heads, -1)[n]
            q_i, k_j = queries[0, n, i], keys[0, n, j]
            u_n, v_n = module.content_bias[n], module.distances.position_bias[n]
            terms = (q_i @ k_j, q_i @ R_n, u_n @ k_j, v_n @ R_n)
            looped[n, i, j] = sum(terms) * module.scale

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 2.1), layout="constrained")
for axes, n in zip(figure.subplots(1, heads, sharey=True), range(heads), strict=True):
    heat(axes, ours[n].cpu(), f"head {n}", visible, limit=ours.abs().max().item())
    name(axes)
described(
    figure,
    "Relative scores of two heads with random parameters. No shape can be seen with "
    "bare eyes: the loops have to say whether each score is right.",
)

# %% [markdown]
# With random parameters the picture shows no pattern, but the comparison does not need
# one: all scores are equal.

# %% tags=["claim"]
looped[:, visible].allclose(ours[:, visible], atol=1e-3)

# %% [markdown]
# ## Try it
#
# **1. Without $u$.** Leave out term (c). To which word does *and* attend most now?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Sum the other three terms, and take the largest score of the first row.
#
# </details>

# %% tags=["answer"]
answer = None  # a word, as "cat"

# %% tags=["check"]
without_c = (a + b + d).masked_fill(~visible, -torch.inf)
None if answer is None else answer == words[without_c[0].argmax()]

# %% tags=["solution"]
without_c = (a + b + d).masked_fill(~visible, -torch.inf)
solution = words[without_c[0].argmax()]
solution

# %% [markdown]
# **2. Cells that leave the table.** Row $i$ moves to the left by $L - 1 - i$ columns.
# How many scores leave the table altogether?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# The first row loses $L - 1$ scores, the last row none.
#
# </details>

# %% tags=["answer"]
answer = None  # a number of scores

# %% tags=["check"]
None if answer is None else answer == L * (L - 1) // 2

# %% tags=["solution"]
solution = sum(L - 1 - i for i in range(L))
solution

# %% [markdown]
# **3. Without the oldest word.** If the memory has one token less, which scores of term
# (b) change?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Which distances change?
#
# </details>

# %% tags=["answer"]
answer = None  # how many of the scores that are left change

# %% tags=["check"]
None if answer is None else answer == 0

# %% tags=["solution"]
shorter = torch.zeros(L, K - 1, dtype=torch.float64)
for i in range(L):
    for j in range(M + i):
        shorter[i, j] = q[i] @ W_kR @ R[i + M - 1 - j]
solution = (shorter - b[:, 1:]).abs().gt(1e-12).sum().item()
solution

# %% [markdown]
# Now change the cells above, and run them again.
#
# - Let *cat* look 6 tokens back by changing `LOOKS_BACK`. What changes in term (b)?
# - Make the memory longer by changing `MEMORY`. Which terms change?
# - Set $u$ or $v$ to zero. Which pattern disappears from the attention?
#
# ## Further
#
# To keep: each distance is projected once, terms (b) and (d) are computed by distance,
# and the shift moves row $i$ to the left by $L - 1 - i$, so that each score stands
# under its key.
#
# - [Memory across segments](memory.md) is the next notebook. It shows how a memory
#   passes on what earlier segments contain.
# - [Relative attention](../models/relative_attention.md) and [the relative
#   shift](../models/relative_shift.md) explain the code of the library.
# - The [live page](../live.md) shows the four terms of each head of a trained model.
