# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
#   keywords: [minimal example, from scratch]
# ---

# %% [markdown]
# # Train a small Transformer-XL
#
# How little code does it take to train a Transformer-XL? In this notebook, a loop of
# ten lines trains one on plays of Shakespeare. We look at the text that it generates
# before, during and after the training.
#
# Each step of the loop passes the memory to the model, which returns a new one. At the
# end we evaluate the trained model without its memory, to see how much it depends on
# it.
#
# Time: about 3 minutes on two CPU cores, 1 minute on a T4 (the latter is an estimate).
#
# Your numbers will differ a little from those on the page.

# %% tags=["parameters"]
import os

from torch import nn

QUICK = bool(os.environ.get("TXL_QUICK"))  # small sizes, to see quickly that all runs
STEPS = 20 if QUICK else 1500  # updates of the parameters
PROMPT = 50 if QUICK else 153  # characters that it reads before it writes
LETTERS = 60 if QUICK else 240  # characters that it writes
MEASURED = 500 if QUICK else 10_000  # characters of the validation part
# A text of your own: the path of a file. A quick run reads a file of PyTorch.
TEXT = nn.modules.module.__file__ if QUICK else "tiny-shakespeare"

limits = {
    "STEPS": (1, 1_000_000),
    "PROMPT": (1, 5000),
    "LETTERS": (1, 5000),
    "MEASURED": (100, 1_000_000),
}
for parameter, (least, most) in limits.items():
    given = globals()[parameter]
    if not (type(given) is int and least <= given <= most):
        wanted = f"a whole number from {least} to {most}"
        raise ValueError(f"{parameter} = {given!r}: give {wanted}")

# %% tags=["imports"]
import math
import sys
from pathlib import Path

import torch

from labml_txl.cli import main
from labml_txl.training import (
    Checkpoint,
    Sampling,
    Streams,
    build,
    configure,
    continue_text,
    cross_entropy,
    described,
    draw,
    evaluate,
    find_device,
    make_optimizer,
    open_corpus,
    progress,
    save_checkpoint,
    with_memory,
)

torch.manual_seed(0)
torch.set_num_threads(1)  # a model this small gains nothing from more
device = find_device("auto")

# %% [markdown]
# ## The text
#
# Tiny Shakespeare has a million characters, from nine plays. The model processes
# characters and not words. The last tenth of the text is the validation part: the model
# is evaluated on it, but not trained.

# %%
corpus = open_corpus(TEXT)
words = corpus.vocabulary
print(words.decode(corpus.train[:246].tolist()))

# %% [markdown]
# ## The batches
#
# The text is divided into as many parts as a batch has sequences. Each sequence of the
# batch goes through its own part, one segment after another, so that its memory always
# contains the states of the text right before the segment. `Streams` divides the text
# in this way. Below, a bar marks the border of two segments, and `↵` the end of a line.

