"""No word of a docstring is lost, whichever style its author writes."""

from pathlib import Path

import pytest

from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.settings import Project
from labml_txl.literate.sources import docstrings
from labml_txl.literate.sources.docstrings import (
    find_missing_word,
    words_of,
)
from labml_txl.literate.sources.prose import Titles
from labml_txl.literate.sources.sections import convert_sections
from tests.literate.small import write

PARAMETERS = "A.\n\n**Parameters**\n\n"
GOOGLE = {
    "Args:\n    x: The first\n    and more.\n    y (int)\n": (
        "- `x`: The first\n    and more.\n- `y` `int`"
    ),
    "Args:\n    f (Callable[[int], str], None): one of\n\n        - a\n\n    y: z\n": (
        "- `f` `Callable[[int], str], None`: one of\n\n    - a\n\n- `y`: z"
    ),
    "Args:\n    Words before\n    x: one\n        - a\n        - b\n    y: two\n": (
        "Words before\n\n- `x`: one\n\n    - a\n    - b\n\n- `y`: two"
    ),
    "Args:\n    x: One.\n Returns:\n    Two.\n": "- `x`: One.\n\n**Returns**\n\nTwo.",
    "Args:\n    x: One.\n    Returns:\n        int: Two.\n": (
        "- `x`: One.\n\n**Returns**\n\n- `int`: Two."
    ),
    "Arguments:\n\n* `x` - One,\n  two.\n* `y` - Three.\n\nAnd": (
        "* `x` - One,\n    two.\n* `y` - Three.\n\nAnd"
    ),
    "Args:\n    **kwargs: all\n    x, y (`int`): two\n": (
        "- `**kwargs`: all\n- `x, y` (`int`): two"
    ),
}
NUMPY = {
    "x : int, default=3\n    One.\ny : array, shape (n,)\n\n    Two.\n": (
        "- `x` `int, default=3`: One.\n- `y` `array, shape (n,)`: Two."
    ),
    "x : {'a', 'b'} or \\\n        None\n    One:\n\n    * a\n    * b\ny\n    Two.\n": (
        "- `x` `{'a', 'b'} or None`: One:\n\n    * a\n    * b\n\n- `y`: Two."
    ),
    "x : int\n    Note:\n    Warning:\n\nWords between,\nin two lines.\n": (
        "- `x` `int`: Note:\n    Warning:\n\nWords between,\nin two lines."
    ),
    "a : int\nb\nc : str\n": "- `a` `int`\n- `b`\n- `c` `str`",
    'a : int\n    One.\n\n!!! note "After"\n    Two.\n': (
        '- `a` `int`: One.\n\n!!! note "After"\n    Two.'
    ),
    "a : int\n    One::\n\n        b: 2\n": (
        "- `a` `int`: One:\n\n    ```python\n    b: 2\n    ```"
    ),
}
FIELDS = {
    ":param int x: One\n    and on.\n:type y: str\n:param y: Two.\n": (
        "- `x` `int`: One\n    and on.\n- `y` `str`: Two."
    ),
    "@param x: The C{x},\n  I{more}.\n@type x: L{int}\n": (
        "- `x` (`int`): The `x`,\n    *more*."
    ),
}
OTHERS = {
    "Returns:\n    The first line\n    and the second.\n": (
        "**Returns**\n\nThe first line\nand the second."
    ),
    "Returns:\n    dict[str, int]: how many\n      of each\n": (
        "**Returns**\n\n- `dict[str, int]`: how many\n    of each"
    ),
    ":rtype: int\n": "**Returns**\n\n- `int`",
    "Returns\n-------\narray of shape (n,)\n    One.\nint\n": (
        "**Returns**\n\n- `array of shape (n,)`: One.\n- `int`"
    ),
    "See Also\n--------\nf : does f.\ng, h\n:func:`k`\n    Does k.\n": (
        "**See Also**\n\n- `f`: does f.\n- `g, h`\n- `k`: Does k."
    ),
    "Example:\n    $ one\n    $ two\n": "**Example**\n\n```text\n$ one\n$ two\n```",
    ".. math:: a\n   b\n\n   c\n": "$$\na\nb\n$$\n\n$$\nc\n$$",
    ".. math:: a\n   :label: x\n\n   c\n": "$$\na\n$$\n\n$$\nc\n$$",
    "Usage::\n>>> f()\n1\n": "Usage:\n\n```pycon\n>>> f()\n1\n```",
    "- One::\n\n    # a\n    b: 2\n": (
        "- One:\n\n    ```python\n    # a\n    b: 2\n    ```"
    ),
    ":Example:\n\n    >>> x\n    1\n\n:meta private:\n": (
        "**Example**\n\n```pycon\n>>> x\n1\n```"
    ),
    "| One.\n| Two\n  lines.\n\n| a | b |\n|---|---|\n": (
        "One.  \nTwo lines.  \n\n| a | b |\n|---|---|"
    ),
    "Returns:\n    dict: It has\n        a (int): 1\n          and\n        b: Two\n": (
        "**Returns**\n\n- `dict`: It has\n\n    - `a` (int): 1\n        and\n"
        "    - `b`: Two"
    ),
    "By `x`::\n\n>>> f()\n1\n\nBy default::\n\nA b::\nc": (
        "By `x`:\n\n```pycon\n>>> f()\n1\n```\n\nBy default:\n\nA b::\nc"
    ),
    "Example Usage:\n    x = f(y)\n": "**Example Usage**\n\n```python\nx = f(y)\n```",
    "Returns\n-------\nint\n\nExample usage\n-------------\nx = f(y)\n": (
        "**Returns**\n\n- `int`\n\n**Example usage**\n\n```python\nx = f(y)\n```"
    ),
    "Example::\n\n    x = 1\n": "**Example**\n\n```python\nx = 1\n```",
    "So::\n\n    x y\n\nand": "So:\n\n```text\nx y\n```\n\nand",
    ".. note:: Look\n   out.\n": "**Note**\n\nLook\nout.",
    ".. versionadded:: 2.0\n    The `x`.\n": "**New in version 2.0**\n\nThe `x`.",
    ".. code-block:: sh\n    :linenos:\n\n    one\n": "```sh\none\n```",
    ".. image:: a.png\n    :alt: One.\n": "![One.](a.png)",
    "`~a.B.c()`, `~/a` and `~d`": "`c()`, `~/a` and `d`",
    ":copyright: (c) A\n   and B.\n:license: MIT\n": (
        "- copyright: (c) A\n    and B.\n- license: MIT"
    ),
    ".. math::\n    \\begin{align*}\n\n    a\n\n    \\end{align*}\n\n    b\n": (
        "$$\n\\begin{align*}\na\n\\end{align*}\n$$\n\n$$\nb\n$$"
    ),
    ".. testcode:: group\n\n    x = 1\n": "```python\nx = 1\n```",
    ".. toctree::\n    a\n": "```rst\n.. toctree::\n    a\n```",
    ".. _a:\n\n`b <https://a.example/\n   b>`_, `c d`_.\n\n.. _c d: https://c.org\n": (
        "[b](https://a.example/b), [c d](https://c.org)."
    ),
    ":meth:`~a.b.\n  C.d` [1]_\n\n.. [1] One,\n    two.\n": (
        "`d` [1]\n\n- [1] One,\n    two."
    ),
    "The `one <b c_>`__.\n\n.. _b c:\n   https://a.example/\n": (
        "The [one](https://a.example/)."
    ),
    "`a: b`_\n\n.. _`a: b`:\n     https://a.example/\n": "[a: b](https://a.example/)",
    "A\n\n.. _`b: c`:\n     https://a.example/\n": "A\n\nb: c: <https://a.example/>",
    "Shape:\n    - Input: :math:`(N, C)`\n": "**Shape**\n\n- Input: $(N, C)$",
    "Shape::\n\n    - Input: :math:`N^2`\n": "**Shape**\n\n- Input: $N^2$",
    ":math:`huber(x, y) / b` is": "${huber(x, y) / b}$ is",
    "- a is :math:`L\n  + P`, so\n  on\n": "- a is $L + P$, so\n    on",
    "Outputs: h\n    * a\n    * b\n\n    where:\n\n    .. math::\n        N\n": (
        "Outputs: h\n\n* a\n* b\n\nwhere:\n\n$$\nN\n$$"
    ),
    "[a][0], [b c], [d]\n\n[0]: /x#y\n[b c]: <z>\n[e]: /w\n": (
        "[a](/x#y), [b c](z), [d]\n\n\\[e]: /w"
    ),
    "on\n  {'a': [b]}, R&D, `&lt;` and &gt;\n": (
        "on\n  {'a': [b]}, R&D, `&lt;` and &amp;gt;"
    ),
    "of words:\n    ```python\n    x\n    ```\n": "of words:\n\n```python\nx\n```",
    "返回:\n    一个字典\n\n用法：\n    ```python\n    f()\n    ```\n": (
        "**返回**\n\n一个字典\n\n**用法**\n\n```python\nf()\n```"
    ),
    "See Also\n--------\n:meth:`a.b <a.b>`  :\n    Saves it.\nc : D\n": (
        "**See Also**\n\n- a.b: Saves it.\n- `c`: D"
    ),
    "Returns\n-------\nlist of int\n    A.\nx :\n    B.\n: int\n    C.\n:\n    D.\n": (
        "**Returns**\n\n- `list of int`: A.\n- `x`: B.\n- `int`: C.\n- D."
    ),
    "@param x: U{a<http://\n    c.example>}, C{d}\n": (
        "**Parameters**\n\n- `x`: [a](http://c.example), `d`"
    ),
    "Use &nbsp; for blanks.\n": "Use &amp;nbsp; for blanks.",
    "A:\n\n<x>\n    <y>\n        b\n": "A:\n\n```text\n<x>\n    <y>\n        b\n```",
    "<ul>\n  <li><a></li>\n</ul>\n": "```text\n<ul>\n  <li><a></li>\n</ul>\n```",
    "<p align='a'>\n  <img src='b'>\n</p>\n": "<p align='a'>\n  <img src='b'>\n</p>",
    'A "&nbsp;" a&nbsp;b.\n': 'A "&amp;nbsp;" a&nbsp;b.',
    "{% for a in b %}\n  <li>\n": "```text\n{% for a in b %}\n  <li>\n```",
    "* a\n```\n": "* a\n    \\`\\`\\`",
    "#. one\n#. two\n   more\n": "1. one\n2. two\n    more",
    "See Also\n--------\nf,\ng : both.\n": "**See Also**\n\n- `f`\n- `g`: both.",
    "3. three\n4. four\n": "3. three\n4. four",
    "K\n    The keys.\na term : b\n    The\n    one.\n\n    And on.\n`z`\n    of it": (
        "- **K**: The keys.\n- **a term : b**: The\n    one.\n\n    And on.\n\n"
        "- `z`: of it"
    ),
    # A sentence goes on with more indentation.
    "We take all\n    of them.\n": "We take all\n    of them.",
    "3. three\n5. five": "3\\. three\n\n5\\. five",
    "Raises:\n    ValueError, a.OSError: If one.\n    KeyError: If two.\n": (
        "**Raises**\n\n- `ValueError, a.OSError`: If one.\n- `KeyError`: If two."
    ),
    "Call arguments:\n    x: One.\n    y: Two.\n": (
        "**Call arguments**\n\n- `x`: One.\n- `y`: Two."
    ),
    "So ([1]_):\n[1]_ x[2]_\n\n.. [1] One": "So ([1]):\n[1] x[2]\n\n- [1] One",
    "$\\frac{a}\n{\\sqrt{b}}$ of\n{c}": "$\\frac{a}\n{\\sqrt{b}}$ of\n{c}",
    "So:\n\n# One\n>>> f()\n1\n\n# Two\nmore\n": (
        "So:\n\n```pycon\n# One\n>>> f()\n1\n```\n\n# Two\nmore"
    ),
    "- One. So:\n\n  f(a)\n  b = 1\n": (
        "- One. So:\n\n    ```python\n    f(a)\n    b = 1\n    ```"
    ),
    "Returns:\n    First, Second: both.\n": "**Returns**\n\nFirst, Second: both.",
    "See Also\n--------\nThe attribute of the class.\n": (
        "**See Also**\n\nThe attribute of the class."
    ),
    "See Also\n--------\n~a.b : One.\nc, d,\ne\n": (
        "**See Also**\n\n- `a.b`: One.\n- `c, d`\n- `e`"
    ),
    "=====\nTitle\n=====\n\nOther\n~~~~~\n\nand": "**Title**\n\n**Other**\n\nand",
    "=== ===\na   b\n=== ===\n1   2\n=== ===": (
        "```text\n=== ===\na   b\n=== ===\n1   2\n=== ===\n```"
    ),
}


