"""Translations that want to do harm, in a browser: nothing of theirs runs."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route, expect

from labml_txl.literate.markdown.elements import elements
from tests.literate.i18n.payloads import HOST, IN_MARKDOWN, JS, MSGSTR, PAYLOADS
from tests.literate.mkdocs.test_plugin import read, serving, wait
from tests.literate.small import CONFIG, COUNTER, COUNTER_FILE, FILES, txl, write
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


@contextmanager
def watched(browser: Browser, home: str, **options: Any) -> Iterator[Page]:
    """A page in which no script of others runs, and which asks no other host."""
    found: list[str] = []

    def ask(route: Route) -> None:
        if route.request.url.startswith((home, "data:", "blob:")):
            route.continue_()
        else:
            found.append(f"asks for {route.request.url}")
            route.abort()

    context = browser.new_context(**options)
    context.expose_function("ran", lambda: found.append("a script ran"))
    context.route("**/*", ask)
    page = context.new_page()
    page.on("dialog", lambda dialog: found.append(f"opens a dialog: {dialog}"))
    yield page
    context.close()
    assert found == []


@dataclass
class Hostile:
    """A built project, its pages below the folder of a language, and what was said."""

    site: Path
    paths: list[str]
    said: str


def generated(count: int) -> list[str]:
    """What hypothesis makes of the parts of payloads, the same each time."""
    found: list[str] = []

    # Its first example is as small as can be, and the second one is not.
    @settings(max_examples=2, phases=[Phase.generate])
    @given(st.lists(MSGSTR, min_size=count, max_size=count, unique=True))
    def draw(messages: list[str]) -> None:
        found[:] = messages

    draw()
    return found


@pytest.fixture(scope="module", params=["mkdocs", "zensical"])
def hostile(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Hostile:
    """The project with a payload in every place; the second host has some of them."""
    folder = tmp_path_factory.mktemp(request.param)
    payloads = [*PAYLOADS, *IN_MARKDOWN, *generated(60)]
    some = payloads[:: 1 if request.param == "mkdocs" else 5]
    paths = write_project(folder, some)
    done = txl(folder, "export", "--to", "site", "--host", request.param)
    assert done.returncode == 0, done.stderr
    return Hostile(folder / "site", paths, done.stderr)


# What a page of a language may have of its own: a part that is not translated says so,
# and leads to where it can be; a question about a page names the page.
OWN = re.compile(
    r"span lang=en|p class=lit-share data-search-exclude=|a class=lit-mark"
    r"|a (class=lit-(mark|edit) )?href=\S+/edit/\S+/docs/locale/ja/\S+\.po(#L\d+)?"
    r"( rel=edit)?|a href=translate/"
    r"|a class=lit-help href=https://github\.com/reader/things/issues/new"
    r"\?title=Question\+about\+ja%2F[\w%.+-]*&body=[\w%.+-]*"
)
PARSED = """html => [...new DOMParser().parseFromString(html, "text/html")
    .querySelectorAll("*")].map((element) => [
        element.localName,
        Object.fromEntries([...element.attributes].map((one) => [one.name, one.value])),
        element.localName === "script" ? element.textContent : "",
    ])"""
# What is said to a reader, and not to the browser.
WORDS = {"alt", "aria-label", "placeholder", "title", "lang"}


# The root of the site in each language.
HOMES = re.compile(r"^(https://reader\.github\.io)?/(things/)?(ja/)?")


def parsed(page: Page, html: str, address: str) -> Counter[str]:
    """The elements of a page in Chromium, with addresses seen from the English site.

    They come without what is words: those of attributes, and the strings of a script.
    """
    found = Counter[str]()
    for tag, has, code in page.evaluate(PARSED, html):
        about = has.get("name", has.get("property", ""))
        parts = [tag]
        for name, value in sorted(has.items()):
            chosen = "data-language" in has and name in {"aria-current", "data-offer"}
            if (tag, name) == ("span", "lang") or not (name in WORDS or chosen):
                if name in {"href", "src", "action"}:
                    value = HOMES.sub("", urljoin(address, value))
                if name == "content":
                    # The rule of a page names its scripts, one of which has words.
                    value = re.sub(r"'sha256-[^']+'", "", value)
                    value = "" if re.match("og:|descr", about) else value
                parts.append(f"{name}={value}")
        # A page names the file of its own sentences, where it has one.
        program = re.sub(r'"(?:[^"\\]|\\.)*"|\bnull\b', '""', code)
        found[" ".join([*parts, program]).strip()] += 1
    return found


def brought(page: Page, site: Path) -> Iterator[tuple[str, str]]:
    """What pages of a language have and English ones have not, but for their marks."""
    files = sorted((site / "ja").rglob("*.html"))
    assert len(files) > 5
    for file in files:
        path = file.relative_to(site / "ja")
        ours, theirs = (
            parsed(page, one.read_text("utf-8"), f"/{folder}{path.as_posix()}")
            for one, folder in ((site / path, ""), (file, "ja/"))
        )
        for element in theirs - ours:
            if not OWN.fullmatch(element):
                yield path.as_posix(), element


def test_nothing_of_a_translation_runs_or_stands_on_a_page(
    hostile: Hostile, browser: Browser
) -> None:
    """Whatever a reader does, and whatever the page's own rule would stop."""
    with served(hostile.site) as home, watched(browser, home, bypass_csp=True) as page:
        here = [f"ja/{path}" for path in hostile.paths]
        for path in (*here, "", "translations/", "404.html"):
            page.goto(home + path)
            alive = page.evaluate(ALIVE)
            page.evaluate(TOUCH)
            assert re.split("[#?]", page.url)[0] == home + path
            assert alive == [], path
        assert "zensical" in str(hostile.site) or [*brought(page, hostile.site)] == []


