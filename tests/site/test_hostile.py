"""Translations that want to do harm, in a browser: nothing of theirs runs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from labml_txl.literate.markdown.elements import elements
from labml_txl.literate.mkdocs.policy import inline_scripts
from tests.literate.i18n.payloads import (
    HOST,
    IN_MARKDOWN,
    JS,
    PAYLOADS,
)
from tests.literate.mkdocs.test_plugin import read, serving, wait
from tests.literate.small import (
    CONFIG,
    COUNTER,
    COUNTER_FILE,
    FILES,
    build,
    txl,
    write,
)
from tests.site.hostile import brought_as_text, other_code, write_project
from tests.site.served import served

# Touches everything on a page, as a mouse and a keyboard would.
TOUCH = """() => {
    const here = new RegExp(
        `^(${location.origin}|https://github.com/reader/things|https://arxiv.org/abs/)`);
    addEventListener("click", (event) => {
        const link = event.target.closest?.("a[href]");
        if (link && here.test(link.href)) event.preventDefault();
    }, true);
    for (const element of document.querySelectorAll("*")) {
        for (const kind of ["mouseover", "mouseenter", "pointerenter", "mousedown"])
            element.dispatchEvent(new MouseEvent(kind, { bubbles: true }));
        element.focus?.();
        if (!element.matches("button[type=reset]")) element.click?.();
    }
}"""
# Whatever leads elsewhere, or covers the page.
ALIVE = """() => [...document.querySelectorAll("*")].flatMap((element) => {
    const found = [...element.attributes].filter(({ name, value }) =>
        name.startsWith("on")
        || (/^(href|src|action|formaction|data|poster|srcset|xlink:href)$/.test(name)
            && /elsewhere|^\\s*(javascript|vbscript|data:text)/i.test(value))
        // The second host keeps its search in a box of its own.
        || (name === "style" && /fixed|url/.test(value) && !element.shadowRoot));
    return found.map(({ name, value }) => `${element.localName} ${name}=${value}`);
})"""


@dataclass
class Seen:
    """What happened while pages were open."""

    found: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext, home: str) -> None:
        context.expose_function("ran", lambda: self.found.append("a script ran"))
        context.on("page", self._page)

        def ask(route: Route) -> None:
            if route.request.url.startswith((home, "data:", "blob:")):
                route.continue_()
            else:
                self.found.append(f"asks for {route.request.url}")
                route.abort()

        context.route("**/*", ask)

    def _page(self, page: Page) -> None:
        def closed(dialog: object) -> None:
            self.found.append(f"opens a dialog: {dialog}")

        page.on("dialog", closed)


Hostile = tuple[Path, list[str], str]


def _built(folder: Path, *, some: int = 1, host: str = "mkdocs") -> Hostile:
    paths = write_project(folder, [*PAYLOADS, *IN_MARKDOWN][::some])
    done = txl(folder, "export", "--to", "site", "--host", host)
    assert done.returncode == 0, done.stderr
    return folder / "site", paths, done.stderr


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    """The project with a payload in every place, as it is built."""
    return _built(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def hostile_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    """Some of the payloads in every place, as the second host builds them."""
    folder = tmp_path_factory.mktemp("hostile_elsewhere")
    return _built(folder, some=5, host="zensical")


@pytest.fixture(params=["hostile", "hostile_elsewhere"])
def project(request: pytest.FixtureRequest) -> Hostile:
    found: Hostile = request.getfixturevalue(request.param)
    return found


def test_nothing_of_a_translation_runs_whatever_a_reader_does(
    project: Hostile, browser: Browser
) -> None:
    site, paths, _ = project
    seen = Seen()
    with served(site) as home:
        # Without the rule of the page: that is another wall.
        context = browser.new_context(bypass_csp=True)
        seen.over(context, home)
        page = context.new_page()
        for path in [
            *(f"ja/{path}" for path in paths),
            "",
            "translations/",
            "404.html",
        ]:
            page.goto(home + path)
            seen.found += page.evaluate(ALIVE)
            page.evaluate(TOUCH)
            assert page.url.partition("#")[0].partition("?")[0] == home + path
            assert seen.found == [], path
        context.close()


def test_a_payload_is_named_with_its_file_and_line(hostile: Hostile) -> None:
    _, _, said = hostile
    assert "docs/locale/ja/p/0.po:" in said
    assert re.search(r"docs/locale/ja/site\.po:\d+: <", said)


def test_what_leaves_the_site_as_text_has_no_element_either(hostile: Hostile) -> None:
    assert [*brought_as_text(hostile[0], "ja")] == []


def test_no_notebook_of_a_language_runs_other_code(hostile: Hostile) -> None:
    assert [*other_code(hostile[0], "ja")] == []


def test_the_search_shows_words_as_words(hostile: Hostile, browser: Browser) -> None:
    site, _, _ = hostile
    index = json.loads((site / "ja/search/search_index.json").read_text("utf-8"))
    for entry in index["docs"]:
        assert not [one for one in elements(entry["title"]) if " " in one], entry
    seen = Seen()
    with served(site) as home:
        context = browser.new_context(bypass_csp=True)
        seen.over(context, home)
        page = context.new_page()
        page.goto(f"{home}ja/")
        page.wait_for_load_state("networkidle")
        page.keyboard.press("/")
        page.keyboard.insert_text("Heading")
        page.keyboard.press("Shift")
        page.wait_for_selector(".md-search-result__link")
        assert page.evaluate(ALIVE) == []
        context.close()
    assert seen.found == []


# The rule of a page


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page of the small project, into which somebody has put what runs."""
    folder = tmp_path_factory.mktemp("rule")
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(
        "# Words\n\n<script>window.ours = 1</script>\n\nMore words.\n"
    )
    (folder / "mkdocs.yml").write_text(
        "site_name: S\ntheme: {name: material, font: false}\n"
        "plugins: [search, literate]\nextra: {generator: false}\n"
    )
    assert build(folder, "--strict").returncode == 0
    page = folder / "site" / "index.html"
    html = page.read_text("utf-8").replace(
        "More words.",
        f"<script>{JS}</script><img src=x onerror={JS}><b onclick={JS}>b</b>"
        f'<img src="https://{HOST}/x.png">'
        f'<iframe srcdoc="<script>parent.{JS}</script>"></iframe>'
        f'<base href="//{HOST}/"><a href="javascript:{JS}">c</a>'
        f'<form action="//{HOST}/"><button>d</button></form>'
        f'<object data="https://{HOST}/x"></object>'
        f'<style>@import "https://{HOST}/x.css";</style>',
    )
    page.write_text(html, "utf-8")
    with served(folder / "site") as home:
        yield home


