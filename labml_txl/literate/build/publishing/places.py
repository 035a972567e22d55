r"""# Folders of a site

Files that take the place of others in a folder, and folders that are removed.
"""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path


def merge(changed: Path, site: Path) -> None:
    """Put files in the place of those of the same names."""
    for folder, _, names in os.walk(changed):
        goal = site / Path(folder).relative_to(changed)
        goal.mkdir(exist_ok=True)
        for name in names:
            os.replace(Path(folder, name), goal / name)


def remove(folder: Path) -> None:
    """Remove a folder with all that it holds, if it is there; what links lead to stays.

    A disk may let each of the folders within wait, so many are removed at once.
    """
    delete = partial(shutil.rmtree, ignore_errors=True)
    walk = () if folder.is_symlink() else os.walk(folder)
    within = [Path(above, name) for above, names, _ in walk for name in names]
    with ThreadPoolExecutor(8) as pool:
        pool.map(delete, reversed(within))
    delete(folder)
