"""# Init

`txl init` sets up a site for the Python code in a folder. It finds the packages and
modules, and writes `mkdocs.yml` and a front page. Files that exist are not changed.

```sh
txl init
txl init my-project
```
"""

import json
import os
import re
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.extras import how_to_install
from labml_txl.literate.cli import write_files
from labml_txl.literate.sources.source import ENDINGS, files_below, is_hidden
from labml_txl.options import argument

# The endings of files with code, and why they get no page; empty if they get one.
_ENDINGS = {
    ".ipynb": "notebooks that begin with a title can be listed in `notebooks`",
    ".pyx": "Cython is not read",
    **dict.fromkeys(ENDINGS, ""),
}
# What is left out at the top of the folder or of `src`, and why: patterns of names.
_NAMES_LEFT_OUT = {
    ("test", "tests", "test_*.py", "*_test.py", "conftest.py"): "tests",
    ("setup.py", "noxfile.py", "fabfile.py", "tasks.py"): "settings of tools",
    ("__init__.py", "__main__.py"): "the folder itself is not a package here",
    ("doc", "docs", "example", "examples"): "documentation and examples",
    ("build", "dist", "site", "node_modules", "__pycache__"): "written by tools",
}
# Patterns of the tests within a package.
_TESTS = ["*/tests", "*/_tests", "*/test", "*/test_*.py", "*_test.py", "*/conftest.py"]

# Light or dark colours as in the reader's system. The fonts are those of the system
# too, because web fonts would be fetched from another host.
_SETTINGS = """\
site_name: {name}

theme:
  name: material
  font: false
  features: [navigation.indexes, toc.follow]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
    - media: "(prefers-color-scheme: dark)"
      scheme: slate

markdown_extensions:
  - admonition
  - pymdownx.details

plugins:
  - search
  - literate:
      # Files, and folders of files, that become pages.
      modules: {modules}
      # Patterns of files that get no page.
      exclude: {exclude}
"""
_INDEX = """\
# {name}

This page is `docs/index.md`. Each other page shows a Python file: its text comes from
the docstrings and comments.
"""


@dataclass(frozen=True)
class Options:
    """The command-line options of `txl init`."""

    folder: Path = argument(
        "the project that gets a site", default=Path(), metavar="FOLDER", shown="here"
    )


def run(options: Options) -> int:
    """Write the files that are missing, and print the next steps."""
    if not options.folder.is_dir():
        missing = (
            f"the folder {options.folder} does not exist: create it or give another"
        )
        raise UsageError(missing)
    root = options.folder.resolve()
    modules, left_out = _modules(root)
    name = " ".join(root.name.split()) or "Site"
    texts = {
        "mkdocs.yml": _SETTINGS.format(
            # JSON is a subset of YAML, and escapes special characters in names.
            name=json.dumps(name, ensure_ascii=False),
            modules=json.dumps(modules, ensure_ascii=False),
            exclude=json.dumps(_TESTS),
        ),
        "docs/index.md": _INDEX.format(name=re.sub(r"([\W_])", _reference, name)),
    }
    if (root / "docs/README.md").exists() or "index.py" in modules:
        del texts["docs/index.md"]  # the site has a front page already
    there = {path for path in texts if os.path.lexists(root / path)}
    write_files({root / path: texts[path] for path in texts if path not in there})
    for path in texts:
        print(f"{path} exists: not changed" if path in there else f"wrote {path}")
    print(f"modules: {', '.join(modules) or 'none'}")
    for reason, paths in left_out.items():
        print(f"left out {', '.join(paths)}: {reason}")
    if not modules:
        missing = f"no Python file gets a page: name files in `modules` of {root.name}"
        print(f"warning: {missing}/mkdocs.yml", file=sys.stderr)
    if "mkdocs.yml" in there:
        given = json.dumps({"literate": {"modules": modules}}, ensure_ascii=False)
        print(f"If literate is not among its plugins yet, add: - {given}")
    go = [] if root == Path.cwd() else [f'cd "{options.folder}"']
    install = [] if find_spec("material") else [how_to_install("site")]
    print("Next:", *go, *install, "mkdocs serve", sep="\n  ")
    return 0


def _reference(sign: re.Match[str]) -> str:
    """Escape a character that could be Markdown syntax as a character reference."""
    return sign[0] if sign[0] in " -" else f"&#{ord(sign[0])};"


def _modules(root: Path) -> tuple[list[str], dict[str, list[str]]]:
    """The files and folders that get pages, and what is left out, by the reason.

    They are looked for in the folder and in its `src`. A folder gets pages if there is
    a Python file in it, whether it is a package or not.
    """
    modules: list[str] = []
    left_out: dict[str, list[str]] = {}
    for folder in (root, root / "src"):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.name.startswith(".") or path == root / "src" or is_hidden(path):
                continue
            name, reason = path.relative_to(root).as_posix(), _reason(path)
            files = files_below(path, _ENDINGS)
            if not files:
                continue
            if reason:
                left_out.setdefault(reason, []).append(name)
                continue
            if not all(_ENDINGS[file.suffix] for file in files):
                modules.append(name)
            for file in files:
                reason = _ENDINGS[file.suffix]
                if reason and not file.with_suffix(".py").exists():
                    code = file.relative_to(root).as_posix()
                    left_out.setdefault(reason, []).append(code)
    return modules, left_out


def _reason(path: Path) -> str:
    """Why a file or folder with Python code gets no page; empty if it gets one."""
    if (path / "pyvenv.cfg").exists():
        return "a virtual environment"
    for patterns, reason in _NAMES_LEFT_OUT.items():
        if any(fnmatchcase(path.name, pattern) for pattern in patterns):
            return reason
    return ""
