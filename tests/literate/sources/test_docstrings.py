"""What people write into docstrings becomes the Markdown that they meant."""

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import find_missing_r
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import parse

pytestmark = pytest.mark.filterwarnings(
    "ignore::SyntaxWarning", "ignore::DeprecationWarning"
)
TEX = r"\alpha\beta\frac{a}{b}\nabla\rho\theta\varphi\gamma\0"
EXAMPLE = ">>> 1 + 1\n2\n>>> for i in ():\n...     pass"
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

Limits
------
No more.
"""
SPHINX = """\
Count them.

:param first: where $n$ starts
:type first: int
:returns: how many
:raises ValueError: if there are none
"""


def note(written: str, quotes: str = '"""') -> str:
    """The note of a module whose docstring stands so in the file."""
    return split(Source("m.py", f"{quotes}{written}{quotes}\n"))[0].note.text


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_formula_is_read_as_it_is_and_words_as_python_reads_them(
    quotes: str,
) -> None:
    cases = {
        rf"words ${TEX}$ words": rf"words ${TEX}$ words",
        f"a\n$$\n{TEX}\n$$\nb": f"a\n$$\n{TEX}\n$$\nb",
        # Twice means once, but for the sign for a new line.
        r"$\\theta + \\, \\{x\\}$": r"$\theta + \, \{x\}$",
        "$$\na \\\\ b\\\\\nc\n$$": "$$\na \\\\ b\\\\\nc\n$$",
        "$$\na \\\\\\\\ b \\\\\\\\\nc\n$$": "$$\na \\\\ b \\\\\nc\n$$",
        "one \\\ntwo \\x41 \\u00e9 $x$": "one two A é $x$",
        r"a quote \" and `\\theta` $\theta$": r'a quote " and `\theta` $\theta$',
        r"it costs \$5, and \\$6": r"it costs \$5, and \$6",
        r"\(\theta\) and \\(\\nu\\)": r"\(\theta\) and \(\nu\)",
        "\\[\n\\theta\n\\]": "\\[\n\\theta\n\\]",
        r"\\(two \x41\\)": r"\(two A\)",
        rf"one {quotes} r{quotes}and ${TEX}$": rf"one and ${TEX}$",
    }
    assert {written: note(written, quotes) for written in cases} == cases
    raw = r"$\\theta$ and \theta \\ $\theta$"
    assert split(Source("m.py", f"r{quotes}{raw}{quotes}\n"))[0].note.text == raw


def test_escape_sequences_that_change_a_docstring_are_reported() -> None:
    cases = {
        '"""One.\n\n$x$ and $\\theta$,\n\n$$\n\\nabla\n$$\n"""\n'
        "def f():\n    '''Right: $\\gamma$.'''\n    r'''$\\theta$'''\n"
        'def g():\n    """Doubled: $\\\\theta$."""\n': [3, 5],
        '"""One \\\ntwo $\\theta$\\n\\n and $\\nu$\nthree $\\rho$"""\n': [2, 2, 3],
        'def λ(ñ): """$\\theta$"""\n': [1],
    }
    found = {}
    for text in cases:
        source = Source("m.py", text)
        found[text] = [*find_missing_r(parse(source), source)]
    assert found == cases


def test_sphinx_markup_is_converted_to_markdown() -> None:
    cases = {
        "A :class:`Lock`, :py:meth:`a.b`'s": "A `Lock`, `a.b`'s",
        ":class:`.Lock`, :meth:`~.a.b`, :file:`.c`": "`Lock`, `b`, `.c`",
        "Two :class:`Lock`\\s": "Two `Lock`s",
        ":func:`~torch.nn.Linear` :func:`!f`": "`Linear` `f`",
        ":ref:`how it works <label-1>`": "how it works",
        "``:class:`A` `` and a::`b`": "``:class:`A` `` and a::`b`",
        "It is :math:`x^2` and :math:`a\nb`.": "It is $x^2$ and $a b$.",
        "Is :math:`\\\\text{a $x$}`.": r"Is $\text{a $x$}$.",
        "So:\n\n.. math:: x = y\n\nand": "So:\n\n$$\nx = y\n$$\n\nand",
        "So\n\n.. math::\n    :label: a\n\n    x\n\n    y\n\nand": (
            "So\n\n$$\nx\n$$\n\n$$\ny\n$$\n\nand"
        ),
        "- a\n  .. math:: x\n- b": "- a\n\n    $$\n    x\n    $$\n\n- b",
        "```\n:math:`x`\n```": "```\n:math:`x`\n```",
        "So::\n\n    a = 1\n": "So:\n\n```python\na = 1\n```",
    }
    found = {written: note(f"A\n\n{written}") for written in cases}
    assert found == {written: f"A\n\n{shown}" for written, shown in cases.items()}
    aligned = "\n$$\n\\begin{aligned}\nx \\\\\ny\n\\end{aligned}\n$$"
    assert aligned in note("A\n\n.. math::\n  x \\\\\\\\\n  y")


