r"""# The trainer

One loop: read a segment, predict it, move the parameters, remember. Every so often it
looks at the validation part, and writes a checkpoint from which it could go on. How
often, by which rule it moves and when it has learned enough are settings: see
[Learning](learning/index.md).

**Nothing is lost.** A checkpoint holds all that the next step depends on: parameters,
the optimizer's averages, the memory of every reader, their position in the text, and
the state of the random generator. A run that was stopped and resumed is, on a CPU, bit
for bit the run that was not stopped. Control-C and SIGTERM end the step, write a
checkpoint and stop; a killed process loses at most `save_interval` steps.
"""

import contextlib
import dataclasses
import math
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from labml_txl.models import LanguageModel
from labml_txl.training.runs.build import Memory, Objective, build
from labml_txl.training.runs.config import Config
from labml_txl.training.runs.evaluation import Score, evaluate
from labml_txl.training.runs.learning.optimizers import make_optimizer
from labml_txl.training.runs.learning.standing import Standing, standing_of
from labml_txl.training.runs.logs.curve import (
    Log,
    Point,
    add_point,
    draw_curve,
    read_curve,
    told,
    write_curve,
)
from labml_txl.training.runs.machine import (
    Machine,
    as_written,
    put_together,
    share,
    translating,
    whole,
)
from labml_txl.training.runs.storage.checkpoint import (
    PROGRESS,
    Checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from labml_txl.training.runs.storage.kept import remove_others, still_there
from labml_txl.training.runs.storage.tensors import (
    load_optimizer,
    load_parameters,
    memory_of,
    memory_tensors,
    optimizer_state,
    prefixed,
    wholes,
)
from labml_txl.training.text.cache import TrainingError
from labml_txl.training.text.corpora import Corpus
from labml_txl.training.text.streams import Streams

Report = Callable[[str], None]

# Lets a model write, which it leaves as it is.
Sampler = Callable[[LanguageModel], str]


@dataclass(frozen=True)
class Outcome:
    r"""How a run ended: after which step, with which losses, and whether by a signal.

    `best` is the least validation loss that was met, in nats a token.
    """

    step: int
    best: float
    seconds: float
    signal: int | None = None


class Trainer:
    r"""A run: a model that learns, and the folder that it is written to."""

    def __init__(
        self,
        config: Config,
        corpus: Corpus,
        folder: Path,
        machine: Machine,
        report: Report = lambda line: None,
        logs: Sequence[Log] = (),
        sampler: Sampler | None = None,
    ) -> None:
        self.config = config
        self.corpus = corpus
        self.folder = folder
        self.machine = machine
        self.report = report if machine.leads else lambda line: None
        self.logs = logs
        self.sampler = sampler
        torch.use_deterministic_algorithms(config.deterministic)

        # All processes start with the same parameters, and drop different elements.
        torch.manual_seed(config.seed)
        self.model = build(config, len(corpus.vocabulary)).to(machine.device)
        self.objective = Objective(self.model, config).to(machine.device)
        self.step_module = share(self.objective, config, machine.world)
        torch.manual_seed(config.seed + machine.rank)
        self.optimizer = make_optimizer(self.objective, config)
        self.scaler = torch.amp.GradScaler(
            machine.device.type, enabled=machine.dtype == torch.float16
        )

        # The batch is read in parts, each with readers and a memory of its own.
        self.streams = [
            Streams(
                corpus.train,
                config.batch,
                config.seq_len * config.bptt,
                machine.rank * config.accumulate + part,
                machine.world * config.accumulate,
            )
            for part in range(config.accumulate)
        ]
        self.memories: list[Memory] = [None] * config.accumulate
        self.step = 0
        self.position = 0
        self.standing = Standing()
        self.seconds = 0.0
        self.curve: list[Point] = []
        self.caught: int | None = None

    def run(self) -> Outcome:
        r"""Train until the last step, until patience ends, or until a signal comes.

        Raises `TrainingError` if the loss, a gradient or a parameter is no finite
        number any more. Nothing of that is saved: the checkpoints stay.
        """
        self.model.train()
        start = time.perf_counter() - self.seconds
        with self.signals_caught(), self.disk_told(), translating(self.config):
            if self.machine.leads:
                # A run that died before its first checkpoint may have left its own.
                write_curve(self.folder, self.curve)
            stopped = False
            while not stopped and not self.is_over():
                nats, stopped = self.update()
                self.seconds = time.perf_counter() - start
                if self.is_due(self.config.log_interval):
                    self.note(
                        {"nats": nats, "rate": self.config.rate_at(self.step - 1)}
                    )
                self.look_and_save(stopped)
        return Outcome(self.step, self.standing.best, self.seconds, self.caught)

    def is_over(self) -> bool:
        r"""Whether the last step was made, or validation finds no gain any more."""
        ended = self.standing.is_over(self.config.patience)
        return ended or self.step >= self.config.steps

    def is_due(self, interval: int) -> bool:
        r"""Whether something is to be done now, and at the end; 0 is never."""
        last = self.step == self.config.steps
        return interval > 0 and (last or self.step % interval == 0)

    def look_and_save(self, stopped: bool) -> None:
        r"""Validate, let the model write, and save: each if it is its turn."""
        config = self.config
        saves = stopped or self.is_due(config.save_interval)
        validates = self.is_due(config.eval_interval or config.save_interval)
        writes = self.is_due(config.sample_interval)
        if not (saves or validates or writes):
            return
        self.check_parameters()
        names = self.validate() if validates else []
        if writes:
            self.write_sample()
        if saves or names or self.is_over():
            self.save(names)

    def update(self) -> tuple[float, bool]:
        r"""One step: the loss in nats a token, and whether a signal has come."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate_at(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        nats = 0.0
        for part in range(len(self.streams)):
            nats += self.accumulate(part) / len(self.streams)

        # All processes agree before any of them moves.
        nats, signals = self.machine.average([nats, float(self.caught is not None)])
        self.check_finite("loss", nats, self.step + 1)
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(
            self.objective.parameters(), self.config.clip or math.inf
        )
        if not self.scaler.is_enabled():
            # With 16 bits, the scaler leaves such a step out and scales less.
            self.check_finite("gradient", float(whole(norm)), self.step + 1)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.step += 1
        self.position += self.config.seq_len * self.config.bptt
        return nats, signals > 0

    def accumulate(self, part: int) -> float:
        r"""Add the gradient of one part of the batch; its loss in nats a token."""
        tokens, targets = (
            side.to(self.machine.device)
            for side in self.streams[part].segment(self.position)
        )
        # Processes share their gradients once a step, with the last part.
        shares = part == len(self.streams) - 1
        step = self.step_module
        waits = (
            step.no_sync
            if isinstance(step, DistributedDataParallel) and not shares
            else contextlib.nullcontext
        )
        with waits():
            with self.machine.autocast():
                loss, nats, self.memories[part] = self.step_module(
                    tokens, targets, self.memories[part]
                )
            self.scaler.scale(loss / len(self.streams)).backward()
        return float(nats)

    def check_finite(self, what: str, value: float, step: int) -> None:
        r"""Raise `TrainingError`, with what to do, for what is no finite number."""
        if not math.isfinite(value):
            way_on = self.way_on("with another --learning-rate if you like")
            raise TrainingError(f"the {what} became {value} at step {step}: {way_on}")

    def check_parameters(self) -> None:
        r"""Raise `TrainingError` if a parameter is no finite number any more."""
        sums = [p.detach().double().sum() for p in self.objective.parameters()]
        total = float(whole(torch.stack([whole(one) for one in sums]).sum()))
        (mean,) = self.machine.average([total])
        self.check_finite("sum of all parameters", mean, self.step)

    def validate(self) -> list[str]:
        r"""Measure the loss on the validation part: under which names is it to stay?"""
        # Where each process has a share of the model, all must take part. Elsewhere the
        # others wait, so that no process runs ahead into a time-out.
        nats = math.inf
        if self.machine.leads or self.config.fsdp:
            score = self.score(self.config.eval_tokens)
            nats = score.nats
            self.check_finite("validation loss", nats, self.step)
            self.note({"validation_nats": nats, "bits_per_byte": score.bits_per_byte})
        (nats,) = self.machine.gather(nats)[:1]
        self.standing = self.standing.after(self.step, nats, self.config.keep_best)
        return self.standing.names(self.step)

    def write_sample(self) -> None:
        r"""Let the model write a little, to be read beside the losses."""
        if self.sampler and (self.machine.leads or self.config.fsdp):
            with put_together(self.objective), as_written(), self.machine.autocast():
                self.note({"sample": self.sampler(self.model)})

    def score(self, limit: int = 0) -> Score:
        r"""The loss on the first `limit` tokens of the validation part; 0 is all."""
        text = self.corpus.validation[: limit or None]
        with put_together(self.objective), as_written(), self.machine.autocast():
            words = self.corpus.vocabulary
            return evaluate(self.model, text, self.config.seq_len, words=words)

    def note(self, values: Point) -> None:
        r"""Add a line to the curve, and report it."""
        known = {name: value for name, value in values.items() if value is not None}
        point = {"step": self.step, **known, "seconds": round(self.seconds, 2)}
        self.curve.append(point)
        if self.machine.leads:
            add_point(self.folder, point)
            for log in self.logs:
                log.add(point)
        self.report(told(point, self.config, self.seconds))

    def save(self, names: Sequence[str] = ()) -> None:
        r"""Write the newest checkpoint, also under other names, and plot the curve."""
        everyone = self.machine.gather(self.own_state())
        tensors = self.named(self.model)
        tensors |= optimizer_state(self.objective, self.optimizer)
        if self.objective.reconstruction is not None:
            tensors |= prefixed("reconstruction", self.decoders())
        if not self.machine.leads:
            return
        for rank, state in enumerate(everyone):
            tensors |= prefixed(f"rank.{rank}", state)
        # The newest comes last: what it says of the others is true by then.
        self.write([self.folder / f"{name}.json" for name in (*names, "last")], tensors)
        if self.config.keep_best:
            remove_others(self.folder, self.standing.kept)
        draw_curve(self.curve, self.folder)

    def own_state(self) -> dict[str, Tensor]:
        r"""What only this process has: its memories and its random state."""
        state = {"random": torch.get_rng_state()}
        if self.machine.device.type == "cuda":
            state["random_cuda"] = torch.cuda.get_rng_state()
        for part, memory in enumerate(self.memories):
            state |= prefixed(f"memory.{part}", memory_tensors(memory))
        return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}

    def write(self, paths: list[Path], tensors: dict[str, Tensor]) -> None:
        r"""Write a checkpoint of this step with these tensors."""
        progress = {
            **self.standing.progress(),
            "seconds": self.seconds,
            "world": self.machine.world,
            "scaler": self.scaler.state_dict(),
        }
        save_checkpoint(
            Checkpoint(
                self.config,
                self.corpus.vocabulary,
                tensors,
                self.step,
                self.position,
                progress,
                self.corpus.digest,
            ),
            *paths,
        )

    def resume(self, checkpoint: Checkpoint) -> None:
        r"""Go on from a checkpoint, as if nothing had happened."""
        if checkpoint.progress.get("world", 1) != self.machine.world:
            raise TrainingError(
                f"the run has {checkpoint.progress.get('world')} processes, "
                f"not {self.machine.world}: each of them has its own memory"
            )
        own = checkpoint.part(f"rank.{self.machine.rank}")
        if "random" not in own or not checkpoint.progress.keys() >= PROGRESS.keys():
            raise TrainingError("this checkpoint can be used, but not resumed")
        load_parameters(self.model, checkpoint.part("model"))
        load_optimizer(self.objective, self.optimizer, checkpoint.part("optimizer"))
        loss = self.objective.reconstruction
        if isinstance(loss, nn.Module):
            load_parameters(loss, checkpoint.part("reconstruction"))
        self.memories = [
            memory_of(own, f"memory.{part}", self.config, self.machine.device)
            for part in range(self.config.accumulate)
        ]
        progress = checkpoint.progress
        self.scaler.load_state_dict(progress["scaler"])
        self.step, self.position = checkpoint.step, checkpoint.position
        found = standing_of(progress)
        kept = still_there(self.folder, found.kept)
        self.standing = dataclasses.replace(found, kept=kept)
        self.seconds = progress["seconds"]

        # The curve as it was then: lines of steps that are made again are dropped.
        curve = read_curve(self.folder)
        self.curve = [point for point in curve if point["step"] <= self.step]
        torch.set_rng_state(own["random"])
        if "random_cuda" in own and self.machine.device.type == "cuda":
            torch.cuda.set_rng_state(own["random_cuda"])

    def named(self, model: nn.Module) -> dict[str, Tensor]:
        r"""The parameters of the model, each once and whole."""
        return prefixed("model", wholes(model))

    def decoders(self) -> dict[str, Tensor]:
        r"""What the reconstruction loss learns for itself, if anything."""
        loss = self.objective.reconstruction
        return wholes(loss) if isinstance(loss, nn.Module) else {}

    def way_on(self, how: str) -> str:
        r"""What can be done when a run has failed."""
        try:
            saved = load_checkpoint(self.folder, "last").step
        except TrainingError:
            return f"there is no checkpoint yet: begin again, {how}"
        return (
            f"the checkpoint of step {saved} in {self.folder} is the last good one: "
            f"--resume goes on from it, {how}"
        )

    @contextlib.contextmanager
    def disk_told(self) -> Iterator[None]:
        r"""Say at which step a file could not be written, and what can be done."""
        try:
            yield
        except OSError as error:
            where = error.filename or self.folder
            way_on = self.way_on("when the disk takes files again")
            raise TrainingError(
                f"{where}: {error.strerror or error} at step {self.step}: {way_on}"
            ) from None

    @contextlib.contextmanager
    def signals_caught(self) -> Iterator[None]:
        r"""Let Control-C and SIGTERM ask for the end of the run.

        A second one ends the process as usual.
        """

        def catch(number: int, frame: object) -> None:
            self.caught = number
            signal.signal(number, before[number])

        before: dict[int, Any] = {}
        for number in (int(signal.SIGINT), int(signal.SIGTERM)):
            before[number] = signal.signal(number, catch)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
