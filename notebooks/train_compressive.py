# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   keywords: [minimal example, compare compression functions, loss increases]
# ---

# %% [markdown]
# # Train a small Compressive Transformer
#
# How much do old states still help if they are compressed instead of dropped? In a
# Compressive Transformer, the states that leave the memory are compressed, here four to
# one, and kept in a second memory. In this notebook
#
# - we compress two states and compute the loss with numbers,
# - we see how both memories fill, and which parameters each of the two losses trains,
# - we compare five compression functions,
# - and we measure how much attention the compressed memory gets.
#
# Time: about 3 minutes on two CPU cores, 1 minute on a T4 (the latter is an estimate).
#
# Your numbers will differ a little from those on the page.

# %% tags=["parameters"]
import os

from torch import nn

QUICK = bool(os.environ.get("TXL_QUICK"))  # small sizes, to see quickly that all runs
STEPS = 20 if QUICK else 1200  # updates of the parameters
FROZEN_STEPS = 10 if QUICK else 200  # updates of the compression alone
MEASURED = 1000 if QUICK else 20_000  # characters of the validation part
# A text of your own: the path of a file. A quick run reads a file of PyTorch.
TEXT = nn.modules.module.__file__ if QUICK else "tiny-shakespeare"

limits = {
    "STEPS": (2, 1_000_000),
    "FROZEN_STEPS": (1, 1_000_000),
    "MEASURED": (400, 1_000_000),
}
for parameter, (least, most) in limits.items():
    given = globals()[parameter]
    if not (type(given) is int and least <= given <= most):
        wanted = f"a whole number from {least} to {most}"
        raise ValueError(f"{parameter} = {given!r}: give {wanted}")

# %% tags=["imports"]
import copy
from pathlib import Path

import torch
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from labml_txl.cli import main
from labml_txl.models import COMPRESSIONS, AttentionReconstructionLoss
from labml_txl.models.compressive import concat_memory
from labml_txl.models.reconstruction import content_attention, content_queries
from labml_txl.training import (
    COLOURS,
    Checkpoint,
    Streams,
    build,
    configure,
    cross_entropy,
    described,
    draw,
    evaluate,
    find_device,
    make_optimizer,
    open_corpus,
    progress,
    recorded,
    save_checkpoint,
    with_memory,
)

torch.manual_seed(0)
torch.set_num_threads(1)  # a model this small gains nothing from more
device = find_device("auto")
corpus = open_corpus(TEXT)
words = corpus.vocabulary

# %% [markdown]
# ## One slot with numbers
#
# In [the worked case](../papers/compressive_transformer.md#two-memories), the states of
# *Mrs.* and *Harker* leave the memory, and their mean becomes one slot. What do the
# queries of *sat*, *down* and *and* receive from the two states, and from the slot in
# their place?

# %%
old = torch.tensor([[1.0, 0], [1, 1]])  # Mrs. Harker
slot = old.mean(0)
queries = torch.tensor([[1.0, 0], [1, -1], [-1, 0]])  # sat, down, and
shares = (queries @ old.T / 2**0.5).softmax(-1)  # without distances
received = shares @ old
lost = (slot - received).square().mean(1)
for token, row, loss in zip(("sat", "down", "and"), received, lost, strict=True):
    print(f"{token:<5} {row[0]:.2f} {row[1]:.2f}   lost {loss:.3f}")
print(f"slot  {slot[0]:.2f} {slot[1]:.2f}   mean {lost.mean():.3f}")

# %% [markdown]
# *sat* and *and* attend to both states equally, so the mean is exactly what they
# receive. *down* gives the first state the weight 0.67, but only half of the slot comes
# from it.

# %% tags=["claim"]
lost[0] == lost[2] == 0 and round(lost[1].item(), 3) == 0.014

# %% [markdown]
# ## Two memories
#
# The model processes segments of 16 characters. The memory of each layer contains the
# states of the last 16 characters, and its compressed memory 16 compressed slots, each
# computed from 4 older states.

