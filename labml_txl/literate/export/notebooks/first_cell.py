"""# The first cell

The source code of the first cell of every notebook. It installs the packages that the
notebook needs, if one of them is missing or if the project's package was installed from
another revision. In a notebook with claims, it also reports a claim that is false when
a reader runs the notebook.
"""

# A template for `str.format`: the `name` of the project, its `revision`, the `packages`
# that must be installed, and the `requirement` that is passed to pip.
INSTALL = '''\
# Installs the packages of this notebook if they are missing, as on Colab: from the
# checkout that contains the notebook, or else from the repository of {name}.
import importlib
import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


class NotInstalledError(Exception):
    """Jupyter shows this error as one line."""

    def _render_traceback_(self):
        return [str(self)]


def origin(package):
    """Where pip took a package from; None if it is missing."""
    try:
        return json.loads(distribution(package).read_text("direct_url.json") or "{{}}")
    except PackageNotFoundError:
        return None


wanted = "{requirement}"
for folder in Path("notebook").resolve().parents:
    project = folder / "pyproject.toml"
    if project.is_file() and 'name = "{name}"' in project.read_text("utf-8"):
        wanted = wanted.partition(" @ ")[0] + " @ " + folder.as_uri()
        break
steps, here = [], (origin("{name}") or {{}}).get("vcs_info")
if here and here.get("requested_revision", "") != "{revision}":
    steps = [["--force-reinstall", "--no-deps"]]  # the version may be the same
if steps or None in map(origin, {packages}):
    steps.append([])
for options in steps:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *options, wanted]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        (why, *_) = re.findall("(?:fatal|ERROR): (.+)", done.stderr) or ["pip failed"]
        raise NotInstalledError(f"{name} could not be installed: {{why}}")
importlib.invalidate_caches()'''

# The first line of a cell with the tag `claim`. It is not translated, because the code
# below recognises the cell by it.
CLAIM = "# Checks a statement of the text:"

# Appended to `INSTALL` in a notebook with claims.
TELL_CLAIMS = f"""

# A cell that checks a statement shows nothing if it is true. Otherwise this prints the
# part that is false.
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
            print("This claim is false in your run:", ast.unparse(part))
            return


if get_ipython():
    events = get_ipython().events
    for told in [*events.callbacks["post_run_cell"]]:
        if getattr(told, "__name__", "") == "tell_claim":
            events.unregister("post_run_cell", told)
    events.register("post_run_cell", tell_claim)"""
