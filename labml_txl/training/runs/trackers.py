"""Where else the curve of a run is sent, besides the files in its folder.

A tracker is a function that is called with each point of the curve, a dictionary with
the step and the numbers that are known of it. For a tracker that has no name here,
write a function that takes the folder of the run and returns such a function, and name
it as `module:name`:

```python
# mine.py, for: txl train xl --log mine:track
import my_tracker

def track(folder):
    run = my_tracker.start(name=folder.name)
    return lambda point: run.log(point, step=point["step"])
```
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from labml_txl.errors import UsageError
from labml_txl.training.runs.curve import Point

Track = Callable[[Point], Any]


def track_nothing(point: Point) -> None:
    """Send the point nowhere."""


def find_tracker(name: str | None, folder: Path) -> Track:
    """The tracker of that name for the run in a folder.

    Raises `UsageError` if there is none.
    """
    if name is None:
        return track_nothing
    if name == "tensorboard":
        return log_to_tensorboard(folder)
    module, _, function = name.partition(":")
    # The module may be in the current folder, which a command does not search.
    sys.path.insert(0, "")
    try:
        make: Callable[[Path], Track] = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"log = {name!r} is neither tensorboard nor a module:function ({error})"
        ) from None
    finally:
        sys.path.remove("")
    return make(folder)


def log_to_tensorboard(folder: Path) -> Track:
    """Write the curve for TensorBoard, which shows it with `--logdir`."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise UsageError(
            "tensorboard is not installed: pip install tensorboard"
        ) from None
    writer: Any = SummaryWriter(folder)

    def track(point: Point) -> None:
        for name in point.keys() - {"step"}:
            writer.add_scalar(name, point[name], point["step"])
        writer.flush()

    return track
