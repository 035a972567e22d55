"""Search, contents, breadcrumbs, previous and next, colours, and the way back home."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.site.audit import HEAVIEST
from tests.site.conftest import PHONE, PUBLISHED, Visit, Watch
from tests.site.links import Published, page_of
from tests.site.pages import EQUATIONS, NOT_FOUND, annotated, every, folders

# Search


def search(page: Page, word: str) -> None:
    """Type a word into the search field, and wait for what it finds."""
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    expect(page.locator(".md-search__input")).to_be_focused()
    page.keyboard.type(word, delay=10)
    # While the word is not whole there are results of its beginning.
    whole = page.locator(f".md-search-result__link[href*='?h={word}' i]")
    expect(whole.first).to_be_visible()


def found(page: Page) -> list[str]:
    """The addresses that a search has found, without the words to be marked."""
    links = page.locator(".md-search-result__link").evaluate_all(
        "all => all.map(e => e.href)"
    )
    return [re.sub(r"\?h=[^#]*", "", link) for link in links]


def test_search_finds_a_word_of_a_note(visit: Visit, home: str, site: Path) -> None:
    page = visit(HEAVIEST)
    note = page.locator(".lit-block:has(.d) > .lit-note > p").first.inner_text()
    # The rarest: the list shows only the first of the pages that it finds.
    index = (site / "search/search_index.json").read_text(encoding="utf-8")
    word = min(re.findall(r"\b[a-z]{6,}\b", note), key=index.count)
    search(page, word)
    assert any(link.startswith(home + HEAVIEST) for link in found(page))
    expect(page.locator(".md-search-result__list mark").first).to_have_text(
        re.compile(word, re.I)
    )


def test_search_finds_a_name_of_the_code_at_its_block(visit: Visit, home: str) -> None:
    page = visit(HEAVIEST)
    # A name that only code holds, in a block that is not the first.
    notes = " ".join(page.locator(".lit-note").all_inner_texts())
    blocks = page.locator(".lit-block:has(h2, h3)")
    for block in blocks.all():
        for name in block.locator(".lit-code .n").all_inner_texts():
            if "_" in name and name not in notes:
                wanted = block.get_attribute("id")
                search(page, name)
                links = [unquote(link) for link in found(page)]
                assert any(
                    link.startswith(home + HEAVIEST)
                    and link.endswith((f"#{wanted}", f"#h-{wanted}"))
                    for link in links
                ), (name, links)
                return
    raise AssertionError("every name stands in a note too")


@pytest.mark.parametrize("folder", ["", "ja/"])
def test_the_index_is_fetched_once_somebody_opens_the_search(
    visit: Visit, folder: str
) -> None:
    page = visit(f"{folder}measured/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.reload()
    page.wait_for_load_state("networkidle")
    assert any(re.fullmatch(r"search\..*\.js", name) for name in asked)
    assert "search_index.json" not in asked
    search(page, "recurrence")
    assert asked.count("search_index.json") == 1


def test_a_page_marks_the_words_that_a_search_has_found(visit: Visit) -> None:
    page = visit(f"{EQUATIONS}?h=recurrence")
    expect(page.locator(".md-content mark").first).to_have_text(
        re.compile("recurrence", re.IGNORECASE)
    )


def test_search_shows_each_formula_once(visit: Visit) -> None:
    page = visit("")
    search(page, "sinusoids")
    shown = page.locator(".md-search-result__item").all_inner_texts()
    formulas = [formula for one in shown for formula in re.findall(r"\\\(.+?\\\)", one)]
    assert formulas, "no result holds a formula"
    # Set formulas would stand there twice: as HTML and as MathML with its TeX.
    for one in shown:
        assert "\\htmlClass" not in one
        assert "sym-" not in one
        for formula in re.findall(r"\\\((.+?)\\\)", one):
            assert f"{formula}{formula}" not in one


def test_what_search_shows_is_text_and_code_and_no_labels(visit: Visit) -> None:
    page = visit(HEAVIEST)
    name = page.locator(".lit-code .n.d").first.inner_text()
    search(page, name)
    for shown in page.locator(".md-search-result__item").all_inner_texts():
        assert not re.search(r"^#|^\d+–\d+$", shown, re.M), shown


def test_a_result_of_the_search_leads_to_its_place(visit: Visit) -> None:
    page = visit("")
    search(page, "recurrence")
    link = page.locator(".md-search-result__link[href*='#']").first
    link.click()
    page.wait_for_url("**?h=*")
    expect(page.locator(":target")).to_be_in_viewport()


# Breadcrumbs, contents, previous and next


def test_breadcrumbs_lead_up_to_the_home_page(visit: Visit, home: str) -> None:
    page = visit(HEAVIEST)
    crumbs = page.get_by_role("navigation", name="Breadcrumbs")
    expect(crumbs.locator("[aria-current=page]")).to_have_text(
        page.locator("h1").inner_text()
    )
    links = crumbs.get_by_role("link").evaluate_all("all => all.map(e => e.href)")
    assert links == [home, f"{home}models/"]
    crumbs.get_by_role("link").last.click()
    expect(page.locator("h1")).to_be_visible()
    assert page.url == f"{home}models/"


LINK = re.compile(r'<a class="md-footer__link [^"]*" href="([^"]*)" rel="(\w+)"')


def test_next_leads_through_every_page_once_and_previous_back(
    site: Path, home: str
) -> None:
    way, here = [home], home
    while following := beside(site, home, here).get("next"):
        assert beside(site, home, following)["prev"] == here
        way.append(here := following)
        assert len(way) <= len(every()), "the way goes round in circles"
    assert len(set(way)) == len(way)
    assert {home + path for path in every()} - {*way} == set()


def beside(site: Path, home: str, address: str) -> dict[str, str]:
    """Where a page leads to as the next and as the previous one."""
    html = (site / address.removeprefix(home) / "index.html").read_text("utf-8")
    return {kind: urljoin(address, way) for way, kind in LINK.findall(html)}


def test_the_contents_name_every_heading_and_lead_there(attention: Page) -> None:
    menu = attention.locator(".lit-contents")
    headings = attention.locator("article :is(h1, h2, h3)").all_inner_texts()
    menu.locator("summary").click()
    entries = menu.locator("li > a")
    shown = [text.strip() for text in entries.all_inner_texts()]
    assert shown == [text.strip() for text in headings]
    entry = entries.nth(len(shown) // 2)
    name = entry.inner_text().strip()
    entry.click()
    expect(menu.locator("ul").first).to_be_hidden()
    target = attention.locator(":target")
    expect(target).to_be_in_viewport()
    expect(target).to_have_text(re.compile(re.escape(name)))
    below = target.bounding_box()
    header = attention.locator(".md-header").bounding_box()
    assert below
    assert header
    assert below["y"] >= header["y"] + header["height"]


def test_on_a_phone_the_drawer_leads_to_other_pages(visit: Visit) -> None:
    page = visit(HEAVIEST, PHONE, has_touch=True, is_mobile=True)
    drawer = page.locator(".md-nav--primary")
    link = drawer.get_by_role("link", name="Equations")
    expect(drawer).not_to_be_in_viewport()
    page.locator("label[for=__drawer].md-header__button").tap()
    # It opens at the pages of this section; its title leads up to the others.
    section = drawer.locator("nav .md-nav__title")
    expect(section).to_be_in_viewport()
    section.tap()
    link.tap()
    page.wait_for_url("**/equations/")


# Light, dark, or as the system has it


def scheme(page: Page) -> str | None:
    return page.locator("body").get_attribute("data-md-color-scheme")


def toggle(page: Page) -> None:
    page.locator("form:has(.md-option) label:visible").click()


@pytest.mark.parametrize("system", ["light", "dark"])
def test_colours_go_round_and_are_remembered(visit: Visit, system: str) -> None:
    page = visit(HEAVIEST, color_scheme=system)
    own = {"light": "default", "dark": "slate"}[system]
    body = page.locator("body")
    expect(body).to_have_attribute("data-md-color-scheme", own)
    for wanted in ("default", "slate", own):
        page.wait_for_load_state("networkidle")
        toggle(page)
        expect(body).to_have_attribute("data-md-color-scheme", wanted)
        page.reload()
        assert scheme(page) == wanted
    # The last of the three follows the system again.
    other = {"light": "dark", "dark": "light"}[system]
    page.emulate_media(color_scheme=other)  # type: ignore[arg-type]
    turned = {"light": "default", "dark": "slate"}[other]
    expect(body).to_have_attribute("data-md-color-scheme", turned)


def test_a_dark_room_sees_no_light_page_first(visit: Visit, watch: Watch) -> None:
    page = visit("", color_scheme="dark")
    page.context.route("**/*.js", lambda route: route.abort())
    watch.allow(r"\.js|ERR_FAILED")
    page.reload()
    assert scheme(page) == "slate"


# No page here


def test_a_lost_reader_finds_search_and_a_way_home(
    visit: Visit, watch: Watch, home: str
) -> None:
    watch.allow("status of 404")
    page = visit("models/no/such/page/")
    expect(page.locator("h1")).to_be_visible()
    main = page.locator("main")
    assert main.get_by_role("searchbox").count() == 1
    main.get_by_role("link", name="home").click()
    page.wait_for_url(home)
    expect(page.locator("h1")).to_be_visible()


def test_a_lost_reader_can_search_at_once(
    visit: Visit, watch: Watch, home: str
) -> None:
    watch.allow("status of 404")
    page = visit("models/no/such/page/")
    page.locator("main").get_by_role("searchbox").fill("recurrence")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{home}?q=recurrence")
    results = page.locator(".md-search-result__link")
    expect(results.first).to_be_visible()


# What leads where


def test_the_site_map_lists_every_page(site: Path) -> None:
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    listed = [
        entry.text or ""
        for entry in ElementTree.parse(site / "sitemap.xml").iter(f"{space}loc")
    ]
    all_languages = [folder + path for folder in folders() for path in every()]
    assert sorted(listed) == sorted(PUBLISHED + path for path in all_languages)
    lost = [folder + NOT_FOUND for folder in folders()]
    files = (file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    assert sorted(map(page_of, files)) == sorted([*all_languages, *lost])


def test_every_module_is_within_reach_of_the_home_page(site: Path) -> None:
    published = Published(site, PUBLISHED)
    pages = {page_of(file): file for file in published.files if file.endswith(".html")}
    reached, ahead = set(), [""]
    while ahead:
        path = ahead.pop()
        if path in reached or path not in pages:
            continue
        reached.add(path)
        for link in published.files[pages[path]].links:
            goal = published.whole(pages[path], link.goal).partition("#")[0]
            ahead.append(goal.removeprefix(PUBLISHED))
    assert {*annotated()} <= reached


def test_the_site_has_its_sign(site: Path) -> None:
    assert (site / "assets" / "favicon.svg").is_file()
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'rel="icon" href="assets/favicon.svg"' in text