def test_the_rule_alone_stops_what_was_put_into_a_page(
    plain: str, browser: Browser
) -> None:
    seen = Seen()
    context = browser.new_context()
    seen.over(context, plain)
    page = context.new_page()
    page.goto(plain)
    page.evaluate(TOUCH)
    assert page.evaluate("window.ours") == 1
    assert page.evaluate("document.baseURI") == plain
    # The page's own script is alive: it has put its live region into the page.
    assert page.locator(".lit-live").count() == 1
    context.close()
    assert seen.found == []


@pytest.mark.parametrize("project", ["hostile", "hostile_elsewhere"], indirect=True)
def test_every_page_has_a_rule_before_all_that_it_rules(project: Hostile) -> None:
    site, _, _ = project
    for file in site.rglob("*.html"):
        html = file.read_text("utf-8")
        before, rule, _ = html.partition('<meta http-equiv="Content-Security-Policy"')
        assert rule, file
        assert not re.search(r"<(?:script|link|style|img)\b", before)
        assert html.count("Content-Security-Policy") == 1
        assert [*inline_scripts(html)]


def test_a_preview_still_reloads_and_keeps_the_rule(
    tmp_path: Path, browser: Browser
) -> None:
    write(
        tmp_path,
        {
            **FILES,
            "mkdocs.yml": CONFIG.replace(
                "theme: material", "theme: {name: material, font: false}"
            ),
        },
    )
    with serving(tmp_path) as home:
        address = f"{home}counting/counter/"
        assert wait(lambda: "One more than before" in read(address))
        page = browser.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(address)
        file = tmp_path / COUNTER_FILE
        file.write_text(COUNTER.replace("One more", "Just one more"))
        expect(page.get_by_text("Just one more than before")).to_be_visible(
            timeout=60_000
        )
        page.evaluate(f"document.body.innerHTML += '<img src=x onerror={JS}>'")
        page.close()
    assert not [one for one in said if "livereload" in one]
    assert [one for one in said if "Content Security Policy" in one]
