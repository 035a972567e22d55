r"""# How a run stands

What the validations of a run have shown so far, in one value: the least loss, how many
validations have passed since, and which states are worth keeping.

- `--keep-best 3` keeps the three best states. Each is a checkpoint of its own, as
  `kept-750.json`, beside the newest one and the best one.
- `--patience 5` ends a run when five validations in a row have found no smaller loss.
  What it learns after that, it learns by heart.

The checkpoint holds this value, so a run that was stopped counts on where it was. One
that patience has ended goes on with `--resume --patience 10`; 0 never ends a run.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Standing:
    r"""The least validation loss, in nats a token, and the validations `waited` since.

    `kept` has the losses of the states that are kept, by their steps.
    """

    best: float = math.inf
    waited: int = 0
    kept: Mapping[int, float] = field(default_factory=dict)

    def after(self, step: int, nats: float, keep: int) -> "Standing":
        r"""How the run stands after one more validation; `keep` states are kept."""
        better = nats < self.best
        # Of two that are equally good, the earlier one is kept.
        found = sorted(
            [*self.kept.items(), (step, nats)], key=lambda one: (one[1], one[0])
        )
        return Standing(
            nats if better else self.best,
            0 if better else self.waited + 1,
            dict(found[:keep]),
        )

    def names(self, step: int) -> list[str]:
        r"""The checkpoints that the state of the step just validated deserves."""
        best = ["best"] if self.waited == 0 else []
        return best + ([f"kept-{step}"] if step in self.kept else [])

    def is_over(self, patience: int) -> bool:
        r"""Whether so many validations have found no gain; 0 never ends."""
        return 0 < patience <= self.waited

    def progress(self) -> dict[str, Any]:
        r"""This value as a checkpoint has it, in JSON."""
        return {
            "best": self.best if math.isfinite(self.best) else None,
            "waited": self.waited,
            "kept": {str(step): nats for step, nats in self.kept.items()},
        }


def standing_of(progress: Mapping[str, Any]) -> Standing:
    r"""The value that `Standing.progress` wrote; an older run has the best only."""
    best = progress.get("best")
    kept = progress.get("kept", {})
    return Standing(
        math.inf if best is None else best,
        progress.get("waited", 0),
        {int(step): nats for step, nats in kept.items()},
    )
