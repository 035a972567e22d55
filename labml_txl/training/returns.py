# ---
# keywords: [in-context learning]
# ---
r"""# Names that return

This page measures how well a model copies a name from its memory: how many bits the
name costs when it returns, that is, the sum of $-\log_2 p$ over its letters, by how far
back it occurred before.

The names are those of [`scenes`](scenes.md): made up, and drawn anew for each scene, so
that a model cannot know one by heart. It can only copy it, and only if the earlier
occurrence is still in its segment, its memory or its compressed memory.

The text is the held-out part of Tiny Shakespeare with other names, and **without the
repeated lines** of the training text. A name therefore returns in another line than the
one in which it occurred before, so that a model has to copy this single word and not a
whole line. The first letter of a name is not counted, since nothing before it says
which name comes next.

The page on [our experiments](../experiments.md) shows what three models pay by
distance. Copying is not learned evenly: at step 500, memory makes hardly any difference
to the cost of a name. The common explanation is that copying takes two heads that work
together. One attends to the previous character. The other, in a higher layer, looks for
an earlier occurrence of the present character and attends to the character after it,
which is the one to copy. Neither is of use without the other, so the cost falls in
steep steps: from 31 bits at step 1,000 to 21 at step 2,000, and from 18 at step 3,500
to 8 at step 4,000. Which heads were learned in which step we have not looked at:

![Mean bits of a name that returns within the memory, over the steps of training. Both
curves lie together at first; then the one with memory falls in two steep steps, while
the one without stays high.](../../docs/figures/copying_appears.svg)

In the model that the [live page](../live.md) runs, heads of both kinds can be found:
the list of heads on that page gives the share of its attention that each head gives to
such characters.
"""

import json
import math
import random
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.objective import Memory
from labml_txl.training.scenes import cut, find_proper_names, replace_names
from labml_txl.training.text.vocabulary import Vocabulary

SEED = 64

# The costs of names in three models by distance, and in one of them over the steps of
# its training. The command that measured them is on the page on our experiments.
RESULTS = Path(__file__).with_suffix(".json")


def recorded() -> dict[str, Any]:
    """The measurements that the pages show, by the name of the model."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


class Return(NamedTuple):
    """A name that occurred before, `distance` characters back, in the same spelling.

    Its letters are those from `start` to `end`.
    """

    start: int
    end: int
    distance: int


class Cost(NamedTuple):
    """The mean bits of the returns whose distance is in a range, and their number."""

    shortest: int
    longest: int
    returns: int
    bits: float


def make_text(play: str, passes: int, seed: int = SEED) -> tuple[str, set[str]]:
    """A play in which each scene has names of its own, and these names."""
    source = random.Random(seed)
    names = find_proper_names(play)
    known = set(re.findall("[A-Za-z]+", play))
    speeches = play.strip("\n").split("\n\n")
    text = "\n\n".join(
        replace_names(scene, names, source)
        for _ in range(passes)
        for scene in cut(speeches, source)
    )
    return text, set(re.findall("[A-Z][A-Za-z]+", text)) - known


def find_returns(text: str, names: set[str]) -> list[Return]:
    """Every occurrence of a name in a text but the first."""
    before: dict[str, int] = {}
    found = []
    for word in re.finditer("[A-Za-z]+", text):
        if word[0] not in names:
            continue
        start, end = word.span()
        if word[0] in before:
            found.append(Return(start, end, start - before[word[0]]))
        before[word[0]] = start
    return found


@torch.inference_mode()
def measure_token_bits(
    model: LanguageModel, tokens: Tensor, seq_len: int, memory: Memory = None
) -> Tensor:
    """The bits of each token of `batch` texts, `[n_tokens, batch]`.

    The texts are processed in parallel. The first token of each is not predicted, so it
    has 0 bits.
    """
    nats = [torch.zeros(1, tokens.shape[1])]
    for start in range(0, len(tokens) - 1, seq_len):
        segment = tokens[start : start + seq_len + 1].long()
        losses, memory = model.losses(segment[:-1], segment[1:], memory)
        nats.append(losses)
    return torch.cat(nats) / math.log(2)


def average_by_distance(
    model: LanguageModel,
    vocabulary: Vocabulary,
    text: str,
    names: set[str],
    edges: Sequence[int],
    seq_len: int,
    batch: int = 32,
) -> list[Cost]:
    """The mean bits of a returning name for each range of distances.

    A range begins after one of `edges` and ends at the next. The text is cut into
    `batch` equal parts, which are processed in parallel.
    """
    length = len(text) // batch
    texts = [text[n * length : (n + 1) * length] for n in range(batch)]
    tokens = torch.stack([vocabulary.encode(one) for one in texts], 1)
    bits = measure_token_bits(model, tokens, seq_len)  # [length, batch]
    found = [
        (one.distance, float(bits[one.start + 1 : one.end, n].sum()))
        for n, part in enumerate(texts)
        for one in find_returns(part, names)
    ]
    costs = []
    for shortest, longest in pairwise(edges):
        here = [cost for distance, cost in found if shortest < distance <= longest]
        mean = sum(here) / len(here) if here else math.nan
        costs.append(Cost(shortest, longest, len(here), mean))
    return costs
