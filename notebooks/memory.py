# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   keywords: [visualize memory, receptive field, toy task]
# ---

# %% [markdown]
# # Memory across segments: how far does one token reach?
#
# A model processes a text in segments, and each layer keeps its input in a memory. If
# we change one token, which later outputs change? In this notebook
#
# - we look at what a memory contains,
# - we compare a text that is processed in segments with the same text at once,
# - we change a token and see how far the change spreads,
# - and we train a small model on a task that it can solve only with a memory.
#
# Time: about 20 seconds on two CPU cores. We estimate the same time on a T4, since the
# models are small.
#
# Your numbers will differ a little from those on the page.
# Losses are in nats; 1 nat is 1.44 bits.

# %% tags=["parameters"]
import os

QUICK = bool(os.environ.get("TXL_QUICK"))  # small sizes, to see quickly that all runs
N_LAYERS = 3
SEQ_LEN = 8  # tokens of a segment
STEPS = 60 if QUICK else 800  # of training, at the end
PERIOD = 12  # symbols after which the texts of the task repeat
MEM_LEN = 16  # states that the model of the task remembers

limits = {
    "N_LAYERS": (2, 8),
    "SEQ_LEN": (2, 32),
    "STEPS": (8, 100_000),
    "PERIOD": (3, 192),
    "MEM_LEN": (2, 192),
}
for parameter, (least, most) in limits.items():
    given = globals()[parameter]
    if not (type(given) is int and least <= given <= most):
        wanted = f"a whole number from {least} to {most}"
        raise ValueError(f"{parameter} = {given!r}: give {wanted}")
if PERIOD <= SEQ_LEN:
    wanted = f"more than SEQ_LEN = {SEQ_LEN}, or a segment holds its own answers"
    raise ValueError(f"PERIOD = {PERIOD}: give {wanted}")
if MEM_LEN < PERIOD - 1:
    wanted = f"more, so that it reaches back to the answer with PERIOD = {PERIOD}"
    raise ValueError(f"MEM_LEN = {MEM_LEN}: give {wanted}")
if MEM_LEN > 6 * SEQ_LEN:
    wanted = f"at most 6 segments, which are {6 * SEQ_LEN}"
    raise ValueError(f"MEM_LEN = {MEM_LEN}: give {wanted}")

# %% tags=["imports"]
import math

import torch
from matplotlib.figure import Figure
from torch import nn

from labml_txl.models import (
    FeedForward,
    LanguageModel,
    MemoryLengths,
    RelativeMultiHeadAttention,
    TransformerXL,
    TransformerXLLayer,
    update_memory,
)
from labml_txl.training import COLOURS, described, draw, find_device, progress

device = find_device("auto")
BLUE, _, GREEN, _, GREY = COLOURS  # the memory and the segment, as on the pages
torch.set_num_threads(1)  # the tensors are small: more threads would only wait

# %% [markdown]
# ## What a layer keeps
#
# A layer keeps its input. We take the numbers of [the worked
# case](../papers/transformer_xl.md#one-score-with-numbers): the states of *Mrs. Harker*
# are in the memory, and those of *sat down and* are the input of the layer in the
# segment. What are the two states of the next memory?

# %%
remembered = torch.tensor([[1.0, 0], [1, 1]])[:, None]  # Mrs. Harker
entered = torch.tensor([[0.0, 1], [-1, 1], [0, -1]])[:, None]  # sat down and
(kept,) = update_memory([remembered], [entered], mem_len=2)
print(kept[:, 0].tolist())

# %% [markdown]
# These are the states of *down* and *and*: the newest two of the input, as they were.
# What the layer computes from its input is not stored here. It becomes the input of the
# layer above, which stores it in its own memory.

# %% tags=["claim"]
kept.equal(entered[-2:])

# %% [markdown]
# ## A memory is a queue
#
# After each segment, the newest states are added to the memory and the oldest are
# dropped. To see which ones, we store the positions of tokens here instead of their
# states. The segments have 3 tokens, and the memory has a length of 5.

