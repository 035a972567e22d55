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
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.extras import how_to_install
from labml_txl.literate.cli import write_files
from labml_txl.options import argument

# Files and folders at the top of a project that need no page.
_NOT_SHOWN = {
    *("test", "tests", "doc", "docs", "example", "examples", "build", "dist", "site"),
    *("setup.py", "conftest.py", "noxfile.py", "__init__.py", "__main__.py"),
}
# Patterns of the tests within a package.
_TESTS = ["*/tests", "*/test", "*/test_*.py", "*_test.py", "*/conftest.py"]

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
    modules, name = [*_modules(root)], " ".join(root.name.split()) or "Site"
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


def _modules(root: Path) -> Iterator[str]:
    """Yield the packages and the single modules in a folder and in its `src`."""
    for folder in (root, root / "src"):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            named = not path.name.startswith(".") and path.name not in _NOT_SHOWN
            module = path.suffix == ".py" and not re.match(
                r"test_|.*_test\.", path.name
            )
            package = path.is_dir() and (path / "__init__.py").is_file()
            below = folder != root and path.is_dir() and any(path.rglob("*.py"))
            if named and (module or package or below):
                yield path.relative_to(root).as_posix()
