r"""# Weights & Biases

The curve of a run on [wandb.ai](https://wandb.ai), or on a server of your own, for
those who watch runs on many machines.

It is written on request, beside the files that every run leaves:

```sh
pip install -e '.[wandb]'
txl train xl --wandb
```

The package asks who you are the first time. `WANDB_MODE=offline` sends nothing: what is
logged lies in the folder `wandb` of the run, and `wandb sync` sends it later.
`WANDB_PROJECT` names a project other than `labml_txl`.

A run that goes on is the same run there, and goes on too. What was sent cannot be taken
back: steps that are made again, as after `--from best`, keep their first values.
"""

import dataclasses
import os
import secrets
from pathlib import Path
from typing import Any

from labml_txl.extras import how_to_install
from labml_txl.training.runs.config import Config
from labml_txl.training.runs.logs.board import NAMES
from labml_txl.training.text.cache import TrainingError, written_whole

# By which name this run is known there.
FILE = "wandb.txt"


class WeightsAndBiases:
    r"""The logs of a run in that service; `step` is the one from which it goes on.

    Raises `TrainingError` if the package `wandb` is missing, or if the service takes
    nothing from here.
    """

    def __init__(self, folder: Path, config: Config, step: int = 0) -> None:
        try:
            import wandb
        except ImportError:
            raise TrainingError(
                f"--wandb needs the package wandb: {how_to_install('wandb')}"
            ) from None
        file = folder / FILE
        if step == 0 or not file.is_file():
            with written_whole(file) as new:
                new.write(secrets.token_hex(8).encode())
        try:
            self.run = wandb.init(
                project=os.environ.get("WANDB_PROJECT", "labml_txl"),
                name=folder.name,
                dir=folder,
                id=file.read_text(encoding="utf-8"),
                resume="allow" if step else None,
                config=dataclasses.asdict(config),
                # What this program prints stays here.
                settings=wandb.Settings(console="off"),
            )
        except wandb.Error as error:
            reason = str(error).splitlines()[0]
            raise TrainingError(
                f"Weights & Biases takes nothing ({reason}): WANDB_MODE=offline keeps "
                "the logs in the folder of the run"
            ) from None

    def add(self, point: dict[str, Any]) -> None:
        r"""Log a point of the curve."""
        known = {name: point[key] for key, name in NAMES.items() if key in point}
        self.run.log(known, step=point["step"])

    def close(self) -> None:
        r"""Send what is left to send."""
        self.run.finish()