def test_each_style_is_converted_to_markdown() -> None:
    cases = {
        **{f"A.\n{text}": PARAMETERS + shown for text, shown in GOOGLE.items()},
        **{
            f"A.\n\nParameters\n----------\n{text}": PARAMETERS + shown
            for text, shown in NUMPY.items()
        },
        **{f"A.\n\n{text}": PARAMETERS + shown for text, shown in FIELDS.items()},
        **{f"A.\n\n{text}": f"A.\n\n{shown}" for text, shown in OTHERS.items()},
    }
    assert {text: convert_sections(text, "bold") for text in cases} == cases
    assert {text: find_missing_word(text, shown) for text, shown in cases.items()} == (
        dict.fromkeys(cases, "")
    )


def test_titles_in_the_docstring_of_a_module_are_headings_below_the_first() -> None:
    text = "====\nOne\n====\n\nTwo\n===\n\nThree\n-----\n\nFour\n===="
    shown = "# One\n\n## Two\n\n### Three\n\n## Four"
    assert convert_sections(text, "headings") == shown


def test_no_word_of_a_docstring_is_lost_by_its_style() -> None:
    text = "The type of :class:`~a.B` is:\n\n:param int x: raises returns\n:type y: b"
    words = "The type of B is int x raises returns b"
    assert words_of(text) == words.split()
    assert find_missing_word("one two two", "two one") == "two"


def test_a_docstring_that_would_lose_a_word_is_shown_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lossy(text: str, titles: Titles) -> str:
        return convert_sections(text, titles).replace("gone", "")

    # No such docstring is known, so the conversion loses a word here.
    monkeypatch.setattr(docstrings, "convert_sections", lossy)
    module = 'def f():\n    """One.\n\n    It is gone:\n      * now\n    """\n'
    write(tmp_path, {"a.py": module})
    site = annotate(Project(tmp_path, modules=("a.py",)))
    (fault,) = site.faults
    lacks = "as Markdown, this docstring would lack the word 'gone'"
    assert str(fault) == f"a.py:4: {lacks}: it is shown as it is written"
    (page,) = site.pages
    note = page.sections[-1].block.note.text
    assert note == "```text\nOne.\n\nIt is gone:\n  * now\n```"
