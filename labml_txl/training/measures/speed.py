r"""# The speed of evaluation

What memory saves: the paper's comparison of two ways to evaluate, with a window that
moves by one token, and with memory. Section 4.5 of the Transformer-XL paper measures
it, and the page *Benchmarks* shows ours.
"""

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.runs.build import Memory
from labml_txl.training.runs.evaluation import with_memory
from labml_txl.training.text.cache import TrainingError


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
