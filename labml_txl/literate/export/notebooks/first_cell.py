r"""# The first cell

What a notebook does before all else: it installs what it needs where that is missing.
And where a reader's own run shows something else than the text says, it says what.
"""

# Filled in: what pip calls the project, the packages that are imported, and what pip is
# asked for.
INSTALL = """# Installs what this notebook needs where it is missing, as on Colab: from
# the checkout that the notebook lies in, or else from the repository of {name}.
import importlib.util
import subprocess
import sys

needed = {packages}
if not all(map(importlib.util.find_spec, needed)):
    from pathlib import Path

    wanted = "{requirement}"
    for folder in Path("notebook").resolve().parents:
        project = folder / "pyproject.toml"
        if project.is_file() and 'name = "{name}"' in project.read_text("utf-8"):
            wanted = wanted.partition(" @ ")[0] + " @ " + folder.as_uri()
            break
    pip = [sys.executable, "-m", "pip", "install", "--quiet", wanted]
    if subprocess.run(pip, stderr=subprocess.DEVNULL).returncode:
        raise SystemExit(
            "{name} could not be installed: run this cell again with a network, or "
            "open the notebook where {name} is installed"
        )
    importlib.invalidate_caches()"""

# The line that a cell with the tag `claim` begins with, in every language.
CLAIM = "# What the text says of the result, to be checked:"

# For a notebook with claims.
TELL_CLAIMS = f"""

# A cell that checks what the text says shows nothing where that is so. Where it is not
# so, this says which part of it.
import ast

from IPython import get_ipython
from IPython.display import clear_output


def tell_claim(result):
    code = result.info.raw_cell
    if "{CLAIM}" not in code.split("\\n")[:2] or not result.success:
        return
    clear_output()
    if result.result:
        return
    claim = ast.parse(code).body[-1].value
    both = isinstance(claim, ast.BoolOp) and isinstance(claim.op, ast.And)
    for part in claim.values if both else [claim]:
        if not eval(ast.unparse(part), get_ipython().user_ns):
            print("This does not hold here:", ast.unparse(part))
            return


if get_ipython():
    events = get_ipython().events
    for told in [*events.callbacks["post_run_cell"]]:
        if getattr(told, "__name__", "") == "tell_claim":
            events.unregister("post_run_cell", told)
    events.register("post_run_cell", tell_claim)"""