# %%
config = configure(
    {"text": TEXT, "n_layers": 4, "heads": 4, "d_model": 128, "d_ff": 512}
    | {"seq_len": 32, "mem_len": 96, "batch": 16, "steps": STEPS, "warmup": STEPS // 20}
)
streams = Streams(corpus.train, config.batch, config.seq_len)
first, second = (streams.segment(place)[0] for place in (0, config.seq_len))
for n in range(4):
    read = [words.decode(part[:, n].tolist()) for part in (first, second)]
    print(f"sequence {n}   {' | '.join(read)}".replace("\n", "↵"))

# %% [markdown]
# In each sequence, the second segment begins where the first one ends.

# %% tags=["claim"]
streams.segment(0)[1][-1].equal(second[0])

# %% [markdown]
# ## The model
#
# The model has four layers and 0.9 million parameters.

# %%
model = build(config, len(words)).to(device)
n_parameters = sum(parameter.numel() for parameter in model.parameters())
print(f"{n_parameters:,} parameters")

# %% tags=["claim", "full"]
round(n_parameters / 1e6, 1) == 0.9

# %% [markdown]
# We call the model with a segment and a memory. It returns scores for the next
# character and a new memory, which has one tensor for each layer, with the inputs of
# this layer. It grows until it contains 96 states for each sequence; from then on, the
# oldest states are dropped.

# %%
memory = None
for n in range(4):
    tokens, _ = streams.segment(n * config.seq_len)
    logits, memory = model(tokens.to(device), memory)
    print(f"segment {n + 1}: {len(memory)} layers remember {list(memory[0].shape)}")

# %% [markdown]
# No gradient flows through the memory. Therefore the cost of a step does not depend on
# how much text the model has already read.

# %% tags=["claim"]
len(memory[0]) == 96 and not any(states.requires_grad for states in memory)

# %% [markdown]
# ## What we measure
#
# From time to time, we evaluate the model on the validation part, and let it continue
# the beginning of that part:

# %%
prompt = corpus.validation[:PROMPT].long().to(device)
print(words.decode(prompt.tolist()))

# %%
WRITES = {0, min(100, STEPS), STEPS // 3, STEPS}  # steps after which it writes
MEASURES = WRITES | {STEPS * n // 15 for n in range(15)}
losses, watched, samples = [], [], {}


def write(model):
    """What the model writes after the prompt."""
    sampling = Sampling(temperature=0.8, seed=0)
    written = continue_text(model.eval(), prompt, LETTERS, sampling, config.seq_len)
    return words.decode(written).strip()


def look(step):
    """Measure the loss after this step, and keep a sample."""
    text = corpus.validation[:MEASURED]
    watched.append((step, evaluate(model, text, config.seq_len).nats))
    if step in WRITES:
        samples[step] = write(model)
        print(f"\nstep {step} writes: {samples[step]}", file=sys.stderr)
    model.train()


def state():
    """What stands before the bar while the model is trained."""
    return f"loss {losses[-1]:.2f}" if losses else "train"


# %% [markdown]
# ## The loop
#
# This is the whole training. In the line that calls the model, the memory of the last
# step is passed in and a new one is returned. `AdamW` updates the parameters, with a
# learning rate that first rises and then falls along a cosine.

# %%
optimizer = make_optimizer(model, config)
rate = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda step: config.rate_at(step) / config.learning_rate
)
look(0)

memory = None
for step in progress(range(STEPS), state):
    tokens, targets = streams.segment(step * config.seq_len)  # [seq_len, batch] each
    logits, memory = model(tokens.to(device), memory)  # [seq_len, batch, n_vocab]
    loss = cross_entropy(logits, targets.to(device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), config.clip)
    optimizer.step()
    rate.step()
    losses.append(loss.item())
    if step + 1 in MEASURES:
        look(step + 1)

# %% [markdown]
# ## The loss
#
# The loss is the mean of $-\ln p$, in nats per character. A model that assigns the same
# probability to all 65 characters has a loss of $\ln 65 \approx 4.17$ nats, and ours
# begins close to this value.

# %% tags=["plot"]
every = max(1, STEPS // 100)
means = [part.mean().item() for part in torch.tensor(losses).split(every)]
guess = math.log(len(words))
figure = draw(
    {
        "training": [(every * (n + 0.5), mean) for n, mean in enumerate(means)],
        "validation": watched,
        "all equally likely": [(0, guess), (STEPS, guess)],
    },
    "step",
    "loss, nats a character",
)
described(
    figure,
    f"Training and validation loss over {STEPS} steps. The training loss falls from "
    f"{losses[0]:.2f} to {means[-1]:.2f} nats a character, the validation loss from "
    f"{watched[0][1]:.2f} to {watched[-1][1]:.2f}. A line marks {guess:.2f}, the loss "
    "where all characters are equally likely.",
)

# %% [markdown]
# The loss falls mostly during the first 500 steps. At the end, the training loss is
# below 1.8 nats, and the validation loss below 1.9.

# %% tags=["claim", "full"]
nats = dict(watched)
way = nats[0] - nats[STEPS]
nats[0] - nats[STEPS // 3] > 0.8 * way and means[-1] < 1.8 and nats[STEPS] < 1.9

# %% [markdown]
# ## What the model generates
#
# Before training, all characters are nearly equally likely. After 100 steps, the model
# generates frequent characters more often. Later, it generates words, lines, and names
# of speakers.

# %%
for step, sample in samples.items():
    print(f"after {step} steps {'-' * 60}\n{sample}\n")

# %% [markdown]
# More and more of the generated words are English. To measure this, we count the words
# that occur in the plays.

# %%
plays = set(words.decode(corpus.train.tolist()).split())


def share_known(sample):
    """The share of the words of a sample that stand in the text."""
    written = sample.split()
    return sum(word in plays for word in written) / max(1, len(written))


for step, sample in samples.items():
    print(f"after {step:>4} steps  {share_known(sample):4.0%} of the words are known")

# %% [markdown]
# At first fewer than one word in four occurs in the plays, at the end more than half.

# %% tags=["claim", "full"]
before, *_, after = samples.values()
share_known(before) < 1 / 4 and share_known(after) > 1 / 2

# %% [markdown]
# ## Without memory
#
# The length of the memory can be changed for the evaluation: `with_memory` returns a
# model with the same parameters and another length of memory. The losses are in bits,
# where a bit is $\ln 2$ nats.

# %%
bits = {}
text = corpus.validation[: 2 * MEASURED]
for mem_len in (0, 32, 96):
    bits[mem_len] = evaluate(with_memory(model, mem_len), text, config.seq_len).bits
    print(f"memory of {mem_len:>2} states: {bits[mem_len]:.2f} bits a character")

# %% [markdown]
# Without its memory, the loss of the model is more than 0.2 bits per character higher.
# It can still attend to the segment itself, which has 32 characters.
#
# When it **generates** text, each character is a segment of its own, so the memory is
# its only context. Without memory it generates this:

# %%
print(write(with_memory(model, 0)))

# %% [markdown]
# From one character alone, the model can only predict which characters often follow it.

# %% tags=["claim", "full"]
forgetful = share_known(write(with_memory(model, 0)))
bits[0] - bits[96] > 0.2 and forgetful < share_known(after) - 0.2

# %% [markdown]
# ## Try it
#
# **1. In bits.** How many bits per character is a loss of 1.8 nats? And how many
# equally likely characters would give this loss?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# A bit is $\ln 2$ nats. The loss of a choice among $n$ equally likely characters is
# $\ln n$ nats.
#
# </details>

# %% tags=["answer"]
answer = None  # bits and characters, as (1.0, 2)

# %% tags=["check"]
None if answer is None else [round(number, 1) for number in answer] == [2.6, 6.0]

# %% tags=["solution"]
solution = round(1.8 / math.log(2), 1), round(math.exp(1.8))
solution

# %% [markdown]
# **2. Once through the text.** Has each sequence of the batch read its whole part after
# `STEPS` steps?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# `streams.epoch` is the number of characters in a part, and a step reads
# `config.seq_len` of them.
#
# </details>

# %% tags=["answer"]
answer = None  # True or False

# %% tags=["check"]
None if answer is None else answer == (config.seq_len * STEPS >= streams.epoch)

# %% tags=["solution"]
once = math.ceil(streams.epoch / config.seq_len)  # steps
solution = once <= STEPS
print(f"once through the text: {once} steps")
solution

# %% [markdown]
# **3. A longer memory.** The trained model gets a memory of 192 states. Which of its
# parameters change their shape?
#
# <details markdown="1">
# <summary>Hint</summary>
#
# Distances are encoded by sinusoids, and not by a table of positions.
#
# </details>

# %% tags=["answer"]
answer = None  # how many of its parameters

# %% tags=["check"]
None if answer is None else answer == 0

# %% tags=["solution"]
longer = with_memory(model, 192)
pairs = zip(model.parameters(), longer.parameters(), strict=True)
solution = sum(old.shape != new.shape for old, new in pairs)
solution

# %% [markdown]
# Now change the cells above, and run them again.
#
# - Make `PROMPT` shorter. How few characters does the model need to continue the text
#   sensibly?
# - Set `TEXT` to a file of your own, and train again. How much lower is the loss if the
#   text repeats itself?
#
# ## Save the model
#
# The last cell saves the model as a checkpoint, as `txl train` does. It also writes the
# folder `page`, which contains a page that runs the model in a browser and which any
# server can publish. To look at it, run `python -m http.server --directory page`.

# %%
tensors = {f"model.{name}": part for name, part in model.named_parameters()}
run = Path("small-xl")
run.mkdir(exist_ok=True)
save_checkpoint(Checkpoint(config, words, tensors, STEPS), run / "best.safetensors")
main(["export", "--to", "web", str(run), "--text", TEXT])

# %% [markdown]
# ## Further
#
# - [Train a small Compressive Transformer](train_compressive.md) is the next notebook.
#   It adds a second, compressed memory.
# - On the command line, [`txl train xl`](../train.md) trains such a model. It also
#   saves checkpoints, from which it can continue: see [the
#   trainer](../training/trainer.md).
# - The code is explained on the pages of [one step of training](../training/step.md)
#   and of [the model](../models/transformer_xl.md).
