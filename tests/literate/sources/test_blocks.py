"""How a source is read and split: what is a note, what is code, what goes together."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.sources import syntax
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.imports import fold
from labml_txl.literate.sources.source import (
    LiterateError,
    NewerSyntaxError,
    Source,
    UnreadableError,
    files_below,
    read,
)
from labml_txl.literate.sources.syntax import parse
from tests.literate.small import write
from tests.literate.sources.splitting import holds, is_python, parts

IMPORTS = """\
import os
from typing import (
    TYPE_CHECKING,
)

if TYPE_CHECKING:
    import io

try:
    import tomllib
except ImportError:
    tomllib = None
__all__ = ["f"]
"""


@given(st.text(alphabet="#'\"\\\n\f\t x=():", max_size=30))
def test_any_text_is_split_without_loss_or_refused_with_a_line(text: str) -> None:
    source = Source("any.py", text)
    if is_python(text):
        holds(source, split(source))
    else:
        with pytest.raises(LiterateError, match=r"^any\.py:[1-9]\d*: [^\n]+$"):
            parse(source)
        (block,) = split(source)
        assert (block.note.text, len(block.code)) == ("", len(source.lines))


# What is a note, and what goes together: of each block its scope, what it opens, its
# note, and its code on one line.

BRACKETS = "def f():\n    (\n        'One '\n        'two.'\n    )\n    return\n"
DOCSTRING = 'def f():\n    """One line.\n\n    - and more\n    """\n    return 1\n'
METHODS = """\
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
"""


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (
            "# One.\na = 1\n\n# Two,\n# and more.\nb = 2\n",
            ["|module|One.|a = 1", "||Two, and more.|b = 2"],
        ),
        (BRACKETS, ["f|function|One two.|def f(): return"]),
        (
            BRACKETS.replace("'\n        't", "'\n        # $x$\n        't"),
            ["f|function||def f(): ( 'One '", "f||$x$|'two.' ) return"],
        ),
        ("a = [\n    1,\n    # two\n    2,\n]\n", ["|module||a = [ 1, # two 2, ]"]),
        ("a = 1  # one\nb = '# 2'\n", ["|module||a = 1  # one b = '# 2'"]),
        *(
            (f"a = 1\n{comment}\nb = 2\n", [f"|module||a = 1 {comment} b = 2"])
            for comment in (
                *("#a = 1", "#!interpreter", "# type: ignore", "# noqa: F401"),
                *("# fmt: off", "##"),
            )
        ),
        # A licence above the docstring is no note.
        (
            '# By us.\n\n"""The title."""\n\na = 1\n',
            ["|module|The title.|# By us. a = 1"],
        ),
        # So is one below it.
        (
            '"""The title."""\n\n# Copyright by us.\n\na = 1\n',
            ["|module|The title.|# Copyright by us. a = 1"],
        ),
        # A string below an assignment describes it, as in Sphinx.
        (
            'class A:\n    """It."""\n\n    a: int = 1\n    """One."""\n\n    b = 2\n'
            '    c = 3\n    """Three."""\n\n    def f(self):\n        x = 1\n'
            '        "no note"\n',
            [
                *("A|class|It.|class A:", "A||One.|a: int = 1", "A|||b = 2"),
                *("A||Three.|c = 3", 'A.f|method||def f(self): x = 1 "no note"'),
            ],
        ),
        (
            '# Why.\na = [\n    1,\n]\n"""One."""\nb = 1\n',
            ["|module|Why.  One.|a = [ 1, ]", "|||b = 1"],
        ),
        (DOCSTRING, ["f|function|One line.  - and more|def f(): return 1"]),
        ('def f(): """words"""\n', ['f|function||def f(): """words"""']),
        (
            'class A:\n    """words""" """more"""; b = 1\n',
            ['A|class||class A: """words""" """more"""; b = 1'],
        ),
        (
            "a = 1\n@one\n@two(\n    3\n)\ndef f():\n    return 1\n",
            ["|module||a = 1", "f|function||@one @two( 3 ) def f(): return 1"],
        ),
        (
            "a = 1\ndef f():\n    # Why.\n    return 1\n\nclass A: pass\n",
            [
                *("|module||a = 1", "f|function|Why.|def f(): return 1"),
                "A|class||class A: pass",
            ],
        ),
        (
            METHODS,
            [
                "A|class||class A: a = 1",
                "A.f|method||def f(self): def inner(): return 1 return inner",
                *("A.B|class||class B:", "A.B.g|method||def g(self): return 1"),
                "h|function||def h(): return 1",
            ],
        ),
        # A function inside a function opens a block if it has a docstring.
        (
            'def f():\n    a = 1\n\n    def g():\n        """In."""\n    return g\n',
            ["f|function||def f(): a = 1", "f.g|function|In.|def g(): return g"],
        ),
        # A form feed does not count as a line.
        (
            "a = 1\n\f\n# A note.\nb = '\x0b\x1c\u2028'\n",
            ["|module||a = 1", "||A note.|b = '\x0b\x1c\u2028'"],
        ),
    ],
)
def test_a_text_is_split_into_notes_and_code(text: str, blocks: list[str]) -> None:
    found = []
    for one in parts(text):
        code = " ".join(
            line.text.strip() for line in one.visible_code if line.text.strip()
        )
        note = one.note.text.replace("\n", " ")
        found.append(f"{one.scope}|{one.opens}|{note}|{code}")
    assert found == blocks


# What files are like


def test_all_line_breaks_are_read_alike(tmp_path: Path) -> None:
    text = '"""Title."""\n\n# A note.\na = 1\n'
    for line_break in ("\n", "\r\n", "\r"):
        file = tmp_path / "a.py"
        file.write_bytes(text.replace("\n", line_break).encode())
        assert read(file, tmp_path).text == text


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, {"folder/a.py": b"a = 1\nb = '\xe9'\n"})
    wanted = r"^folder/a\.py:2: byte 0xe9 is not UTF-8: save"
    with pytest.raises(LiterateError, match=wanted):
        read(tmp_path / "folder/a.py", tmp_path)


def test_files_are_found_by_their_endings_and_hidden_ones_are_not(
    tmp_path: Path,
) -> None:
    names = ["b.py", "a/c.py", "a/c.txt", ".hidden/d.py", "a/.e.py"]
    write(tmp_path, dict.fromkeys(names, ""))
    assert files_below(tmp_path, {".py"}) == [tmp_path / "a/c.py", tmp_path / "b.py"]
    # A path may be a file itself.
    assert files_below(tmp_path / "b.py", {".py"}) == [tmp_path / "b.py"]
    assert files_below(tmp_path / "b.py", {".txt"}) == []


@pytest.mark.parametrize(
    ("code", "folded", "rest"),
    [
        (IMPORTS, 11, 0),
        (f"{IMPORTS}\nX = 1\n", 11, 1),
        (f'{IMPORTS}\nX = TypeVar("X", bound=int)\n', 12, 0),
        ("import os\n\nX = 1\nimport io\n", 1, 2),
        ("X = 1\nimport os\n", 0, 2),
        ("if X:\n    import os\n", 0, 2),
    ],
)
def test_imports_are_distinguished_from_what_follows_them(
    code: str, folded: int, rest: int
) -> None:
    source = Source("m.py", f'"""Title."""\n\n{code}')
    shown = split(source)[0].visible_code
    full = [[one for one in part if one.text.strip()] for part in fold(source, shown)]
    assert [*map(len, full)] == [folded, rest]
    assert [*full[0], *full[1]] == [one for one in shown if one.text.strip()]


def test_syntax_of_a_newer_python_is_reported_and_keeps_its_notes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(syntax, "VERSION", (3, 11))
    # The second error is one in every version, so that each of them refuses the file.
    text = '"""Title."""\n\n\ndef f[T](x, /, /):\n    """Words."""\n    # Why.\n    x\n'
    source = Source("new.py", text)
    with pytest.raises(NewerSyntaxError, match=r"new\.py:4: type parameters need Pyt"):
        parse(source)
    notes = [block.note.text for block in split(source)]
    assert notes == ["Title.\n\nWords.", "Why."]
    assert "".join(line.text for block in split(source) for line in block.code) == (
        "def f[T](x, /, /):    x"
    )
    cases = {
        "type A[B] = (": "`type` statements need Python 3.12",
        "try: pass\nexcept A, B: (": "exceptions without brackets need Python",
        "x = (": "not valid Python",
    }
    for text, told in cases.items():
        with pytest.raises(UnreadableError, match=re.escape(told)):
            parse(Source("new.py", text))
