"""The libraries that are measured, and a folder of packages for each.

Their requirements do not fit together, and some are far more than their models need, so
each gets its own folder and exactly the packages listed here, at fixed versions. A
process finds them there before all others. All share the PyTorch of this project: the
libraries are compared, not PyTorch's versions.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.cache_folder import cache_folders


class LibraryError(Exception):
    """A library cannot be had; the message says why, in one line."""


@dataclass(frozen=True)
class Library:
    """A library as the page names it, its subject's module, and its packages."""

    name: str
    module: str
    packages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ("xl",)

    @property
    def version(self) -> str:
        """Name and version of the library itself, the first of its packages."""
        return self.packages[0].replace("==", " ") if self.packages else self.name


LABML = Library(
    "labml-nn",
    "labml",
    (
        "labml-nn==0.5.1",
        # Newer releases lack `tracker.debug`, which its attention calls.
        "labml==0.4.168",
        "labml-helpers==0.4.89",
        "gitpython==3.2.1",
        "gitdb==4.0.12",
        "smmap==5.0.3",
        "PyYAML==6.0.3",
    ),
    ("xl", "compressive"),
)
TRANSFORMERS = Library(
    "TransfoXL",
    "hugging_face",
    (
        "transformers==4.35.2",
        "tokenizers==0.15.2",
        "huggingface-hub==0.36.2",
        "safetensors==0.8.0",
        "regex==2026.11.15",
        "tqdm==4.70.1",
        "requests==2.34.2",
        "urllib3==2.8.0",
        "idna==3.20",
        "certifi==2026.10.18",
        "charset-normalizer==3.5.2",
        "packaging==26.3",
        "PyYAML==6.0.3",
    ),
)
X_TRANSFORMERS = Library(
    "x-transformers",
    "x_transformers",
    (
        "x-transformers==2.31.10",
        "einops==0.8.2",
        "einx==0.4.3",
        "frozendict==2.5.1",
        "loguru==0.7.3",
        "packaging==26.3",
        "torch-einops-utils==0.2.0",
    ),
)
LUCIDRAINS = Library(
    "compressive-transformer-pytorch",
    "lucidrains",
    (
        "compressive-transformer-pytorch==0.4.0",
        "mogrifier==0.0.5",
        "einops==0.8.2",
    ),
    ("compressive",),
)
OURS = Library("labml_txl", "labml_txl", kinds=("xl", "compressive", "vanilla"))

LIBRARIES = (LABML, TRANSFORMERS, X_TRANSFORMERS, LUCIDRAINS, OURS)


def folder_of(library: Library) -> Path:
    """The folder of a library's packages, installed now if they are not there.

    A mark is left when all is installed, so a set-up that breaks off is done again.
    """
    folder = cache_folders()[0] / "benchmarks" / library.module
    mark = folder / "installed.txt"
    wanted = "\n".join((sys.version, *library.packages))
    if library.packages and (not mark.is_file() or mark.read_text("utf-8") != wanted):
        print(f"Installing {library.version}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        command = [*pip, "install", "--no-deps", "--target", str(folder)]
        done = subprocess.run(
            [*command, *library.packages], capture_output=True, text=True
        )
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "ERROR" in line]
            reason = errors[-1].removeprefix("ERROR: ") if errors else "pip failed"
            raise LibraryError(f"{library.version} cannot be installed: {reason}")
        mark.write_text(wanted, encoding="utf-8")
    return folder
