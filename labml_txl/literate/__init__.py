r"""# The engine, room by room

The engine that turns commented source files into the pages of this site.

One source has many renderings. A file is read, split into *blocks* (a note and the
code beside it), its notes are translated, its links are resolved, and the result is
written as Markdown. A *host* makes HTML of that Markdown: MkDocs, or Zensical.

```text
path ─read─► Source ─split─► Blocks ─translate─► Blocks ─assemble─► Page
     ─resolve─► links ─render─► Markdown
```

The engine is a tower. Each of its folders has one task, and is called a *room*. A room
may use the rooms above it in this list, and never one below; a test holds it to that:
`markdown`, `sources`, `equations`, `lint`, `translation`, `observations`, `pages`,
`exports`, `notebooks`, `edition`, `hosts`, `commands`.

Every step takes frozen values and gives frozen values. A site is built without running
any code that it shows. Only `txl notebooks` and `txl observe` run code.
"""

from labml_txl.literate.equations.registry import Registry, load_registry
from labml_txl.literate.i18n.catalog import Catalog, translate
from labml_txl.literate.markdown.inline import Piece, scan
from labml_txl.literate.render.page import Page, assemble
from labml_txl.literate.render.render import render_page
from labml_txl.literate.sources.blocks import Block, Line, split
from labml_txl.literate.sources.names import Index, index_modules
from labml_txl.literate.sources.source import LiterateError, Source, read

__all__ = [
    "Block",
    "Catalog",
    "Index",
    "Line",
    "LiterateError",
    "Page",
    "Piece",
    "Registry",
    "Source",
    "assemble",
    "index_modules",
    "load_registry",
    "read",
    "render_page",
    "scan",
    "split",
    "translate",
]
