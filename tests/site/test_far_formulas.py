"""Far down a page, formulas and figures are laid out when a reader comes near."""

import pytest

from tests.site.conftest import PHONE, Visit
from tests.site.pages import EQUATIONS

PAPER = "papers/transformer_xl/"
# Whether a browser has laid out the insides of each.
LAID_OUT = """all => all.map(e => e.firstElementChild.checkVisibility(
    {contentVisibilityAuto: true}))"""


@pytest.mark.parametrize(
    ("path", "far"),
    [
        (EQUATIONS, ".katex-display"),
        (EQUATIONS, ".lit-symbols"),
        (PAPER, ".katex-display"),
        (PAPER, "article > figure"),
    ],
)
def test_what_is_far_is_laid_out_when_a_reader_comes_near(
    visit: Visit, path: str, far: str
) -> None:
    page = visit(path, PHONE)
    page.wait_for_load_state("networkidle")
    found = page.locator(far)
    # The end of a page stays where it is.
    assert found.evaluate_all(LAID_OUT)[-2] is False
    found.nth(-2).scroll_into_view_if_needed()
    page.wait_for_function(
        f"far => ({LAID_OUT})([...document.querySelectorAll(far)]).at(-2)", arg=far
    )


def test_what_is_far_is_found_by_the_browser_and_told_by_screen_readers(
    visit: Visit,
) -> None:
    page = visit(PAPER, PHONE)
    word = page.locator("article > figure text").last.text_content()
    assert page.evaluate("word => window.find(word)", word)
    formulas = page.locator(".katex-display")
    assert formulas.evaluate_all(LAID_OUT)[-1] is False
    assert "math" in formulas.last.aria_snapshot()
