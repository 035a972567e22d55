"""The site as a book: outline, page numbers, links, and nothing that is cut off."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from playwright.sync_api import Browser
from pypdf import PdfReader
from pypdf.generic import Destination

from labml_txl.errors import UsageError
from labml_txl.literate.cli.book import Options, books, run
from labml_txl.literate.export.book import Book, Part, html, in_order
from labml_txl.literate.export.paper import numbers
from tests.literate import small
from tests.literate.tongues import COUNTER_JA, JAPANESE, po
from tests.site.pages import ROOT

SECTIONS = ("Guide", "Code")
LONG = f'return "{"x" * 120}"'  # much longer than the column of the code
GUIDE = """\
# How to count

Begin with [the counter](counting/counter.md#Counter), and read $a^2 + b^2$. The [first
page](index.md) is not in the book.

| a | b | c | d | e | f | g |
| - | - | - | - | - | - | - |
| aaaaaaaaaa | bbbbbbbbbb | cccccccccc | dddddddddd | eeeeeeeeee | ffffffffff | ggggg |

<details markdown="1"><summary>More</summary>

It was folded.

</details>
"""
CONFIG = (
    small.CONFIG
    + """\
site_url: https://reader.example/
nav:
  - Home: index.md
  - Guide: guide.md
  - Code: counting/
"""
)
SITE_JA = {
    "Counting": "数える",
    "Guide": "手引き",
    "Code": "コード",
    "Contents": "目次",
}
# The width of what can be printed on, in pixels of the style sheets.
WIDTH, HEIGHT = round((297 - 28) / 25.4 * 96), round((210 - 31) / 25.4 * 96)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project with a page of prose, built in two languages."""
    folder = tmp_path_factory.mktemp("book")
    code = small.FILES[small.COUNTER_FILE]
    assert isinstance(code, str)
    code += f"\n\ndef wide() -> str:\n    {LONG}\n"
    files: Mapping[str, str | bytes] = {
        "mkdocs.yml": CONFIG,
        "docs/guide.md": GUIDE,
        small.COUNTER_FILE: code,
        "docs/locale/ja/language.toml": JAPANESE,
        "docs/locale/ja/site.po": po("ja", SITE_JA),
        "docs/locale/ja/counting/counter.po": po("ja", COUNTER_JA),
    }
    small.write(folder, small.FILES, files)
    done = small.build(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def printed(project: Path) -> dict[str, PdfReader]:
    """The book in each language, as the command prints it."""
    given = {"site": project / "site", "out": project / "book"}
    assert run(Options(sections=SECTIONS, config=project / "mkdocs.yml", **given)) == 0
    files = sorted((project / "book").iterdir())
    return {file.stem: PdfReader(file) for file in files}


def test_there_is_one_file_a_language(printed: dict[str, PdfReader]) -> None:
    assert [*printed] == ["en", "ja"]
    titles = [reader.metadata and reader.metadata.title for reader in printed.values()]
    assert titles == ["Counting", "数える"]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("en", ["Contents", "How to count", "Code", "Counting things", "Steps"]),
        ("ja", ["目次", "How to count", "コード", "Counting things", "Steps"]),
    ],
)
def test_the_outline_follows_the_order_of_reading(
    printed: dict[str, PdfReader], code: str, wanted: list[str]
) -> None:
    reader = printed[code]
    entries = [*flat(reader.outline)]
    titles = [normalize("NFKC", str(entry.title)).strip() for entry in entries]
    assert {*wanted} <= {*titles}
    places = [titles.index(title) for title in wanted]
    assert places == sorted(places)
    assert ("カウンター" if code == "ja" else "The counter") in titles
    pages = [reader.get_destination_page_number(entry) for entry in entries]
    assert pages == sorted(p for p in pages if p is not None)


@pytest.mark.parametrize("code", ["en", "ja"])
def test_every_page_has_its_number_and_the_contents_name_them(
    printed: dict[str, PdfReader], project: Path, code: str
) -> None:
    reader = printed[code]
    chapters = {
        name: page
        for name, page in numbers(project / "book" / f"{code}.pdf").items()
        if re.fullmatch(r"c\d+", name)
    }
    assert len(chapters) == 4
    for name, page in chapters.items():
        lines = reader.pages[page - 1].extract_text().splitlines()
        assert str(page) in lines, name
    contents = reader.pages[1].extract_text()
    assert [int(n) for n in re.findall(r"\d+", contents)] == [*chapters.values()]


@pytest.mark.parametrize("code", ["en", "ja"])
def test_all_text_is_there_once_and_what_was_folded_is_open(
    printed: dict[str, PdfReader], code: str
) -> None:
    text = "".join(page.extract_text() for page in printed[code].pages)
    bare = re.sub(r"\s", "", normalize("NFKC", text))
    assert "Itwasfolded." in bare
    assert LONG.replace(" ", "") in bare
    assert "from.stepsimportSTEP" not in bare  # imports are not for paper
    assert len(re.findall(r"a\+?2\+?b2", bare)) == 1
    if code == "ja":
        assert "いくつあったかを覚えているだけのカウンターです。" in bare


