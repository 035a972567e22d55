r"""# The first cell

What a notebook does before all else: it makes sure that what it imports is there. And
where a reader's own run shows something else than the text says, it says what.
"""

# The three names in braces are filled in: what pip calls the project, the package that
# is imported, and what pip is asked for.
INSTALL = """# Installs {name} where it is missing, as on Colab: from the checkout that
# this notebook lies in, or else from its repository.
import importlib.util
import subprocess
import sys

if importlib.util.find_spec("{package}") is None:
    from pathlib import Path

    wanted = "{requirement}"
    for folder in Path("notebook").resolve().parents:
        project = folder / "pyproject.toml"
        if project.is_file() and 'name = "{name}"' in project.read_text("utf-8"):
            wanted = wanted.partition(" @ ")[0] + " @ " + folder.as_uri()
            break
    pip = [sys.executable, "-m", "pip", "install", "--quiet", wanted]
    if subprocess.run(pip).returncode:
        raise SystemExit(
            "{name} could not be installed: run this cell again with a network, or "
            "open the notebook where {name} is installed"
        )
    importlib.invalidate_caches()"""

# For a notebook with claims: cells that show `True` where what the text says holds.
TELL_CLAIMS = """

# A cell that checks what the text says shows True. Where it shows False, this says what
# does not hold.
import ast

from IPython import get_ipython


def tell_claim(result):
    if result.result is False:
        claim = ast.unparse(ast.parse(result.info.raw_cell).body[-1])
        print("This does not hold here:", claim)


if get_ipython():
    get_ipython().events.register("post_run_cell", tell_claim)"""
