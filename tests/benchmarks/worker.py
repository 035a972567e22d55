"""One library and one model in a process of its own, which works on request.

The driver writes a line of JSON, the worker does that work once and answers with a
line. Between requests it waits, so that many workers can take turns step by step.
"""

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from tests.benchmarks.sizes import Size
from tests.benchmarks.subjects.subject import Memory, Subject

LEARNING_RATE = 2.5e-4
# The rows of a matrix so large that its product with another reaches the highest rate.
LARGE = 2048


def peak_bytes() -> int:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Worker:
    """A model, its optimizer, and what it remembers for each kind of work."""

    def __init__(self, subject: Subject, size: Size) -> None:
        self.subject = subject
        self.size = size
        self.random = torch.Generator().manual_seed(1)
        self.memories: dict[str, Memory] = {"train": None, "evaluate": None}
        self.optimizer = torch.optim.Adam(subject.model.parameters(), lr=LEARNING_RATE)

    def draw_tokens(self, seq_len: int, batch: int) -> torch.Tensor:
        n_vocab = self.size.n_vocab
        return torch.randint(n_vocab, (seq_len, batch), generator=self.random)

    def train(self) -> int:
        """One step: forward, backward, Adam. Returns how many tokens it read."""
        tokens = self.draw_tokens(self.size.seq_len, self.size.batch)
        self.optimizer.zero_grad()
        loss, memory = self.subject.loss(tokens, tokens, self.memories["train"])
        self.memories["train"] = memory
        loss.backward()
        self.optimizer.step()
        return tokens.numel()

    @torch.inference_mode()
    def evaluate(self) -> int:
        """One segment, its memory reused from the one before."""
        self.subject.model.eval()
        # The first time, as many segments as fill the memory.
        memory, times = self.memories["evaluate"], 1
        if memory is None:
            times = -(-self.size.mem_len // self.size.seq_len) + 1
        for _ in range(times):
            tokens = self.draw_tokens(self.size.seq_len, self.size.batch)
            _, memory = self.subject.logits(tokens, memory)
        self.memories["evaluate"] = memory
        self.subject.model.train()
        return tokens.numel()

    @torch.inference_mode()
    def window(self) -> int:
        """One prediction by a model that reads its whole window for it."""
        self.subject.model.eval()
        self.subject.logits(self.draw_tokens(self.size.seq_len, 1), None)
        return 1

    @torch.inference_mode()
    def product(self) -> int:
        """One large product of matrices. Returns its floating point operations."""
        matrix = torch.ones(LARGE, LARGE)
        matrix @ matrix
        return 2 * LARGE**3

    @torch.inference_mode()
    def generate(self, samples: int = 1) -> int:
        """Thirty-two tokens of each text, after a full memory."""
        self.subject.model.eval()
        name = f"generate {samples}"
        if name not in self.memories:
            memory = None
            for _ in range(3):
                tokens = self.draw_tokens(self.size.seq_len, samples)
                _, memory = self.subject.logits(tokens, memory)
            self.memories[name] = memory
        start = self.draw_tokens(1, samples)
        chosen = self.subject.generate(start, self.memories[name], 32)
        self.subject.model.train()
        return chosen.numel()


def answer(works: dict[str, Callable[[], int]], line: str) -> dict[str, Any]:
    """Do what a line asks for, and measure it."""
    work = works[json.loads(line)["do"]]
    start = time.perf_counter()
    amount = work()
    return {
        "seconds": time.perf_counter() - start,
        "amount": amount,
        "peak_bytes": peak_bytes(),
    }


def main() -> None:
    """Build the model that the arguments name, then answer line by line."""
    library, kind, size, threads = sys.argv[1:]
    # What a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    module = importlib.import_module(f"tests.benchmarks.subjects.{library}")
    dimensions = Size(**json.loads(size))
    worker = Worker(module.SUBJECTS[kind](dimensions), dimensions)
    works = {
        "train": worker.train,
        "evaluate": worker.evaluate,
        "generate": worker.generate,
        "samples": lambda: worker.generate(samples=16),
        "window": worker.window,
        "product": worker.product,
    }
    about = {"parameters": sum(p.numel() for p in worker.subject.model.parameters())}
    print(json.dumps(about), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(works, line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