# %%
config = configure(
    {"model": "compressive", "text": TEXT, "n_layers": 3, "heads": 4, "d_model": 96}
    | {"d_ff": 384, "seq_len": 16, "mem_len": 16, "c_mem_len": 16}
    | {"compression_rate": 4, "batch": 32, "steps": STEPS, "warmup": STEPS // 20}
)
model = build(config, len(words)).to(device)
streams = Streams(corpus.train, config.batch, config.seq_len)

memory, lengths = None, []
with torch.inference_mode():
    for n in range(8):
        tokens, _ = streams.segment(n * config.seq_len)
        _, memory = model(tokens.to(device), memory)
        lengths.append((len(memory.mem[0]), len(memory.c_mem[0])))
for n, (mem_len, c_mem_len) in enumerate(lengths, 1):
    print(f"segment {n}: {mem_len} states and {c_mem_len:>2} slots")

# %% [markdown]
# The picture shows which characters of the text each memory covers. Since a compressed
# slot represents four characters, both memories together reach 80 characters back,
# although they have only 32 slots.

# %% tags=["plot"]
read = [config.seq_len * n for n in range(1, len(lengths) + 1)]
recent = [mem_len for mem_len, _ in lengths]
compressed = [config.compression_rate * c_mem_len for _, c_mem_len in lengths]
rows = list(range(1, len(lengths) + 1))

figure = Figure(figsize=(4.4, 3), layout="constrained")
axes = figure.add_subplot()
newest = [total - length for total, length in zip(read, recent, strict=True)]
oldest = [start - length for start, length in zip(newest, compressed, strict=True)]
axes.barh(rows, oldest, color=COLOURS[4], alpha=0.3, label="forgotten")
axes.barh(rows, compressed, left=oldest, color=COLOURS[1], label="compressed memory")
axes.barh(rows, recent, left=newest, color=COLOURS[0], label="memory")
axes.set(xlabel="characters of the text", ylabel="segments read", yticks=rows)
axes.invert_yaxis()
axes.spines[["top", "right"]].set_visible(False)
close = {"ncols": 3, "handlelength": 1, "columnspacing": 1}
figure.legend(frameon=False, loc="outside upper left", **close)
described(
    figure,
    "What is remembered after each of eight segments, as bars over the text. The "
    "memory holds the newest 16 characters. The compressed memory grows behind it by "
    f"16 characters a segment, up to {compressed[-1]}. What is older is forgotten: "
    f"{oldest[-1]} characters after the last segment.",
)

# %% tags=["claim"]
lengths[-1] == (16, 16) and recent[-1] + compressed[-1] == 80

# %% [markdown]
# ## Two losses
#
# Here the loss of the language model does not train the compression, because a
# compressed slot is computed in one segment and used in a later one, and no gradient
# flows from a segment to an earlier one. It would, if the graphs of several segments
# were kept for back-propagation, which [takes more RAM and
# time](../models/reconstruction.md#NoReconstructionLoss). Instead, the compression has
# [a loss of its own][cmp.attention_loss]: attention to the compressed slots should give
# the same result as attention to the states that they replace.
#
# To see which parameters each loss trains, we compute both gradients and their norms
# for each part of the model.

# %%
reconstruction = AttentionReconstructionLoss(model.transformer.layers)
memory = None
for n in range(2):
    tokens, targets = (side.to(device) for side in streams.segment(n * 16))
    logits, memory = model(tokens, memory)
both = {
    "language model": cross_entropy(logits, targets),
    "reconstruction": reconstruction(memory.read, memory.old),
}
PARTS = ("embed", "head", "norm", "self_attn", "feed_forward", "compress")
moved = {part: dict.fromkeys(both, 0.0) for part in PARTS}
for loss_name, loss in both.items():
    model.zero_grad()
    loss.backward()
    for name, parameter in model.named_parameters():
        part = next(p for p in PARTS if p in name)
        if parameter.grad is not None:
            moved[part][loss_name] += parameter.grad.norm().item()

print(f"{'gradient of':<14}{'language model':>16}{'reconstruction':>16}")
for part, norms in moved.items():
    print(f"{part:<14}" + "".join(f"{norm:>16.4f}" for norm in norms.values()))

# %% [markdown]
# The reconstruction loss has a gradient for the compression only, and the loss of the
# language model for everything else. Since no parameter is trained by both, their sum
# does not need a weight to balance them.

# %% tags=["claim"]
all(
    (norms["reconstruction"] > 0) == (part == "compress")
    and (norms["language model"] > 0) == (part != "compress")
    for part, norms in moved.items()
)

# %% [markdown]
# ## The loop
#
# The memory is passed in and returned as in [Transformer-XL](train_transformer_xl.md).
# One line is new: it adds the second loss, which needs the inputs of each layer and the
# states that left its memory. The memory that the model returns contains both.
#
# For comparison, we also measure the loss of two other compressions: the mean of four
# states, and zeros, that is, keeping nothing.


# %%
def loss_of(compressions):
    """The same loss with other compression functions, one for each layer."""
    pairs = zip(model.transformer.layers, compressions, strict=True)
    # `deepcopy` takes a dictionary of copies that exist already. So the copied layer
    # shares `core` with the model, which is trained further, and compresses by `other`.
    return AttentionReconstructionLoss(
        copy.deepcopy(layer, {id(layer.core): layer.core, id(layer.compress): other})
        for layer, other in pairs
    )


@torch.no_grad()
def loss_of_nothing(memory):
    """What is lost where attention reads zeros: the size of what it should read."""
    three = zip(model.transformer.layers, memory.read, memory.old, strict=True)
    wanted = [
        content_attention(layer.core, content_queries(layer.core, h), old)
        for layer, h, old in three
    ]
    return sum(read.square().mean().item() for read in wanted)


def make(name):
    """Fresh compression functions, one for each layer."""
    fresh = COMPRESSIONS[name]
    layers = model.transformer.layers
    return nn.ModuleList(fresh(4, config.d_model) for _ in layers).to(device)


mean_loss = loss_of(make("mean_pooling"))

# %%
optimizer = make_optimizer(model, config)
curves = {"language": [], "convolution": [], "mean": [], "nothing": []}
every = max(1, STEPS // 100)  # steps between two points of a curve


def state():
    """What stands before the bar while the model is trained."""
    shown = curves["language"]
    return f"loss {shown[-1][1]:.2f}" if shown else "train"


def last(name):
    """The mean of the last ten points of a curve."""
    values = [value for _, value in curves[name][-10:]]
    return sum(values) / len(values)


memory = None
for step in progress(range(STEPS), state):
    for group in optimizer.param_groups:
        group["lr"] = config.rate_at(step)
    tokens, targets = (side.to(device) for side in streams.segment(step * 16))
    logits, memory = model(tokens, memory)
    language = cross_entropy(logits, targets)
    lost = reconstruction(memory.read, memory.old)
    optimizer.zero_grad()
    (language + lost).backward()
    nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    optimizer.step()
    if step > 0 and (step - 1) % every == 0:  # nothing falls out in the first step
        curves["language"].append((step, language.item()))
        curves["convolution"].append((step, lost.item()))
        curves["mean"].append((step, mean_loss(memory.read, memory.old).item()))
        curves["nothing"].append((step, loss_of_nothing(memory)))

# %% tags=["plot"]
described(
    draw({"language model": curves["language"]}, "step", "loss, nats a character"),
    f"The loss of the language model over {STEPS} steps. It falls from "
    f"{curves['language'][0][1]:.1f} to {curves['language'][-1][1]:.1f} nats.",
)

# %% tags=["claim", "full"]
last("language") < 1.8

# %% [markdown]
# The loss of the language model falls below 1.8 nats, which are 2.6 bits. The next
# picture shows the reconstruction loss.

# %% tags=["plot"]
described(
    draw(
        {name: curves[name] for name in ("convolution", "nothing", "mean")},
        "step",
        "reconstruction loss",
    ),
    f"The reconstruction loss over {STEPS} steps, for three ways to compress the same "
    "states. At the end the learned convolution loses "
    f"{curves['convolution'][-1][1]:.2f}, the mean of four states "
    f"{curves['mean'][-1][1]:.2f}, and keeping nothing {curves['nothing'][-1][1]:.2f}.",
)

# %% [markdown]
# At first, attention returns small vectors, so there is little to lose. They grow while
# the model learns to attend, and with them the loss of keeping nothing, which is their
# mean square. The other two losses grow with it, because there is more to lose. So the
# loss of the convolution, too, rises before it falls. At the end, the convolution loses
# less than half of what the mean loses, and less than half of what is lost if nothing
# is kept.

# %% tags=["claim", "full"]
conv, mean, nothing = map(last, ("convolution", "mean", "nothing"))
path = [lost for _, lost in curves["convolution"]]
conv < nothing / 2 and conv < mean / 2 and path[0] < conv < 0.9 * max(path)

# %% [markdown]
# ## Five ways to compress
#
# To compare the compression functions alone, we freeze the trained model and apply five
# new functions to the same states. Two of them are convolutions, which are trained. The
# other three have no parameters: two are poolings, and one keeps the states that got
# the most attention.
#
# Note that the model was trained with one of the five, the convolution over four
# states, to which its attention is adapted. With a model that was trained with another
# function, the order might be different.

# %%
kinds = {name: make(name) for name in COMPRESSIONS}
losses = {name: loss_of(functions) for name, functions in kinds.items()}
learned = [p for functions in kinds.values() for p in functions.parameters()]
optimizer = torch.optim.AdamW(learned, lr=2e-3)

lost = {name: [] for name in kinds}
for step in progress(range(STEPS, STEPS + FROZEN_STEPS), "compress"):
    with torch.no_grad():
        memory = model(streams.segment(step * 16)[0].to(device), memory)[1]
    found = {name: loss(memory.read, memory.old) for name, loss in losses.items()}
    optimizer.zero_grad()
    sum(loss for loss in found.values() if loss.requires_grad).backward()
    optimizer.step()
    size = loss_of_nothing(memory)
    for name, loss in found.items():
        lost[name].append(loss.item() / size)

# %% [markdown]
# The loss is divided by the loss of keeping nothing (zeros): 0 means that nothing is
# lost, and 1 is as bad as zeros. Each point is the mean of several steps.

# %% tags=["plot"]
every = max(1, FROZEN_STEPS // 50)
shares = {
    name: [part.mean().item() for part in torch.tensor(values).split(every)]
    for name, values in lost.items()
}
figure = draw(
    {
        name.replace("_", " "): [(every * (n + 0.5), y) for n, y in enumerate(values)]
        for name, values in shares.items()
    },
    "step of the compression alone",
    "share that is lost",
)
described(
    figure,
    f"The share of what attention reads that is lost, for {len(shares)} compression "
    "functions. "
    + ", ".join(
        f"{name.replace('_', ' ')} ends at {values[-1]:.2f}"
        for name, values in shares.items()
    )
    + ". Only the two convolutions fall.",
)

# %% [markdown]
# Both convolutions start above 1 and fall below 0.5. The pooling functions, which are
# not trained, remain above 0.6. Most-used compression is worse than zeros, although the
# states that it keeps are exact. A likely reason is that attention weights sum to 1, so
# the kept states also get the weight of those that were dropped.

# %% tags=["claim", "full"]
(
    min(shares["conv1d"][0], shares["dilated_conv"][0]) > 1
    and max(shares["conv1d"][-1], shares["dilated_conv"][-1]) < 0.5
    and min(shares["mean_pooling"] + shares["max_pooling"]) > 0.6
    and min(shares["most_used"]) > 1
)

# %% [markdown]
# ## Does it help to predict?
#
# Now each of the five functions is used in the trained model, which is evaluated on the
# validation text. The last line is the model without compressed memory.

# %%
text = corpus.validation[:MEASURED]
bits = {}
for name, functions in kinds.items():
    other = copy.deepcopy(model)
    for layer, compress in zip(other.transformer.layers, functions, strict=True):
        layer.compress = compress
    bits[name] = evaluate(other, text, config.seq_len).bits
bits["none"] = evaluate(with_memory(model, c_mem_len=0), text, config.seq_len).bits

for name, found in bits.items():
    print(f"{name.replace('_', ' '):<13} {found:.3f} bits a character")

# %% [markdown]
# The two convolutions, which have the smallest reconstruction loss, also improve the
# predictions most, in each of our three runs: both save more than 0.01 bits per
# character compared with no compressed memory. The other three save less than either of
# them. The order by reconstruction loss need not be the order by predictions, because
# the loss leaves out distances, and counts all heads equally, even those on which no
# prediction depends.
#
# In the paper's comparison (table 5), too, a convolution was the best function. But
# most-used was third there and better than the mean, whereas it is the last here. There
# each model was trained with its own function; ours was trained with a convolution. The
# differences are small here, probably because a character depends mostly on the
# characters shortly before it.

# %% tags=["claim", "full"]
convolutions = max(bits["conv1d"], bits["dilated_conv"])
others = min(bits[name] for name in ("max_pooling", "mean_pooling", "most_used"))
convolutions < bits["none"] - 0.01 and convolutions < others

# %% [markdown]
# ## Attention to the three parts
#
# We let the model, with the compression function that it was trained with, process
# several segments, and sum the attention of each head to the compressed memory, the
# memory and the segment.


# %%
@torch.inference_mode()
def attention(model, tokens, memory):
    """The weights of all layers and heads: `[layers, heads, seq_len, k_len]`."""
    _, states = model.transformer(model.embed(tokens), memory.mem, memory.c_mem)
    weights = []
    for n, (core, x) in enumerate(zip(model.transformer.cores(), states, strict=True)):
        context = concat_memory(x, memory.mem[n], memory.c_mem[n])
        read, heads = core.before(core.norm_self_attn, context), core.self_attn
        q = heads.split_heads(heads.query(read[-len(x) :]))
        k = heads.split_heads(heads.key(read))
        scores = heads.scores(q, k, heads.distances(len(read) - 1, -1))
        weights.append(heads.weights(scores, None).mean(0))  # mean over the batch
    return torch.stack(weights).cpu()


streams, memory, maps = Streams(text, 16, 16), None, []
for n in range(20):
    tokens = streams.segment(n * 16)[0].to(device)
    if n >= 6:
        maps.append(attention(model, tokens, memory))
    with torch.inference_mode():
        memory = model(tokens, memory)[1]
seen = torch.stack(maps).mean(0)  # [layers, heads, seq_len, k_len]
shares = torch.stack([part.sum(-1).mean(-1) for part in seen.split(16, -1)], -1)

# %% tags=["plot"]
parts = (COLOURS[1], COLOURS[0], COLOURS[2])  # compressed memory, memory, segment
colour = torch.tensor([to_rgb(part) for part in parts]).repeat_interleave(16, 0)
figure = Figure(figsize=(4.4, 5.6), layout="constrained")
for head, row in enumerate(figure.subplots(4, 3, sharex=True, sharey=True)):
    for layer, axes in enumerate(row):
        weights = seen[layer, head]
        strength = (weights / weights.quantile(0.995)).clamp(max=1).sqrt()
        picture = torch.cat((colour.expand(16, -1, 3), strength[..., None]), -1)
        axes.imshow(picture, interpolation="none", aspect="auto")
        for border in (15.5, 31.5):
            axes.axvline(border, color="gray", linewidth=0.8)
        axes.set_xticks(())
        axes.set_yticks((0, 15), ("1", "16"))
        axes.set_title(f"{shares[layer, head, 0]:.0%}", size=10)
figure.supylabel("position in the segment", size=10)
names = ("compressed memory", "memory", "segment")
boxes = [Patch(color=part) for part in parts]
figure.legend(boxes, names, frameon=False, loc="outside upper left", **close)
described(
    figure,
    "Attention of four heads in each of three layers, as heat maps over the compressed "
    "memory, the memory, and the segment. Most weight lies along a diagonal, near the "
    "query. The compressed memory gets between "
    f"{shares[..., 0].min():.0%} and {shares[..., 0].max():.0%} of a head's attention, "
    "written above each map.",
)

# %% [markdown]
# There is a column for each layer and a picture for each of its heads. The strength of
# the colours shows the square root of the weights. The largest weights are on the
# diagonal, near the query. In each of our runs, every head gives the compressed
# memory more than 2 % of its attention. (The shares of this run are above the
# pictures.)
# This is not much: 16 of the 40.5 keys that a query sees on average are
# compressed, so attention that is spread evenly would give them 40 %.

# %% tags=["claim", "full"]
shares[..., 0].min().item() > 0.02

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 2.4), layout="constrained")
axes = figure.add_subplot()
start = torch.zeros(3)
for part, name in enumerate(names):
    share = shares[..., part].mean(1)
    axes.barh(range(1, 4), share, left=start, color=parts[part], label=name)
    start = start + share
axes.set(xlabel="share of attention", ylabel="layer", yticks=(1, 2, 3), xlim=(0, 1))
axes.spines[["top", "right"]].set_visible(False)
figure.legend(frameon=False, loc="outside upper left", **close)
described(
    figure,
    "The share of attention of each layer, mean over heads. Layers 1 to 3 give the "
    "compressed memory "
    + ", ".join(f"{share:.0%}" for share in shares[..., 0].mean(1).tolist())
    + ", and the memory "
    + ", ".join(f"{share:.0%}" for share in shares[..., 1].mean(1).tolist())
    + ".",
)

# %% [markdown]
# In each layer, the compressed memory gets more than a tenth of the attention. Where
# are its slots, seen from the first query of a segment?
#
# ```text
# characters   80 ............................ 17 | 16 ......... 1 | query
#              compressed, 16 slots of 4          | memory, 16     |
# positions    32 ............................ 17 | 16 ......... 1 | 0
# ```
#
# In the text they are 17 to 80 characters away. But for the scores, a compressed slot
# is a single position like any other, so for attention they are 17 to 32 positions
# away. Seen from the last query, each of these distances is greater by 15.

# %% tags=["claim", "full"]
shares[..., 0].mean(1).min().item() > 0.1

# %% [markdown]
# ## How long a compressed memory?
#
# The length of the compressed memory, too, can be changed after training.

# %%
sweep = {}
for c_mem_len in progress((0, 4, 8, 16, 32), "measure"):
    other = with_memory(model, c_mem_len=c_mem_len)
    sweep[c_mem_len] = evaluate(other, text, config.seq_len).bits

# %% tags=["plot"]
described(
    draw(
        {"memory of 16 states": list(sweep.items())},
        "compressed memory, slots of each layer",
        "bits a character",
    ),
    f"Bits a character over the length of the compressed memory: {sweep[0]:.3f} "
    f"without one, {sweep[4]:.3f} with 4 slots, {sweep[16]:.3f} with 16, and "
    f"{sweep[32]:.3f} with 32.",
)

# %% [markdown]
# Most of what compressed memory saves is due to its newest four slots, which represent
# 16 characters.

# %% tags=["claim", "full"]
sweep[0] - sweep[16] > 0.01 and sweep[0] - sweep[4] > 0.5 * (sweep[0] - sweep[16])

# %% [markdown]
# ## What a returning name costs
#
# On plain Shakespeare, a model as small as ours saves little with its compressed
# memory. It saves much more on a text with returning words that no model can know by
# heart. The plot shows three larger models that were trained on [scenes with invented
# names](../training/scenes.md): what a name costs on held-out text, by how far back it
# occurred before. These numbers are recorded; [the page on returning
# names](../training/returns.md) explains how they are measured.

# %%
costs = {
    name: recorded()[model]["returns"]
    for name, model in (
        ("Transformer-XL", "xl"),
        ("without memory", "vanilla"),
        ("Compressive", "compressive"),
    )
}

# %% tags=["plot"]
described(
    draw(
        {
            name: [
                ((cost["shortest"] + cost["longest"]) / 2, cost["bits"])
                for cost in each
            ]
            for name, each in costs.items()
        },
        "characters since the name occurred before",
        "bits of a name",
    ),
    "Bits of a returning name by its distance. "
    + " ".join(
        f"{name}: {each[1]['bits']:.0f} bits at 65 to 128 characters, "
        f"{each[6]['bits']:.0f} at 385 to 480."
        for name, each in costs.items()
    ),
)

# %% [markdown]
# A layer with 192 slots of memory covers 192 characters; with half of the slots
# compressed, it covers 480. The compressive model pays more for a name that is 129 to
# 192 characters back and therefore mostly in its compressed slots. But for a name that
# is 385 to 480 characters back, which Transformer-XL has lost, it pays less than 0.6
# times as much.

# %% tags=["claim"]
xl, _, compressive = costs.values()
xl[2]["bits"] < compressive[2]["bits"] and compressive[6]["bits"] < 0.6 * xl[6]["bits"]

# %% [markdown]
# ## Try it
#
# **1. Parameters.** Each of the three layers has a convolution that compresses. How
# many parameters do these three have together? Each has a matrix for each of the four
# states, and a bias.
#
# <details markdown="1">
# <summary>Hint</summary>
#
# The model has 96 features, so a matrix has $96 \cdot 96$ numbers, and a bias 96.
#
# </details>

# %% tags=["answer"]
answer = None  # a number of parameters

# %% tags=["check"]
None if answer is None else answer == 3 * (4 * 96 * 96 + 96)

# %% tags=["solution"]
named = model.named_parameters()
solution = sum(p.numel() for name, p in named if "compress" in name)
solution

# %% [markdown]
# **2. A longer reach.** With 32 compressed slots, how many characters back do both
# memories of a layer reach together?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# A compressed slot represents four characters, and the memory contains 16 states.
#
# </details>

# %% tags=["answer"]
answer = None  # a number of characters

# %% tags=["check"]
None if answer is None else answer == 16 + 4 * 32

# %% tags=["solution"]
longer, memory = with_memory(model, c_mem_len=32), None
with torch.inference_mode():
    for n in range(12):
        _, memory = longer(streams.segment(n * 16)[0].to(device), memory)
solution = len(memory.mem[0]) + 4 * len(memory.c_mem[0])
solution

# %% [markdown]
# **3. Equal states.** If the four states of each block are equal, how large is the
# reconstruction loss of the mean?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# What is the mean of four equal states?
#
# </details>

# %% tags=["answer"]
answer = None  # a loss

# %% tags=["check"]
None if answer is None else answer == 0

# %% tags=["solution"]
layer = model.transformer.layers[0].core
mean_of_four = COMPRESSIONS["mean_pooling"](4, config.d_model)
h, four = torch.randn(2, 16, 1, config.d_model, device=device)
equal = four[::4].repeat_interleave(4, 0)
q = content_queries(layer, h)
wanted, got = (content_attention(layer, q, mem) for mem in (equal, mean_of_four(equal)))
solution = round((wanted - got).square().mean().item(), 6)
solution

# %% [markdown]
# Now change the cells above, and run them again.
#
# - Set `STEPS` to 200. Is the trained convolution already better than the mean?
# - Set `FROZEN_STEPS` to 1000. Does another of the five functions catch up?
#
# ## Save the model
#
# The last cell saves the model as a checkpoint, as `txl train` does. It also writes the
# folder `page`, which contains a page that runs the model in a browser and which any
# server can publish. To look at it, run `python -m http.server --directory page`.

# %%
tensors = {f"model.{name}": part for name, part in model.named_parameters()}
run = Path("small-compressive")
run.mkdir(exist_ok=True)
save_checkpoint(Checkpoint(config, words, tensors, STEPS), run / "best.safetensors")
main(["export", "--to", "web", str(run), "--text", TEXT])

# %% [markdown]
# ## Further
#
# To keep: a trained compression loses less than a mean, measured by what attention
# receives; and on plain text the gain in bits is small, because a character depends
# mostly on those shortly before it.
#
# - The code is explained on the pages of [the compression
#   functions](../models/compression.md) and of [the
#   losses](../models/reconstruction.md).
# - On the command line, `txl train compressive` trains such a model. The options
#   `--compression` and `--reconstruction` select the functions.
# - The [live page](../live.md) shows what a trained model does with its memory, for any
#   text that you enter.