# %%
places = torch.arange(18.0).view(6, 3, 1, 1)  # six segments of three tokens
held, memory = [], []
for segment in places:
    held.append([int(place) for state in memory for place in state.flatten()])
    print(f"reads {segment.flatten().int().tolist()}, remembers {held[-1]}")
    memory = update_memory(memory, [segment], mem_len=5)

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 2.2), layout="constrained")
axes = figure.subplots()
for step, remembered in enumerate(held):
    axes.barh(step, len(remembered), 0.7, min(remembered, default=0), color=BLUE)
    axes.barh(step, 3, 0.7, 3 * step, color=GREEN)
axes.barh(0, 0, color=BLUE, label="remembered")
axes.barh(0, 0, color=GREEN, label="read now")
axes.set(xlabel="position in the text", ylabel="segment", xticks=range(0, 19, 3))
axes.set_yticks(range(6), range(1, 7))
axes.invert_yaxis()
figure.legend(frameon=False, loc="outside upper left", ncols=2)
axes.spines[["top", "right"]].set_visible(False)
described(
    figure,
    "For each of six segments a green bar of three positions that are read, and before "
    "it a blue bar of what is remembered: nothing, three positions, then five. The "
    "bars move to the right by three positions a segment.",
)

# %% [markdown]
# From the third segment on, the memory is full. It then contains the 5 positions before
# the segment, although 5 is not a multiple of 3.

# %% tags=["claim"]
held[2:] == [[*range(3 * n - 5, 3 * n)] for n in range(2, 6)]

# %% [markdown]
# ## In segments, or all at once
#
# Next, we use a model with random parameters. Each of its layers keeps its input as
# memory. [The extended context][txl.memory] of the paper is the memory followed by the
# segment:
#
# $$
# \widetilde{\mathbf h}_\tau^{n-1}
# = \left[ \operatorname{SG}(\mathbf m_\tau^{n-1}) \circ \mathbf h_\tau^{n-1} \right]
# $$


# %%
def stack(n_layers: int, d_model: int = 32, heads: int = 2) -> TransformerXL:
    """Layers with random parameters, without dropout."""
    layer = TransformerXLLayer(
        d_model=d_model,
        self_attn=RelativeMultiHeadAttention(heads, d_model, 0.0),
        feed_forward=FeedForward(d_model, 2 * d_model, 0.0),
        dropout_prob=0.0,
    )
    return TransformerXL(layer, n_layers)


def read(model, x, mem_len, seq_len=SEQ_LEN):
    """Read `x` in segments: the states below each layer, and those above the last."""
    memory, read_so_far = [], []
    for segment in x.split(seq_len):
        y, states = model(segment, memory)
        memory = update_memory(memory, states, mem_len)
        read_so_far.append(torch.stack([*states, y]))
    return torch.cat(read_so_far, dim=1)  # [n_layers + 1, n_tokens, batch, d_model]


torch.manual_seed(0)
model = stack(N_LAYERS).to(device)
n_tokens = (N_LAYERS + 2) * SEQ_LEN
x = torch.randn(n_tokens, 1, 32, device=device)  # embedded tokens, 40 of them

# %% [markdown]
# The model processes the 40 tokens three times: at once, in segments of 8 with a memory
# that holds everything, and in segments without a memory. How much does the output
# differ if the text is processed in segments, once with memory and once without,
# instead of in one piece?

# %%
with torch.no_grad():
    whole = read(model, x, 0, seq_len=n_tokens)[-1]
    readings = {
        "with memory": read(model, x, n_tokens)[-1],
        "without memory": read(model, x, 0)[-1],
    }
off = {name: (y - whole).norm(dim=-1).flatten() for name, y in readings.items()}

# %% tags=["plot"]
figure = draw(
    {name: [*enumerate(differences.tolist())] for name, differences in off.items()},
    "position in the text",
    "difference of the output",
)
described(
    figure,
    "The difference from reading at once, by position. With memory it is zero "
    "everywhere. Without, it is zero in the first segment only.",
)

