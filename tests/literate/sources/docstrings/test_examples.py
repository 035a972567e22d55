"""Examples, with what Python answers, are code."""

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import with_examples
from labml_txl.literate.sources.source import Source

EXAMPLE = ">>> 1 + 1\n2\n>>> for i in ():\n...     pass"


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (EXAMPLE, f"```pycon\n{EXAMPLE}\n```"),
        (
            f"So:\n\n{EXAMPLE}\n\nand so on",
            f"So:\n\n```pycon\n{EXAMPLE}\n```\n\nand so on",
        ),
        ("  >>> a\n  1\n", "  ```pycon\n  >>> a\n  1\n  ```\n"),
        ("So:\n\n    >>> a\n    1", "So:\n\n    >>> a\n    1"),
        (
            "- an item:\n\n    >>> a\n    1\n- b",
            "- an item:\n\n    ```pycon\n    >>> a\n    1\n    ```\n- b",
        ),
        (
            "- an item\n\n        >>> a\n        1",
            "- an item\n\n        >>> a\n        1",
        ),
        ("```\n>>> a\n```", "```\n>>> a\n```"),
        ("> > > quoted", "> > > quoted"),
        ("a >>> b", "a >>> b"),
    ],
)
def test_an_example_is_a_block_of_code(note: str, shown: str) -> None:
    assert with_examples(note) == shown


def test_an_example_in_a_docstring_is_one_too() -> None:
    source = Source("a.py", f'"""So:\n\n{EXAMPLE}\n"""\n')
    assert "```pycon\n>>> 1 + 1" in split(source)[0].note


def test_an_example_in_a_comment_is_one_too() -> None:
    text = "".join(f"# {line}\n" for line in f"So:\n\n{EXAMPLE}\n# 3".split("\n"))
    (block,) = split(Source("a.py", f"{text}x = 1\n"))
    assert block.note == f"So:\n\n```pycon\n{EXAMPLE}\n# 3\n```"
