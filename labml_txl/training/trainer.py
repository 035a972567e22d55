"""# The trainer

The trainer performs a whole run of training. Each of its steps does what [a step of
training](step.md) explains. The trainer also sets the learning rate, supports 16-bit
precision, and checks that the loss, the gradients and the parameters are finite. At
regular intervals it evaluates the model on the validation part and writes a checkpoint.

**A run can be resumed.** A checkpoint contains everything on which the next step
depends: the parameters, the state of the optimizer, the memory, the position of the
sequences in the text, and the state of the random generator. Therefore, on a CPU, a run
that was stopped and resumed gives exactly the same results as one that was not stopped.
On Control-C and SIGTERM, the trainer finishes the step, writes a checkpoint and stops.
If the process is killed, at most `save_interval` steps are lost.
"""

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from labml_txl.training.config import Config
from labml_txl.training.corpora import Corpus
from labml_txl.training.evaluation import Score, evaluate
from labml_txl.training.objective import Memory, Objective, build, make_optimizer
from labml_txl.training.runs.checkpoint import (
    PROGRESS,
    Checkpoint,
    check_numbers,
    load_checkpoint,
    load_optimizer,
    load_parameters,
    memory_of,
    memory_tensors,
    optimizer_state,
    prefixed,
    save_checkpoint,
)
from labml_txl.training.runs.curve import (
    Point,
    add_point,
    draw_curve,
    progress_line,
    read_curve,
    write_curve,
)
from labml_txl.training.runs.machine import (
    Machine,
    as_written,
    compile_layers,
    translating,
)
from labml_txl.training.streams import Streams
from labml_txl.training.text.files import Report, TrainingError, silent

# The number of seconds without a line, after which a step is reported although no point
# of the curve is due.
QUIET_STEPS = 10.0


@dataclass(frozen=True)
class Outcome:
    """How a run has ended.

    - `step`: the number of steps that were taken.
    - `best`: the lowest validation loss of the run, in nats per token.
    - `seconds`: the time that the training took.
    - `signal`: the signal that ended the run, or `None`.
    """

    step: int
    best: float
    seconds: float
    signal: int | None = None