# %% [markdown]
# With a memory that holds all earlier states, nothing is lost: the segments give the
# same output as the whole text. Without one, only the output of the first segment is
# the same, because all later segments lack their context. The paper calls this [context
# fragmentation](../papers/transformer_xl.md#why-a-fixed-length-breaks-a-text).

# %% tags=["claim"]
(
    off["with memory"].max().item() < 1e-4
    and off["without memory"][:SEQ_LEN].max().item() < 1e-4
    and off["without memory"][SEQ_LEN:].min().item() > 1e-2
)

# %% [markdown]
# ## How a change spreads
#
# Now the memory is as long as a segment, which is 8 states in each layer. We change the
# token at position 5, let the model process the text again, and compare the states of
# all layers at all positions.

# %%
ALTERED = min(5, SEQ_LEN - 1)


def change(model, x, mem_len, place=ALTERED):
    """How much each state changes when one token is another: `[layer, place]`."""
    other = x.clone()
    other[place] = torch.randn(x.shape[-1], generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        difference = read(model, x, mem_len) - read(model, other, mem_len)
    return difference.norm(dim=-1)[..., 0].cpu()  # [n_layers + 1, n_tokens]


def stairs(axes, changed, title):
    """Draw which states have changed; a change of exactly zero is left out."""
    shown = changed.log10().masked_fill(changed == 0, torch.nan)
    drawn = axes.imshow(
        shown, interpolation="none", aspect="auto", vmin=-5, vmax=1, cmap="viridis"
    )
    axes.invert_yaxis()
    for border in range(SEQ_LEN, changed.shape[1], SEQ_LEN):
        axes.axvline(border - 0.5, color="#8a8a8a", linewidth=1)
    labels = ["tokens", *(f"layer {n}" for n in range(1, len(changed)))]
    axes.set_yticks(range(len(changed)), labels)
    axes.set_title(title, fontsize=10)
    return drawn


# %%
without = change(model, x, 0)
passed = change(model, x, SEQ_LEN)

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 3.4), layout="constrained")
above, below = figure.subplots(2, 1, sharex=True)
stairs(above, without, "without memory")
drawn = stairs(below, passed, "with a memory of one segment")
below.set_xlabel("position in the text")
figure.colorbar(drawn, ax=[above, below], label="change (power of ten)")
described(
    figure,
    f"Which states change when the token at position {ALTERED} is another. Without "
    "memory, those of the first segment only. With memory, a staircase: layer 1 "
    "changes up to the end of the second segment, and each layer above it a segment "
    "further.",
)

# %% [markdown]
# Coloured states have changed; the others are identical, bit for bit.
#
# The staircase is the recurrence of Transformer-XL. The memory of a layer contains its
# inputs in the previous segment. When the layer attends to a changed state in this
# memory, its output changes, which is the input of the layer above. So the change goes
# **one layer up with every segment**, and it ends when it has passed the last layer. In
# a recurrent network, a layer passes its state on to itself, so a change can go on
# without end.

# %% tags=["claim"]
ends = [row.nonzero().max().item() + 1 for row in passed]
ends_without = [row.nonzero().max().item() + 1 for row in without]
(
    ends == [ALTERED + 1, *((n + 1) * SEQ_LEN for n in range(1, N_LAYERS + 1))]
    and set(ends_without[1:]) == {SEQ_LEN}
)

# %% [markdown]
# ## How far does it reach?
#
# With more layers the staircase has more steps, and with a longer memory the steps are
# wider. If we change a token of the first segment, which is the last segment whose
# output changes?

# %%
reached = {}
for n_segments in (1, 2, 3):
    for n_layers in (1, 2, 3, 4):
        torch.manual_seed(0)
        deep = stack(n_layers).to(device)
        long = torch.randn(14 * SEQ_LEN, 1, 32, device=device)
        changed = change(deep, long, n_segments * SEQ_LEN)[-1]
        reached[n_segments, n_layers] = changed.nonzero().max().item() // SEQ_LEN + 1