def test_an_example_is_a_block_of_code() -> None:
    cases = {
        f"So:\n\n{EXAMPLE}\n\nand on": f"So:\n\n```pycon\n{EXAMPLE}\n```\n\nand on",
        "- an item:\n\n    >>> a\n    1\n- b": (
            "- an item:\n\n    ```pycon\n    >>> a\n    1\n    ```\n\n- b"
        ),
        "```\n>>> a\n```": "```\n>>> a\n```",
        "a >>> b": "a >>> b",
    }
    assert {written: note(written) for written in cases} == cases
    comment = "".join(f"# {line}\n" for line in f"So:\n\n{EXAMPLE}".split("\n"))
    (block,) = split(Source("a.py", f"{comment}x = 1\n"))
    assert block.note.text == f"So:\n\n```pycon\n{EXAMPLE}\n```"


def test_sections_of_docstrings_become_lists() -> None:
    parameters = ["**Parameters**\n\n", "- `first`"]
    cases = {
        GOOGLE: [
            *(*parameters, ": where $n$ starts", "- `last` `int`: where it ends"),
            *("**Returns**\n\nHow many.", "**Raises**\n\n- `ValueError`: if there"),
        ],
        NUMPY: [
            *(*parameters, " `int`: Where $n$ starts.", "- `int`: How many."),
            "**Limits**\n\nNo more.",
        ],
        SPHINX: [
            *(*parameters, " `int`: where $n$ starts", "- how many"),
            "- `ValueError`: if there are none",
        ],
    }
    for written, items in cases.items():
        shown = note(written)
        places = [shown.index(item) for item in items]
        assert places == sorted(places)
        assert shown.startswith("Count them.\n\n")
        for left in ("Args:", "-----", ":param"):
            assert left not in shown
    shown = note("A.\n\nNote:\n    Look\n    out.\n\n    $x$\n")
    assert shown.strip() == "A.\n\n**Note**\n\nLook\nout.\n\n$x$"
    shown = note("A.\n\nExamples:\n    >>> f()\n    1\n")
    assert shown.strip() == "A.\n\n**Examples**\n\n```pycon\n>>> f()\n1\n```"


def test_other_text_is_unchanged() -> None:
    cases = [
        *("Args: none", "Words\n\nNote: look out.", "Returns:\nthe rest"),
        *("a :param: b", "10 - 1\n- 2", "a_b __all__ x_"),
    ]
    assert [note(words) for words in cases] == cases


DESCRIBED = """
class A:
    def __init__(
        self,
        a: Annotated[int | None, Doc("One.")],
        /,
        *b: int,
        c: t.Annotated[str, t.Doc('Two:\\n\\n* `d`')] = "",
        d: Annotated[int, "no"],
    ): pass


def f(a: Annotated[int, Doc("Three.")]):
    '''Words.'''
"""


def test_parameters_that_a_signature_describes_are_in_the_note() -> None:
    notes = [block.note.text for block in split(Source("m.py", DESCRIBED))]
    title = "**Parameters**\n\n"
    assert notes[-2:] == [
        f"{title}- `a` `int | None`: One.\n- `c` `str`: Two:\n\n    * `d`",
        f"Words.\n\n{title}- `a` `int`: Three.",
    ]


def test_a_title_without_a_text_is_a_line() -> None:
    assert note("Example:\n    \n   ") == "Example:"
