"""The cells of a notebook: the page and the translators get the same words."""

from pathlib import Path

from labml_txl.literate.export.notebooks.tutorial import parse, written
from labml_txl.literate.i18n.inventory import Texts, inventory
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.sources.source import Source

ROOT = Path(__file__).parents[4]

# Cells as jupytext knows them: with a name, in a string, with a list at the end.
TEXT = '''\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Cells
#
# - The last item of a cell.

# %% The second [markdown] tags=["wide"]
#     code, and no item of the list

# %% [markdown]
"""
Words in a string,
#and a `#` of their own.
"""

# %%
# No words of a page.
x = 1
'''


def messages(source: Source) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Those of its page, and those of the translators; each once."""
    cells = (cell.text for cell in parse(source).cells if cell.kind == "markdown")
    parts = (part for text in cells for part in cut(text) if part.message)
    page = dict.fromkeys((part.kind, part.message) for part in parts)
    said = inventory(Texts(Path(), notebooks={"notebooks/cells.md": source}))
    return [*page], [(one.kind, one.text) for one in said["notebooks/cells"]]


def test_every_form_of_cell_has_the_messages_of_its_page() -> None:
    page, translators = messages(Source("notebooks/cells.py", TEXT))
    assert translators == [
        ("heading", "Cells"),
        ("item", "The last item of a cell."),
        ("paragraph", "Words in a string,"),
        ("heading", "and a `#` of their own."),
    ]
    assert page == translators
    for notebook in written(ROOT, ["notebooks"]):
        page, translators = messages(notebook.source)
        assert {*page} >= {*translators}
        assert {words for _, words in page} == {words for _, words in translators}
