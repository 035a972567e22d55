"""How a source is read and split: what is a note, what is code, what goes together."""

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.sources.blocks import Block, split
from labml_txl.literate.sources.source import LiterateError, Source, read
from labml_txl.literate.sources.syntax import parse
from tests.literate.sources.law import holds, is_python, parts


def shown(block: Block) -> list[str]:
    return [line.text for line in block.shown]


def notes(blocks: tuple[Block, ...]) -> list[str]:
    return [block.note for block in blocks]


# Small sources of every kind. Each piece is whole lines, so they can be put together.
PIECES = (
    "# a note\n",
    "#\n",
    "# a note\n# of two lines\n",
    "#commented_out()\n",
    "# noqa: this speaks to a program\n",
    "\n",
    "\n\n",
    "\f\n",
    "x = 1\n",
    "x = 1  # after code\n",
    "text = '# not a comment'\n",
    "text = '''\n# not a comment\n'''\n",
    "call(\n    1,\n    # inside brackets\n    2,\n)\n",
    "x = \\\n    1\n",
    "'a string that stands alone'\n",
    "class A: pass\n",
    "class B:\n    '''A class.'''\n\n    y = 1\n    # a note within\n    z = 2\n",
    "@one\n@two(\n    3\n)\ndef f(a): return a\n",
    "def g():\n    '''A function.'''  # noqa\n    return 1\n",
    "def g():\n\t'''Of tabs.'''\n\t# a note\n\treturn 1\n",
    "async def h():\n    def inner():\n        return 1\n    # a note\n    return 2\n",
    "if x:\n    # a note\n    y = 1\nelse:\n    # another\n    y = 2\n",
    "def g(): '''shares its line'''\n",
    "x = 1; # semicolon\n",
    "λ = 'ñ'  # ünïcode\n",
)


@given(
    st.sampled_from(
        ["", '"""A title."""\n', "# licence\n", '#!/bin/sh\n"""Title."""\n']
    ),
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.booleans(),
)
def test_every_line_stands_in_exactly_one_block(
    opening: str, pieces: list[str], whole: bool
) -> None:
    text = opening + "".join(pieces)
    parts(text if whole else text.removesuffix("\n"))


@given(st.text(alphabet="#'\"\\\n\f\t x=():", max_size=30))
def test_any_text_is_split_by_the_law_or_refused_with_a_line(text: str) -> None:
    source = Source("any.py", text)
    if is_python(text):
        holds(source, split(source))
    else:
        with pytest.raises(LiterateError, match=r"^any\.py:[1-9]\d*: [^\n]+$"):
            parse(source)
        (block,) = split(source)
        assert (block.note, len(block.code)) == ("", len(source.lines))


# What is a note


def test_a_comment_is_the_note_of_the_code_below_it() -> None:
    first, second = parts("# One.\na = 1\n\n# Two,\n# and more.\nb = 2\n")
    assert (first.note, shown(first)) == ("One.", ["a = 1"])
    assert (second.note, shown(second)) == ("Two,\nand more.", ["b = 2"])


def test_a_docstring_in_brackets_is_a_note() -> None:
    text = "def f():\n    (\n        'One '\n        'two.'\n    )\n    return\n"
    (block,) = parts(text)
    assert (block.note, block.begins) == ("One two.", 3)
    assert shown(block) == ["def f():", "    return"]
    # No comment is lost.
    commented = parts(text.replace("'\n        't", "'\n        # $x$\n        't"))
    assert "        # $x$" not in shown(commented[0])
    assert commented[-1].note == "$x$"


def test_a_comment_inside_brackets_is_code() -> None:
    (block,) = parts("a = [\n    1,\n    # the middle\n    2,\n]\n")
    assert block.note == ""
    assert "    # the middle" in shown(block)


@pytest.mark.parametrize(
    "comment",
    ["#a = 1", "#!interpreter", "# type: ignore", "# noqa: F401", "# fmt: off", "##"],
)
def test_a_comment_for_a_program_is_code(comment: str) -> None:
    (block,) = parts(f"a = 1\n{comment}\nb = 2\n")
    assert block.note == ""


