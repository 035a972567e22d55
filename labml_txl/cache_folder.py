"""The folder in which results and downloads are cached between runs."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from labml_txl.errors import UserError

VARIABLE = "TXL_CACHE"


class UntrustedFolderError(UserError):
    """A cache folder that another user can write to."""


def cache_folders() -> tuple[Path, ...]:
    """The possible cache folders; the first one that is writable is used.

    If `TXL_CACHE` is set, it is the only one. Otherwise the first is the cache folder
    of the platform, and the second, for a home that is not writable, is among the
    temporary files. No folder is inside a project, because cached files are trusted,
    and files of a project are not.

    Raises `UntrustedFolderError` for a folder that another user can write to.
    """
    from platformdirs import user_cache_path

    if given := os.environ.get(VARIABLE):
        return (check_owner(Path(given).absolute()),)
    user = os.getuid() if hasattr(os, "getuid") else "user"
    own = Path(tempfile.gettempdir(), f"labml_txl-{user}")
    try:
        usual = user_cache_path("labml_txl", appauthor=False, opinion=False)
    except RuntimeError:  # the user has no home folder
        return (check_owner(own),)
    return tuple(check_owner(path) for path in (usual, own) if path.is_absolute())


def cache_folder() -> Path:
    """The first of these folders that is writable, created if it does not exist."""
    for folder in (folders := cache_folders()):
        with suppress(OSError):
            if os.access(make_folder(folder), os.W_OK):
                return folder
    return folders[0]


def check_owner(path: Path) -> Path:
    """Return the path. Raises `UntrustedFolderError` if others can write to it."""
    if not hasattr(os, "getuid") or not os.path.exists(path):
        return path  # it does not exist yet, or cannot be reached
    found, why = path.stat(), ""
    if found.st_uid not in {os.getuid(), 0}:
        why = "it belongs to another user"
    elif found.st_mode & stat.S_IWOTH:
        why = "everybody can write to it"
    if why:
        way = f"fix its permissions, or set {VARIABLE} to another folder"
        raise UntrustedFolderError(f"{path} cannot be used as cache ({why}): {way}")
    return path


def make_folder(path: Path) -> Path:
    """Create a folder that only its owner can access, unless it exists; return it."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    path.mkdir(exist_ok=True)  # raises `FileExistsError` for a file
    return check_owner(path)