def test_what_leaves_the_site_as_text_or_notebook_has_nothing_of_it_either(
    hostile: Hostile, site: Path
) -> None:
    for folder, code in ((hostile.site, "ja"), (site, "ja"), (site, "zh")):
        assert [*brought_as_text(folder, code)] == []
        assert [*other_code(folder, code)] == []
    # Whoever builds the site is told of it, with file and line.
    assert "docs/locale/ja/p/0.po:" in hostile.said
    assert re.search(r"docs/locale/ja/site\.po:\d+: <", hostile.said)


def test_the_search_shows_words_as_words(hostile: Hostile, browser: Browser) -> None:
    if "zensical" in str(hostile.site):
        pytest.skip("its index is its own")
    index = hostile.site / "ja/search/search_index.json"
    for entry in json.loads(index.read_text("utf-8"))["docs"]:
        assert not [one for one in elements(entry["title"]) if " " in one], entry
    with served(hostile.site) as home, watched(browser, home, bypass_csp=True) as page:
        page.goto(f"{home}ja/")
        page.wait_for_load_state("networkidle")
        page.keyboard.press("/")
        page.keyboard.insert_text("Heading")
        page.keyboard.press("Shift")
        page.wait_for_selector(".md-search-result__link")
        assert page.evaluate(ALIVE) == []


# The rule of a page

# Put into a page by somebody.
PUT_IN = f"""
<script>{JS}</script><img src=x onerror={JS}><b onclick={JS}>b</b>
<img src="https://{HOST}/x.png"><iframe srcdoc="<script>parent.{JS}</script>"></iframe>
<base href="//{HOST}/"><a href="javascript:{JS}">c</a>
<form action="//{HOST}/"><button>d</button></form>
<object data="https://{HOST}/x"></object>
<style>@import "https://{HOST}/x.css";</style>
"""


def test_the_rule_alone_stops_what_was_put_into_a_page(
    hostile: Hostile, browser: Browser
) -> None:
    for file in hostile.site.rglob("*.html"):
        html = file.read_text("utf-8")
        before, rule, _ = html.partition('<meta http-equiv="Content-Security-Policy"')
        assert rule, file
        assert not re.search(r"<(?:script|link|style|img)\b", before)
        assert html.count("Content-Security-Policy") == 1
    html = (hostile.site / "index.html").read_text("utf-8")
    words = "Words of the home page."
    assert words in html
    (hostile.site / "rule.html").write_text(html.replace(words, PUT_IN), "utf-8")
    with served(hostile.site) as home, watched(browser, home) as page:
        page.goto(f"{home}rule.html")
        page.evaluate(TOUCH)
        assert page.evaluate("document.baseURI") == f"{home}rule.html"
        # The page's own scripts are alive, in it and beside it.
        assert page.evaluate("window.ours") == 1
        assert page.locator(".lit-live").count() == 1


def test_a_preview_still_reloads_and_keeps_the_rule(
    tmp_path: Path, browser: Browser
) -> None:
    theme = "theme: {name: material, font: false}"
    write(tmp_path, FILES, {"mkdocs.yml": CONFIG.replace("theme: material", theme)})
    with serving(tmp_path) as home:
        address = f"{home}counting/counter/"
        assert wait(lambda: "One more than before" in read(address))
        page = browser.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.goto(address)
        changed = COUNTER.replace("One more", "Just one more")
        (tmp_path / COUNTER_FILE).write_text(changed)
        shown = page.get_by_text("Just one more than before")
        expect(shown).to_be_visible(timeout=60_000)
        page.evaluate(f"document.body.innerHTML += '<img src=x onerror={JS}>'")
        page.close()
    assert not [one for one in said if "livereload" in one]
    assert [one for one in said if "Content Security Policy" in one]
