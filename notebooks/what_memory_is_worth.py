# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   keywords: [benefit, really use memory, bigger mem_len]
# ---

# %% [markdown]
# # What memory is worth
#
# How many bits per character does a small Transformer-XL save with its memory? Are
# these bits saved at the beginning of a segment or everywhere, and which heads attend
# to the memory?
#
# The notebook draws the loss for memories of different lengths, a text whose colours
# show which characters are easier to predict with memory, and the attention of every
# head.
#
# Time: about 3 minutes on two CPU cores, 1 minute on a T4 (the latter is an estimate).
#
# Your numbers will differ a little from those on the page.

# %% tags=["parameters"]
import os

from torch import nn

QUICK = bool(os.environ.get("TXL_QUICK"))  # small sizes, to see quickly that all runs
STEPS = 20 if QUICK else 1500  # updates of the parameters, of each model
MEASURED = 1000 if QUICK else 20_000  # characters of the validation part
SEGMENT = 16  # characters of a segment
MEMORY = 48  # states that a layer remembers
# A text of your own: the path of a file. A quick run reads a file of PyTorch.
TEXT = nn.modules.module.__file__ if QUICK else "tiny-shakespeare"

limits = {
    "STEPS": (1, 1_000_000),
    "SEGMENT": (2, 48),
    "MEMORY": (1, 480),
    "MEASURED": (300, 1_000_000),
}
for parameter, (least, most) in limits.items():
    given = globals()[parameter]
    if not (type(given) is int and least <= given <= most):
        wanted = f"a whole number from {least} to {most}"
        raise ValueError(f"{parameter} = {given!r}: give {wanted}")
if MEASURED <= 16 * SEGMENT:
    wanted = f"more than {16 * SEGMENT}, a segment for each of 16 sequences"
    raise ValueError(f"MEASURED = {MEASURED}: give {wanted}")

# %% tags=["imports"]
import math
from pathlib import Path

