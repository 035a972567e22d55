r"""# The first cell

What a notebook does before all else: it makes sure that what it imports is there.
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
