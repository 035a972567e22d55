r"""# What a new site begins with

The settings, a first page, an example and a workflow that publishes. Each is a text
with a few places to fill in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

from labml_txl.literate.cli.init.found import EXAMPLE, Found
from labml_txl.literate.cli.init.origin import WORKFLOWS, Origin

SETTINGS, INDEX = "mkdocs.yml", "docs/index.md"
WORKFLOW = f"{WORKFLOWS}/pages.yml"

# The colours are those of the reader's system, and can be changed by the reader. The
# fonts are those of the system too: a page fetches nothing from another host.
_SETTINGS = """\
site_name: {name}
{about}{repository}
theme:
  name: material
  font: false
  features:
    - navigation.indexes
    - toc.follow
  palette:
    - media: "(prefers-color-scheme)"
      toggle: {{icon: material/circle-half-full, name: "Colours: as the system"}}
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {{icon: material/brightness-7, name: "Colours: light"}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {{icon: material/moon-waning-crescent, name: "Colours: dark"}}

plugins:
  - search
  - literate:
      # Each file here, and each file below a folder, becomes a page.
      modules:
{modules}
{exclude}"""
_EXCLUDE = "      # These do not. A star stands for any letters.\n      exclude:\n"

_INDEX = """\
# {name}

{about}{modules}

This page is `docs/index.md`. Each other page is made of a Python file: what it says
stands in the comments and docstrings.
"""

# The actions are GitHub's own.
_WORKFLOW = """\
# Publishes the site on GitHub Pages. Choose GitHub Actions as the source, once:
# in the repository, Settings, Pages.
name: Publish the site

on:
  push:
    branches: [{branch}]
  workflow_dispatch:

permissions:
  contents: read

concurrency:
  group: pages
  cancel-in-progress: false

jobs:
  build:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    permissions:
      contents: read
      pages: read
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.14"
      - uses: actions/configure-pages@v5
      - run: {install}
      - run: mkdocs build
      - uses: actions/upload-pages-artifact@v3
        with:
          path: site

  publish:
    needs: build
    runs-on: ubuntu-latest
    permissions:
      id-token: write
      pages: write
    environment:
      name: github-pages
      url: ${{{{ steps.deployment.outputs.page_url }}}}
    steps:
      - id: deployment
        uses: actions/deploy-pages@v4
"""


def settings(found: Found, origin: Origin) -> str:
    """The file `mkdocs.yml`."""
    known = {"repo_url": origin.url, "edit_uri": origin.edit_uri}
    about = {"site_description": _flat(found.about)}
    return _SETTINGS.format(
        name=_yaml(_flat(found.name)),
        about=_fields(about),
        repository=_fields(known),
        modules="\n".join(_items(found.modules)),
        exclude=_EXCLUDE + "\n".join([*_items(found.exclude), ""])
        if found.exclude
        else "",
    )


def index(found: Found) -> str:
    """The first page: the name of the project, and a link to each of its modules."""
    modules = "\n".join(
        f"- [`{Path(path).stem}`]({quote(page)})"
        for path, page in found.modules.items()
        if page
    )
    about = f"{_markdown(found.about)}\n\n" if found.about else ""
    return _INDEX.format(name=_markdown(found.name), about=about, modules=modules)


def example() -> str:
    """The example: a module of this package, so its own page shows it too."""
    file = Path(__file__).with_name(Path(EXAMPLE).name)
    return file.read_text(encoding="utf-8")


def workflow(origin: Origin, install: str) -> str:
    """The workflow; `install` is the command that installs the engine anywhere."""
    return _WORKFLOW.format(branch=_yaml(origin.branch), install=install)


def plugin(found: Found) -> str:
    """The entry of the plugin, for settings that are there already."""
    given = {"modules": [*found.modules], "exclude": [*found.exclude]}
    lists = (
        f"{name}: [{', '.join(map(_yaml, items))}]"
        for name, items in given.items()
        if items
    )
    return f"- literate: {{{', '.join(lists)}}}"


def _items(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        note = "  # the example: delete both" if path == EXAMPLE else ""
        yield f"        - {_yaml(path)}{note}"


def _fields(given: dict[str, str]) -> str:
    return "".join(f"{key}: {_yaml(text)}\n" for key, text in given.items() if text)


_BARE = re.compile(r"(?!(?:y|n|yes|no|on|off|true|false|null)\Z)[a-z][\w./-]*", re.A)


def _yaml(text: str) -> str:
    """Words as YAML reads them: bare where nothing else can be meant, or quoted."""
    bare = _BARE.fullmatch(text.lower())
    return text if bare else json.dumps(text, ensure_ascii=False)


def _flat(words: str) -> str:
    return " ".join(words.split())


def _markdown(words: str) -> str:
    """Words on one line, in which no sign is a mark of Markdown."""
    text = _flat(words).replace("&", "&amp;").replace("<", "&lt;").replace("$", "&#36;")
    return re.sub(r"[\\`*\[\]]|(?<!\w)_|_(?!\w)|^[#>+-]", r"\\\g<0>", text)
