r"""# Evaluation

How well a model predicts a text: each token once, with the true past in memory, at any
length of segment and memory.

The loss is the mean of $-\ln p$ over all tokens but the first, in nats. Divided by
$\ln 2$ it is bits a token, which are bits per character where a token is a character.
The perplexity is $e$ to the power of the loss in nats.

What memory saves is measured as in section 4.5 of the Transformer-XL paper: two ways to
evaluate, with a window that moves by one token, and with memory. The page *Benchmarks*
shows ours.
"""

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.models import (
    Cache,
    CompressiveTransformer,
    LanguageModel,
    MemoryLengths,
    TransformerXL,
)
from labml_txl.training.objective import Memory
from labml_txl.training.text.files import SettingError, TrainingError
from labml_txl.training.vanilla import AbsoluteTransformer

# What the keys and values of all layers may take in evaluation.
CACHE_BYTES = 1 << 30


@dataclass(frozen=True)
class Score:
    r"""The mean loss over `tokens` predictions, and how long they took."""

    nats: float
    tokens: int
    seconds: float

    @property
    def bits(self) -> float:
        r"""Bits a token: bits per character, where a token is a character."""
        return self.nats / math.log(2)

    @property
    def perplexity(self) -> float:
        r"""Among how many equally likely tokens the model hesitates, on average.

        A model that has gone astray has $e^{709}$: there is no larger number here.
        """
        return math.exp(min(self.nats, 709))


def with_memory(
    model: LanguageModel, mem_len: int | None = None, c_mem_len: int | None = None
) -> LanguageModel:
    r"""The same model, with the same parameters, which remembers more or less.

    Raises `SettingError` for compressed memories of a model that has none.
    """
    if c_mem_len and not isinstance(model.transformer, CompressiveTransformer):
        raise SettingError(
            f"c_mem_len = {c_mem_len} has no effect: the model compresses nothing"
        )
    other = copy.copy(model)
    old = model.lengths
    other.lengths = MemoryLengths(
        old.mem_len if mem_len is None else mem_len,
        old.c_mem_len if c_mem_len is None else c_mem_len,
    )
    return checked(other)


def with_sight(
    model: LanguageModel, same_length: bool | None = None, clamp_len: int | None = None
) -> LanguageModel:
    r"""The same model, with the same parameters, whose tokens see something else.

    For `same_length` see `TransformerXL`, for `clamp_len` see `SinusoidalDistances`;
    `None` leaves what was trained. Raises `SettingError` for a model that has neither.
    """
    if same_length is None and clamp_len is None:
        return model
    # Another structure, which has the parameters themselves.
    other = copy.deepcopy(model, {id(p): p for p in model.parameters()})
    stack = other.transformer
    if not isinstance(stack, TransformerXL) or isinstance(stack, AbsoluteTransformer):
        raise SettingError("same_length and clamp_len are for Transformer-XL only")
    if same_length is not None:
        stack.same_length = same_length
    if clamp_len is not None:
        for core in stack.cores():
            core.self_attn.distances.clamp_len = clamp_len
    return checked(other)


def checked(model: LanguageModel) -> LanguageModel:
    r"""The model itself. Raises `SettingError` if its tokens would see nothing."""
    if getattr(model.transformer, "same_length", False) and not model.lengths.mem_len:
        raise SettingError("same_length wants a memory: mem_len = 0")
    return model


def reach(model: LanguageModel) -> int:
    r"""How many tokens fill all that a layer remembers."""
    compress = getattr(model.transformer, "layers", [None])[0]
    rate = int(getattr(getattr(compress, "compress", None), "rate", 1))
    return model.lengths.mem_len + rate * model.lengths.c_mem_len


