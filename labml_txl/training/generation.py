"""# Generation

A trained model continues a prompt. The text can be shown while it is generated.

The model processes the prompt as in training, segment by segment and with memory. After
that, each new token is a segment of length 1. The keys and values of the memory are
kept in [a cache](../models/fast/cache.md). As soon as the memory is full, each token
takes the same time, however long the text is.

Each token is sampled from the predicted distribution. A temperature below 1 makes the
likely tokens likelier, and top-k and top-p sampling leave out the unlikely ones. On the
[live page](../live.md) a model generates text in your browser, with a temperature of
your choice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from labml_txl.models import Cache, LanguageModel, choose
from labml_txl.models.language_model import check_sampling
from labml_txl.training.runs.checkpoint import Checkpoint
from labml_txl.training.text.files import SettingError, TrainingError
from labml_txl.training.vanilla import AbsoluteTransformer

EMPTY = "the prompt is empty: give at least one token to continue"


@dataclass(frozen=True)
class Sampling:
    """How a token is drawn from the prediction.

    The settings are those of `choose`: the `temperature`, and for top-k and top-p
    sampling `top_k` and `top_p`. The same `seed` gives the same text. Raises
    `SettingError` for values out of range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        try:
            check_sampling(0, self.temperature, self.top_k, self.top_p)
        except ValueError as error:
            raise SettingError(str(error)) from None

    def generator(self, device: torch.device) -> torch.Generator | None:
        """A random generator with the seed, or `None` for PyTorch's global one."""
        if self.seed is None:
            return None
        return torch.Generator(device).manual_seed(self.seed)

    def draw(self, logits: Tensor, generator: torch.Generator | None) -> Tensor:
        """Draw a token for each text, `[batch]`, from logits, `[batch, n_vocab]`."""
        if logits.isnan().any():
            raise TrainingError(
                "the model predicts NaN: its weights are damaged, use another one"
            )
        return choose(logits, self.temperature, self.top_k, self.top_p, generator)


def continue_text(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[int]:
    """Continue a prompt and yield the new tokens one by one.

    - `model`: a model in evaluation mode.
    - `prompt`: its tokens, `[prompt_len]`.
    - `n_tokens`: the number of tokens to generate.
    - `sampling`: how they are drawn.
    - `seq_len`: the length of the segments in which the prompt is processed.
    """
    if not len(prompt):
        raise TrainingError(EMPTY)
    absolute = isinstance(model.transformer, AbsoluteTransformer)
    way = _by_window if absolute else _by_memory
    return way(model, prompt[:, None], n_tokens, sampling, seq_len)


@torch.inference_mode()
def _by_memory(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[int]:
    read = Cache(model).read if model.cacheable() else reader(model)
    for segment in prompt.split(seq_len):
        logits = read(segment)

    generator = sampling.generator(prompt.device)
    for left in range(n_tokens, 0, -1):
        token = sampling.draw(logits[-1], generator)
        yield int(token)
        if left > 1:
            logits = read(token[None])


def reader(model: LanguageModel) -> Callable[[Tensor], Tensor]:
    """`Cache.read` for a model that is not `cacheable`."""
    memory: Any = None

    def read(tokens: Tensor) -> Tensor:
        nonlocal memory
        logits: Tensor
        logits, memory = model(tokens, memory)
        return logits

    return read


@torch.inference_mode()
def _by_window(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[int]:
    # Absolute positions are counted from 1 in each segment, so the vanilla Transformer
    # has to process the last `seq_len` tokens again for each token that it generates.
    generator = sampling.generator(prompt.device)
    window = prompt
    for _ in range(n_tokens):
        window = window[-seq_len:]
        logits, _memory = model(window)
        token = sampling.draw(logits[-1], generator)
        window = torch.cat((window, token[None]))
        yield int(token)


def write(
    model: LanguageModel,
    checkpoint: Checkpoint,
    prompt: str,
    n_tokens: int,
    sampling: Sampling,
) -> Iterator[str]:
    """Yield the prompt and then its continuation, piece by piece.

    `checkpoint` provides the vocabulary and the length of a segment. For the other
    arguments see `continue_text`.
    """
    words, seq_len = checkpoint.words, checkpoint.config.seq_len
    tokens = words.encode(prompt).to(next(model.parameters()).device)
    if not len(tokens):
        raise TrainingError(EMPTY)

    # In a vocabulary of words, each word is followed by a space, so a space is added at
    # the end of the prompt.
    yield prompt if prompt[-1:].isspace() else prompt + words.gap
    yield from words.stream(continue_text(model, tokens, n_tokens, sampling, seq_len))
