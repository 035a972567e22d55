r"""# Generation

A trained model continues a prompt, and the text can be shown as it comes.

The prompt is read as the model was trained: segment by segment, with memory. After that
every token is a segment of its own, whose keys and values are computed once and
remembered, so a token costs the same wherever in the text it stands.
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
    r"""How a token is chosen: see `choose`. The same `seed` gives the same text."""

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
        r"""A random generator of its own, where there is a seed."""
        if self.seed is None:
            return None
        return torch.Generator(device).manual_seed(self.seed)

    def draw(self, logits: Tensor, generator: torch.Generator | None) -> Tensor:
        r"""A token for each text: `[batch, n_vocab]` to `[batch]`."""
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
    r"""The tokens that follow `prompt`, `[prompt_len]`, one by one as they are drawn.

    `seq_len` is how many tokens of the prompt are read at once. The model must be in
    evaluation mode.
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
    r"""As `continue_text`, but `samples` continuations at once: `[samples]` each time.

    All parameters are read from RAM once for a token, and not once for each sample.
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
    # Absolute positions start anew with each segment, so the vanilla Transformer reads
    # the last `seq_len` tokens again for every token that it writes.
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
    r"""The prompt, and the pieces of text that follow it."""
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
    r"""So many continuations, each with the prompt before it.

    All are written in one batch, while a bar on standard error shows how far it is.
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
    # Words are written with a blank behind each, so the prompt ends with one too.
    return prompt if prompt[-1:].isspace() else prompt + words.gap
