"""Translations that want to do harm, in a browser: nothing of theirs runs."""

import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page, Route, expect

from labml_txl.literate.export.notebooks.tutorial import parse, write_tutorial
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.security.elements import elements
from labml_txl.literate.security.foreign import find_foreign
from labml_txl.literate.sources.source import Source
from tests.literate.mkdocs.test_plugin import read, serving, wait
from tests.literate.security.payloads import HOST, IN_MARKDOWN, JS, MSGSTR, PAYLOADS
from tests.literate.small import CONFIG, COUNTER, COUNTER_FILE, FILES, txl, write
from tests.literate.translations import po
from tests.site.served import served

# The project, with a payload in every place

SETTINGS = """\
site_name: Hostile
site_description: About the site
theme:
  name: material
  font: false
  palette:
    - scheme: default
      toggle: {icon: material/brightness-7, name: Colours of the day}
    - scheme: slate
      toggle: {icon: material/brightness-4, name: Colours of the night}
  features: [navigation.tabs, navigation.footer, navigation.path]
extra: {generator: false}
repo_url: https://github.com/reader/things
plugins:
  - search
  - literate:
      modules: [src/module]
      equations: [papers]
      notebooks: [notebooks]
nav:
  - Home: index.md
"""
LAST = """\
  - Modules: module/
  - Notebooks: notebooks/
  - Equations: equations.md
"""
LANGUAGE = 'name = "日本語"\nenglish = "Japanese"\n'
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 20">'
    "<title>Title of the figure</title>"
    '<text x="1" y="15">Label in the figure</text></svg>'
)
REGISTRY = """
[paper]
key = "cnt"
title = "On Counting"
authors = "A. Author"
year = 2020
arxiv = "2001.00001"

[symbols.n]
latex = ['n']
meaning = "Meaning of the symbol."
names = ["number"]

[equations.next]
title = "Title of the equation"
section = "2"
number = 1
latex = '''n = n + 1'''
text = "Text of the equation."
symbols = ["n"]
"""
HEADER = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

"""
HOME = "# Home of all\n\nWords of the home page.\n\n<script>window.ours = 1</script>\n"
# So many payloads share a page, and one of them is its title.
SHARED = 12


def letters(number: int) -> str:
    """A number as letters: a message without words is no message."""
    return "".join("abcdefghij"[int(digit)] * 2 for digit in f"{number:03}")


def prose(number: int) -> str:
    words = letters(number)
    return f"""\
## Heading {words}

Paragraph {words} says [words](../index.md) and $n$, with `code`.

- Item {words}

| Head {words} |
| --- |
| Cell {words} |

> Quotation {words}

![Picture {words}](../figure.svg)
"""


def write_project(folder: Path, payloads: Sequence[str]) -> list[str]:
    """Write the project; the paths of its pages below that of a language."""
    numbers = range(len(payloads))
    pages = [numbers[n : n + SHARED] for n in numbers[::SHARED]]
    # What passes as text has to be harmless as a title; of what does not, some of
    # every kind are titles.
    inert = [one for one in payloads if not find_foreign("Words.", one)]
    others = [one for one in payloads if one not in inert]
    titles = [*inert, *others[:: len(others) // len(pages) or 1]]
    cells = [f"# %% [markdown]\n# Words {letters(n)} are here." for n in numbers]
    title = "# %% [markdown]\n# # The notebook"
    notebook = "\n\n".join([HEADER + title, *cells, "# %%\n1 + 1\n"])
    notes = "\n\n".join(f"# Note {letters(n)} is here.\nx{n} = {n}" for n in numbers)
    nav = [f"  - Entry {letters(n)}: p/{n}.md\n" for n, _ in enumerate(pages)]
    files = {
        "mkdocs.yml": "".join([SETTINGS, *nav, LAST]),
        "docs/index.md": HOME,
        "docs/figure.svg": DRAWING,
        "src/module/__init__.py": (
            f'r"""# The module\n\nIts words, see [it][cnt.next].\n"""\n\n{notes}\n'
        ),
        "papers/counting.toml": REGISTRY,
        "notebooks/play.py": notebook,
        "notebooks/play.ipynb": write_tutorial(
            parse(Source("notebooks/play.py", notebook))
        ),
        "docs/locale/ja/language.toml": LANGUAGE,
    }
    for page, shared in enumerate(pages):
        words = letters(page)
        tag = json.dumps(payloads[page])
        head = f"---\ntitle: Title {words}\ndescription: About {words}\n"
        head += f"tags: [{tag}]\n---\n\n"
        files[f"docs/p/{page}.md"] = head + "\n".join(map(prose, shared))
    write(folder, files)

    def translation(message: str, n: int) -> str:
        kind, _, rest = message.partition(" ")
        if not (named := re.match(r"(?:([a-j])\1){3}", rest)):
            return payloads[n % len(payloads)]
        number = int("".join(f"{'abcdefghij'.index(one)}" for one in named[0][::2]))
        if kind in {"Title", "About", "Entry"}:
            return titles[number]
        if kind == "Paragraph":
            return f"$n$と`code`の[リンク][1]{payloads[number]}"
        before = "言葉 " if kind in {"Heading", "Cell", "Quotation"} else ""
        return before + payloads[number]

    for name, messages in open_project(folder / "mkdocs.yml").inventory.items():
        said = {one.text: translation(one.text, n) for n, one in enumerate(messages)}
        write(folder, {f"docs/locale/ja/{name}.po": po("ja", said)})
    numbered = (f"p/{n}/" for n, _ in enumerate(pages))
    return ["", *numbered, "module/", "notebooks/play/", "equations/"]


