"""The cells of a notebook: the page and the translators get the same words."""

from pathlib import Path

from labml_txl.literate.build.inventory import inventory
from labml_txl.literate.export.notebooks.tutorial import parse
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.sources.source import Source
from tests.literate.small import CONFIG, FILES, write

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


def test_every_form_of_cell_has_the_messages_of_its_page(tmp_path: Path) -> None:
    settings = f"{CONFIG}      notebooks: [notebooks]\n"
    write(tmp_path, FILES, {"mkdocs.yml": settings, "notebooks/cells.py": TEXT})
    found = inventory(open_project(tmp_path / "mkdocs.yml").content)["notebooks/cells"]
    translators = [(one.kind, one.text) for one in found]
    assert translators == [
        ("heading", "Cells"),
        ("item", "The last item of a cell."),
        ("paragraph", "Words in a string,"),
        ("heading", "and a `#` of their own."),
    ]
    cells = parse(Source("notebooks/cells.py", TEXT)).cells
    parts = (part for c in cells if c.kind == "markdown" for part in cut(c.text))
    assert [(part.kind, part.message) for part in parts if part.message] == translators