# %% tags=["plot"]
lines = {
    f"memory of {m * SEQ_LEN} tokens": [(n, reached[m, n]) for n in (1, 2, 3, 4)]
    for m in (3, 2, 1)
}
figure = draw(lines, "layers", "last segment that changes")
figure.axes[0].set_xticks([1, 2, 3, 4])
described(
    figure,
    "The last segment that changes, by number of layers. It grows by one a layer with "
    f"a memory of {SEQ_LEN} tokens, by two with {2 * SEQ_LEN}, and by three with "
    f"{3 * SEQ_LEN}.",
)

# %% [markdown]
# With $N$ layers, segments of length $L$ and a memory whose length $M$ is a multiple of
# $L$, the last segment whose output changes is segment $1 + N \cdot M / L$. So the
# longest dependency grows with the product of **layers and memory**. For $M = L$ this
# is the $O(N \times L)$ of the paper.

# %% tags=["claim"]
all(last == 1 + n * m for (m, n), last in reached.items())

# %% [markdown]
# ## Values pass, gradients do not
#
# $\operatorname{SG}$ stops the gradient at the memory. We look at the output at the
# last token of the third segment: how much does it change if an earlier token is
# changed, and how large is its gradient with respect to that token?

# %%
asked = 3 * SEQ_LEN - 1
before = range(asked + 1)
changes = [change(model, x[: asked + 1], SEQ_LEN, place) for place in before]
influence = torch.stack([changed[-1, asked] for changed in changes])
watched = x[: asked + 1].clone().requires_grad_()
probe = torch.linspace(-1, 1, x.shape[-1], device=device)  # one number of the output
(read(model, watched, SEQ_LEN)[-1, asked, 0] @ probe).backward()
gradient = watched.grad.norm(dim=-1).flatten().cpu()

# %% tags=["plot"]
# Before the memory of the last segment, in this memory, and in the segment itself.
colours = [colour for colour in (GREY, BLUE, GREEN) for _ in range(SEQ_LEN)]
figure = Figure(figsize=(4.4, 3), layout="constrained")
for axes, bars, label in zip(
    figure.subplots(2, 1, sharex=True),
    (influence, gradient),
    ("change", "gradient"),
    strict=True,
):
    axes.bar(before, bars.tolist(), color=colours)
    axes.set(yscale="log", ylabel=label)
    axes.yaxis.set_major_formatter("{x:g}")
    for border in (SEQ_LEN, 2 * SEQ_LEN):
        axes.axvline(border - 0.5, color="#8a8a8a")
axes.set_xlabel("position of the token")
described(
    figure,
    f"Above, how much the output at position {asked} changes when a token is altered: "
    f"all {asked + 1} tokens matter. Below, the gradient: it is there for the "
    f"{SEQ_LEN} tokens of the third segment and zero for all others.",
)

# %% [markdown]
# All 24 tokens change the output, but only the last 8, those of the current segment,
# have a gradient. So training determines how a model **uses** the states in its memory.
# How it **computes** these states is determined only by the loss of the segment to
# which they belong: they are trained to help later tokens of that segment, but not the
# later segments that attend to them in the memory. Why they help these nevertheless is
# said under the [limits](../papers/transformer_xl.md#limits) of the paper.

# %% tags=["claim"]
(
    influence.min().item() > 0
    and gradient[: 2 * SEQ_LEN].max().item() == 0
    and gradient[2 * SEQ_LEN :].min().item() > 0
)

# %% [markdown]
# ## A task that only memory solves
#
# Each text repeats a sequence of 12 random symbols: … A B C D E F G H I J K L A B C …
# At the second A, the next symbol is a B, and the earlier B is 11 tokens back. Since a
# segment has only 8 tokens, this is always before the segment begins. We train two
# models on this task, with the same initial parameters and the same data: one with a
# memory of 16 states, the other without memory.

# %%
N_SYMBOLS, PER_TEXT = 16, 8


