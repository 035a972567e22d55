"""Every word of a docstring is on its page: the law of words, on code of others."""

import ast
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from shutil import copytree, ignore_patterns
from urllib.parse import unquote

import pytest
from lxml import etree
from lxml.html import HtmlElement

from labml_txl.literate.markdown.note import pieces_of
from labml_txl.literate.render.page import assemble
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.docstrings import WORD, text_of, words_of
from labml_txl.literate.sources.source import LiterateError, Source, read
from labml_txl.literate.sources.syntax import definitions, parse
from tests.literate.small import build, write
from tests.site import links
from tests.site.test_foreign_code import SETTINGS, page_of
from tests.site.test_pages import having

pytestmark = [
    pytest.mark.setup,
    pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning"),
]

# Packages, how many docstrings each has at least, and the styles that they are in.
WHEELS = {
    "geopy==2.4.1": 250,  # Sphinx
    "shapely==2.2.0": 400,  # NumPy
    "equinox==0.13.8": 200,  # Markdown with admonitions
    "flax==0.12.8": 900,  # Google
    "torchvision==0.29.1": 800,  # Google and reStructuredText
    "networkx==3.6.1": 1_900,  # NumPy
    "scikit-learn==1.9.1": 2_900,  # NumPy
    "labml_nn==0.5.1": 1_300,  # Markdown
}
# Tests in a package are no pages of its site.
TESTS = '      exclude: ["*/tests", "*/testing", "*/externals"]\n'


@pytest.mark.parametrize("wheel", WHEELS)
def test_every_word_of_a_docstring_is_on_its_page(wheel: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", wheel]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = f"{wheel} cannot be fetched: {done.stderr.strip().splitlines()[-1]}"
        if os.environ.get("TXL_ALL_TESTS"):
            pytest.fail(said)
        pytest.skip(said)
    (file,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(file) as files:
        files.extractall(tmp_path)
    packages = sorted(path.parent.name for path in tmp_path.glob("*/__init__.py"))
    checked, lost = words_lost(tmp_path, packages)
    assert lost == {}
    assert checked >= WHEELS[wheel]


def test_every_word_of_the_standard_library_is_on_its_page(tmp_path: Path) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    left = ("test", "tests", "*-packages", "__pycache__", "idlelib", "lib2to3")
    copytree(library, tmp_path / "lib", ignore=ignore_patterns(*left, "*.so"))
    checked, lost = words_lost(tmp_path, ["lib"])
    assert lost == {}
    assert checked > 5_000


def words_lost(folder: Path, packages: list[str]) -> tuple[int, dict[str, list[str]]]:
    """How many docstrings were checked, and the words that their rows lack.

    It builds the site of the packages in a folder.
    """
    write(folder, {"mkdocs.yml": SETTINGS.format(", ".join(packages)) + TESTS})
    write(folder, {"docs/.keep": ""})
    done = build(folder)
    assert done.returncode == 0, done.stderr
    checked, lost = 0, dict[str, list[str]]()
    for package in packages:
        for module in sorted(folder.joinpath(package).rglob("*.py")):
            page = page_of(folder, module)
            if page.is_file() and (source := readable(module, folder)):
                for line, words in rows(source, page):
                    checked += 1
                    if words:
                        lost[f"{source.path}:{line}"] = words
    return checked, lost


def readable(module: Path, folder: Path) -> Source | None:
    """A module, unless it is not valid Python."""
    try:
        source = read(module, folder)
        parse(source)
    except LiterateError:
        return None
    return source


def rows(source: Source, page: Path) -> Iterator[tuple[int, list[str]]]:
    """The line of each docstring that is a note, and the words its row lacks."""
    blocks = split(source)
    made = assemble(source, blocks, module="m", path="m.md")
    shown = {}
    (article,) = links.read(page).tree.xpath("//article")
    for row in article.xpath(f".//*[{having('lit-block')}]"):
        shown[row.get("id")] = row
    tree = parse(source)
    for node in (tree, *(node for node, _ in definitions(tree))):
        match node.body[:1]:
            case [ast.Expr(value=ast.Constant(value=str()) as string)]:
                pass
            case _:
                continue
        for section in made.sections:
            if string.lineno in section.block.note_lines:
                # A long list of parameters is beside the code.
                parts = f"./*[{having('lit-note')}] | .//*[{having('lit-given')}]"
                there = Counter[str]()
                for note in shown[section.anchor].xpath(parts):
                    there += words_shown(note)
                # A formula is shown in other signs than those of TeX.
                text = section.block.note.text
                formulas = (p.raw for p in pieces_of(text) if p.kind in MATH)
                there += Counter(WORD.findall(" ".join(formulas)))
                docstring = LANGUAGE.sub(" ", cleandoc(text_of(string, source)))
                wanted = Counter(words_of(docstring))
                yield string.lineno, sorted((wanted - there).elements())


# A link may have a formula in its words.
MATH = {"math", "display", "link"}


# Names of languages and elements, which a page does not show as text, and addresses of
# pages, which it shows in another form. Front matter is in the head of a page.
LANGUAGE = re.compile(
    r"\A---\n.*?\n---[ ]*(?:\n|\Z)|\]\([^()\s]*(?:/|\.html)[^()\s]*\)"
    r"|^[ ]*(?:`{3,}|~{3,})\w+|(?<=code-block::)[ ]*\w+|(?<=code::)[ ]*\w+"
    r"|(?<=prompt::)[^\n]*|</?(?:a|b|br|center|code|details|div|em|i|img|li|p|pre|su[bp]"
    r"|summary|ul)\b|\bid=",
    re.MULTILINE | re.DOTALL,
)
# Elements that end a word.
APART = {
    *("p", "li", "ul", "ol", "div", "pre", "br", "td", "th", "tr", "table", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "details", "summary", "img"),
}


def words_shown(note: HtmlElement) -> Counter[str]:
    """The words of a note: its text, its attributes, and the numbers of its lists.

    A word may be divided by an element within it, such as a link, or two words by one.
    """
    joined, apart, others = list[str](), list[str](), list[str]()
    for event, element in etree.iterwalk(note, events=("start", "end", "comment")):
        if event == "comment":
            others.append(str(element.text))
            apart.append(element.tail or "")
            joined.append(element.tail or "")
            continue
        between = " " if element.tag in APART else ""
        text = element.text if event == "start" else element.tail
        joined.append(f"{between}{text or ''}")
        apart.append(f" {text or ''}")
        if event == "start":
            others += [part for v in element.values() for part in (v, unquote(v))]
            items = element.findall("li") if element.tag == "ol" else []
            others += [str(number) for number, _ in enumerate(items, start=1)]
    texts = [Counter(WORD.findall("".join(text))) for text in (joined, apart)]
    return (texts[0] | texts[1]) + Counter(WORD.findall(" ".join(others)))
