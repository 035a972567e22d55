"""The cells of a notebook: the page and the translators get the same words."""

from pathlib import Path

import pytest

from labml_txl.literate.export.notebooks.tutorial import parse, written
from labml_txl.literate.i18n.inventory import Texts, inventory
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.sources.cells import cells_of
from labml_txl.literate.sources.source import LiterateError, Source

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


def of_page(source: Source) -> list[tuple[str, str]]:
    return [
        (part.kind, part.message)
        for cell in parse(source).cells
        if cell.kind == "markdown"
        for part in cut(cell.text)
        if part.message
    ]


def of_translators(source: Source) -> list[tuple[str, str]]:
    said = inventory(Texts(Path(), notebooks={"notebooks/cells.md": source}))
    return [(one.kind, one.text) for one in said["notebooks/cells"]]


def test_every_form_of_cell_has_the_messages_of_its_page() -> None:
    source = Source("notebooks/cells.py", TEXT)
    assert of_translators(source) == [
        ("heading", "Cells"),
        ("item", "The last item of a cell."),
        ("paragraph", "Words in a string,"),
        ("heading", "and a `#` of their own."),
    ]
    assert of_page(source) == of_translators(source)


@pytest.mark.parametrize(
    "head",
    ["kernelspec: x", "kernelspec: {name: python3}", "kernelspec: 1", "kernelspec: ["],
)
def test_a_head_that_is_none_is_refused_in_one_line(head: str) -> None:
    source = Source("a.py", f"# ---\n# jupyter:\n#   {head}\n# ---\n\n# %%\n1\n")
    with pytest.raises(LiterateError, match=r"^a\.py:1: its head .*kernelspec$"):
        cells_of(source)


def test_our_own_notebooks_have_the_messages_of_their_pages() -> None:
    found = [*written(ROOT, ["notebooks"])]
    assert found
    for notebook in found:
        page = list(dict.fromkeys(of_page(notebook.source)))
        assert set(page) >= set(of_translators(notebook.source))
        messages = {message for _, message in of_translators(notebook.source)}
        assert messages >= {message for _, message in page}
