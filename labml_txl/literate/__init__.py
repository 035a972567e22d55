r"""# The engine

The engine that turns commented source files into the pages of this site.

One source has many renderings. A file is read, split into *blocks* (a note and the
code beside it), its notes are translated, its links are resolved, and the result is
written as Markdown. MkDocs makes HTML of that Markdown; another program could.

```text
path ─read─► Source ─split─► Blocks ─translate─► Blocks ─assemble─► Page
     ─resolve─► links ─render─► Markdown
```

The modules, in the order in which they work: `source`, `blocks`, `inline`, `messages`,
`catalog`, `labels`, `page`, `names`, `equations`, `resolve`, `highlight`, `render`,
`overview`, `build`. Two look at parts of a page: `terms` of a sum, and `imports`.
Four keep the translations: `po`, `inventory`, `i18n`, `commands`.
Four look for their faults: `markup`, `wording`, `glossary`, `lint`. `english` looks at
the English itself. One takes over
those of another system: `importing`.
Then a page is put into its languages: `languages`, `translation`, `progress`.
Two more turn a page into what leaves the site: `text` and `notebook`.
Tutorials are notebooks that somebody wrote: `tutorial`, `execution`, `tutorial_page`.
Then what the host needs of them: `node`, `math`, `links`, `check`, `cache`, `workers`,
`plugin`.

Every step takes frozen values and gives frozen values. Only `labml_txl.literate.plugin`
knows MkDocs. Nothing here imports torch. A site is built without running any code that
it shows: only `txl notebooks` runs the tutorials.
"""

from labml_txl.literate.blocks import Block, Line, split
from labml_txl.literate.catalog import Catalog, translate
from labml_txl.literate.equations import Registry, load_registry
from labml_txl.literate.inline import Piece, scan
from labml_txl.literate.names import Index, index_modules
from labml_txl.literate.page import Page, assemble
from labml_txl.literate.render import render
from labml_txl.literate.source import LiterateError, Source, read

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
    "render",
    "scan",
    "split",
    "translate",
]
