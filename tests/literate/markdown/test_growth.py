"""The time that reading takes grows in proportion to the text, whatever it contains."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from markdown import Markdown

from labml_txl.literate.i18n.po import load_catalog
from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.markdown.inline import find_stray_tex
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.markdown.note import has_words, read
from labml_txl.literate.render.render import escape_stray_tags
from labml_txl.literate.sources.docstrings import fence_examples, find_missing_word
from labml_txl.literate.sources.sections import convert_sections
from tests.literate.translations import po

# Texts that other readers take a square or an exponential of their length for.
NASTY = [
    *("```\n", "~~~~\n\n", "> ```\n> \n", "    a\n\n", " ", "\t", "\n", "a  \n"),
    *("\\begin{align} ", "\\begin{align}\n", "<!--", "<!--\n", "<a ", "<", "$", "$$"),
    *("$ a\n", "$$ a\n", "\\(", "\\[", "\\(x ", "\\[x^2 ", "\\[\n", "$\\text{a $x$ "),
    *("[", "![", "[a](", "[a `", "](", "[a][", "x[", "`", "` ``", "*", "**a ", "_"),
    *("* a", "{", "{#a", "{: .a", "{{ a\n", "| a ", "| a\n", "|-|-\n", "- a\n", "- "),
    *("> ", ">", "1. a\n", "+ a\nb\n", "# ", "#", "=\n", "a\n=\n", "!!! a\n", "&"),
    *("https://", "a: ", "1 1 ", "1,", "- 1 ", "[a]: b\n", "<div>\n", "</div>"),
    *("</p> ", "+--", "a   b\n", "a@", "a.", "a-", "://", "\\", "\\{", "a  b | "),
    *("---\ntitle: a\n", "---\n", "title: a\n ", "    >>> a\n\n", "1. "),
    *("<b>", "</b>", '"<b>', "<br>", "a <br> ", " <br>", "<p>\n", "a <p> ", "<!---->"),
    *("<p></p>", "<!--\n-->a\n", "<x>\n <y>\n", "&nbsp;", "a &nbsp; ", "<s>a</s>"),
]  # fmt: skip

# Those that docstrings have in their own notations.
IN_DOCSTRINGS = [
    *("~~~~\n\n", "Title\n~~~~~\n\n", "```\n\n", "`` ", "``` `` ` ", "$ ", ":a:`"),
    *("`a <", "a_ ", "- ", "- a\n  ", "1. ", "- a\n", ".. a\n", ".. note::\n\n    "),
    *("Args:\n", "Args:\n    a\n", "(", "[", " ", " \n", "Parameters\n----------\n"),
    *("x : int\n    x\n", ":param x:\n\n", ":type x: a\n", "a::\n\n  ", "== ==\n"),
    *("+--+\n", "    >>> a\n\n", "$$\n", "\\begin{align}\n", "<div>\n\n", "<!-- "),
    *(
        "!!! note\n    ",
        "C{",
        "@param x: C{\n",
        "| a\n",
        "| a\n  b\n",
        ":a:\n",
        "[1]_ ",
        "\\",
        "{",
        "Note:\n  ",
        *("a:\n", "a.\n b = f(1)\n", "f(x)\n\n", "# a\n", "f(x)\nb = 1\n\n", "f(x\n"),
        *(
            "Args:\n    a\n Returns:\n   b\n",
            "Args:\n\n- a\n",
            "if a:\n b = 1\n",
            "a([",
        ),
    ),
]


def _read(text: str) -> None:
    note = read(text)
    assert escape_stray_tags(note).host or not text.strip()
    for part in note.parts:
        list(find_stray_tex(part.pieces))


def _message(text: str) -> None:
    line = " ".join(text.split("\n"))
    message = read_message(line)
    has_words(message.pieces)
    for part in (message.plain, message.divided.words):
        assert len(part) <= len(line)


def _catalog(text: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "de/a.po")
        file.parent.mkdir()
        entries = {"Some words of $x$ [a][1].": text, "Two.": f"{text}."}
        file.write_text(po("de", entries), encoding="utf-8")
        catalog = load_catalog(Path(folder), "de", "a", Path(folder))
        assert catalog.faults or len({*map(catalog, entries)}) == 2


def _page(text: str) -> None:
    markdown = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    markdown.convert(escape_stray_tags(read(f"A note.\n\n{fence_examples(text)}")).host)


def _docstring(text: str, above: str = "") -> None:
    text = above + text
    find_missing_word(text, convert_sections(text, "bold"))
    fence_examples(text)


READERS: dict[str, Callable[[str], object]] = {
    "a note": _read,
    "a page": _page,
    "a message": _message,
    "a catalog": _catalog,
    "a docstring": _docstring,
    "a docstring of Google": partial(_docstring, above="Args:\n    "),
    "a docstring of NumPy": partial(_docstring, above="Parameters\n----------\n"),
}


def grows(part: str, reader: str) -> bool:
    """Whether 32 times the text takes far more than 32 times as long."""

    def seconds(length: int) -> float:
        text = part * (length // len(part))
        start = time.process_time()
        READERS[reader](text)
        return time.process_time() - start

    short = 200 if reader == "a page" else 500
    # What takes a square of the length takes 1,024 times as long, at each try. One try
    # may be slow for another reason, such as what else runs on the machine.
    return not any(
        (long := seconds(32 * short)) < 0.1 or long < 180 * seconds(short)
        for _ in range(3)
    )


@pytest.mark.parametrize("reader", READERS)
def test_32_times_the_text_takes_about_32_times_as_long(reader: str) -> None:
    parts = [*NASTY, *(IN_DOCSTRINGS if "docstring" in reader else ())]
    assert [part for part in parts if grows(part, reader)] == []


def test_a_block_of_data_is_not_highlighted() -> None:
    def opening(rows: str) -> str:
        return read(f"- a\n\n  ```make x=1\n{rows}  ```\n").host.split("\n")[2].strip()

    assert opening("  x = 1\n" * 1_000) == "```make"
    assert opening("  x = 1\n" * 10_000) == opening(f"  {'(' * 2_500}\n") == "```"
