"""# Kinds of pages

One module for each kind of page. To add a kind, write a subclass of `SitePage` and add
it to `KINDS`: the site, its translations, `llms.txt` and the cache ask the page itself.
"""

from labml_txl.literate.project.kinds.equations import EquationsPage
from labml_txl.literate.project.kinds.module import ModulePage
from labml_txl.literate.project.kinds.prose import ProsePage
from labml_txl.literate.project.kinds.translations import TranslationsPage
from labml_txl.literate.project.kinds.tutorial import TutorialPage

# All kinds of pages, in the order in which the site lists them.
KINDS = (ProsePage, ModulePage, TutorialPage, EquationsPage, TranslationsPage)
