# ---
# keywords: [test set, evaluate, test loss, validation loss, larger mem_len, longer
#   memory]
# ---
r"""# Evaluation

Evaluation measures how well a model predicts a text. Each token except the first is
predicted once, from the tokens before it in its segment and from the states of earlier
ones in the memory. The lengths of segment and memory may differ from those in training.

The loss is the mean of $-\ln p$ over all tokens but the first, in nats. Divided by
$\ln 2$ it gives bits per token, which are bits per character if each token is a
character. The perplexity is $e$ to the power of the loss in nats. The
[live page](../live.md) shows the loss of each character of a text, with memory and
without.

`compare_speed` measures how much time the memory saves, as section 4.5 of the paper on
Transformer-XL does. To predict each token from a full window of context, a model
without memory has to process the whole window again for each token, whereas a model
with memory processes each token once. The page [Benchmarks](../measured.md) shows our
results.
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
from labml_txl.training.corpora import count_places
from labml_txl.training.objective import Memory
from labml_txl.training.runs.processes import ALONE, Processes
from labml_txl.training.text.files import (
    Report,
    SettingError,
    TrainingError,
    report_nothing,
    report_progress,
)
from labml_txl.training.vanilla import AbsoluteTransformer

# Evaluation uses a cache only if the keys and values of all layers fit into this number
# of bytes.
CACHE_BYTES = 1 << 30


@dataclass(frozen=True)
class Score:
    """The result of an evaluation.

    - `nats`: the mean loss.
    - `tokens`: the number of predictions.
    - `seconds`: the time that they took.
    """

    nats: float
    tokens: int
    seconds: float

    @property
    def bits(self) -> float:
        """Bits per token, or bits per character if each token is a character."""
        return self.nats / math.log(2)

    @property
    def perplexity(self) -> float:
        """The perplexity, $e$ to the power of the loss.

        The model is as uncertain as if it had to choose between that many equally
        likely tokens. The result is limited to $e^{709}$, since larger numbers do not
        fit into a float.
        """
        return math.exp(min(self.nats, 709))


def with_memory(
    model: LanguageModel, mem_len: int | None = None, c_mem_len: int | None = None
) -> LanguageModel:
    """A model with the same parameters and other lengths of memory.

    `None` keeps the length that the model has. Raises `SettingError` if `c_mem_len` is
    given for a model that does not compress.
    """
    if c_mem_len and not isinstance(model.transformer, CompressiveTransformer):
        raise SettingError(
            f"c_mem_len = {c_mem_len} has no effect: the model has no compressed memory"
        )
    other = copy.copy(model)
    old = model.lengths
    other.lengths = MemoryLengths(
        old.mem_len if mem_len is None else mem_len,
        old.c_mem_len if c_mem_len is None else c_mem_len,
    )
    return check_same_length(other)


def with_sight(
    model: LanguageModel, same_length: bool | None = None, clamp_len: int | None = None
) -> LanguageModel:
    """A model with the same parameters and another `same_length` or `clamp_len`.

    For `same_length` see `TransformerXL`, for `clamp_len` see `RelativeAttention`.
    `None` keeps what the model has. Raises `SettingError` if the model is not a
    Transformer-XL.
    """
    if same_length is None and clamp_len is None:
        return model
    # The modules are copied, but the parameters are shared with the old model.
    other = copy.deepcopy(model, {id(p): p for p in model.parameters()})
    stack = other.transformer
    if not isinstance(stack, TransformerXL) or isinstance(stack, AbsoluteTransformer):
        raise SettingError("same_length and clamp_len are only for Transformer-XL")
    if same_length is not None:
        stack.same_length = same_length
    if clamp_len is not None:
        for core in stack.cores():
            core.self_attn.distances.clamp_len = clamp_len
    return check_same_length(other)


def check_same_length(model: LanguageModel) -> LanguageModel:
    """The model itself. Raises `SettingError` for `same_length` without a memory."""
    if getattr(model.transformer, "same_length", False) and not model.lengths.mem_len:
        raise SettingError("same_length needs a memory: mem_len = 0")
    return model


def reach(model: LanguageModel) -> int:
    """How many tokens are needed to fill the memories of a layer."""
    compress = getattr(model.transformer, "layers", [None])[0]
    rate = int(getattr(getattr(compress, "compress", None), "rate", 1))
    return model.lengths.mem_len + rate * model.lengths.c_mem_len


def divide_text(
    n_tokens: int, seq_len: int, batch: int, warm_up: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Divide a text into `batch` parts, and each part into segments.

    The parts are processed in parallel, as the sequences of a batch. Yields the places
    of the tokens in the text, and which of their targets count, both
    `[seq_len, batch]`; the last segment may be shorter. The target of a token is the
    next one. Each token of the text but the first counts once.
    """
    # All sequences but the first start `warm_up` tokens before their part, so that
    # their memory is filled when the part begins. These tokens do not count, because
    # they are already counted in the preceding part.
    n_targets = n_tokens - 1
    part = max(1, math.ceil((n_targets - warm_up) / batch))
    starts = part * torch.arange(batch)
    for time_ in range(0, warm_up + part, seq_len):
        times = torch.arange(time_, min(time_ + seq_len, warm_up + part))[:, None]
        places = starts + times
        counts = (times >= warm_up) | (starts == 0)

        # The last part may be shorter than the others.
        counts &= places < n_targets
        yield places.clamp(max=n_targets - 1), counts


