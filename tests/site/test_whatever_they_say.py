"""Built pages beside each other, as a browser parses them.

The engine compares the pages that it writes with a reader of its own. Here the browser
itself is the reader, and it is listed what a translated page may have of its own.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from tests.literate.i18n.payloads import MSGSTR
from tests.literate.small import build
from tests.site.hostile import brought_as_text, other_code, write_project

HOME = "https://reader.example/annotated/"
# The root of the site in each language.
HOMES = re.compile(rf"^{re.escape(HOME)}(?:(?:ja|de)(?:/|$))?")
ELEMENTS = """html => [...new DOMParser().parseFromString(html, "text/html")
    .querySelectorAll("*")].map((element) => [
        element.localName,
        [...element.attributes].map(({ name, value }) => [name, value]),
        element.localName === "script" ? element.textContent : "",
    ])"""
ADDRESSES = {"href", "src", "action", "content"}
# What is said to a reader, and not to the browser.
WORDS = {"alt", "aria-label", "placeholder", "title"}
# A part that is not translated says so, and leads to where it can be.
MARKS = re.compile(
    r"span lang=en|p class=lit-share data-search-exclude=|a class=lit-mark"
    r"|a (class=lit-(mark|edit) )?href=\S+/edit/\S+?/docs/locale/(?:ja|de)/\S+\.po"
    r"(#L\d+)?( rel=edit)?"
    r"|a href=translate/"
    # A question about a page names the page and its language, and nothing else.
    r"|a class=lit-help href=https://github\.com/reader/things/issues/new"
    r"\?title=Question\+about\+(?:ja|de)%2F[\w%.+-]*&body=[\w%.+-]*"
)


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def published(folder: Path) -> Path:
    """The site of a project that has an address."""
    config = folder / "mkdocs.yml"
    config.write_text(f"site_url: {HOME}\n{config.read_text('utf-8')}", "utf-8")
    done = build(folder)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def found(reader: Page, html: str, address: str) -> Counter[str]:
    """The elements of a page in Chromium, with addresses seen from the English site."""
    return Counter(
        " ".join(
            [
                tag,
                *sorted(stated(tag, dict(given), address)),
                program(untold(code, address) if ["id", "__labels"] in given else code),
            ]
        )
        .strip()
        .replace("  ", " ")
        for tag, given, code in reader.evaluate(ELEMENTS, html)
    )


def stated(tag: str, given: dict[str, str], address: str) -> Iterator[str]:
    """The attributes of an element, but for those of the language of its page."""
    said = given.get("name", given.get("property", ""))
    for name, value in given.items():
        if name in WORDS or (name == "content" and re.match("og:|descr", said)):
            yield name
        elif given.get("http-equiv") == "Content-Security-Policy" and name == "content":
            # One of the scripts names the language.
            yield re.sub(r"'sha256-[^']+'", "'sha256'", f"{name}={value}")
        elif tag == "html" and name == "lang":
            yield name
        elif "data-language" in given and name in {"aria-current", "data-offer"}:
            continue
        elif name in ADDRESSES:
            seen = HOMES.sub("", urljoin(address, value))
            yield f"{name}={seen}"
        else:
            yield f"{name}={value}"


def untold(code: str, address: str) -> str:
    """What is told to the scripts, without the address of the page's own sentences.

    A translated page names them where an English page has none.
    """
    told = json.loads(code)
    home = HOMES.match(address)
    assert home
    if home[0].rstrip("/") == HOME.rstrip("/"):
        assert told["sentences"] is None
    elif told["sentences"] is not None:
        where = urljoin(address, told["sentences"])
        assert where.startswith(home[0])
        assert re.fullmatch(r"[\w/]+\.sentences\.json", where.removeprefix(home[0]))
        told["sentences"] = None
    return json.dumps(told)


def program(code: str) -> str:
    """A script, but for the words and addresses that it is given."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', code)


def brought(site: Path, reader: Page, code: str) -> Iterator[tuple[str, str]]:
    """What pages of a language have and English ones have not, but for their marks."""
    pages = [*(site / code).rglob("*.html")]
    assert len(pages) > 5
    for file in sorted(pages):
        path = file.relative_to(site / code).as_posix()
        way = path.removesuffix("index.html")
        english, translated = (
            found(reader, page.read_text("utf-8"), f"{HOME}{folder}{way}")
            for page, folder in ((site / path, ""), (file, f"{code}/"))
        )
        for element in translated - english:
            if not MARKS.fullmatch(element):
                yield path, element


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_our_own_translations_bring_nothing(site: Path, code: str) -> None:
    assert [*brought_as_text(site, code)] == []
    assert [*other_code(site, code)] == []


# A failure is told as it was found: each attempt to make it smaller is a build.
@settings(max_examples=2, phases=[Phase.generate])
@given(st.lists(MSGSTR, min_size=60, max_size=60, unique=True))
def test_whatever_stands_in_a_message_brings_nothing(
    reader: Page, translations: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), translations)
        site = published(Path(folder))
        assert [*brought(site, reader, "ja")] == []
