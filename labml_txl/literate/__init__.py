r"""Turns commented source files into the pages of a site.

A file is read (`read`) and split into blocks (`split`): a note and the code beside it.
`annotate` makes the pages of a whole `Project`, in a language. A page becomes Markdown
for a host that makes HTML of it, plain Markdown (`text`) or a notebook (`notebook`).
`unfinished` looks for equations that no code implements, or no test proves.

The packages, each of which imports from those before it only: `markdown`, `sources`,
`equations`, `i18n`, `recording`, `render`, `export`, `build`, `mkdocs`, `zensical`,
`cli`. Every step takes frozen values and gives frozen values, and runs no code that it
shows: only `txl notebooks` and `txl observe` do.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labml_txl.literate.build.check import unfinished as unfinished
    from labml_txl.literate.build.localized import LocalizedProject as LocalizedProject
    from labml_txl.literate.build.localized import annotate as annotate
    from labml_txl.literate.build.project import Project as Project
    from labml_txl.literate.export.notebooks.notebook import notebook as notebook
    from labml_txl.literate.export.text import text as text
    from labml_txl.literate.sources.blocks import Block as Block
    from labml_txl.literate.sources.blocks import split as split
    from labml_txl.literate.sources.source import LiterateError as LiterateError
    from labml_txl.literate.sources.source import Source as Source
    from labml_txl.literate.sources.source import read as read

# Each name with its module, which is imported when somebody asks for the name.
_PUBLIC = {
    "Block": "sources.blocks",
    "LiterateError": "sources.source",
    "LocalizedProject": "build.localized",
    "Project": "build.project",
    "Source": "sources.source",
    "annotate": "build.localized",
    "notebook": "export.notebooks.notebook",
    "read": "sources.source",
    "split": "sources.blocks",
    "text": "export.text",
    "unfinished": "build.check",
}
__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    if name not in _PUBLIC:
        raise AttributeError(f"{__name__} has no {name}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