def test_a_licence_above_the_docstring_is_no_note() -> None:
    (block,) = parts('# Copyright.\n\n"""The title."""\n\na = 1\n')
    assert block.note == "The title."
    assert block.opens == "module"


def test_a_docstring_loses_its_quotes_and_its_indentation() -> None:
    text = dedent('''
        def f():
            """One line.

            - and more
            """
            return 1
    ''').lstrip()
    (block,) = parts(text)
    assert block.note == "One line.\n\n- and more"
    assert shown(block)[0] == "def f():"
    assert shown(block)[-1] == "    return 1"


@pytest.mark.parametrize(
    "text",
    [
        'def f(): """words"""\n',
        'class A:\n    """words""" """and more"""; b = 1\n',
    ],
)
def test_a_docstring_that_shares_its_line_with_code_is_code(text: str) -> None:
    (block,) = parts(text)
    assert block.note == ""
    assert "words" in "".join(line.text for line in block.code)


# What goes together


def test_decorators_stay_with_their_function() -> None:
    _, block = parts("a = 1\n@one\n@two(\n    3\n)\ndef f():\n    return 1\n")
    assert shown(block)[0] == "@one"
    assert (block.scope, block.opens) == ("f", "function")


def test_a_comment_above_the_first_statement_is_the_note_of_a_bare_function() -> None:
    _, block, _ = parts("a = 1\ndef f():\n    # Why.\n    return 1\n\nclass A: pass\n")
    assert block.note == "Why."
    assert shown(block) == ["def f():", "    return 1"]


def test_each_class_method_and_function_opens_a_block() -> None:
    text = dedent("""
        class A:
            a = 1

            def f(self):
                def inner():
                    return 1
                return inner

            class B:
                def g(self):
                    return 1

        def h():
            return 1
    """).lstrip()
    opened = [(block.scope, block.opens) for block in parts(text)]
    assert opened == [
        ("A", "class"),
        ("A.f", "method"),
        ("A.B", "class"),
        ("A.B.g", "method"),
        ("h", "function"),
    ]


def test_a_function_inside_a_function_opens_a_block_if_it_has_a_docstring() -> None:
    text = 'def f():\n    a = 1\n\n    def g():\n        """Inside."""\n    return g\n'
    outer, inner = parts(text)
    assert outer.scope == "f"
    assert (inner.scope, inner.note) == ("f.g", "Inside.")


# What files are like


def test_a_form_feed_does_not_count_as_a_line() -> None:
    first, second = parts("a = 1\n\f\n# A note.\nb = '\x0b\x1c\u2028'\n")
    assert [*first.lines, *second.lines] == [1, 2, 3, 4]
    assert second.note == "A note."


def test_all_line_breaks_are_read_alike(tmp_path: Path) -> None:
    text = '"""Title."""\n\n# A note.\na = 1\n'
    found = []
    for name, line_break in (("unix.py", "\n"), ("dos.py", "\r\n"), ("mac.py", "\r")):
        file = tmp_path / name
        file.write_bytes(text.replace("\n", line_break).encode())
        found.append(split(read(file, tmp_path)))
    assert found[0] == found[1] == found[2]
    assert notes(found[0]) == ["Title.", "A note."]


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    tmp_path.joinpath("folder").mkdir()
    file = tmp_path / "folder" / "a.py"
    file.write_bytes(b"a = 1\nb = '\xe9'\n")
    with pytest.raises(LiterateError) as caught:
        read(file, tmp_path)
    assert str(caught.value).startswith("folder/a.py:2: byte 0xe9 is not UTF-8: save")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\ndef f(:\n", 2),
        ("a = 1\n'''never closed\n", 2),
    ],
)
def test_what_is_not_python_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(LiterateError, match="not valid Python") as caught:
        parse(Source("a.py", text))
    assert (caught.value.path, caught.value.line) == ("a.py", line)