def texts(batch: int, seed: int):
    """Texts of eight segments and one token: `[n_tokens, batch]`."""
    chosen = torch.Generator().manual_seed(seed)
    once = torch.randint(N_SYMBOLS, (PERIOD, batch), generator=chosen)
    place = torch.arange(PER_TEXT * SEQ_LEN + 1)
    return once[place % PERIOD].to(device)


def losses(model, text):
    """The loss at each place, segment by segment: `[seq_len, batch]`."""
    memory = None
    for start in range(0, PER_TEXT * SEQ_LEN, SEQ_LEN):
        logits, memory = model(text[start : start + SEQ_LEN], memory)
        answers = text[start + 1 : start + 1 + SEQ_LEN]
        yield nn.functional.cross_entropy(logits.mT, answers, reduction="none")


def learn(mem_len: int, n_layers: int = 1):
    """A trained model, and its loss in each step."""
    torch.manual_seed(0)
    model = LanguageModel(stack(n_layers, heads=1), N_SYMBOLS, MemoryLengths(mem_len))
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    curve = []

    def state():
        return f"memory {mem_len:2}" + (f", loss {curve[-1]:.2f}" if curve else "")

    for step in progress(range(STEPS // PER_TEXT), state):
        for part in losses(model, texts(64, step)):
            optimizer.zero_grad()
            part.mean().backward()
            optimizer.step()
            curve.append(part.mean().item())
    return model.eval(), curve


# %%
trained, with_memory = learn(MEM_LEN)
forgetful, without_memory = learn(0)


def settled(curve):
    """The loss of the last segment of each text, where the memory is full."""
    return [(step, curve[step]) for step in range(PER_TEXT - 1, len(curve), PER_TEXT)]


# %% tags=["plot"]
lines = {
    "with memory": settled(with_memory),
    "without memory": settled(without_memory),
}
figure = draw(lines, "step", "loss (nats a token)")
figure.axes[0].axhline(math.log(N_SYMBOLS), color="#8a8a8a", linestyle=":")
figure.axes[0].set_ylim(bottom=0)
described(
    figure,
    "The loss of both models in training. With memory it falls to "
    f"{with_memory[-1]:.2f}. Without, it ends at {without_memory[-1]:.2f}, on the "
    f"dotted line of a guess among {N_SYMBOLS} symbols.",
)

# %% [markdown]
# The plot shows the loss of the last segment of each text, because no model can predict
# the first 12 symbols. With memory, it falls below 0.4 nats per token. Without memory,
# it stays at $\ln 16 \approx 2.77$, because the model can only guess among 16 symbols.
# Longer training would not help, because the symbol is not in its input.

# %% tags=["claim", "full"]
with_memory[-1] < 0.4 and abs(without_memory[-1] - math.log(N_SYMBOLS)) < 0.1

# %% [markdown]
# ## Where does the model look?
#
# The picture shows the attention of the trained model, averaged over 64 new sequences.
# Keys on the left of the blue line are in the memory. (To shift its scores, [the faster
# attention](../models/fast/shift.md) needs one distance more than there are keys, −1.
# The plot after this one leaves it out.)

# %%
text = texts(64, seed=-1)
start = 6 * SEQ_LEN  # the seventh segment: by then the memory is full
with torch.no_grad():
    h = trained.embed(text[start - MEM_LEN : start + SEQ_LEN])
    layer = trained.transformer.cores()[0]
    z = layer.before(layer.norm_self_attn, h)
    attend = layer.self_attn
    q = attend.split_heads(attend.query(z[MEM_LEN:]))  # [64, 1, seq_len, d_k]
    k = attend.split_heads(attend.key(z))  # [64, 1, k_len, d_k]
    distances = attend.distances(MEM_LEN + SEQ_LEN - 1, -1)
    weights = attend.weights(attend.scores(q, k, distances), None)
    weights = weights.mean((0, 1)).cpu()  # [seq_len, k_len]

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 2.2), layout="constrained")
axes = figure.subplots()
drawn = axes.imshow(weights, interpolation="none", vmin=0, vmax=1, cmap="viridis")
axes.axvline(MEM_LEN - 0.5, color="#3fa9f5", linewidth=2)
axes.set_xticks(range(0, MEM_LEN + SEQ_LEN, 4), range(-MEM_LEN, SEQ_LEN, 4))
axes.set(xlabel="key (negative: in the memory)", ylabel="query")
figure.colorbar(drawn, ax=axes, label="attention", shrink=0.8)
looked = weights.argmax(1).tolist()
described(
    figure,
    f"Attention of the {SEQ_LEN} queries of a segment to {MEM_LEN} states of memory "
    "and the segment. A bright diagonal lies in the memory: query 0 looks at key "
    f"{looked[0] - MEM_LEN}, query {SEQ_LEN - 1} at key {looked[-1] - MEM_LEN}.",
)

