"""List what was made from files that have changed since: `make refresh` ends with it.

Compared are the times of the last commits, and what is not committed is new. A thing
that is listed need not be wrong: somebody has to look.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What was made, what of, and how it is made anew.
MADE = [
    (
        "docs/assets/screenshot.png docs/assets/social.png",
        "labml_txl/literate/mkdocs/theme docs/index.md"
        " labml_txl/models/relative_attention.py",
        "make build, then .venv/bin/python -m tests.screenshots site",
    ),
    (
        "docs/train.md",
        "labml_txl/training",
        "run its commands, and compare what they print",
    ),
    (
        "docs/measured.md",
        "labml_txl/models labml_txl/training",
        "make bench",
    ),
    (
        "docs/observations/models",
        "labml_txl/models tests/observed/weights.py",
        ".venv/bin/python -m tests.observed.weights (half an hour)",
    ),
    *(
        (str(file.with_suffix(".ipynb")), str(file), "make notebooks")
        for file in sorted(Path("notebooks").glob("*.py"))
    ),
]


def changed(paths: str) -> float:
    """When any of these files or folders was changed last."""

    def git(*words: str) -> str:
        command = ["git", *words, "--", *paths.split()]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    if git("status", "--porcelain"):
        return float("inf")
    return float(git("log", "-1", "--format=%ct") or 0)


if __name__ == "__main__":
    for made, sources, how in MADE:
        if changed(sources) > changed(made):
            print(f"{made} may be stale: {how}")