# What may not happen

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


def test_no_payload_of_a_translation_runs_or_is_on_a_page(
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


def brought_as_text(site: Path, code: str) -> Iterator[tuple[str, str]]:
    """What the texts and notebooks of a language have and the English have not.

    They are read as GitHub and notebooks do, which make links of bare addresses too.
    """
    reader = MarkdownIt("commonmark", {"html": True, "linkify": True})
    reader.enable(["table", "strikethrough", "linkify"])
    english = dict(texts(site))
    for name, words in texts(site / code):
        ours, theirs = (
            Counter(
                re.sub(rf"(/|%2F){code}(?=\1)", "", one)
                for one in elements(reader.render(text))
            )
            for text in (english[name], words)
        )
        for element in theirs - ours:
            # A name such as `model.pt` may be code there, and a word here.
            address = element.removeprefix('<a href="http://').removesuffix('">')
            if address not in english[name]:
                yield name, element


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".ipynb":
            cells = json.loads(file.read_text("utf-8"))["cells"]
            words = [c for c in cells if c["cell_type"] == "markdown"]
            yield name, "\n\n".join("".join(c["source"]) for c in words)
        elif file.suffix == ".md" or file.name == "llms.txt":
            yield name, file.read_text("utf-8")


def code_of(notebook: Path) -> list[list[str]]:
    """The code of each cell of a notebook, sign by sign, without its comments."""
    unseen = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
    return [
        [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type not in unseen
        ]
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "code" and (source := "".join(cell["source"]))
    ]


def test_downloads_contain_no_payload(hostile: Hostile, site: Path) -> None:
    for folder, code in ((hostile.site, "ja"), (site, "ja"), (site, "zh")):
        assert [*brought_as_text(folder, code)] == []
        notebooks = [*(folder / code).rglob("*.ipynb")]
        assert notebooks
        for file in notebooks:
            english = folder / file.relative_to(folder / code)
            assert code_of(file) == code_of(english), file
    # Whoever builds the site is told of it, with file and line.
    assert "docs/locale/ja/p/0.po:" in hostile.said
    assert re.search(r"docs/locale/ja/site\.po:\d+: <", hostile.said)


# The index of Zensical is its own.
@pytest.mark.parametrize("hostile", ["mkdocs"], indirect=True)
def test_search_results_are_plain_text(hostile: Hostile, browser: Browser) -> None:
    index = hostile.site / "ja/search/search_index.json"
    for entry in json.loads(index.read_text("utf-8"))["docs"]:
        shown = [entry["title"], entry["text"], *entry.get("tags", ())]
        assert not [one for one in elements("\n".join(shown)) if " " in one], entry
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


def test_the_csp_alone_stops_an_injected_script(
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


def test_a_preview_reloads_and_keeps_the_csp(tmp_path: Path, browser: Browser) -> None:
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
