"""Every translated sentence leads to its line."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from labml_txl.literate.equations.node import package
from tests.literate.mkdocs.test_languages import COUNTER_PO, EDIT, TONGUES
from tests.literate.small import build, write
from tests.literate.tongues import COUNTER_JA
from tests.site.served import served

MORE = "One more than before:"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project in Japanese, built once."""
    folder = tmp_path_factory.mktemp("sentences")
    write(folder, {k: v for k, v in TONGUES.items() if "/zh/" not in k})
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    return folder


def asked(tab: Page) -> list[str]:
    names = "performance.getEntriesByType('resource').map(e => e.name)"
    return [name for name in tab.evaluate(names) if "sentences" in name]


def test_a_sentence_leads_to_its_line_with_its_english_beside_it(
    project: Path, browser: Browser
) -> None:
    lines = project.joinpath(COUNTER_PO).read_text(encoding="utf-8").split("\n")
    with served(project / "site") as home:
        tab = browser.new_page()
        tab.goto(f"{home}ja/counting/counter/")
        words = COUNTER_JA[MORE]
        block = tab.locator(".lit-note p", has_text=str(words)).first
        # A reader who only reads is sent nothing more.
        assert asked(tab) == []
        offer, panel = tab.locator(".lit-offer-edit"), tab.locator(".lit-sentences")
        tab.mouse.move(5, 5)
        expect(offer).to_have_count(1)
        expect(offer).to_have_css("opacity", "0")
        block.hover()
        expect(offer).to_have_css("opacity", "1")
        offer.click()
        expect(panel.locator("[lang=en]")).to_have_text(MORE)
        expect(panel.locator("[lang=ja]")).to_have_text(str(words))
        line = lines.index(f'msgid "{MORE}"') + 1
        link = panel.get_by_role("link")
        expect(link).to_be_focused()
        expect(link).to_have_attribute("href", f"{EDIT}#L{line}")
        tab.evaluate((package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
        found = tab.evaluate("axe.run('.lit-sentences').then(r => r.violations)")
        assert found == []
        # With keys alone, every other sentence is reached from here.
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        expect(panel.locator("[lang=en]")).not_to_have_text(MORE)
        tab.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(offer).to_be_focused()
        tab.goto(f"{home}counting/counter/")
        tab.locator(".lit-note p").first.hover()
        tab.wait_for_load_state("networkidle")
        assert asked(tab) == []
        tab.close()


def test_what_a_stranger_wrote_is_shown_as_words(
    project: Path, browser: Browser
) -> None:
    with served(project / "site") as home:
        tab = browser.new_page()
        bad = '<img src=x onerror="window.hit=1">'
        told = {
            "edit": "https://git.example/a.po",
            "labels": {"sentence_edit": "Edit"},
            "sentences": [[1, "Counter", bad, bad]],
        }
        tab.route("**/*sentences.json", lambda route: route.fulfill(json=told))
        tab.goto(f"{home}ja/counting/counter/")
        tab.mouse.move(5, 5)
        tab.locator(".lit-note :is(h2, h3, p)", has_text="Counter").first.hover()
        tab.locator(".lit-offer-edit").focus()
        tab.keyboard.press("Enter")
        expect(tab.locator(".lit-both p").first).to_have_text(bad)
        assert tab.locator(".lit-sentences img").count() == 0
        assert tab.evaluate("window.hit") is None
        tab.close()
