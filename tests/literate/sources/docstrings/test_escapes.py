r"""A docstring without an `r`: its formulas are what its author sees in the file."""

from pathlib import Path

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import without_r
from labml_txl.literate.sources.source import Source
from labml_txl.literate.sources.syntax import parse
from tests.literate.small import COUNTER, COUNTER_FILE, FILES, build, write

pytestmark = pytest.mark.filterwarnings(
    "ignore::SyntaxWarning", "ignore::DeprecationWarning"
)


def note(written: str, quotes: str = '"""') -> str:
    """The note of a module whose docstring stands so in the file."""
    return split(Source("m.py", f"{quotes}{written}{quotes}\n"))[0].note


THIS = "this formula"
TEX = r"\alpha\beta\frac{a}{b}\nabla\rho\theta\varphi\gamma\0"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rf"words ${TEX}$ words", rf"words ${TEX}$ words"),
        (f"a\n$$\n{TEX}\n$$\nb", f"a\n$$\n{TEX}\n$$\nb"),
        # Twice means once.
        (r"$\\theta + \\, \\{x\\}$", r"$\theta + \, \{x\}$"),
        # But for the sign for a new line, however it is written.
        ("$$\na \\\\ b\\\\\nc\n$$", "$$\na \\\\ b\\\\\nc\n$$"),
        ("$$\na \\\\\\\\ b \\\\\\\\\nc\n$$", "$$\na \\\\ b \\\\\nc\n$$"),
        # Outside of formulas Python's reading counts.
        ("one \\\ntwo \\x41 \\u00e9 $x$", "one two A é $x$"),
        (r"a quote \" and `\\theta` $\theta$", r'a quote " and `\theta` $\theta$'),
        (r"it costs \$5, and \\$6", r"it costs \$5, and \$6"),
        (r"\(\theta\) and \\(\\nu\\)", r"\(\theta\) and \(\nu\)"),
        ("\\[\n\\theta\n\\]", "\\[\n\\theta\n\\]"),
        (r"\\(two \x41\\)", r"\(two A\)"),
        (r"$x$ no escape at all", r"$x$ no escape at all"),
    ],
)
@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_formula_is_read_as_it_stands(written: str, read: str, quotes: str) -> None:
    assert note(written, quotes) == read


def test_a_raw_docstring_is_read_as_it_stands() -> None:
    written = r"$\\theta$ and \theta \\ $\theta$"
    assert note(written) != written
    assert split(Source("m.py", f'r"""{written}"""\n'))[0].note == written


def test_a_formula_that_python_reads_otherwise_is_named_with_its_line() -> None:
    text = (
        '"""One.\n\n$x$ and $\\theta$,\n\n$$\n\\nabla\n$$\n"""\n'
        "def f():\n    '''Right: $\\gamma$.'''\n    r'''$\\theta$'''\n"
        'def g():\n    """Doubled: $\\\\theta$."""\n'
    )
    source = Source("m.py", text)
    assert [*without_r(parse(source), text)] == [(3, THIS), (5, THIS)]


@pytest.mark.parametrize("letter", "abfv")
def test_a_sign_that_nobody_sees_is_named_too(letter: str) -> None:
    text = f'"""One \\\\alpha, `C:\\\\b`\n\nand \\{letter}x{{y}} $z$.\n"""\n'
    source = Source("m.py", text)
    assert [*without_r(parse(source), text)] == [(3, f"\\{letter}")]
    # In a raw docstring it is none, and a form feed may stand in the file itself.
    for other in ("r" + text, text.replace("\\", "").replace(letter, "\f")):
        assert [*without_r(parse(Source("m.py", other)), other)] == []


def test_what_click_wants_at_the_end_of_a_line_is_no_fault() -> None:
    text = '"""Hello.\n\n\\b\n- a\n- b\n\\f\nHidden."""\n'
    assert "\\b\n" in text
    assert [*without_r(parse(Source("m.py", text)), text)] == []


def test_a_docstring_of_several_strings_is_read_as_one() -> None:
    text = 'def f():\n    "Joined: " \\\n    "$\\theta$ and " \'$\\nu$\'\n'
    source = Source("m.py", text)
    assert split(source)[0].note == "Joined: $\\theta$ and $\\nu$"
    assert [*without_r(parse(source), text)] == [(3, THIS), (3, THIS)]


def test_the_line_is_that_of_the_file() -> None:
    text = '"""One \\\ntwo $\\theta$\\n\\n and $\\nu$\nthree $\\rho$"""\n'
    assert [*without_r(parse(Source("m.py", text)), text)] == [
        (2, THIS),
        (2, THIS),
        (3, THIS),
    ]


def test_a_site_warns_of_a_missing_r(tmp_path: Path) -> None:
    counter = COUNTER.replace('r"""Keeps the count $n_t$.', '"""Keeps $n_\\theta$.')
    write(tmp_path, FILES, {COUNTER_FILE: counter})
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    said = f"{COUNTER_FILE}:10: Python reads this formula in another way"
    assert done.stderr.count(said) == 1
    page = tmp_path.joinpath("site/counting/counter/index.html").read_text()
    assert "θ" in page
    assert build(tmp_path, "--strict").returncode == 1


def test_the_place_of_a_string_counts_bytes() -> None:
    text = 'λ = "ñ"; """$\\theta$"""\n'
    assert [*without_r(parse(Source("m.py", text)), text)] == [(1, THIS)]
