"""`txl recall` trains two small models on a recall task.

It shows how far back the memory of each model reaches.

```sh
txl recall --steps 300 --distances 16,32,64
txl recall --task copy --seed 2
```
"""

import json
from dataclasses import dataclass
from pathlib import Path

from labml_txl.options import option, option_of
from labml_txl.training.commands import report
from labml_txl.training.config import CHOICES, FIELDS


@dataclass(frozen=True)
class Options:
    """The options of `txl recall`."""

    task: str = option(
        "key-value",
        "several key-value pairs at once, or a sequence to copy",
        choices=("key-value", "copy"),
    )
    distances: tuple[int, ...] = option(
        tuple(range(16, 257, 16)),
        "distances between a fact and its answer, in tokens",
        zero=True,
        metavar="16,32,64",
        shown="16, 32 and so on to 256",
    )
    steps: int = option(2000, "updates of the parameters of each model")
    seed: int = option(
        1, "seed of the initial values and of the task", zero=True, below=2**63
    )
    device: str = option(
        "cpu",
        f"{option_of(FIELDS['device']).meaning}; models this small are fast on a CPU",
        choices=CHOICES["device"],
    )
    out: Path = option(Path("runs/recall"), "output folder", metavar="FOLDER")


def run(options: Options) -> int:
    """Train two small models on a recall task, and show their accuracies."""
    from labml_txl.training.recall import (
        TASKS,
        compare,
        draw,
        format_table,
        recall_configs,
    )
    from labml_txl.training.runs.lock import make_folder
    from labml_txl.training.text.files import replace_file

    task = TASKS[options.task]
    distances = sorted(set(options.distances))
    configs = recall_configs(options.steps, options.seed, options.device)
    points = compare(task, distances, configs, report)
    lines = [json.dumps(point._asdict()) for point in points]
    print(format_table(points))

    make_folder(options.out)
    # The numbers are stored beside the plot, so that it can be drawn again.
    with replace_file(options.out / "recall.jsonl") as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
    for path in draw(points, options.out / "recall"):
        report(f"wrote {path}")
    return 0
