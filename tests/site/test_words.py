"""Every word of a docstring is on its page: the law of words, on code of others."""

import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from shutil import copytree, ignore_patterns
from urllib.parse import unquote

import pytest
from lxml import etree
from lxml.html import HtmlElement, fromstring
from markdown import Markdown

from labml_txl.literate.equations.extension import FormulaExtension
from labml_txl.literate.equations.math import Typesetter
from labml_txl.literate.markdown.front_matter import split_front_matter
from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.markdown.note import pieces_of
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.kinds.module import ModulePage
from labml_txl.literate.project.modules import ModuleSource
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.render import render_page
from labml_txl.literate.sources.docstrings import WORD, text_of, words_of
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.sources.syntax import docstrings, parse
from tests.literate.small import must_build, write
from tests.site import links
from tests.site.test_foreign_code import SETTINGS, page_of, unpack
from tests.site.test_pages import having

pytestmark = [
    pytest.mark.setup,
    pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning"),
]

# Packages, how many docstrings each has at least, and the styles that they are in.
WHEELS = {
    "scikit-learn==1.9.1": 2_900,  # NumPy
    "networkx==3.6.1": 1_900,  # NumPy
    "geopy==2.4.1": 250,  # Sphinx
    "shapely==2.2.0": 400,  # NumPy
    "equinox==0.13.8": 200,  # Markdown with admonitions
    "flax==0.12.8": 900,  # Google
    "torchvision==0.29.1": 800,  # Google and reStructuredText
    "labml_nn==0.5.1": 1_300,  # Markdown
    "trio==0.35.0": 400,  # Google
    "seaborn==0.13.2": 450,  # NumPy
}
# Tests in a package are no pages of its site.
TESTS = ("*/tests", "*/testing", "*/externals")
ROWS = f"//*[{having('lit-block')}]"


def test_every_word_of_the_standard_library_is_on_its_page(tmp_path: Path) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    left = ("test", "tests", "*-packages", "__pycache__", "idlelib", "lib2to3")
    copytree(library, tmp_path / "lib", ignore=ignore_patterns(*left, "*.so"))
    checked, lost = words_lost(tmp_path, ["lib"])
    assert lost == {}
    assert checked > 5_000


@pytest.mark.parametrize("wheel", WHEELS)
def test_every_word_of_a_docstring_is_on_its_page(wheel: str, tmp_path: Path) -> None:
    checked, lost = words_lost(tmp_path, unpack(wheel, tmp_path))
    assert lost == {}
    assert checked >= WHEELS[wheel]


def test_the_built_site_has_the_rows_that_are_checked_without_templates(
    tmp_path: Path,
) -> None:
    packages = unpack("geopy==2.4.1", tmp_path)
    write(tmp_path, {"mkdocs.yml": SETTINGS.format(", ".join(packages))})
    write(tmp_path, {"docs/.keep": ""})
    must_build(tmp_path)
    project = Project(tmp_path, modules=tuple(packages))
    for module, html in converted(project):
        page = links.read(page_of(tmp_path, tmp_path / module.source.path)).tree
        built, made = (
            [" ".join(row.text_content().split()) for row in tree.xpath(ROWS)]
            for tree in (page, fromstring(html))
        )
        assert built == made
        assert made


def words_lost(folder: Path, packages: list[str]) -> tuple[int, dict[str, list[str]]]:
    """How many docstrings were checked, and the words that their rows lack."""
    checked, lost = 0, dict[str, list[str]]()
    project = Project(folder, modules=tuple(packages), exclude=TESTS)
    for module, html in converted(project):
        # The page of an empty file is empty.
        for line, words in rows(module, fromstring(html or "<p>")):
            checked += 1
            if words:
                lost[f"{module.source.path}:{line}"] = words
    return checked, lost


def converted(project: Project) -> Iterator[tuple[ModuleSource, str]]:
    """The modules of a project, and the HTML of their pages without the templates."""
    found, typesetter = annotate(project), Typesetter()
    ignored = list[LiterateError]()
    extensions = ["toc", *EXTENSIONS, FormulaExtension(typesetter)]
    host = Markdown(extensions=extensions, extension_configs=EXTENSIONS)
    for path, page in found.site_pages.items():
        if isinstance(page, ModulePage) and page.module.facts.readable:
            markdown = split_front_matter(
                render_page(found.page(path), found.site, ignored.append)
            )[1]
            yield page.module, host.reset().convert(markdown)
    typesetter.close()


def rows(module: ModuleSource, page: HtmlElement) -> Iterator[tuple[int, list[str]]]:
    """The line of each docstring that is a note, and the words its row lacks."""
    source, shown = module.source, {}
    for row in page.xpath(ROWS):
        shown[row.get("id")] = row
    tree = parse(source)
    for _, _, string in docstrings(tree):
        for section in module.page.sections:
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


# Languages and options of blocks of code, and names of elements, which a page does not
# show as text, and addresses of pages, which it shows in another form. Front matter is
# in the head of a page.
LANGUAGE = re.compile(
    r"\A---\n.*?\n---[ ]*(?:\n|\Z)|\]\([^()\s]*(?:/|\.html)[^()\s]*\)"
    r"|^[ ]*(?:`{3,}|~{3,})[^`\n]+|(?<=code-block::)[ ]*[\w+.-]+"
    r"|(?<=code::)[ ]*[\w+.-]+"
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
            first = int(element.get("start", 1))
            others += [str(number) for number, _ in enumerate(items, start=first)]
    texts = [Counter(WORD.findall("".join(text))) for text in (joined, apart)]
    return (texts[0] | texts[1]) + Counter(WORD.findall(" ".join(others)))
