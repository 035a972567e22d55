r"""# Generation

A trained model continues a prompt. The text can be shown while it is generated.

The model processes the prompt as in training, segment by segment and with memory. After
that, each new token is a segment of length 1. The keys and values of the memory are
kept in [a cache](../models/fast/cache.md). As soon as the memory is full, each token
takes the same time, however long the text is.

Each token is sampled from the predicted distribution. A temperature below 1 makes the
likely tokens likelier, and top-k and top-p sampling leave out the unlikely ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.models import Cache, LanguageModel, choose
from labml_txl.training.runs.checkpoint import Checkpoint
from labml_txl.training.runs.plots import progress
from labml_txl.training.text.files import SettingError, TrainingError
from labml_txl.training.text.vocabulary import Vocabulary
from labml_txl.training.vanilla import AbsoluteTransformer


@dataclass(frozen=True)
class Sampling:
    r"""How a token is drawn from the prediction.

    The settings are those of `choose`: the `temperature`, and for top-k and top-p
    sampling `top_k` and `top_p`. The same `seed` gives the same text. Raises
    `SettingError` for values out of range.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.temperature < 0:
            raise SettingError(f"temperature {self.temperature} is negative")
        if self.top_k is not None and self.top_k < 1:
            raise SettingError(f"top-k {self.top_k} must be at least 1")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise SettingError(f"top-p {self.top_p} must be above 0 and at most 1")

    def generator(self, device: torch.device) -> torch.Generator | None:
        r"""A random generator with the seed, or `None` for PyTorch's global one."""
        if self.seed is None:
            return None
        return torch.Generator(device).manual_seed(self.seed)

    def draw(self, logits: Tensor, generator: torch.Generator | None) -> Tensor:
        r"""Draw a token for each text, `[batch]`, from logits, `[batch, n_vocab]`."""
        if logits.isnan().any():
            raise TrainingError(
                "the model predicts nan: its weights are damaged, use another one"
            )
        return choose(logits, self.temperature, self.top_k, self.top_p, generator)


def continue_text(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[int]:
    r"""Continue a prompt and yield the new tokens one by one.

    - `model`: a model in evaluation mode.
    - `prompt`: its tokens, `[prompt_len]`.
    - `n_tokens`: the number of tokens to generate.
    - `sampling`: how they are drawn.
    - `seq_len`: the length of the segments in which the prompt is processed.
    """
    return map(int, continuations(model, prompt, n_tokens, sampling, seq_len, 1))


def continuations(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
    samples: int,
) -> Iterator[Tensor]:
    r"""Generate several continuations at once, and yield a token of each: `[samples]`.

    The arguments are those of `continue_text`. Most of the time of a token is spent on
    loading the parameters from RAM. Here they are loaded once for all continuations, so
    this is faster than generating one after the other.
    """
    if not len(prompt):
        raise TrainingError("the prompt is empty: a model continues, it cannot begin")
    if samples < 1:
        raise SettingError(f"samples {samples} must be at least 1")
    prompts = prompt[:, None].expand(-1, samples)  # [prompt_len, samples]
    if isinstance(model.transformer, AbsoluteTransformer):
        return _by_window(model, prompts, n_tokens, sampling, seq_len)
    return _by_memory(model, prompts, n_tokens, sampling, seq_len)


@torch.inference_mode()
def _by_memory(
    model: LanguageModel,
    prompts: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[Tensor]:
    cache = Cache(model, batch=prompts.shape[1])
    for segment in prompts.split(seq_len):
        logits = cache.read(segment)

    generator = sampling.generator(prompts.device)
    for left in range(n_tokens, 0, -1):
        tokens = sampling.draw(logits[-1], generator)  # [samples]
        yield tokens
        if left > 1:
            logits = cache.read(tokens[None])


@torch.inference_mode()
def _by_window(
    model: LanguageModel,
    prompts: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[Tensor]:
    # Absolute positions are counted from 1 in each segment, so the vanilla Transformer
    # has to process the last `seq_len` tokens again for each token that it generates.
    generator = sampling.generator(prompts.device)
    window = prompts
    for _ in range(n_tokens):
        window = window[-seq_len:]
        logits, _memory = model(window)
        tokens = sampling.draw(logits[-1], generator)  # [samples]
        window = torch.cat((window, tokens[None]))
        yield tokens


def write(
    model: LanguageModel,
    checkpoint: Checkpoint,
    prompt: str,
    n_tokens: int,
    sampling: Sampling,
) -> Iterator[str]:
    r"""Yield the prompt and then its continuation, piece by piece.

    `checkpoint` provides the vocabulary and the length of a segment. For the other
    arguments see `continue_text`.
    """
    words, seq_len = checkpoint.words, checkpoint.config.seq_len
    tokens = _encode(model, words, prompt)
    yield _opened(words, prompt)
    yield from words.stream(continue_text(model, tokens, n_tokens, sampling, seq_len))


def write_samples(
    model: LanguageModel,
    checkpoint: Checkpoint,
    prompt: str,
    n_tokens: int,
    sampling: Sampling,
    samples: int,
) -> list[str]:
    r"""Generate several continuations and return them, each with the prompt before it.

    They are generated in one batch. A bar on standard error shows the progress.
    """
    words, seq_len = checkpoint.words, checkpoint.config.seq_len
    tokens = _encode(model, words, prompt)
    drawn = continuations(model, tokens, n_tokens, sampling, seq_len, samples)
    written = list(progress(drawn, f"writing {samples} texts", n_tokens))
    rows = torch.stack(written, 1).tolist() if written else [[]] * samples
    return [_opened(words, prompt) + "".join(words.stream(row)) for row in rows]


def _encode(model: LanguageModel, words: Vocabulary, prompt: str) -> Tensor:
    return words.encode(prompt).to(next(model.parameters()).device)


def _opened(words: Vocabulary, prompt: str) -> str:
    # In a vocabulary of words, a space follows each word, so one is added to the
    # prompt.
    return prompt if prompt[-1:].isspace() else prompt + words.gap