class Trainer:
    """A training run.

    - `config`: its settings.
    - `corpus`: the text, with its vocabulary and its parts for training and validation.
    - `folder`: where checkpoints and the curve are written.
    - `machine`: the device and the number format to compute with.
    - `report`: a function that is called with each line of progress.
    """

    def __init__(
        self,
        config: Config,
        corpus: Corpus,
        folder: Path,
        machine: Machine,
        report: Report = silent,
    ) -> None:
        self.config = config
        self.corpus = corpus
        self.folder = folder
        self.machine = machine
        self.report = report
        torch.use_deterministic_algorithms(config.deterministic)
        torch.manual_seed(config.seed)
        self.model = build(config, len(corpus.vocabulary)).to(machine.device)
        self.objective = Objective(self.model, config).to(machine.device)
        if config.compile:
            compile_layers(self.objective)
        torch.manual_seed(config.seed)
        self.optimizer = make_optimizer(self.objective, config)
        self.scaler = torch.amp.GradScaler(
            machine.device.type, enabled=machine.dtype == torch.float16
        )
        self.streams = Streams(corpus.train, config.batch, config.seq_len * config.bptt)
        self.memory: Memory = None
        self.step = 0
        self.position = 0
        self.best = math.inf
        self.seconds = 0.0
        self.curve: list[Point] = []
        self.caught: int | None = None

    def run(self) -> Outcome:
        """Train until the last step, or until a signal arrives.

        Raises `TrainingError` if the loss, a gradient or a parameter is not a finite
        number. The last checkpoints then remain as they are.
        """
        self.model.train()
        start = time.perf_counter() - self.seconds
        with self.signals_caught(), translating(self.config):
            # The folder may contain the curve of an earlier run that ended before its
            # first checkpoint. This call overwrites it.
            write_curve(self.folder, self.curve)
            if self.config.compile:
                self.report("the layers are compiled: the first steps take long")
            reported = self.seconds
            while not self.is_over():
                nats = self.update()
                self.seconds = time.perf_counter() - start
                point = {"nats": nats, "rate": self.config.rate_at(self.step - 1)}
                if self.is_due(self.config.log_interval):
                    self.note(point)
                    reported = self.seconds
                elif self.seconds - reported > QUIET_STEPS:
                    self.report_point(point)
                    reported = self.seconds
                if self.is_due(self.config.save_interval):
                    self.save(best=self.validate())
                elif self.is_over():
                    self.check_parameters()
                    self.save()
        return Outcome(self.step, self.best, self.seconds, self.caught)

    def is_over(self) -> bool:
        """Whether the last step is done or a signal has arrived."""
        return self.caught is not None or self.step == self.config.steps

    def is_due(self, interval: int) -> bool:
        """Whether `step` is a multiple of `interval`, or the last step."""
        return self.step == self.config.steps or self.step % interval == 0

    def update(self) -> float:
        """Take one step and return the loss in nats per token.

        These are the calls of `train_step`, with the learning rate of the schedule and,
        on a GPU, with 16-bit precision. Small gradients would be 0 in float16, so the
        scaler multiplies the loss by a large number before the backward pass and
        divides the gradients by it afterwards.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate_at(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        tokens, targets = (
            side.to(self.machine.device) for side in self.streams.segment(self.position)
        )
        with self.machine.autocast():
            loss, nats, self.memory = self.objective(tokens, targets, self.memory)
        self.check_finite("loss", float(nats), self.step + 1)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        norm = nn.utils.clip_grad_norm_(
            self.objective.parameters(), self.config.clip or math.inf
        )
        # With float16, we do not check the gradient: if it is not finite, the scaler
        # skips the step and reduces its factor.
        if not self.scaler.is_enabled():
            self.check_finite("gradient", float(norm), self.step + 1)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.step += 1
        self.position += self.streams.seq_len
        return float(nats)

    def check_finite(self, what: str, value: float, step: int) -> None:
        """Raise `TrainingError`, with a way to continue, if `value` is not finite."""
        if not math.isfinite(value):
            raise TrainingError(
                f"the {what} became {value} at step {step}: {self.way_on()}"
            )

    def check_parameters(self) -> None:
        """Raise `TrainingError` if an element of a parameter is not finite."""
        sums = [p.detach().double().sum() for p in self.objective.parameters()]
        total = float(torch.stack(sums).sum())
        self.check_finite("sum of all parameters", total, self.step)

    def validate(self) -> bool:
        """Measure the validation loss. Returns whether it is the lowest so far."""
        self.check_parameters()
        nats = self.score(self.config.eval_tokens).nats
        self.check_finite("validation loss", nats, self.step)
        self.note({"validation_nats": nats})
        better = nats < self.best
        self.best = min(nats, self.best)
        return better

    def score(self, limit: int = 0) -> Score:
        """The loss on the first `limit` tokens of the validation part; 0 means all."""
        text = self.corpus.validation[: limit or None]
        with as_written(), self.machine.autocast():
            return evaluate(
                self.model,
                text,
                self.config.seq_len,
                cached=True,
                report=self.report,
            )

    def note(self, values: Point) -> None:
        """Add a point to the curve and report it."""
        point = {"step": self.step, **values, "seconds": round(self.seconds, 2)}
        self.curve.append(point)
        add_point(self.folder, point)
        self.report_point(point)

    def report_point(self, values: Point) -> None:
        """Report the values of this step in a line of progress."""
        point = {"step": self.step, **values}
        self.report(progress_line(point, self.config, self.seconds))

    def save(self, best: bool = False) -> None:
        """Write a checkpoint and the curve.

        With `best`, the checkpoint is also written as the best one of the run.
        """
        random = {"cpu": torch.get_rng_state()}
        if self.machine.device.type == "cuda":
            random["cuda"] = torch.cuda.get_rng_state()
        tensors = {
            **prefixed("model", dict(self.model.named_parameters())),
            **prefixed("reconstruction", dict(self.decoders().named_parameters())),
            **optimizer_state(self.objective, self.optimizer),
            **prefixed("memory", memory_tensors(self.memory)),
            **prefixed("random", random),
        }
        try:
            check_numbers(tensors)
        except TrainingError as error:
            raise TrainingError(
                f"{error} at step {self.step}: {self.way_on()}"
            ) from None
        progress = {
            "best": self.best if math.isfinite(self.best) else None,
            "seconds": self.seconds,
            "scaler": self.scaler.state_dict(),
        }
        checkpoint = Checkpoint(
            self.config,
            self.corpus.vocabulary,
            tensors,
            self.step,
            self.position,
            progress,
            self.corpus.digest,
        )
        # The last checkpoint refers to the best one, so the best is written first.
        names = ["best", "last"] if best else ["last"]
        save_checkpoint(
            checkpoint, *(self.folder / f"{name}.safetensors" for name in names)
        )
        draw_curve(self.curve, self.folder)

    def resume(self, checkpoint: Checkpoint) -> None:
        """Restore the state that a checkpoint contains.

        Raises `TrainingError` if the checkpoint is not one of training.
        """
        random, progress = checkpoint.part("random"), checkpoint.progress
        if "cpu" not in random or not progress.keys() >= PROGRESS:
            raise TrainingError("this checkpoint has no training state to resume from")
        device = self.machine.device
        load_parameters(self.model, checkpoint.part("model"))
        load_parameters(self.decoders(), checkpoint.part("reconstruction"))
        load_optimizer(self.objective, self.optimizer, checkpoint.part("optimizer"))
        try:
            self.memory = memory_of(checkpoint.part("memory"), self.config, device)
            self.scaler.load_state_dict(progress["scaler"])
            torch.set_rng_state(random["cpu"])
            if "cuda" in random and device.type == "cuda":
                torch.cuda.set_rng_state(random["cuda"])
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise TrainingError(f"this checkpoint cannot be resumed: {error}") from None
        self.step, self.position = checkpoint.step, checkpoint.position
        self.best = math.inf if progress.get("best") is None else progress["best"]
        self.seconds = progress["seconds"]

        # Steps after the checkpoint are repeated, so their points are removed.
        curve = read_curve(self.folder)
        self.curve = [point for point in curve if point["step"] <= self.step]

    def decoders(self) -> nn.Module:
        """The parameters of the reconstruction loss, if it has any, as a module."""
        loss = self.objective.reconstruction
        return loss if isinstance(loss, nn.Module) else nn.Module()

    def way_on(self) -> str:
        """A sentence that says how to continue after a failure."""
        how = "perhaps with another --learning-rate"
        try:
            saved = load_checkpoint(self.folder, "last").step
        except TrainingError as error:
            return f"{error}: start again, {how}"
        return (
            f"the last good checkpoint, of step {saved}, is in {self.folder}: continue "
            f"with --resume, {how}"
        )

    @contextlib.contextmanager
    def signals_caught(self) -> Iterator[None]:
        """Let Control-C and SIGTERM end the run after the current step.

        The second signal ends the process at once, as usual. Python handles signals in
        the main thread only, so a run in another thread leaves them to it.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

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
