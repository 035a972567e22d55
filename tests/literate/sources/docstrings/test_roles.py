"""Names and blocks of code in the way of Sphinx are those of Markdown."""

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import with_names
from labml_txl.literate.sources.source import Source


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("A :class:`Lock`, :py:meth:`a.b`'s", "A `Lock`, `a.b`'s"),
        (":func:`~torch.nn.Linear` :func:`!f`", "`Linear` `f`"),
        (":ref:`how it works <label-1>`", "how it works"),
        (":math:`x` and ``:class:`A` `` and a::`b`", None),
        (
            "So::\n\n    a = 1\n\n    b\n\nand",
            "So:\n\n```python\na = 1\n\nb\n```\n\nand",
        ),
        ("::\n\n  >>> a\n  1", "```pycon\n>>> a\n1\n```\n"),
        (
            ".. code-block:: text\n   :linenos:\n\n   a\n     b\n\nand",
            "```text\na\n  b\n```\n\nand",
        ),
        (
            "    x: so::\n\n            a\n    y: b",
            "    x: so:\n\n        ```python\n        a\n        ```\n\n    y: b",
        ),
        ("a[::]\nb::\nc::d\n\n    e::f", None),
        ("Shape::\n    - :math:`x`", "Shape:\n    - :math:`x`"),
        ("Note::\n\n    a\n    b", "Note:\n    a\n    b"),
        (
            "- one::\n\n      code\n\n  still of the item\n- two",
            "- one:\n\n    ```python\n    code\n    ```\n\n  still of the item\n- two",
        ),
        ("1. First::\n\n   then this.", None),
        ("So::\n\n    ```\n    x", "So:\n\n````python\n```\nx\n````\n"),
        ("a\n\n    .. math::\n        x", None),
        (".. image:: a.png\n    :alt: b", None),
        ("```\na::\n\n    b\n```", None),
    ],
)
def test_they_are_marked_as_markdown_wants_them(note: str, shown: str | None) -> None:
    assert with_names(note) == (shown or note)


def test_a_docstring_has_them() -> None:
    text = '"""A.\n\nOf :class:`Lock`::\n\n    # not :math:`x`\n    lock()\n"""\n'
    note = split(Source("a.py", text))[0].note
    assert note == "A.\n\nOf `Lock`:\n\n```python\n# not :math:`x`\nlock()\n```\n"
