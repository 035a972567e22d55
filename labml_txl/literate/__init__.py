"""Turns commented source files into the pages of a site.

`read` reads a file, and `split` splits it into blocks, each of which is a note and the
code beside it. `annotate` makes the pages of a whole `Project` in a language. A page is
rendered as Markdown, which a host (MkDocs or Zensical) converts to HTML, as plain
Markdown (`text`), or as a notebook (`notebook`). `unfinished` lists equations that no
code cites or no test covers.

The packages, each of which only imports from those before it: `markdown`, `sources`,
`equations`, `i18n`, `recording`, `render`, `export`, `project`, `mkdocs`, `zensical`,
`cli`. Most values that they pass on are frozen dataclasses. The code that pages show is
never run, except by `txl notebooks` and `txl observe`.
"""

from typing import TYPE_CHECKING

from labml_txl.lazy import lazy_names

if TYPE_CHECKING:
    from labml_txl.literate.export.notebooks.notebook import notebook as notebook
    from labml_txl.literate.export.text import text as text
    from labml_txl.literate.project.annotate import annotate as annotate
    from labml_txl.literate.project.check import unfinished as unfinished
    from labml_txl.literate.project.localized import (
        LocalizedProject as LocalizedProject,
    )
    from labml_txl.literate.project.settings import Project as Project
    from labml_txl.literate.sources.blocks import Block as Block
    from labml_txl.literate.sources.blocks import split as split
    from labml_txl.literate.sources.source import LiterateError as LiterateError
    from labml_txl.literate.sources.source import Source as Source
    from labml_txl.literate.sources.source import read as read

_PUBLIC = {
    "Block": "sources.blocks",
    "LiterateError": "sources.source",
    "LocalizedProject": "project.localized",
    "Project": "project.settings",
    "Source": "sources.source",
    "annotate": "project.annotate",
    "notebook": "export.notebooks.notebook",
    "read": "sources.source",
    "split": "sources.blocks",
    "text": "export.text",
    "unfinished": "project.check",
}
__all__ = sorted(_PUBLIC)
__getattr__ = lazy_names(__name__, _PUBLIC)