@pytest.mark.parametrize("code", ["en", "ja"])
def test_links_lead_into_the_book_or_to_the_published_site(
    printed: dict[str, PdfReader], code: str
) -> None:
    reader = printed[code]
    within, elsewhere = set[str](), set[str]()
    for page in reader.pages:
        for note in page.get("/Annots", []):
            link = note.get_object()
            if "/Dest" in link:
                within.add(str(link["/Dest"]))
            else:
                elsewhere.add(str(link["/A"]["/URI"]))
    assert any(name.endswith("-Counter") for name in within)
    assert within <= {*reader.named_destinations}
    folder = "" if code == "en" else "ja/"
    assert f"https://reader.example/{folder}" in elsewhere
    assert all(url.startswith("https://") for url in elsewhere), elsewhere


@pytest.mark.parametrize("code", ["en", "ja"])
def test_nothing_is_wider_than_the_paper(
    browser: Browser, project: Path, code: str
) -> None:
    (book,) = (
        book
        for found, book in books(project / "mkdocs.yml", project / "site", SECTIONS)
        if found == code
    )
    assert wide(browser, book, project / f"{code}.html") == []


@pytest.mark.parametrize("code", ["en", "ja", "zh"])
def test_our_own_book_fits_its_paper_and_its_links_lead_somewhere(
    browser: Browser, site: Path, tmp_path: Path, code: str
) -> None:
    makefile = ROOT.joinpath("Makefile").read_text(encoding="utf-8")
    (words,) = re.findall(r"/txl book (.+)", makefile)
    (book,) = (
        book
        for found, book in books(ROOT / "mkdocs.yml", site, words.split())
        if found == code
    )
    assert [part.title for part in book.parts if not part.pages] == []
    text = html(book)
    anchors = re.findall(r'\sid="([^"]*)"', text)
    assert {*re.findall(r'\shref="#([^"]+)"', text)} <= {*anchors}
    assert not re.search(r"<script|\shref=\"(?!#|https?:|file:|data:)", text)
    assert wide(browser, book, tmp_path / "book.html") == []


def wide(browser: Browser, book: Book, file: Path) -> list[str]:
    """What is cut at its right edge, or makes the browser print all of it smaller.

    And chapters with more than a line of nothing at their end: it may need a page.
    """
    file.write_text(html(book), encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.emulate_media(media="print")
    page.goto(file.as_uri(), timeout=120_000)
    found: list[str] = page.evaluate(
        """() => {
            const boxes = "html, pre, pre > code, table, .katex-display, figure";
            return [...document.querySelectorAll(boxes)]
                .filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
                .map(e => `${e.closest("article")?.id}: ${e.outerHTML.slice(0, 200)}`);
        }"""
    )
    found += page.evaluate(
        """() => [...document.querySelectorAll("article")].flatMap(chapter => {
            const range = document.createRange();
            const texts = document.createTreeWalker(chapter, NodeFilter.SHOW_TEXT);
            let last = 0;
            while (texts.nextNode()) {
                range.selectNode(texts.currentNode);
                for (const box of range.getClientRects())
                    if (box.width > 1) last = Math.max(last, box.bottom);
            }
            const empty = chapter.getBoundingClientRect().bottom - last;
            return empty > 24 ? [`${chapter.id}: ${empty} pixels of nothing`] : [];
        })"""
    )
    page.close()
    return found


def test_the_pages_are_those_that_lead_to_one_another(project: Path) -> None:
    wanted = ["", "guide/", "counting/", "counting/steps/", "counting/counter/"]
    assert [*in_order(project / "site")] == wanted


def test_a_section_that_is_not_there_is_named(project: Path) -> None:
    with pytest.raises(UsageError, match="Gide"):
        [*books(project / "mkdocs.yml", project / "site", ("Gide",))]


def test_what_a_title_says_is_no_style_and_no_element(tmp_path: Path) -> None:
    hostile = '"} body { display: none } </style><script>1</script>'
    text = f"<body><article><h1>{hostile.replace('<', '&lt;')}</h1></article>"
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    parts = (Part('<script>"', ("",)),)
    made = html(Book(tmp_path, "", "<b>", "<i>", "<u>", "en", "ltr", parts))
    assert "<script" not in made
    assert made.count("</style>") == 1
    assert r'content: "\"} body' in made


def flat(outline: list[Any]) -> Iterator[Destination]:
    """The entries of an outline, one after the other."""
    for entry in outline:
        if isinstance(entry, list):
            yield from flat(entry)
        else:
            yield entry


def test_anchors_of_two_pages_do_not_meet(tmp_path: Path) -> None:
    for name in ("a", "b"):
        text = (
            '<article id="x"><h1 id="top">A</h1><a href="#top">1</a>'
            '<a href="../b/#top">2</a><a href="../c/">3</a>'
            '<svg><clipPath id="p"/><g clip-path="url(#p)"/></svg></article>'
        )
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(text, encoding="utf-8")
    parts = (Part("All", ("a/", "b/")),)
    made = html(Book(tmp_path, "", "", "", "", "en", "ltr", parts))
    links = re.findall(r'<a href="([^"]*)">\d', made)
    assert links == ["#c1-top", "#c2-top", "#c2-top", "#c2-top"]
    assert [*chain(re.findall(r"url\((.*?)\)", made))][-2:] == ["#c1-p", "#c2-p"]
    assert "<a>3</a>" in made
