r"""# Kept checkpoints

The best states of a run, each a checkpoint under a name of its own, as `kept-750.json`.
Which they are stands in the newest checkpoint. A file that it does not name is removed,
but only when the newest checkpoint is on the disk: whenever a process is killed, what
it names is there.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

FILES = "kept-*"


def still_there(folder: Path, kept: Mapping[int, float]) -> dict[int, float]:
    r"""Those of the kept states whose checkpoints are still in the folder."""
    return {
        step: nats
        for step, nats in kept.items()
        if (folder / f"kept-{step}.json").is_file()
    }


def remove_others(folder: Path, kept: Collection[int]) -> None:
    r"""Remove the checkpoints of states that are kept no longer."""
    stems = {f"kept-{step}" for step in kept}
    for path in folder.glob(FILES):
        if path.stem not in stems and path.suffix in (".json", ".safetensors"):
            path.unlink()
