# ---
# keywords: [mixed precision, fp16, NaN, dynamic_loss_scale, grad_accumulate_every,
#   save checkpoint, gradient explosion, interrupted]
# ---
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
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.nn.parallel import DistributedDataParallel

from labml_txl.training.config import Config
from labml_txl.training.corpora import Corpus, count_places
from labml_txl.training.evaluation import Score, evaluate
from labml_txl.training.objective import (
    IGNORED,
    Memory,
    Objective,
    build,
    make_optimizer,
)
from labml_txl.training.runs.checkpoint import (
    PROGRESS,
    Checkpoint,
    add_prefix,
    check_numbers,
    collect_memory,
    collect_optimizer_state,
    load_checkpoint,
    load_optimizer,
    load_parameters,
    restore_memory,
    save_checkpoint,
)
from labml_txl.training.runs.curve import (
    Point,
    add_point,
    draw_curve,
    format_progress,
    read_curve,
    write_curve,
)
from labml_txl.training.runs.machine import (
    Machine,
    allow_compiling,
    compile_layers,
    disable_compiling,
)
from labml_txl.training.runs.processes import ALONE, Processes, gather_whole, is_lost
from labml_txl.training.runs.trackers import Track, track_nothing
from labml_txl.training.streams import Streams
from labml_txl.training.text.files import (
    Report,
    SettingError,
    TrainingError,
    report_nothing,
)

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
    - `processes`: the processes that share the batch; see [how a run
      grows](../growing.md).
    - `track`: a function that is called with each point of the curve.
    """

    def __init__(
        self,
        config: Config,
        corpus: Corpus,
        folder: Path,
        machine: Machine,
        report: Report = report_nothing,
        processes: Processes = ALONE,
        track: Track = track_nothing,
    ) -> None:
        self.config = config
        self.corpus = corpus
        self.folder = folder
        self.machine = machine
        self.report = report if processes.first else report_nothing
        self.processes = processes
        self.track = track
        self.columns = processes.columns(config.batch, config.accumulate)
        torch.use_deterministic_algorithms(config.deterministic)
        torch.manual_seed(config.seed)
        self.model = build(config, len(corpus.vocabulary))
        self.objective = Objective(self.model, config)
        if config.compile:
            compile_layers(self.objective)
        self.network = self.distribute()
        self.optimizer = make_optimizer(self.objective, config)
        self.scaler = torch.amp.GradScaler(
            machine.device.type, enabled=machine.dtype == torch.float16
        )
        self.streams = Streams(corpus.train, config.batch, config.seq_len * config.bptt)
        self.memories: list[Memory] = [None] * len(self.columns)
        self.step = 0
        self.position = 0
        self.best = math.inf
        self.seconds = 0.0
        self.curve: list[Point] = []
        # The signal that has arrived here, and the one that ends the run.
        self.caught: int | None = None
        self.signal: int | None = None

    def distribute(self) -> nn.Module:
        """Move the objective to the device, and let the processes share its gradient.

        With `shard`, each process stores only a part of the parameters.
        """
        if not self.config.shard:
            self.objective.to(self.machine.device)
            if self.processes.size == 1:
                return self.objective
            # The gradients are where the processes add them, so nothing is copied.
            return DistributedDataParallel(self.objective, gradient_as_bucket_view=True)
        if self.processes.size == 1 or self.machine.dtype == torch.float16:
            raise SettingError(
                "shard = true is for several processes, which torchrun starts, and not "
                "for precision = float16"
            )
        for layer in self.model.transformer.layers:
            fully_shard(layer)
        fully_shard(self.objective)
        return self.objective

    def run(self) -> Outcome:
        """Train until the last step, or until a signal arrives.

        Raises `TrainingError` if the loss, a gradient or a parameter is not a finite
        number. The last checkpoints then remain as they are.
        """
        self.model.train()
        start = time.perf_counter() - self.seconds
        with self.catch_signals(), self.watch_processes(), allow_compiling(self.config):
            # The folder may contain the curve of an earlier run that ended before its
            # first checkpoint. This call overwrites it.
            if self.processes.first:
                write_curve(self.folder, self.curve)
            if self.config.compile:
                self.report("the layers are compiled: the first steps take long")
            reported = self.seconds
            over = self.is_over()
            while not over:
                nats = self.update()
                over = self.is_over()
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
                elif over:
                    self.check_parameters()
                    self.save()
        return Outcome(self.step, self.best, self.seconds, self.signal)

    def is_over(self) -> bool:
        """Whether the last step is done or a signal has arrived at any process."""
        signals = self.processes.gather(self.caught or 0)
        self.signal = int(signals.max()) or None
        return self.signal is not None or self.step == self.config.steps

    def is_due(self, interval: int) -> bool:
        """Whether `step` is a multiple of `interval`, or the last step."""
        return self.step == self.config.steps or self.step % interval == 0

    def update(self) -> float:
        """Take one step and return the loss in nats per token.

        These are the calls of `train_step`, with the learning rate of the schedule and,
        on a GPU, with 16-bit precision. Small gradients would be 0 in float16, so the
        scaler multiplies the loss by a large number before the backward pass and
        divides the gradients by it afterwards.

        The gradient is the mean over the parts of the batch: those that this process
        works on one after the other, and those of the other processes. Each part has a
        memory of its own.
        """
        # Dropout depends on the step and on the process, and on nothing before.
        torch.manual_seed(self.config.seed + (self.step << 20) + self.processes.rank)
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.rate_at(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        segment = self.segment()
        n_parts = len(self.columns) * self.processes.size
        n_targets = max(1, int((segment[1] != IGNORED).sum())) / n_parts
        losses = []
        for n, columns in enumerate(self.columns):
            tokens, targets, *positions = (
                side[:, columns].to(self.machine.device) for side in segment
            )
            with self.exchange_gradients(n == len(self.columns) - 1):
                with self.machine.autocast():
                    loss, nats, self.memories[n] = self.network(
                        tokens,
                        targets,
                        self.memories[n],
                        *positions,
                        n_targets=n_targets,
                    )
                self.scaler.scale(loss / len(self.columns)).backward()
            losses.append(float(nats))
        mean = float(self.processes.gather(*losses).mean())
        self.check_finite("loss", mean, self.step + 1)
        self.scaler.unscale_(self.optimizer)
        norm = gather_whole(
            nn.utils.clip_grad_norm_(
                self.objective.parameters(), self.config.clip or math.inf
            )
        )
        # With float16, we do not check the gradient: if it is not finite, the scaler
        # skips the step and reduces its factor.
        if not self.scaler.is_enabled():
            self.check_finite("gradient", float(norm), self.step + 1)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.step += 1
        self.position += self.streams.seq_len
        return mean

    def segment(self) -> list[Tensor]:
        """The next tokens and their targets, and the positions in their documents.

        All are `[seq_len, batch]`. The last token of a document has no target. If the
        text is not divided into documents, there are no positions.
        """
        tokens, targets = self.streams.segment(self.position)
        begins = self.corpus.documents.get("train")
        if begins is None:
            return [tokens, targets]
        times = self.position + torch.arange(self.streams.seq_len + 1)[:, None]
        places = (self.streams.starts() + times) % len(self.streams.tokens)
        positions = count_places(begins, places)
        targets = targets.masked_fill(positions[1:] == 0, IGNORED)
        return [tokens, targets, positions[:-1]]

    @contextlib.contextmanager
    def exchange_gradients(self, last: bool) -> Iterator[None]:
        """Let the processes exchange gradients in this block only if it is the last."""
        if isinstance(self.network, FSDPModule):
            self.network.set_requires_gradient_sync(last)
        with contextlib.ExitStack() as stack:
            if isinstance(self.network, DistributedDataParallel) and not last:
                stack.enter_context(self.network.no_sync())
            yield

    def check_finite(self, what: str, value: float, step: int) -> None:
        """Raise `TrainingError`, with a way to continue, if `value` is not finite."""
        if not math.isfinite(value):
            raise TrainingError(
                f"the {what} became {value} at step {step}: {self.describe_way_on()}"
            )

    def check_parameters(self) -> None:
        """Raise `TrainingError` if an element of a parameter is not finite."""
        sums = [p.detach().double().sum() for p in self.objective.parameters()]
        total = float(gather_whole(torch.stack(sums).sum()))
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
        with disable_compiling(), self.machine.autocast(), self.gather_parameters():
            return evaluate(
                self.model,
                text,
                self.config.seq_len,
                cached=not self.config.shard,
                begins=self.corpus.documents.get("validation"),
                report=self.report,
                processes=self.processes,
            )

    @contextlib.contextmanager
    def gather_parameters(self) -> Iterator[None]:
        """Gather the parameters around the layers, which gather their own if called."""
        if isinstance(self.network, FSDPModule):
            self.network.unshard()
        yield
        if isinstance(self.network, FSDPModule):
            self.network.reshard()

    def note(self, values: Point) -> None:
        """Add a point to the curve and report it."""
        point = {"step": self.step, **values, "seconds": round(self.seconds, 2)}
        self.curve.append(point)
        if self.processes.first:
            add_point(self.folder, point)
            self.track(point)
        self.report_point(point)

    def report_point(self, values: Point) -> None:
        """Report the values of this step in a line of progress."""
        point = {"step": self.step, **values}
        self.report(format_progress(point, self.config, self.seconds))

    def save(self, best: bool = False) -> None:
        """Write a checkpoint and the curve.

        With `best`, the checkpoint is also written as the best one of the run.
        """
        # Each process takes part in putting the tensors together, and the first one
        # stores them.
        parts = {
            **add_prefix("model", dict(self.model.named_parameters())),
            **add_prefix("reconstruction", dict(self.decoders().named_parameters())),
            **collect_optimizer_state(self.objective, self.optimizer),
        }
        tensors: dict[str, Tensor] = {}
        for name, tensor in [*parts.items(), *self.gather_memory()]:
            stored = gather_whole(tensor)
            if self.processes.first:
                tensors[name] = stored.detach().cpu()
        if self.processes.first:
            self.write(tensors, best)
        self.processes.wait()

    def gather_memory(self) -> Iterator[tuple[str, Tensor]]:
        """The memory of the whole batch, with the names of its tensors."""
        memories = [collect_memory(memory) for memory in self.memories]
        for name in memories[0]:
            states = torch.cat([memory[name] for memory in memories], dim=1)
            yield f"memory.{name}", self.processes.join_parts(states, dim=1)

    def write(self, tensors: dict[str, Tensor], best: bool) -> None:
        """Write the tensors of a checkpoint with what else belongs to it."""
        try:
            check_numbers(tensors)
        except TrainingError as error:
            raise TrainingError(
                f"{error} at step {self.step}: {self.describe_way_on()}"
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

    def start_from(self, checkpoint: Checkpoint) -> None:
        """Start with the parameters of a model that has been trained already."""
        load_parameters(self.model, checkpoint.part("model"))

    def resume(self, checkpoint: Checkpoint) -> None:
        """Restore the state that a checkpoint contains.

        Raises `TrainingError` if the checkpoint is not one of training.
        """
        progress = checkpoint.progress
        if not checkpoint.part("optimizer") or not progress.keys() >= PROGRESS:
            raise TrainingError("this checkpoint has no training state to resume from")
        device = self.machine.device
        load_parameters(self.model, checkpoint.part("model"))
        load_parameters(self.decoders(), checkpoint.part("reconstruction"))
        load_optimizer(self.objective, self.optimizer, checkpoint.part("optimizer"))
        try:
            memory = checkpoint.part("memory")
            self.memories = [
                restore_memory(memory, self.config, device, columns)
                for columns in self.columns
            ]
            self.scaler.load_state_dict(progress["scaler"])
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

    def describe_way_on(
        self, how: str = ", perhaps with another --learning-rate"
    ) -> str:
        """A sentence that says how to continue after a failure."""
        try:
            saved = load_checkpoint(self.folder, "last").step
        except TrainingError as error:
            return f"{error}: start again{how}"
        return (
            f"the last good checkpoint, of step {saved}, is in {self.folder}: continue "
            f"with --resume{how}"
        )

    @contextlib.contextmanager
    def watch_processes(self) -> Iterator[None]:
        """Raise `TrainingError` in this block if another process has ended."""
        try:
            # Each layer returns parts of its memory, which nobody changes in place.
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "FSDP2-wrapped module")
                yield
        except RuntimeError as error:
            if self.processes.size == 1 or not is_lost(error):
                raise
            raise TrainingError(
                f"another process of this run has ended: {self.describe_way_on('')}"
            ) from None

    @contextlib.contextmanager
    def catch_signals(self) -> Iterator[None]:
        """Let Control-C and SIGTERM end the run after the current step.

        The second signal ends the process at once, as usual. One of several processes
        ignores it, because Control-C reaches it twice: from the terminal and from
        `torchrun`. Python handles signals in the main thread only, so a run in another
        thread leaves them to it.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def catch(number: int, frame: object) -> None:
            self.caught = number
            if self.processes.size == 1:
                signal.signal(number, before[number])

        before: dict[int, Any] = {}
        for number in (int(signal.SIGINT), int(signal.SIGTERM)):
            before[number] = signal.signal(number, catch)
        alone = self.processes.size == 1
        try:
            yield
            alone = True
        finally:
            # If one of several processes fails, `torchrun` ends the others by SIGTERM,
            # before they have said why they fail too.
            if alone:
                for number, handler in before.items():
                    signal.signal(number, handler)
