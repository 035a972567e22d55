r"""# Generation

A trained model continues a prompt, and the text can be shown as it comes.

The prompt is read as the model was trained: segment by segment, with memory. After that
every token is a segment of its own, whose keys and values are computed once and
remembered, so a token costs the same wherever in the text it stands.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.models import Cache, LanguageModel, choose
from labml_txl.training.runs.config import Config
from labml_txl.training.runs.storage.checkpoint import Checkpoint
from labml_txl.training.runs.vanilla import AbsoluteTransformer
from labml_txl.training.text.cache import SettingError, TrainingError
from labml_txl.training.text.vocabulary import Vocabulary


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
    if not len(prompt):
        raise TrainingError("the prompt is empty: a model continues, it cannot begin")
    if isinstance(model.transformer, AbsoluteTransformer):
        return _by_window(model, prompt, n_tokens, sampling, seq_len)
    return _by_memory(model, prompt, n_tokens, sampling, seq_len)


@torch.inference_mode()
def _by_memory(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[int]:
    cache = Cache(model)
    for segment in prompt[:, None].split(seq_len):
        logits = cache.read(segment)

    generator = sampling.generator(prompt.device)
    for left in range(n_tokens, 0, -1):
        token = sampling.draw(logits[-1], generator)
        yield int(token)
        if left > 1:
            logits = cache.read(token[None])


@torch.inference_mode()
def _by_window(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
) -> Iterator[int]:
    # Absolute positions start anew with each segment, so the vanilla Transformer reads
    # the last `seq_len` tokens again for every token that it writes.
    generator = sampling.generator(prompt.device)
    window = prompt
    for _ in range(n_tokens):
        window = window[-seq_len:]
        logits, _memory = model(window[:, None])
        token = sampling.draw(logits[-1], generator)
        window = torch.cat((window, token))
        yield int(token)


def sampler(
    config: Config, words: Vocabulary, n_tokens: int
) -> Callable[[LanguageModel], str]:
    r"""What lets a model in training write so many tokens, and leaves it as it is.

    It draws from a random generator of its own, which begins anew each time.
    """

    def sample(model: LanguageModel) -> str:
        was_training = model.training
        checkpoint = Checkpoint(config, words, {})
        pieces = write(
            model.eval(), checkpoint, words.opening, n_tokens, Sampling(0.8, seed=1)
        )
        text = "".join(pieces)
        model.train(was_training)
        return text

    return sample


def write(
    model: LanguageModel,
    checkpoint: Checkpoint,
    prompt: str,
    n_tokens: int,
    sampling: Sampling,
) -> Iterator[str]:
    r"""The prompt, and the pieces of text that follow it."""
    device = next(model.parameters()).device
    tokens = checkpoint.words.encode(prompt).to(device)
    yield prompt
    if not prompt[-1:].isspace():
        yield checkpoint.words.gap
    yield from checkpoint.words.stream(
        continue_text(model, tokens, n_tokens, sampling, checkpoint.config.seq_len)
    )