# %% [markdown]
# Every query attends to the key 11 tokens back. Since the text repeats every 12 tokens,
# the symbol 12 tokens back equals the current one, so the symbol after it, 11 tokens
# back, equals the next. This key, which is always in the memory, gets more than 0.9 of
# the attention. The model has found this distance in training, from the loss alone.

# %% tags=["claim", "full"]
(
    looked == [i + MEM_LEN - (PERIOD - 1) for i in range(SEQ_LEN)]
    and max(looked) < MEM_LEN
    and weights.max(1).values.min().item() > 0.9
)

# %% [markdown]
# Why does it look at a distance, and not for a content? At the second A, the model
# could look for the first A. But the answer is the B after it. The model has a single
# layer, so the key of this B was computed from the B alone and does not tell that an A
# stood before it. So the model can only use the distance. Of the four terms of [the
# relative scores][txl.scores], only (b) and (d) depend on it. This is their sum for
# each distance, averaged over all queries:

# %%
with torch.no_grad():
    by_distance = (q @ distances.keys + distances.bias).mean((0, 1, 2)) * attend.scale
farthest = MEM_LEN + SEQ_LEN - 1
points = [(farthest - n, score) for n, score in enumerate(by_distance[:-1].tolist())]

# %% tags=["plot"]
figure = draw({"terms (b) + (d)": points}, "distance (tokens)", "score")
described(
    figure,
    f"The score by distance. Its highest point is at distance "
    f"{max(points, key=lambda point: point[1])[0]}.",
)

# %% tags=["claim", "full"]
max(points, key=lambda point: point[1])[0] == PERIOD - 1

# %% [markdown]
# ## How much memory is enough?
#
# The memory is an argument of the model and not one of its parameters, so we can
# evaluate the trained model with a memory of another length. The answer of query $i$ is
# 11 tokens back, and $M + i$ keys come before the query. So the answer is within reach
# if $M + i$ is at least 11. With $M = 11$ or more, this is true for all
# queries.


# %%
def loss_with(mem_len: int) -> float:
    trained.lengths = MemoryLengths(mem_len)
    with torch.no_grad():
        *_, last = losses(trained, texts(256, seed=-2))
    return last.mean().item()


lengths = range(0, MEM_LEN + 5)
curve = [(mem_len, loss_with(mem_len)) for mem_len in lengths]

# %% tags=["plot"]
figure = draw({"loss": curve}, "states remembered in reading", "loss (nats a token)")
figure.axes[0].axvline(PERIOD - 1, color="#8a8a8a", linestyle=":")
figure.axes[0].set_xticks(range(0, len(lengths), 2 if len(lengths) < 30 else 10))
described(
    figure,
    f"The loss of one trained model, read with memories of 0 to {lengths[-1]} states. "
    f"It is {curve[0][1]:.1f} without memory, falls from {PERIOD - SEQ_LEN} states on, "
    f"and is {curve[PERIOD - 1][1]:.2f} with {PERIOD - 1}.",
)

# %% [markdown]
# With 4 states the answer of the last query is within reach, and with each additional
# state, the answer of one more query. Beyond 11 states, more memory does not help. Up
# to 20 states, 4 more than in training, it does no harm either. A much longer memory
# [can make the loss higher](../experiments.md#a-memory-longer-than-in-training).

