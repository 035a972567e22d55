"""Formats scripts and style sheets: `python -m tests.prettier --write`, or `--check`.

Prettier comes with npm, as KaTeX does, and runs with the Node.js of the wheel.
"""

import subprocess
import sys
from pathlib import Path

from labml_txl.literate.equations.node import find_node, find_package

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Run Prettier on all files, with the given options; its exit status."""
    prettier = str(find_package("prettier") / "bin/prettier.cjs")
    command = [find_node(), prettier, "--log-level=warn", *sys.argv[1:]]
    return subprocess.run([*command, "**/*.{css,js,mjs}"], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
