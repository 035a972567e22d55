r"""# TensorBoard

The curve of a run in the format of TensorBoard, for those who watch many runs at once.

It is written on request, beside the files that every run leaves:

```sh
pip install -e '.[tensorboard]'
txl train xl --tensorboard
tensorboard --logdir runs
```
"""

from pathlib import Path
from typing import Any

from labml_txl.extras import how_to_install
from labml_txl.training.text.cache import TrainingError

# What is drawn, by the names in `curve.jsonl`.
NAMES = {
    "nats": "loss/training",
    "validation_nats": "loss/validation",
    "bits_per_byte": "bits a byte/validation",
    "rate": "learning rate",
    "sample": "sample",
}


class Board:
    r"""The logs of a run, in the folder `tensorboard` of its own folder.

    `step` is the step from which a resumed run goes on. What was logged of later steps
    is dropped, as it is from the curve. Raises `TrainingError` if the package
    `tensorboard` is missing.
    """

    def __init__(self, folder: Path, step: int = 0) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise TrainingError(
                "--tensorboard needs the package tensorboard: "
                + how_to_install("tensorboard")
            ) from None
        self.writer = SummaryWriter(folder / "tensorboard", purge_step=step + 1)

    def add(self, point: dict[str, Any]) -> None:
        r"""Log a point of the curve."""
        for key, name in NAMES.items():
            if key in point:
                # What the model writes is shown as it is, and not taken for Markdown.
                text = "".join(f"    {line}\n" for line in str(point[key]).split("\n"))
                words = key == "sample"
                add = self.writer.add_text if words else self.writer.add_scalar
                add(name, text if words else point[key], point["step"])

    def close(self) -> None:
        r"""Write what is left to write."""
        self.writer.close()
