"""Every word that the drawings and the scripts of the site show can be translated."""

import re
from collections.abc import Iterator
from pathlib import Path

from labml_txl.literate.cli.i18n import list_catalogs
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.po import LABELS as LABELS_PAGE
from labml_txl.literate.i18n.po import file_of_shipped, load_catalog, load_shipped
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.project.inventory import SITE, figure_messages
from labml_txl.literate.security.svg import parse
from labml_txl.literate.sources.source import Source
from tests.test_layers import PACKAGE, ROOT, tracked

# An English word, which is no name in code or in braces.
WORD = re.compile(r"(?<![\w.${])[A-Za-z]{3,}(?![\w(=:}])")
# These are pictures of source code, which no page translates.
OF_CODE = {"source.svg", "page.svg"}
# Words that English sentences contain, and names of classes do not.
SMALL = re.compile(
    r"(?<![\w.-])(?:an|the|of|is|are|was|no|not|and|or|from|with|to|more|than|that)"
    r"(?![\w.-])"
)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*|(?<=[;{},)]) //[^\n]*", re.M | re.DOTALL)


def labels_without_message(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    messages = {one.text for one in figure_messages(Source(path.name, text))}
    for element in parse(text).iter():
        # What is in a monospaced font is code or data.
        if "monospace" in f"{element.get('font-family')} {element.get('style')}":
            continue
        for given in (element.text, element.tail):
            words = " ".join((given or "").split())
            if WORD.search(words) and words not in messages:
                yield f"{path.name}: {words}"


def test_labels_of_the_engine_are_translated_once_and_are_checked() -> None:
    """The names of the site may be the same words: its tab *Notebooks* is one."""
    site = open_project(ROOT / "mkdocs.yml")
    assert len(site.languages) > 2
    names = {message.text for message in site.inventory[SITE]}
    for code in (language.code for language in site.languages[1:]):
        own = load_catalog(site.locale, code, SITE, ROOT).entries
        assert {*LABELS.values()} & {*own} <= names
        # The commands for translators check their file as the others.
        assert (LABELS_PAGE, file_of_shipped(code)) in list_catalogs(site, code)
        assert {*load_shipped(code).entries} == {*LABELS.values()}


def test_every_word_of_a_drawing_is_a_message() -> None:
    places = (PACKAGE / "figures", ROOT / "docs")
    paths = [p for p in tracked() if p.suffix == ".svg" and {*places} & {*p.parents}]
    assert len(paths) > 20
    drawings = [path for path in paths if path.name not in OF_CODE]
    assert [line for path in drawings for line in labels_without_message(path)] == []


def test_scripts_contain_no_text_except_labels() -> None:
    offenders = []
    places = (PACKAGE / "figures", PACKAGE / "literate" / "theme")
    paths = [p for p in tracked() if p.match("*js") and {*places} & {*p.parents}]
    assert len(paths) > 20
    for path in paths:
        code = COMMENT.sub("", path.read_text(encoding="utf-8"))
        for match in STRING.finditer(code):
            text = re.sub(r"\$\{[^{}]*\}", "", match[1] or match[2] or "")
            of_page = re.search(r"[{}\[\]]|:(?:not|is)", text)  # a selector or a style
            if SMALL.search(text) and " " in text.strip() and not of_page:
                offenders.append(f"{path.name}: {text[:80]}")
    assert offenders == []
