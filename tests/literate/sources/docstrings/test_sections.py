"""Arguments, results and errors, in the ways of Google, NumPy and Sphinx."""

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import with_sections
from labml_txl.literate.sources.source import Source

GOOGLE = """\
Count them.

Args:
    first: where $n$ starts
        and goes on
    last (int): where it ends

Returns:
    How many.

Raises:
    ValueError: if there are none
"""
NUMPY = """\
Count them.

Parameters
----------
first : int
    Where $n$ starts.

Returns
-------
int
    How many.

Notes
-----
No more.
"""
SPHINX = """\
Count them.

:param first: where $n$ starts
:type first: int
:returns: how many
:raises ValueError: if there are none
"""


@pytest.mark.parametrize(
    ("note", "items", "left"),
    [
        (
            GOOGLE,
            [
                "**Parameters**",
                "- `first`: where $n$ starts",
                "- `last` `int`: where it ends",
                "**Returns**",
                "- How many.",
                "**Raises**",
                "- `ValueError`: if there are none",
            ],
            "Args:",
        ),
        (
            NUMPY,
            [
                "**Parameters**",
                "- `first` `int`: Where $n$ starts.",
                "- `int`: How many.",
                "**Notes**\n\nNo more.",
            ],
            "----------",
        ),
        (
            SPHINX,
            [
                "- `first` `int`: where $n$ starts",
                "- how many",
                "- `ValueError`: if there are none",
            ],
            ":param",
        ),
    ],
)
def test_a_section_is_a_list(note: str, items: list[str], left: str) -> None:
    told = with_sections(note)
    places = [told.index(item) for item in items]
    assert places == sorted(places)
    assert told.startswith("Count them.\n\n")
    assert left not in told
    # A list begins behind an empty line.
    assert "**\n\n- " in told


@pytest.mark.parametrize(
    "note",
    [
        "Args: none",
        "Example:\n\n    x = 1",
        "Words\n\nNote: look out.",
        "Notes\n-----\nNo more.",
        "Returns:\nthe rest",
        "A title\n-------\nWords.",
        "a :param: b",
    ],
)
def test_other_words_stay_as_they_are(note: str) -> None:
    assert with_sections(note) == note


def test_words_and_examples_have_their_title_in_bold() -> None:
    note = (
        "A.\n\nNote:\n    Look\n    out.\n\n    $x$\n\nExample:\n    >>> f()\n    1\n"
    )
    told = "A.\n\n**Note**\n\nLook\nout.\n\n$x$\n\n**Example**\n\n>>> f()\n1\n\n"
    assert with_sections(note) == told
    source = Source("a.py", f'"""{note}"""\n')
    assert "**Example**\n\n```pycon\n>>> f()\n1\n```" in split(source)[0].note


@pytest.mark.parametrize(
    "note", [".. note::\n\n    Look\n    out.\n\nB", ".. Note :: Look\n   out.\n\nB"]
)
def test_a_note_for_sphinx_has_its_title_in_bold(note: str) -> None:
    assert with_sections(f"A\n\n{note}") == "A\n\n**Note**\n\nLook\nout.\n\nB"


def test_what_to_see_also_has_its_title_in_bold() -> None:
    assert with_sections(".. seealso:: `f`\n") == "**See also**\n\n`f`\n\n"


def test_the_sections_of_a_docstring_stand_in_its_note() -> None:
    text = GOOGLE.replace("\n", "\n    ")
    source = Source("a.py", f'def count():\n    r"""{text}"""\n')
    assert "- `last` `int`: where it ends" in split(source)[-1].note
