# ---
# keywords: [temperature, top-p, nucleus, generate, sample, text completion, sampling
#   strategy]
# ---
"""# Generation

A trained model continues a prompt. The text can be shown while it is generated.

The model processes the prompt as in training, segment by segment and with memory. After
that, each new token is a segment of length 1. The keys and values of the memory are
kept in [a cache](../models/fast/cache.md). As soon as the memory is full, each token
takes the same time, however long the text is.

Each token is sampled from the predicted distribution. A temperature below 1 makes the
likely tokens likelier, and top-k, top-p and min-p sampling (`--top-k`, `--top-p`,
`--min-p`) leave out the unlikely ones. On the [live page](../live.md) a model generates
text in your browser, with a temperature of your choice.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor

from labml_txl.models import LanguageModel, choose
from labml_txl.models.language_model import penalize
from labml_txl.training.runs.checkpoint import Checkpoint
from labml_txl.training.sampling import Sampling
from labml_txl.training.text.files import (
    Report,
    TrainingError,
    report_nothing,
    report_progress,
)
from labml_txl.training.vanilla import AbsoluteTransformer

EMPTY = "the prompt is empty: give at least one token to continue"


def draw_token(
    logits: Tensor,
    text: Tensor,
    sampling: Sampling,
    generator: torch.Generator | None,
) -> Tensor:
    """Draw a token for each text, `[batch]`, from logits, `[batch, n_vocab]`.

    `text` are the tokens before it, `[length, batch]`.
    """
    if logits.isnan().any():
        raise TrainingError(
            "the model predicts NaN: its weights are damaged, use another one"
        )
    if sampling.repetition_penalty != 1:
        logits = penalize(logits, text, sampling.repetition_penalty)
    return choose(logits, generator=generator, **sampling.settings())


def make_generator(seed: int | None, device: torch.device) -> torch.Generator | None:
    """A random generator with the seed, or `None` for PyTorch's global one."""
    return None if seed is None else torch.Generator(device).manual_seed(seed)


def continue_text(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
    report: Report = report_nothing,
) -> Iterator[int]:
    """Continue a prompt and yield the new tokens one by one.

    - `model`: a model in evaluation mode.
    - `prompt`: its tokens, `[prompt_len]`.
    - `n_tokens`: the number of tokens to generate.
    - `sampling`: how they are drawn.
    - `seq_len`: the length of the segments in which the prompt is processed.
    - `report`: a function that is called with each line of progress.
    """
    drawn = _continue(model, prompt[:, None], n_tokens, sampling, seq_len, report)
    return (int(tokens) for tokens in drawn)


def continue_texts(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
    report: Report = report_nothing,
) -> Tensor:
    """Continue a prompt in several ways at once: `[n_tokens, samples]`.

    For the arguments see `continue_text`.
    """
    prompts = prompt[:, None].expand(-1, sampling.samples)
    drawn = _continue(model, prompts, n_tokens, sampling, seq_len, report)
    rows = [*report_progress(drawn, n_tokens, "samples", report)]
    return torch.stack(rows) if rows else prompts[:0]


def _continue(model: LanguageModel, prompts: Tensor, *given: Any) -> Iterator[Tensor]:
    if not len(prompts):
        raise TrainingError(EMPTY)
    absolute = isinstance(model.transformer, AbsoluteTransformer)
    return (_generate_by_window if absolute else _generate_by_memory)(
        model, prompts, *given
    )


@torch.inference_mode()
def _generate_by_memory(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
    report: Report,
) -> Iterator[Tensor]:
    read = model.reader(batch=prompt.shape[1]).read
    segments = prompt.split(seq_len)
    for segment in report_progress(segments, len(segments), "prompt", report):
        logits = read(segment)

    generator, text = make_generator(sampling.seed, prompt.device), prompt
    for left in range(n_tokens, 0, -1):
        token = draw_token(logits[-1], text, sampling, generator)
        yield token
        if sampling.repetition_penalty != 1:
            text = torch.cat((text, token[None]))
        if left > 1:
            logits = read(token[None])


@torch.inference_mode()
def _generate_by_window(
    model: LanguageModel,
    prompt: Tensor,
    n_tokens: int,
    sampling: Sampling,
    seq_len: int,
    report: Report,
) -> Iterator[Tensor]:
    # Absolute positions are counted from 1 in each segment, so the vanilla Transformer
    # has to process the last `seq_len` tokens again for each token that it generates.
    generator, text = make_generator(sampling.seed, prompt.device), prompt
    for _ in range(n_tokens):
        logits, _memory = model(text[-seq_len:])
        token = draw_token(logits[-1], text, sampling, generator)
        text = torch.cat((text, token[None]))
        yield token


def write(
    model: LanguageModel,
    checkpoint: Checkpoint,
    prompt: str,
    n_tokens: int,
    sampling: Sampling,
    report: Report = report_nothing,
) -> Iterator[str]:
    """Yield the prompt and then its continuation, piece by piece.

    Several samples are drawn at once, and then yielded with a line between them.
    `checkpoint` provides the vocabulary and the length of a segment. For the other
    arguments see `continue_text`.
    """
    words, seq_len = checkpoint.words, checkpoint.config.seq_len
    tokens = words.encode(prompt).to(next(model.parameters()).device)

    # In a vocabulary of words, each word is followed by a space, so a space is added at
    # the end of the prompt.
    opening = prompt if prompt[-1:].isspace() else prompt + words.gap
    if sampling.samples == 1:
        drawn = continue_text(model, tokens, n_tokens, sampling, seq_len, report)
        pieces = cut_at(words.stream(drawn), sampling.stop)
        # The prompt is read for the first piece, so the lines of progress are not
        # between the prompt and its continuation.
        first = next(pieces, "")
        yield opening + first
        yield from pieces
        return
    rows = continue_texts(model, tokens, n_tokens, sampling, seq_len, report)
    texts = rows.t().tolist()
    for n, text in enumerate(texts):
        yield opening if not n else f"\n{BETWEEN}\n{opening}"
        yield from cut_at(words.stream(text), sampling.stop)


def cut_at(pieces: Iterable[str], stop: str | None) -> Iterator[str]:
    """Yield the pieces of a text that come before the first occurrence of `stop`."""
    if stop is None:
        yield from pieces
        return
    # The end of what has come so far is held back if `stop` may begin there.
    held = ""
    for piece in pieces:
        held += piece
        if stop in held:
            yield held[: held.index(stop)]
            return
        lengths = range(min(len(stop), len(held)), 0, -1)
        kept = next((n for n in lengths if held.endswith(stop[:n])), 0)
        yield held[: len(held) - kept]
        held = held[len(held) - kept :]
    yield held


# The line between the samples of a prompt.
BETWEEN = "---"
