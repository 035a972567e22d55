r"""The folder in which results and downloads are kept between runs."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from labml_txl.errors import UserError

VARIABLE = "TXL_CACHE"


class UntrustedFolderError(UserError):
    """A cache folder that somebody else can write to."""


def cache_folders() -> tuple[Path, ...]:
    """Where files are kept: in the first of these that can be written to.

    `TXL_CACHE` names the only one. Without it, the usual place of the platform comes
    first. The second is for a home that cannot be written to: a folder of the user's
    own among the temporary files. None is in a project: what a project brings is read,
    and never run.

    Raises `UntrustedFolderError` for a folder that somebody else can write to.
    """
    from platformdirs import user_cache_path

    if given := os.environ.get(VARIABLE):
        return (trusted(Path(given).absolute()),)
    user = os.getuid() if hasattr(os, "getuid") else "user"
    own = Path(tempfile.gettempdir(), f"labml_txl-{user}")
    try:
        usual = user_cache_path("labml_txl", appauthor=False, opinion=False)
    except RuntimeError:  # the user has no home
        return (trusted(own),)
    return tuple(trusted(path) for path in (usual, own) if path.is_absolute())


def cache_folder() -> Path:
    """The first of these folders that can be written to, made if it is not there."""
    for folder in (folders := cache_folders()):
        with suppress(OSError):
            if os.access(made(folder), os.W_OK):
                return folder
    return folders[0]


def trusted(path: Path) -> Path:
    """The path; it raises `UntrustedFolderError` if others can write to it."""
    if not hasattr(os, "getuid") or not os.path.exists(path):
        return path  # not there yet, or out of reach
    found, why = path.stat(), ""
    if found.st_uid not in {os.getuid(), 0}:
        why = "it belongs to another user"
    elif found.st_mode & stat.S_IWOTH:
        why = "everybody can write to it"
    if why:
        way = f"mend that, or name another folder in the variable {VARIABLE}"
        raise UntrustedFolderError(f"{path} is no place for a cache ({why}): {way}")
    return path


def made(path: Path) -> Path:
    """The folder, made if it is not there; new ones are for their owner alone."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.mkdir(exist_ok=True)  # it raises `FileExistsError` for a file
    return trusted(path)
