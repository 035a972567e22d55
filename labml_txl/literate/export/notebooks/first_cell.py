r"""# The first cell

The source code of the first cell of every notebook. It installs the packages that the
notebook needs, if one of them is missing or if the project's package was installed from
another revision.
"""

# A template for `str.format`: the `name` of the project, its `revision`, the `packages`
# that must be installed, and the `requirement` that is passed to pip.
INSTALL = '''\
# Installs what this notebook was made of where it is missing, as on Colab: from the
# checkout that the notebook lies in, or else from the repository of {name}.
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
