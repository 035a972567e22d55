"""A page begins with its introduction; a term looks the same wherever it stands."""

import pytest
from playwright.sync_api import Page, expect

from tests.site.conftest import DESKTOP, PHONE, Visit
from tests.site.pages import annotated
from tests.site.test_figures_and_print import luminance

FOLDED = "details.lit-imports"
MODELS = [path for path in annotated() if path.startswith("models/")]
TERM = ".lit-note > p .katex-html .lit-term-{}"
LINE = ".lit-code .lit-line.lit-term-{}"


def test_imports_are_one_line_that_a_key_opens(visit: Visit) -> None:
    attention = visit("models/relative_attention/")
    code = attention.locator(f"{FOLDED} .lit-code")
    summary = attention.locator(f"{FOLDED} summary")
    expect(summary).to_contain_text("imports, lines ")
    expect(code).to_be_hidden()
    summary.focus()
    attention.keyboard.press("Enter")
    expect(code).to_be_visible()
    expect(code).to_contain_text("import torch")


def test_imports_open_without_scripts(visit: Visit) -> None:
    page = visit("models/memory/", java_script_enabled=False)
    page.locator(f"{FOLDED} summary").click()
    expect(page.locator(f"{FOLDED} .lit-code")).to_be_visible()


def test_paper_shows_the_imports(visit: Visit) -> None:
    attention = visit("models/relative_attention/")
    attention.emulate_media(media="print")
    box = attention.locator(f"{FOLDED} .lit-code").bounding_box()
    assert box
    assert box["height"] > 20


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_introduction_has_no_code_beside_it(
    visit: Visit, size: tuple[int, int]
) -> None:
    page = visit("models/relative_attention/", size)
    note = page.locator(".lit-intro > .lit-note").first.bounding_box()
    folded = page.locator(FOLDED).bounding_box()
    assert note
    assert folded
    assert folded["y"] >= note["y"] + note["height"] - 1


def test_the_code_column_is_never_empty_for_a_screen(visit: Visit, home: str) -> None:
    page = visit("")
    for path in MODELS:
        page.goto(home + path)
        gaps = page.eval_on_selector_all(
            ".lit-block:not(.lit-intro)",
            """all => all.map(e => e.querySelector(".lit-note").offsetHeight
                - (e.querySelector(".lit-side > pre")?.offsetHeight ?? 0))""",
        )
        assert max(gaps, default=0) < 800, path


STYLE = """e => { const s = getComputedStyle(e);
    return [s.color, s.borderBottomStyle]; }"""
LINED = """e => { const s = getComputedStyle(e);
    return [s.textDecorationColor, s.textDecorationStyle]; }"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_term_and_its_line_have_one_colour_and_one_underline(
    visit: Visit, scheme: str
) -> None:
    page = visit("models/relative_attention/", color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    seen = []
    for letter in "abcd":
        term = page.locator(TERM.format(letter)).first.evaluate(STYLE)
        line = page.locator(LINE.format(letter)).first.evaluate(LINED)
        assert term == line
        tag = page.locator(f".lit-code .lit-tag.lit-term-{letter}").first
        content = tag.evaluate("e => getComputedStyle(e, '::before').content")
        assert content == f'"{letter}"'
        low, high = sorted([luminance(term[0]), luminance(ground)])
        assert (high + 0.05) / (low + 0.05) >= 4.5, letter
        seen.append(term)
    assert len({style for _, style in seen}) == 4
    assert len({colour for colour, _ in seen}) == 4


@pytest.mark.parametrize("path", ["papers/transformer_xl/", "equations/"])
def test_the_terms_are_marked_on_the_page_of_the_paper_and_in_the_registry(
    visit: Visit, path: str
) -> None:
    page = visit(path)
    for letter in "abcd":
        expect(page.locator(f".katex-html .munder .lit-term-{letter}")).to_have_count(1)


def test_the_letters_are_no_part_of_the_code_that_is_copied(attention: Page) -> None:
    line = attention.locator(".lit-code [data-n]:has(.lit-line.lit-term-a)")
    text = line.text_content() or ""
    assert text.strip().startswith("content = q @ k.mT")