# %% tags=["claim", "full"]
found = [loss for _, loss in curve]
first = PERIOD - SEQ_LEN  # states with which one query sees its answer
each_helps = all(found[m] > found[m + 1] for m in range(first - 1, PERIOD - 1))
each_helps and max(found[PERIOD - 1 :]) < 0.5 and min(found[:first]) > 2.7

# %% [markdown]
# Without any memory the loss is even greater than that of guessing, which is 2.77. The
# model was trained to attend to the key 11 tokens back and to predict its symbol. If
# this key is missing, it attends to others, and is still sure of the symbol that it
# finds there. A model that only guesses spreads its probability over all symbols, which
# costs less than being sure of a wrong one.

# %% tags=["claim", "full"]
trained.lengths = MemoryLengths(0)
with torch.no_grad():
    logits, _ = trained(texts(256, seed=-2)[:SEQ_LEN], None)
sure = logits.softmax(-1).amax(-1).mean().item()  # probability of the likeliest symbol
found[0] > math.log(N_SYMBOLS) and sure > 0.5

# %% [markdown]
# ## Try it
#
# **1. A shorter memory.** Segments have 3 tokens, and the memory has a length of 2.
# Which positions does it contain after three segments?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Three segments are nine tokens, and the memory keeps the newest states.
#
# </details>

# %% tags=["answer"]
answer = None  # a list of positions, as [0, 1]

# %% tags=["check"]
None if answer is None else answer == [7, 8]

# %% tags=["solution"]
short = []
for segment in places[:3]:
    short = update_memory(short, [segment], mem_len=2)
solution = [int(place) for place in short[0].flatten()]
solution

# %% [markdown]
# **2. A longer reach.** A model has 4 layers and a memory of two segments. A token of
# the first segment is changed. Which is the last segment whose output changes?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Each layer attends to a memory that reaches two segments back.
#
# </details>

# %% tags=["answer"]
answer = None  # the number of a segment; the first is 1

# %% tags=["check"]
None if answer is None else answer == 1 + 4 * 2

# %% tags=["solution"]
solution = reached[2, 4]  # $1 + 4 \cdot 2$
solution

# %% [markdown]
# **3. Long enough.** A model has 2 layers. How many segments long must the memory be,
# so that a token of the first segment still changes the output of the fifth?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# The last segment is $1 + N \cdot M / L$. Here $N$ is 2.
#
# </details>

# %% tags=["answer"]
answer = None  # a number of segments

# %% tags=["check"]
None if answer is None else answer == 2

# %% tags=["solution"]
solution = min(m for m in (1, 2, 3) if reached[m, 2] >= 5)
solution

# %% [markdown]
# **4. Another period.** The text repeats after 20 symbols instead of 12. How large must
# `MEM_LEN` be, so that the answer of every query is within reach?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# With a period of 12, the answer of query $i$ is within reach if $M + i$ is at
# least 11. The first query has $i = 0$.
#
# </details>

# %% tags=["answer"]
answer = None  # a number of states

# %% tags=["check"]
None if answer is None else answer == 20 - 1

# %% tags=["solution"]
solution = 20 - 1  # the answer lies one less than a period before its query
solution

# %% [markdown]
# Now change the cells above, and run them again.
#
# - Set `PERIOD` to 20 and `MEM_LEN` to your answer. Where does the model look now?
# - Give the model two layers and a memory of 8: `learn(8, n_layers=2)`. Can it learn
#   the task? Remember that no gradient flows through the memory.
#
# ## Further
#
# To keep: the memory of each layer begins $M$ tokens before the segment, so with $N$
# layers, information can come from $N \cdot M$ tokens before it if the memory consists
# of whole segments. Values pass through the memory, gradients do not.
#
# - [What memory is worth](what_memory_is_worth.md) measures the same on real text.
# - The [live page](../live.md) shows it with a trained model, for any text that you
#   enter.
# - [Segment-level memory](../models/memory.md) and
#   [Transformer-XL](../models/transformer_xl.md) explain the code that was used here.
