"""The cells of a notebook, as the page and the translators get them."""

from labml_txl.literate.export.notebooks.tutorial import parse
from labml_txl.literate.sources.source import Source

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


def test_every_kind_of_cell_is_divided_into_messages() -> None:
    cells = parse(Source("notebooks/cells.py", TEXT)).cells
    parts = (part for c in cells if c.kind == "markdown" for part in c.note.parts)
    assert [(part.kind, part.message) for part in parts if part.message] == [
        ("heading", "Cells"),
        ("item", "The last item of a cell."),
        ("paragraph", "Words in a string, #and a `#` of their own."),
    ]