import torch
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from labml_txl.cli import main
from labml_txl.models import extend_context
from labml_txl.training import (
    COLOURS,
    Checkpoint,
    Streams,
    build,
    compare_speed,
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

torch.set_num_threads(1)  # a model this small gains nothing from more
device = find_device("auto")
corpus = open_corpus(TEXT)
words = corpus.vocabulary
text = corpus.validation[:MEASURED]

# %% [markdown]
# ## Two models
#
# We train two models with 3 layers on segments of 16 characters. One has a memory of 48
# states in each layer, the other has none. Both start with the same parameters and are
# trained on the same characters in the same order, with the loop of [Train a small
# Transformer-XL](train_transformer_xl.md).

# %%
SMALL = {"text": TEXT, "n_layers": 3, "heads": 4, "d_model": 96, "d_ff": 384}
SMALL |= {"batch": 32, "seq_len": SEGMENT, "steps": STEPS, "warmup": STEPS // 20}


def train(mem_len, title):
    """A model that has learned with so much memory."""
    config = configure(SMALL | {"mem_len": mem_len})
    torch.manual_seed(0)
    model = build(config, len(words)).to(device)
    optimizer = make_optimizer(model, config)
    streams, memory = Streams(corpus.train, config.batch, config.seq_len), None
    loss = None

    def state():
        return title if loss is None else f"{title}, loss {loss.item():.2f}"

    for step in progress(range(STEPS), state):
        optimizer.param_groups[0]["lr"] = config.rate_at(step)
        optimizer.param_groups[1]["lr"] = config.rate_at(step)
        tokens, targets = streams.segment(step * config.seq_len)
        logits, memory = model(tokens.to(device), memory)
        loss = cross_entropy(logits, targets.to(device))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimizer.step()
    return model.eval()


# %%
model = train(MEMORY, "with memory")
alone = train(0, "without memory")

# %% [markdown]
# ## How long a memory?
#
# The length of the memory can be changed after training: `with_memory` returns a model
# with the same parameters and another length of memory. We measure the loss in bits per
# character on the validation text, on which neither model was trained. Less is better.

# %%
LENGTHS = sorted({0, 4, 8, 16, 32, MEMORY, 2 * MEMORY})
LONGEST = LENGTHS[-1]
bits = {}
for mem_len in progress(LENGTHS, "measure"):
    bits[mem_len] = evaluate(with_memory(model, mem_len), text, SEGMENT).bits
bits_alone = evaluate(alone, text, SEGMENT).bits

for mem_len, found in bits.items():
    print(f"memory of {mem_len:>3} states   {found:.3f} bits a character")
print(f"trained without memory {bits_alone:.3f} bits a character")

# %% tags=["plot"]
described(
    draw(
        {
            f"trained with {MEMORY}": list(bits.items()),
            "trained without": [(0, bits_alone), (LONGEST, bits_alone)],
        },
        "memory, states of each layer",
        "bits a character",
    ),
    f"Bits a character over the length of the memory. They fall from {bits[0]:.2f} "
    f"without memory to {bits[32]:.2f} with 32 states and {bits[LONGEST]:.2f} with "
    f"{LONGEST}. "
    f"The model that was trained without memory needs {bits_alone:.2f}, a level line.",
)

# %% [markdown]
# - Compared with the same model without its memory, memory saves more than 0.3 bits.
#   Compared with the model that was trained without memory, it saves more than 0.1
#   bits.
# - A memory of 8 states saves more than half as much as one of 96 states, because a
#   character depends mostly on the few characters before it.
# - Beyond 32 states the curve is nearly flat: further states save less than 0.02 bits.
#   A model this small, trained for such a short time, makes little use of more distant
#   text.
# - A memory that is twice as long as in training does no harm, but does not help
#   either.

# %% tags=["claim", "full"]
(
    bits[0] - bits[MEMORY] > 0.3
    and bits_alone - bits[MEMORY] > 0.1
    and bits[0] - bits[8] > 0.5 * (bits[0] - bits[LONGEST])
    and abs(bits[32] - bits[LONGEST]) < 0.02
    and abs(bits[MEMORY] - bits[2 * MEMORY]) < 0.01
)

# %% [markdown]
# ## Where in the segment?
#
# Segments begin and end in the middle of sentences and words. Without memory, the first
# character of a segment therefore has no context, which the Transformer-XL paper calls
# *context fragmentation*. To see its effect, we measure the mean of $-\log_2 p$ for the
# next character at each position of the segment.


# %%
@torch.inference_mode()
def surprise(model, batch=16):
    """Bits for each character: `[segments, seq_len, batch]`."""
    streams, memory, rows = Streams(text, batch, SEGMENT), None, []
    for n in range(len(text) // batch // SEGMENT):
        tokens, targets = streams.segment(n * SEGMENT)
        logits, memory = model(tokens.to(device), memory)
        rows.append(cross_entropy(logits, targets.to(device), "none").cpu())
    # The first segments only fill the memory.
    return torch.stack(rows)[len(rows) // 8 :] / math.log(2)


by_place = {
    "with memory": surprise(model),
    "without memory": surprise(alone),
    "memory taken away": surprise(with_memory(model, 0)),
}
by_place = {name: found.mean((0, 2)).tolist() for name, found in by_place.items()}
with_it, without, _ = by_place.values()


def second_half(values):
    """The mean over the second half of a segment."""
    values = values[SEGMENT // 2 :]
    return sum(values) / len(values)


# %% tags=["plot"]
described(
    draw(
        {name: list(enumerate(found, 1)) for name, found in by_place.items()},
        "position in the segment",
        "bits a character",
    ),
    f"Bits a character at each of the {SEGMENT} positions of a segment. Trained "
    f"without memory: {without[0]:.1f} bits at the first position, "
    f"{second_half(without):.1f} over the second half. "
    f"With memory: {with_it[0]:.1f} and {second_half(with_it):.1f}, "
    "nearly a level line.",
)

# %% [markdown]
# Without memory, the beginning of a segment is hard to predict: the loss of the first
# character is about one bit higher. With memory, the loss is nearly the same at all
# positions. In the second half of a segment, where at least 8 characters of the segment
# are available as context, memory saves less than 0.15 bits.

# %% tags=["claim", "full"]
gain = [a - b for a, b in zip(without, with_it, strict=True)]
0.8 < gain[0] < 1.3 and max(with_it) - min(with_it) < 0.4 and second_half(gain) < 0.15

# %% [markdown]
# ## Which characters?
#
# The model with memory processes a text twice, once with its memory and once without.
# Each line consists of two segments, with a grey line between them. **Blue**
# characters are more likely with memory, **grey** ones less likely. A stronger colour
# means more bits; the strongest is reached at 6 bits.

# %%
ROWS = 12
both = Streams(text, 2, SEGMENT)
segments = [both.segment(SEGMENT * n) for n in range(8 + 2 * ROWS)]


@torch.inference_mode()
def bits_of(model):
    """Bits for each character of the picture: `[segments, seq_len]`."""
    memory, rows = None, []
    for tokens, targets in segments:
        logits, memory = model(tokens.to(device), memory)
        rows.append(cross_entropy(logits, targets.to(device), "none")[:, 1])
    return torch.stack(rows)[8:].cpu() / math.log(2)  # the first 8 fill the memory


saved = bits_of(with_memory(model, 0)) - bits_of(model)


# %% tags=["plot"]
def paint(axes, letters, colours):
    """Lines of text, each character on a colour: `[rows, columns, 4]`."""
    axes.imshow(colours, interpolation="none", aspect="auto")
    for row, line in enumerate(letters):
        for column, letter in enumerate(line):
            shown = letter.replace("\n", "↵")
            style = {"family": "monospace", "size": min(10, 320 / len(line))}
            axes.text(column, row, shown, ha="center", va="center", **style)
    axes.set_axis_off()


def tinted(strength, *colours):
    """Colours of columns, the more opaque the greater `strength`, from 0 to 1."""
    rgb = torch.tensor([to_rgb(colour) for colour in colours]).expand(
        *strength.shape, 3
    )
    return torch.cat((rgb, strength.clamp(0, 1)[..., None]), -1)  # [..., 4]


BLUE, GREEN, GREY = COLOURS[0], COLOURS[2], COLOURS[4]
pairs = saved.view(ROWS, 2 * SEGMENT)
colours = torch.where(
    (pairs > 0)[..., None], tinted(pairs / 6, BLUE), tinted(-pairs / 6, GREY)
)
shown = torch.stack([targets[:, 1] for _, targets in segments[8:]]).view(ROWS, -1)
figure = Figure(figsize=(4.4, 3.4), layout="constrained")
axes = figure.add_subplot()
paint(axes, [words.decode(row) for row in shown.tolist()], colours.numpy())
axes.axvline(SEGMENT - 0.5, color="gray", linewidth=2)
described(
    figure,
    f"{2 * ROWS} segments of a play, two in a line, coloured by the bits that memory "
    f"saves. They are {saved[:, 0].mean():.1f} bits on average for the first character "
    f"of a segment, and {saved[:, 1:].mean():.1f} for the others.",
)

# %% [markdown]
# There are blue columns where segments begin. Memory saves more than two bits on
# average for the first character of a segment, at least four times as much as for the
# others.

# %% tags=["claim", "full"]
saved[:, 0].mean().item() > max(2.0, 4 * saved[:, 1:].mean().item())

# %% [markdown]
# ## Which heads attend to the memory?
#
# A model does not return the attention weights of its layers. But we can call each step
# that computes them: the norm, the projections, the [scores][txl.layer_scores] and the
# softmax. (The distances end with −1 instead of 0, because [the faster
# shift](../models/fast/shift.md) needs one more column.)


# %%
@torch.inference_mode()
def attention(model, tokens, memory):
    """The weights of all layers and heads: `[layers, heads, seq_len, k_len]`."""
    _, states = model.transformer(model.embed(tokens), memory)
    weights = []
    for layer, x, mem in zip(model.transformer.layers, states, memory, strict=True):
        read = layer.before(layer.norm_self_attn, extend_context(mem, x))
        heads = layer.self_attn
        q = heads.split_heads(heads.query(read[-len(x) :]))
        k = heads.split_heads(heads.key(read))
        scores = heads.scores(q, k, heads.distances(len(read) - 1, -1))
        weights.append(heads.weights(scores, None).mean(0))  # mean over the batch
    return torch.stack(weights).cpu()


# The first segments fill the memory; the others are looked at.
streams, memory, maps = Streams(text, 16, SEGMENT), None, []
filling = max(8, math.ceil(MEMORY / SEGMENT))
for n in range(filling + 16):
    tokens = streams.segment(n * SEGMENT)[0].to(device)
    if n >= filling:
        maps.append(attention(model, tokens, memory))
    with torch.inference_mode():
        memory = model(tokens, memory)[1]
seen = torch.stack(maps).mean(0)  # [layers, heads, seq_len, k_len]
to_memory = seen[..., :MEMORY].sum(-1).mean(-1)  # [layers, heads]

# %% [markdown]
# There is a column of pictures for each layer, and a picture for each of its heads. The
# rows are the positions of the segment. The columns are the keys: the 48 states of the
# memory, and after a line the 16 positions of the segment. The colours show the square
# root of the weights, so that small ones are visible.

# %% tags=["plot"]
figure = Figure(figsize=(4.4, 5.6), layout="constrained")
parts = [BLUE] * MEMORY + [GREEN] * SEGMENT
for head, row in enumerate(figure.subplots(4, 3, sharex=True, sharey=True)):
    for layer, axes in enumerate(row):
        weights = seen[layer, head]
        strength = (weights / weights.quantile(0.998)).clamp(max=1).sqrt()
        axes.imshow(tinted(strength, *parts), interpolation="none", aspect="auto")
        axes.axvline(MEMORY - 0.5, color="gray", linewidth=0.8)
        ticks = (0, MEMORY - MEMORY // 2, MEMORY)
        axes.set_xticks(ticks, (f"−{MEMORY}", f"−{MEMORY // 2}", "0"))
        axes.set_yticks((0, SEGMENT - 1), ("1", f"{SEGMENT}"))
        axes.set_title(f"{to_memory[layer, head]:.0%} to memory", size=10)
figure.supylabel("position in the segment", size=10)
figure.supxlabel("what it looks at: memory, and from 0 on the segment", size=10)
described(
    figure,
    "Attention of four heads in each of three layers, as heat maps over memory and "
    "segment. Weights lie along a diagonal, near the query, and reach "
    f"into memory. The share of memory is between {to_memory.min():.0%} and "
    f"{to_memory.max():.0%}, written above each map.",
)

# %% [markdown]
# Every head gives the memory more than a tenth of its attention. The diagonals show
# attention to near characters. For the first positions of a segment, these characters
# are in the memory, which explains the blue corner on the left of the line.

# %% tags=["claim", "full"]
to_memory.min().item() > 0.1

# %% tags=["claim"]
to_memory.shape == (3, 4) and to_memory.min().item() > 0

# %% [markdown]
# ## How far back?
#
# Here the same weights are summed by distance, where distance 0 is the character
# itself. The vertical axis is logarithmic.

# %%
by_distance = torch.stack(
    [
        seen.diagonal(MEMORY - d, -2, -1).sum(-1).mean(1) / SEGMENT
        for d in range(MEMORY + SEGMENT)
    ],
    -1,
)  # [layers, distances]; each layer sums to 1
far = by_distance[:, SEGMENT:].sum(-1).tolist()

# %% tags=["plot"]
figure = draw(
    {
        # Farther keys than the memory holds are seen by some positions only.
        f"layer {n}": list(enumerate(row[: MEMORY + 1].tolist()))
        for n, row in enumerate(by_distance, 1)
    },
    "distance, characters",
    "weight, mean over heads",
    scale="log",
)
figure.axes[0].yaxis.set_major_formatter("{x:g}")
figure.axes[0].axvline(SEGMENT, color="gray", linewidth=0.8)
described(
    figure,
    "Attention weight over distance, one line for each layer, on a logarithmic scale. "
    "All fall steeply over the first ten characters, and are nearly level after that. "
    "Distances of a segment's length and more get "
    + ", ".join(f"{share:.0%}" for share in far)
    + " of the attention.",
)

# %% [markdown]
# The nearest characters get the most attention: the distances 0 to 9 together get more
# than two fifths of it in each layer. However, distances of 16 and more, which are
# longer than any within a segment, still get more than a tenth in each layer.

# %% tags=["claim", "full"]
by_distance[:, :10].sum(-1).min().item() > 0.4 and min(far) > 0.1

# %% [markdown]
# ## When does a model copy?
#
# The model of this notebook uses its memory for the beginning of a segment, and hardly
# for anything else: it is trained for minutes only, and in plain Shakespeare little can
# be copied. A larger one, which was trained for longer on
# [scenes with invented names](../training/scenes.md), copies a name from its memory.
# The plot shows what a returning name cost it while it was trained, on held-out text.
# These numbers are recorded; [the page on returning names](../training/returns.md)
# explains how they are measured.

# %%
copying = recorded()["while_training"]

# %% tags=["plot"]
described(
    draw(
        {
            name: [(point["step"], point[key]) for point in copying]
            for name, key in (("with memory", "bits"), ("without memory", "without"))
        },
        "step of training",
        "bits of a name that returns",
    ),
    "Bits of a returning name over the steps of training, with memory and without. "
    f"With memory they are {copying[0]['bits']:.0f} at step {copying[0]['step']} and "
    f"{copying[-1]['bits']:.1f} at step {copying[-1]['step']}, without it "
    f"{copying[0]['without']:.0f} and {copying[-1]['without']:.0f}.",
)

# %% [markdown]
# Copying is not learned evenly: at step 500, memory makes hardly any difference to the
# cost of a name. Then the cost falls in two steep steps, and at the end it is less than
# a tenth of the cost without memory. The usual explanation is that two heads have to
# learn to work together. One attends to the previous character. The other, in a higher
# layer, looks for an earlier occurrence of the present character and attends to the
# character after it, which is the one to copy.

# %% tags=["claim"]
first, last = copying[0], copying[-1]
first["bits"] > 0.9 * first["without"] and last["bits"] < last["without"] / 10

# %% [markdown]
# ## How much time it saves
#
# Without memory, a model that uses the last 256 characters as context has to process
# all of them again for each character that it predicts. With memory, it processes each
# character once. `compare_speed` measures both. The times depend on the machine; in our
# runs, evaluation with memory was more than 10 times as fast.

# %%
speed = compare_speed(model, text, seq_len=SEGMENT, attention=256)

# %% tags=["claim", "full"]
speed.times > 10

# %% [markdown]
# ## Try it
#
# **1. How many keys?** To how many states can the first position of a segment attend in
# each layer, and to how many the last?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Each position attends to the whole memory, to itself, and to the positions before it.
#
# </details>

# %% tags=["answer"]
answer = None  # both numbers, as (1, 2)

# %% tags=["check"]
None if answer is None else tuple(answer) == (MEMORY + 1, MEMORY + SEGMENT)

# %% tags=["solution"]
n_keys = (seen[0, 0] > 0).sum(-1)
solution = n_keys[0].item(), n_keys[-1].item()
solution

# %% [markdown]
# **2. The newest states.** In the first curve, what share of the gain is due to the
# newest four states?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# The gain is the difference between no memory and the longest memory.
#
# </details>

# %% tags=["answer"]
answer = None  # a share from 0 to 1

# %% tags=["check"]
share = (bits[0] - bits[4]) / (bits[0] - bits[LONGEST])
None if answer is None else abs(answer - share) < 0.1

# %% tags=["solution"]
solution = round((bits[0] - bits[4]) / (bits[0] - bits[LONGEST]), 2)
solution

# %% [markdown]
# **3. A factor.** For the first character of a segment, memory saves more than two
# bits. By what factor does its probability grow if exactly two bits are saved?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Each bit that is saved doubles the probability.
#
# </details>

# %% tags=["answer"]
answer = None  # the factor of two bits

# %% tags=["check"]
None if answer is None else answer == 4

# %% tags=["solution"]
print(f"here: {2 ** saved[:, 0].mean().item():.1f}")
solution = 2**2
solution

# %% [markdown]
# Now change the cells above, and run them again.
#
# - Set `SEGMENT` to 32. Does the memory save more bits now, or fewer?
# - Set `MEMORY` to 16. How many bits per character does the memory still save?
#
# ## Save the model
#
# The last cell saves the model as a checkpoint, as `txl train` does. It also writes the
# folder `page`, which contains a page that runs the model in a browser and which any
# server can publish. To look at it, run `python -m http.server --directory page`.

# %%
tensors = {f"model.{name}": part for name, part in model.named_parameters()}
config = configure(SMALL | {"mem_len": MEMORY})
run = Path("with-memory")
run.mkdir(exist_ok=True)
save_checkpoint(Checkpoint(config, words, tensors, STEPS), run / "best.safetensors")
main(["export", "--to", "web", str(run), "--text", TEXT])

# %% [markdown]
# ## Further
#
# - The [live page](../live.md) shows what memory saves, and what each head attends to,
#   for a larger model and for any text that you enter.
# - On the command line, `txl evaluate runs/xl --sweep-memory 0,16,64` measures the same
#   for any checkpoint; see [evaluation](../training/evaluation.md).