@torch.inference_mode()
def evaluate(
    model: LanguageModel,
    tokens: Tensor,
    seq_len: int,
    batch: int = 16,
    *,
    cached: bool = False,
    begins: Tensor | None = None,
    report: Report = report_nothing,
    processes: Processes = ALONE,
) -> Score:
    """The loss of a model on a text.

    - `model`: the model to evaluate.
    - `tokens`: the text, `[n_tokens]`.
    - `seq_len`: the length of a segment.
    - `batch`: the number of parts of the text that are processed in parallel. With 1,
      the loss is exact. With more, evaluation is faster, but the loss is slightly
      different, because the memory at the beginning of each part is computed from only
      a limited number of tokens before it.
    - `cached`: whether a CPU keeps the keys and values of the memory from segment to
      segment instead of computing them again. This needs more RAM, but can halve the
      time. A model that a cache does not fit is evaluated without it.
    - `begins`: where the documents of the text begin, which do not see each other.
    - `report`: a function that is called with each line of progress.
    - `processes`: the processes that share the parts of the text.
    """
    if len(tokens) < 2:
        raise TrainingError(f"a text of {len(tokens)} tokens leaves nothing to predict")
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    warm_up = min(reach(model), len(tokens) // 2) if batch > 1 else 0
    (columns,) = processes.columns(batch)

    # The losses are added in double precision, as there may be 100 million of them.
    total = torch.zeros((), dtype=torch.float64)
    count = 0
    n_mine = columns.stop - columns.start
    cached = cached and device.type == "cpu" and is_cacheable(model, n_mine, seq_len)
    reader = model.reader(batch=n_mine, cached=cached)
    start = time.perf_counter()
    parts = divide_text(len(tokens), seq_len, batch, warm_up)
    length = warm_up + max(1, math.ceil((len(tokens) - 1 - warm_up) / batch))
    for part in report_progress(
        parts, length, "evaluated", report, lambda part: len(part[0])
    ):
        places, counts = (each[:, columns] for each in part)
        read, targets = tokens[places].long(), tokens[places + 1].long()
        given = []
        if begins is not None:
            # The first token of a document is not predicted from another document.
            counts = counts & (count_places(begins, places + 1) > 0)
            given = [count_places(begins, places).to(device)]
        nats = reader.losses(read.to(device), targets.to(device), *given).cpu()
        total += nats[counts].double().sum()
        count += int(counts.sum())
    model.train(was_training)
    nats_sum, n_all = processes.gather(float(total), count).sum(0).tolist()
    if not n_all:
        raise TrainingError("documents of one token each leave nothing to predict")
    seconds = time.perf_counter() - start
    return Score(nats_sum / n_all, int(n_all), seconds)


def is_cacheable(model: LanguageModel, batch: int, seq_len: int) -> bool:
    """Whether the model can be evaluated with a cache of at most `CACHE_BYTES`."""
    if not Cache.fits(model):
        return False
    lengths, layers = model.lengths, len(model.transformer.cores())
    n_keys = lengths.mem_len + lengths.c_mem_len + seq_len
    # A key and a value for each state, and the same again as free space for new ones.
    per_key = 2 * 2 * model.transformer.size * next(model.parameters()).element_size()
    return n_keys * batch * layers * per_key <= CACHE_BYTES


@dataclass(frozen=True)
class Speed:
    """The time of one prediction in seconds, without memory and with it.

    - `attention`: the number of earlier tokens that a prediction depends on.
    - `by_window`: without memory, where a window is processed for each prediction.
    - `by_memory`: with memory.
    """

    attention: int
    by_window: float
    by_memory: float

    @property
    def times(self) -> float:
        """How many times faster evaluation is with memory."""
        return self.by_window / self.by_memory


@torch.inference_mode()
def compare_speed(
    model: LanguageModel,
    tokens: Tensor,
    seq_len: int,
    attention: int,
    n_windows: int = 5,
) -> Speed:
    """Measure the time that memory saves if predictions use `attention` tokens.

    Without memory, the model processes a window of this length for every token that it
    predicts, as the vanilla model of the paper does. With memory, it processes each
    token once. Both ways use the same parameters and a single sequence.
    """
    if len(tokens) < attention + n_windows:
        raise TrainingError(
            f"{len(tokens)} tokens are too few for an attention length of {attention}"
        )
    device = next(model.parameters()).device
    alone = with_memory(model, 0, 0)

    # We take the median, because other programs may slow down some of the measurements.
    seconds = []
    for first in range(n_windows):
        window = tokens[first : first + attention, None].long().to(device)
        start = time.perf_counter()
        alone(window)[0][-1].cpu()
        seconds.append(time.perf_counter() - start)
    by_window = sorted(seconds)[n_windows // 2]

    # The memory is filled before the measurement.
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