def readings(
    tokens: Tensor, seq_len: int, batch: int, warm_up: int
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    r"""Segments for `batch` readers: tokens, targets, and which of these count.

    All three are `[seq_len, batch]`, the last segment may be shorter. Every token of
    the text but the first counts exactly once.
    """
    # The readers share the text in equal parts. Each but the first begins `warm_up`
    # tokens early: those fill its memory, and the reader before it predicts them.
    n_targets = len(tokens) - 1
    part = max(1, math.ceil((n_targets - warm_up) / batch))
    starts = part * torch.arange(batch)
    for time_ in range(0, warm_up + part, seq_len):
        times = torch.arange(time_, min(time_ + seq_len, warm_up + part))[:, None]
        places = starts + times
        counts = (times >= warm_up) | (starts == 0)

        # The last reader may come to the end early.
        counts &= places < n_targets
        places = places.clamp(max=n_targets - 1)
        yield tokens[places].long(), tokens[places + 1].long(), counts


@torch.inference_mode()
def evaluate(
    model: LanguageModel,
    tokens: Tensor,
    seq_len: int,
    batch: int = 16,
    *,
    cached: bool = False,
) -> Score:
    r"""The loss of `model` on a text, `[n_tokens]`, read in segments of `seq_len`.

    One reader would remember everything that came before. Several are faster; each but
    the first knows as much of the past as a layer's memory holds when it starts to
    count, and not more. With `batch=1` nothing is approximated.

    With `cached`, a CPU keeps the keys and values of the memory from segment to segment
    instead of computing them anew, which takes more memory but as little as half of the
    time. A cache computes what the layers of this package compute, so a model whose
    layers were changed is to be evaluated without.
    """
    if len(tokens) < 2:
        raise TrainingError(f"a text of {len(tokens)} tokens has nothing to predict")
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    warm_up = min(reach(model), len(tokens) // 2) if batch > 1 else 0

    # Sums in double precision: a text may have 100 million tokens.
    total = torch.zeros((), dtype=torch.float64)
    count = 0
    cache = None
    if cached and device.type == "cpu" and has_room(model, batch, seq_len):
        cache = Cache(model, batch=batch)
    memory: Memory = None
    start = time.perf_counter()
    for read, targets, counts in readings(tokens, seq_len, batch, warm_up):
        if cache is not None:
            nats = cache.losses(read, targets)
        else:
            read, targets = read.to(device), targets.to(device)
            nats, memory = model.losses(read, targets, memory)
        nats = nats.cpu()
        total += nats[counts].double().sum()
        count += int(counts.sum())
    model.train(was_training)
    seconds = time.perf_counter() - start
    return Score(float(total) / count, count, seconds)


def has_room(model: LanguageModel, batch: int, seq_len: int) -> bool:
    r"""Whether a cache can read for the model in at most `CACHE_BYTES`.

    Absolute positions change with each segment, so there is nothing to keep of them.
    """
    if isinstance(model.transformer, AbsoluteTransformer):
        return False
    lengths, layers = model.lengths, len(model.transformer.cores())
    n_keys = lengths.mem_len + lengths.c_mem_len + seq_len
    # Keys and values, and as much again while the window moves.
    per_key = 2 * 2 * model.transformer.size * next(model.parameters()).element_size()
    return n_keys * batch * layers * per_key <= CACHE_BYTES


@dataclass(frozen=True)
class Speed:
    r"""Seconds that one prediction takes, in each of the two ways to evaluate."""

    attention: int
    by_window: float
    by_memory: float

    @property
    def times(self) -> float:
        r"""How many times faster the memory makes it."""
        return self.by_window / self.by_memory


@torch.inference_mode()
def compare_speed(
    model: LanguageModel,
    tokens: Tensor,
    seq_len: int,
    attention: int,
    n_windows: int = 5,
) -> Speed:
    r"""What memory saves where each prediction sees `attention` earlier tokens.

    Without memory a model must read all of them again for every token that it predicts,
    in a window that moves by one. The vanilla model of the paper is evaluated so. With
    memory they are read once. Both ways have the same parameters here, and one reader.
    """
    if len(tokens) < attention + n_windows:
        raise TrainingError(
            f"{len(tokens)} tokens are too few for an attention length of {attention}"
        )
    device = next(model.parameters()).device
    alone = with_memory(model, 0, 0)

    # The median, since other programs may take the machine for a while.
    seconds = []
    for first in range(n_windows):
        window = tokens[first : first + attention, None].long().to(device)
        start = time.perf_counter()
        alone(window)[0][-1].cpu()
        seconds.append(time.perf_counter() - start)
    by_window = sorted(seconds)[n_windows // 2]

    # The memory is filled before the clock starts.
    remembering = with_memory(model, attention, 0)
    memory: Memory = None
    for segment in tokens[:attention, None].long().to(device).split(seq_len):
        memory = remembering(segment, memory)[1]
    segment = tokens[-seq_len:, None].long().to(device)
    seconds = []
    for _ in range(n_windows):
        start = time.perf_counter()
        remembering(segment, memory)[0].cpu()
        seconds.append(time.perf_counter() - start)
    by_memory = sorted(seconds)[n_windows // 2] / len(segment)
    return Speed(attention, by_window, by_memory)
