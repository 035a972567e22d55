"""Every link of the site, wherever it is published, in all languages.

The site is built for a folder of a host, for the root of a host, and with no address
given. Menus, search and the page for lost readers are tried in a browser as well.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, expect

from labml_txl.literate.i18n.languages import ENGLISH, Language, language
from tests.site.audit import HEAVIEST
from tests.site.conftest import PUBLISHED, Visit, Watch, build
from tests.site.links import NOT_FOUND, Published, page_of
from tests.site.pages import LANGUAGES, ROOT, folders
from tests.site.test_finding_the_way import search

AT_ROOT = "https://reader.example/"
ANYWHERE = "https://anywhere.example/"
FOUND = [ENGLISH, *(language(file, ROOT) for file in sorted(LANGUAGES))]
LOST = [f"{folder}{NOT_FOUND}" for folder in folders()]


@pytest.fixture(scope="module")
def variants(
    site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Published]:
    """The site for a folder, for the root, and with no address given."""
    base = tmp_path_factory.mktemp("published")
    build(base / "root", SITE_URL=AT_ROOT)
    build(base / "unsaid", SITE_URL="")
    settings = ROOT.joinpath("mkdocs.yml").read_text(encoding="utf-8")
    ((repository, owner, name),) = re.findall(
        r'^repo_url:.*"(https://github\.com/([^/]+)/([^/"]+))"', settings, re.MULTILINE
    )
    by_host = f"https://{owner}.github.io/{name}/"
    return {
        "folder": Published(site, PUBLISHED, repository, ROOT),
        "root": Published(base / "root", AT_ROOT, repository, ROOT),
        "unsaid": Published(base / "unsaid", by_host, repository, ROOT),
    }


EACH = pytest.mark.parametrize("variant", ["folder", "root", "unsaid"])


def pages(published: Published) -> list[str]:
    """The pages that are not for lost readers, as files."""
    return [f for f in published.files if f.endswith(".html") and f not in LOST]


def in_languages(file: str) -> dict[str, str]:
    """The address of a page in each language, by the tag of the language."""
    code, _, rest = file.partition("/")
    path = rest if f"{code}/" in folders() else file
    return {one.tag: page_of(f"{one.folder}{path}") for one in FOUND}


# Over the files


@EACH
def test_every_address_leads_somewhere(
    variants: Mapping[str, Published], variant: str
) -> None:
    published = variants[variant]
    assert published.broken() == []
    kinds = {link.kind for _, link in published.links()}
    assert kinds >= {
        *(
            "a",
            "img",
            "script",
            "form",
            "stylesheet",
            "icon",
            "preload",
            "prev",
            "next",
        ),
        *("canonical", "alternate", "og:url", "og:image", "loc", "colab", "url()"),
        *("index", "search", "result", "equations", "markdown"),
    }


@EACH
def test_all_but_the_page_for_lost_readers_can_stand_anywhere(
    variants: Mapping[str, Published], variant: str
) -> None:
    moved = variants[variant].at(f"{ANYWHERE}some/folder/")
    assert moved.broken([file for file in moved.files if file not in LOST]) == []


@EACH
def test_the_menu_leads_to_the_same_page_in_each_language(
    variants: Mapping[str, Published], variant: str
) -> None:
    published = variants[variant]
    for file in pages(published):
        menu = published.files[file].languages
        found = {tag: published.whole(file, goal) for tag, goal in menu.items()}
        wanted = in_languages(file)
        assert found == {t: published.address + p for t, p in wanted.items()}, file
    for file in LOST:
        menu = published.files[file].languages
        found = {tag: published.whole(file, goal) for tag, goal in menu.items()}
        homes = {one.tag: published.address + one.folder for one in FOUND}
        assert found == homes, file


@EACH
def test_the_head_names_the_page_and_its_translations_by_whole_addresses(
    variants: Mapping[str, Published], variant: str
) -> None:
    published = variants[variant]
    for file in pages(published):
        links = published.files[file].links
        wanted = {t: published.address + p for t, p in in_languages(file).items()}
        own = {link.goal for link in links if link.kind in ("canonical", "og:url")}
        assert own == {published.address + page_of(file)}, file
        others = [link.goal for link in links if link.kind == "alternate"]
        assert sorted(others) == sorted([*wanted.values(), wanted["en"]]), file


# The checker itself

FAULTS = {
    "a dead link": ('<a href="nowhere/">', "leads nowhere"),
    "a link to a folder": ('<a href="deep">', "leads nowhere"),
    "a dead anchor": ('<a href="deep/#no">', "leads to no anchor"),
    "a way out of the site": ('<a href="/deep/">', "leaves the site"),
    "a picture": ('<img src="no.png" srcset="a.png 2x">', "leads nowhere"),
    "a choice of pictures": ('<img src="a.png" srcset="a.png, no.png 2x">', "nowhere"),
    "a still": ('<video src="a.png" poster="no.png"></video>', "leads nowhere"),
    "a shared picture": ('<meta property="og:image" content="a.png">', "not a whole"),
    "an address": ('<link rel="canonical" href="deep/">', "not a whole address"),
    "a language": ('<link rel="alternate" href="/x/de/">', "not a whole address"),
    "Colab": (
        '<a href="https://colab.research.google.com/#fileId='
        'https%3A%2F%2Freader.example%2Fx%2Fno.ipynb">',
        "leads nowhere",
    ),
    "a file of the source": (
        '<a href="https://git.example/r/blob/main/no.py">',
        "no file",
    ),
    "a line": ('<a href="https://git.example/r/edit/main/a.py#L3">', "line 3 of 2"),
    "a blank": ('<a href="a b.png">', "is not quoted"),
    "the script": (
        '<script id="__config">{"base": ".", "search": "no.js"}</script>',
        "leads nowhere",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_checker_finds(tmp_path: Path, fault: str) -> None:
    html, said = FAULTS[fault]
    for name in ("deep/index.html", "a.png", "a b.png", "search/search_index.json"):
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"docs": []}' if name.endswith("json") else "")
    tmp_path.joinpath("a.py").write_text("a = 1\nb = 2\n")
    index = tmp_path / "site" / "index.html"
    published = ("https://reader.example/x/", "https://git.example/r", tmp_path)
    index.write_text('<h1 id="top"><a href="#top">A</a></h1><a href="deep/">B</a>')
    assert Published(index.parent, *published).broken() == []
    index.write_text(html)
    (line,) = Published(index.parent, *published).broken()
    assert line.startswith("index.html: ")
    assert said in line


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.css", "a { background: url(no.png) }"),
        ("a.md", "A [link](no.md) and `[code](of.md)`.\n"),
        ("llms.txt", "- [A](https://reader.example/x/no.md): a page\n"),
        ("a.ipynb", '{"cells": [{"cell_type": "markdown", "source": ["[A](no.md)"]}]}'),
        (
            "sitemap.xml",
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            "<url><loc>https://reader.example/x/no/</loc></url></urlset>",
        ),
        ("search/search_index.json", '{"docs": [{"location": "no/"}]}'),
    ],
)
def test_the_checker_reads(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    (line,) = Published(tmp_path, "https://reader.example/x/").broken()
    assert line.endswith("leads nowhere")


# In the browser, below a folder


def choose(page: Page, name: str) -> None:
    page.locator(".lit-languages summary").click()
    page.locator(".lit-languages").get_by_role("link", name=name).click()


def test_the_menu_goes_from_language_to_language(visit: Visit, home: str) -> None:
    page = visit(HEAVIEST)
    for one in [*FOUND[1:], ENGLISH]:
        choose(page, one.name)
        page.wait_for_url(f"{home}{one.folder}{HEAVIEST}*")
        expect(page.locator("html")).to_have_attribute("lang", one.tag)


def test_a_chosen_language_is_offered_on_every_other_page(
    visit: Visit, home: str
) -> None:
    page = visit("")
    choose(page, FOUND[1].name)
    page.wait_for_url(f"{home}{FOUND[1].folder}*")
    page.goto(f"{home}{HEAVIEST}")
    page.locator(".lit-offer a").click()
    page.wait_for_url(f"{home}{FOUND[1].folder}{HEAVIEST}*")
    expect(page.locator("h1")).to_be_visible()


@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.code)
def test_what_the_search_finds_is_in_the_language_and_is_there(
    visit: Visit, home: str, one: Language, site: Path
) -> None:
    page = visit(f"{one.folder}{HEAVIEST}")
    search(page, "TransformerXL")
    links = page.locator("a.md-search-result__link")
    expect(links.first).to_be_visible()
    found = links.evaluate_all("all => all.map(e => e.href)")
    assert found
    assert all(link.startswith(home + one.folder) for link in found)
    links.first.click()
    page.wait_for_url("**?h=*")
    expect(page.locator("html")).to_have_attribute("lang", one.tag)
    expect(page.locator("h1")).to_be_visible()


@pytest.mark.parametrize("one", FOUND, ids=lambda one: one.code)
def test_a_lost_reader_finds_each_language(
    visit: Visit, watch: Watch, home: str, one: Language
) -> None:
    watch.allow("status of 404")
    page = visit("models/no/such/page/")
    choose(page, one.name)
    page.wait_for_url(f"{home}{one.folder}")
    # The page of each language that says the same leads home to that language.
    page.goto(f"{home}{one.folder}{NOT_FOUND}")
    page.locator("main").get_by_role("link").click()
    page.wait_for_url(f"{home}{one.folder}")


# From a folder on a disk


def test_the_site_can_be_read_from_a_disk(
    variants: Mapping[str, Published], browser: Browser
) -> None:
    start = variants["root"].folder.as_uri()
    page = browser.new_page()
    page.goto(f"{start}/index.html")
    page.locator(".md-tabs").get_by_role("link", name="Models").click()
    page.wait_for_url(f"{start}/models/index.html")
    choose(page, FOUND[1].name)
    page.wait_for_url(f"{start}/{FOUND[1].folder}models/index.html")
    page.goto(f"{start}/{HEAVIEST}index.html")
    offered = page.locator(".lit-offer a").get_attribute("href")
    assert urljoin(page.url, offered) == (
        f"{start}/{FOUND[1].folder}{HEAVIEST}index.html"
    )
    loaded = page.evaluate("[...document.fonts].some(font => font.status === 'loaded')")
    assert loaded
    page.close()
