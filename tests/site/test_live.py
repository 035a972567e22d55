"""The page in which a model runs: with a pointer, a finger, keys, and off-line.

It stands on a small site of its own, below a folder, with the project's own models.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from labml_txl.training.evaluation import with_memory
from labml_txl.training.runs.eight_bits import load_small
from labml_txl.training.runs.web import measure_bits
from tests.site.conftest import (
    DESKTOP,
    PHONE,
    TOUCH,
    colours,
    opened,
    requests,
    violations,
    width,
)
from tests.site.pages import ROOT
from tests.site.served import served
from tests.site.test_interactive_figures import HOST, published
from tests.site.test_layout import SHIFTS

MODELS = ROOT / "docs" / "observations" / "models"
PATIENCE = 120_000  # milliseconds: a busy machine computes slowly
# Presses one button, and the other as soon as it can be pressed.
STOP = """async ([go, stop]) => {
    go.click();
    while (stop.getAttribute("aria-disabled") === "true")
        await new Promise((done) => setTimeout(done));
    stop.click();
}"""
SHORT = "MIRANDOL:\nWhere is Mirandol? I am Mirandol, and Mirandol is here.\n" * 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("live"))


@dataclass
class Live:
    """A browser that shows the figure, and what it asked for."""

    page: Page
    asked: list[str]

    @property
    def figure(self) -> Locator:
        return self.page.locator("figure-live")

    def button(self, name: str) -> Locator:
        return self.figure.get_by_role("button", name=name, exact=False)

    def unfold(self) -> None:
        """Open what is folded."""
        self.figure.locator("details").evaluate_all(
            "all => all.forEach(part => { part.open = true; })"
        )

    def load(self, text: str = SHORT, model: str = "Transformer-XL") -> None:
        """Load a model, which then reads a text."""
        self.figure.get_by_role("radio", name=model).check(force=True)
        self.figure.get_by_role("textbox").first.fill(text)
        self.button("Load the model").click()
        self.idle()

    def idle(self) -> None:
        """Until nothing runs any more."""
        stop = self.button("Stop")
        expect(stop).to_have_attribute("aria-disabled", "true", timeout=PATIENCE)

    @property
    def text(self) -> str:
        told: str = self.figure.locator(".text").evaluate(
            "e => [...e.querySelectorAll('div')].map(one => one.textContent).join('')"
        )
        return told.replace("↵\n", "\n")

    def look(self, n: int) -> None:
        """Hold a character."""
        self.figure.locator(f".text [data-n='{n}']").click()
        expect(self.figure.locator(".looked .keys")).to_be_visible(timeout=PATIENCE)
        expect(self.figure.locator(".terms table")).to_be_visible(timeout=PATIENCE)


@pytest.fixture
def live(folder: Path, browser: Browser) -> Iterator[Live]:
    with (
        served(folder) as address,
        opened(browser, f"{address}below/", color_scheme="light") as page,
    ):
        page.add_init_script(SHIFTS)
        found = Live(page, requests(page))
        page.goto(f"{address}below/live/")
        found.unfold()
        yield found


def known(model: str = "xl") -> dict[str, Any]:
    """What is known of a model of the page before it is loaded."""
    told: dict[str, Any] = json.loads((MODELS / f"{model}.web.json").read_text("utf-8"))
    return told


EXAMPLE = known()["examples"][0]
BOTH = ("with", "without")


def mean(costs: list[float]) -> float:
    return sum(costs) / len(costs)


def bits(live: Live) -> list[float]:
    """The two figures: with memory, and without."""
    return [float(one) for one in live.figure.locator(".worth b").all_inner_texts()]


def test_recorded_values_are_shown_and_then_those_of_the_model(
    live: Live,
) -> None:
    for name, model in (("Transformer-XL", "xl"), ("Compressive", "compressive")):
        live.figure.get_by_role("radio", name=name).check(force=True)
        record, size = known(model)["examples"][0], known(model)["bytes"]
        load = live.button("Load the model")
        expect(load).to_have_text(f"Load the model ({size / 1e6:.1f} MB)")
        figure = live.figure.locator(".worth .with b")
        expect(figure).to_have_text(f"{mean(record['with']):.2f}")
        assert bits(live)[1] == pytest.approx(mean(record["without"]), abs=0.0051)
        # The figure opens on a letter, which Escape lets go.
        expect(live.figure.locator(".looked .costs")).to_be_visible()
        live.figure.locator(".text").press("Escape")
        # As the page has them, in 32 bits. Half a bit is the least that is tinted.
        kept, lost = (torch.tensor(record[n]).double() for n in BOTH)
        gains = (lost - kept).tolist()
        for kind, sign in (("saved", 1), ("cost_more", -1)):
            expected = [n + 1 for n, gain in enumerate(gains) if sign * gain >= 0.5]
            tinted = live.figure.locator(f".text .{kind}")
            expect(tinted).to_have_count(len(expected))
            places = tinted.evaluate_all("all => all.map(e => +e.dataset.n)")
            assert places == expected != []
    # A row for each return of a word: the word, which time, how far back, two costs.
    rows = live.figure.locator(".returns tbody tr").all()
    words = re.findall("[A-Za-z]{4,}", record["text"].lower())
    assert len(rows) == sum(n for n in Counter(words).values() if n > 1)
    first, second = (row.locator("td, th").all_inner_texts() for row in rows[:2])
    at, again, *_ = (
        m.start() for m in re.finditer(first[0], record["text"], re.IGNORECASE)
    )
    assert second[1:3] == ["2", f"{again - at}"]
    assert live.text == EXAMPLE["text"]
    # What it looked at is not recorded, but what a character cost is.
    live.figure.locator(".text [data-n='152']").click()
    expect(live.figure.locator(".looked")).to_contain_text("with memory")
    assert not [one for one in live.asked if ".safetensors" in one or "worker" in one]
    live.page.wait_for_load_state("networkidle")
    live.figure.get_by_role("radio", name="Transformer-XL").check(force=True)
    live.button("Load the model").click()
    live.idle()
    assert any("worker" in one for one in live.asked)
    assert live.text == EXAMPLE["text"]
    assert bits(live) == pytest.approx([mean(EXAMPLE[n]) for n in BOTH], abs=0.0051)
    saved = bits(live)[1] - bits(live)[0]
    expect(live.figure.locator(".worth")).to_contain_text(f"saves {saved:.2f}")
    assert live.page.evaluate("shifts") < 0.0005


def test_the_figure_opens_on_a_name_that_is_copied_from_the_memory(
    live: Live,
) -> None:
    """As recorded: the letter, the head, and what both ways of reading cost."""
    found = EXAMPLE["looks"][0]
    at, pair = found["at"], found["pair"]
    text, name = EXAMPLE["text"], "ZELMYRA"
    start = text.rindex(name, 0, at + len(name))
    assert start < at < start + len(name)
    expect(live.figure.locator(".text .at")).to_have_attribute("data-n", f"{at}")
    title = live.figure.locator(".looked .title")
    expect(title).to_contain_text(f"Head {pair['head'] + 1} of layer")
    framed = live.figure.locator(".text .key")
    expect(framed).to_have_count(1)
    place = int(framed.get_attribute("data-n") or -1)
    # What followed the same letters of an earlier name, farther back than a segment.
    letters = at + 1 - start
    assert text[place - letters : place + 1].upper() == name[: letters + 1]
    assert at - place > known()["lengths"]["segment"]
    costs = live.figure.locator(".costs").inner_text()
    for kind in BOTH:
        assert f"{EXAMPLE[kind][at]:.1f}" in costs
    expect(live.figure.locator(".arc path").first).to_be_attached()
    terms = live.figure.locator(".terms .sum td").all_inner_texts()
    assert float(terms[0]) == pytest.approx(pair["score"], abs=0.01)
    # The other examples, and then the model itself, which says the same.
    live.button("After a border").click()
    border = EXAMPLE["looks"][1]["at"]
    assert border % known()["lengths"]["segment"] == 0
    expect(live.figure.locator(".text .at")).to_have_attribute("data-n", f"{border}")
    live.button("Copy a name").click()
    told = title.inner_text()
    live.button("Load the model").click()
    live.idle()
    expect(live.figure.locator(".heads .now")).to_have_count(1)
    assert title.inner_text() == told


def test_a_letter_of_a_returning_name_shows_the_head_that_copies(live: Live) -> None:
    """Of all heads the one that looks most at what followed the same letter."""
    live.load()
    at = SHORT.index("Mirandol", 30) + 3  # the letter a
    live.look(at)
    title = live.figure.locator(".looked .title")
    expect(title).to_contain_text("looks most at what followed an earlier")
    told = re.search(r"Head (\d) of layer (\d)", title.inner_text())
    assert told
    # The place in the frame is that of the next letter, in an earlier Mirandol.
    framed = live.figure.locator(".text .key")
    expect(framed).to_have_count(1)
    assert framed.inner_text().lower() == "n"
    place = int(framed.get_attribute("data-n") or -1)
    assert SHORT[place - 4 : place + 4].lower() == "mirandol"
    assert place < at - 3
    share = re.search(r"([\d.]+) % of its", title.inner_text())
    assert share
    weight = live.figure.locator(".terms tr.sum td").last.inner_text()
    assert weight == f"{share[1]} %"
    head = f".heads [data-head='{int(told[2]) - 1} {int(told[1]) - 1}'].now"
    expect(live.figure.locator(head)).to_have_count(1)
    # Whoever lets go of the letter sees again what memory is worth.
    live.figure.locator(".text").press("Escape")
    expect(live.figure.locator(".text .at")).to_have_count(0)
    expect(live.figure.locator(".text :is(.mem, .own)")).to_have_count(0)
    expect(live.figure.locator(".text .saved").first).to_be_attached()


def test_generated_text_continues_the_text(live: Live) -> None:
    """Single steps write what one long step writes, also without a network."""
    live.load()
    live.page.context.set_offline(True)
    for _ in range(3):
        live.button("One character").click()
        live.idle()
    steps = live.text.removeprefix(SHORT)
    assert len(steps) == 3
    box = live.figure.get_by_role("textbox").first
    status = live.figure.locator(".status")
    # A text that has changed is read before it is continued.
    box.fill(SHORT[:60])
    expect(status).to_contain_text("has changed")
    live.button("One character").click()
    live.idle()
    expect(status).to_contain_text("1 characters generated")
    assert len(live.text) == 61
    model, checkpoint = load_small(MODELS / "xl.safetensors")
    tokens = checkpoint.words.encode(SHORT[:60])
    for shown, one in zip(bits(live), (model, with_memory(model, 0)), strict=True):
        assert shown == pytest.approx(mean(measure_bits(one, tokens, 64)), abs=0.0051)
    # The first text again: what was written is gone, and is written anew.
    box.fill(SHORT)
    live.button("Process the text").click()
    live.idle()
    live.button("Continue").click()
    live.idle()
    written = live.text.removeprefix(SHORT)
    assert len(written) == 200
    assert written.startswith(steps)
    # Another seed writes something else, and none of them at a temperature of 0.
    seed = live.figure.get_by_role("spinbutton")
    others = list[str]()
    for heat, number in (("Shift", "7"), ("Home", "7"), ("Home", "8")):
        live.figure.get_by_role("slider", name="Temperature").press(heat)
        seed.fill(number)
        for text, button in (
            ("Ay.", "Process"),
            (SHORT, "Process"),
            (SHORT, "Continue"),
        ):
            box.fill(text)
            live.button(button).click()
            live.idle()
        others.append(live.text.removeprefix(SHORT))
    assert len({written, *others[:2]}) == 3
    assert others[1] == others[2]
    # What the model wrote is not counted.
    axis = live.figure.locator(".axis").inner_text()
    assert axis.endswith(f"{len(SHORT)} characters")
    # In the page, since a quick model is done before the test has pressed a button.
    buttons = [live.button(n).element_handle() for n in ("Continue", "Stop")]
    live.page.evaluate(STOP, buttons)
    live.idle()
    expect(status).to_contain_text("Stopped")
    # Of nothing there is nothing to continue.
    box.fill("")
    live.button("Continue").click()
    live.idle()
    expect(status).to_contain_text("too short")
    assert live.text == ""


def test_the_slider_changes_the_length_of_memory(live: Live) -> None:
    live.load()
    slider = live.figure.get_by_role("slider", name="Memory")
    kept = f"{known()['lengths']['mem_len']} characters"
    expect(slider).to_have_attribute("aria-valuetext", kept)
    slider.press("Home")
    live.idle()
    assert len({*bits(live)}) == 1
    expect(live.figure.locator(".worth")).to_contain_text("The memory is empty")
    # What memory does not save has no tint.
    tinted = live.figure.locator(".text :is(.saved, .cost_more)")
    expect(tinted).to_have_count(0)
    live.look(100)
    expect(live.figure.locator(".text .mem")).to_have_count(0)
    expect(live.figure.locator(".text .own")).to_have_count(100 - 64 + 1)
    # This model has no compressed memory: nothing is said of one.
    shares = live.figure.locator(".regions p").all_inner_texts()
    assert [one.partition("% ")[2] for one in shares] == [
        "on 0 characters in memory",
        "on 37 characters of the segment",
    ]
    assert live.figure.locator(".legend.regions_of span:visible").count() == 2


def test_heads_and_characters_are_one_tab_stop_each(
    live: Live,
) -> None:
    live.load()
    heads = live.figure.locator(".heads button")
    assert live.figure.locator(".heads [tabindex='0']").count() == 1
    # How to go on is seen by those who came with a key.
    hint = live.figure.locator("#heads_keys")
    expect(hint).to_be_hidden()
    live.figure.get_by_role("radio", name="what followed the same character").focus()
    live.page.keyboard.press("Tab")
    expect(heads.first).to_be_focused()
    expect(heads.first).to_have_accessible_description(hint.inner_text())
    expect(hint).to_be_visible()
    for key, place in (("ArrowRight", 1), ("ArrowDown", 3), ("End", -1), ("Home", 0)):
        live.page.keyboard.press(key)
        expect(heads.nth(place)).to_be_focused()
    live.page.keyboard.press("Enter")
    expect(heads.first).to_have_attribute("aria-pressed", "true")
    live.page.keyboard.press("Tab")
    assert not live.figure.locator(".heads button:focus").count()
    # So it is with the text.
    view, at = live.figure.locator(".text"), live.figure.locator(".text .at")
    view.focus()
    last = len(SHORT) - 1
    expect(at).to_have_attribute("data-n", str(last))
    view.press("ArrowLeft")
    expect(at).to_have_attribute("data-n", str(last - 1))
    view.press("Home")
    expect(at).to_have_attribute("data-n", "0")
    view.press("ArrowRight")
    view.press("ArrowDown")
    # The second character of the second line.
    expect(at).to_have_attribute("data-n", str(SHORT.index("\n") + 2))
    view.press("ArrowUp")
    expect(at).to_have_attribute("data-n", "1")
    # What is held stays while the pointer moves, until Escape lets go.
    view.press("Enter")
    live.figure.locator(".text [data-n='20']").hover()
    expect(at).to_have_attribute("data-n", "1")
    view.press("Escape")
    live.figure.locator(".text [data-n='21']").hover()
    expect(at).to_have_attribute("data-n", "21")


def test_unknown_characters_are_listed_and_pasted_html_is_text(
    live: Live,
) -> None:
    live.load('A <img src=x onerror="document.title=1">é word, and a word.')
    left = live.figure.locator(".left")
    expect(left).to_contain_text("does not know them")
    told = left.inner_text().rpartition(": ")[2]
    assert told.split() == ["<", "=", '"', "1", ">", "é"]
    assert live.figure.locator("img").count() == 0
    assert "img src" in live.text
    live.look(5)
    assert live.page.title() != "1"
    # It is named as soon as it is typed, also while the model runs.
    live.button("Continue").click()
    live.figure.get_by_role("textbox").first.press_sequentially("~")
    expect(left).to_contain_text("~")
    live.button("Stop").click(force=True)  # It may have come to its end already.
    live.idle()
    live.figure.get_by_role("textbox").first.fill("A word.")
    expect(left).to_be_empty()


def test_every_state_is_accessible_and_nothing_moves(live: Live, axe: str) -> None:
    stage = live.figure.locator(".stage")
    for wide, high in (PHONE, DESKTOP):
        live.page.set_viewport_size({"width": wide, "height": high})
        # What only a model fills has no place until one is loaded.
        assert not stage.locator(".sampling:visible, .below:visible").count()
    live.page.evaluate(axe)
    found = []

    def look() -> None:
        for scheme in ("light", "dark"):
            colours(live.page, scheme)
            rules = () if scheme == "light" else ("color-contrast",)
            found.extend(violations(live.page, *rules))

    look()
    live.load()
    assert live.page.evaluate("shifts") < 0.0005
    live.look(90)
    look()
    live.button("One character").click()
    live.idle()
    live.figure.get_by_role("textbox").first.fill("Another text.")
    look()
    live.load(EXAMPLE["text"][:266], "Compressive Transformer")
    live.look(256)
    look()
    assert found == []


def test_on_a_phone_nothing_is_cut_off_and_a_tap_chooses(
    live: Live, browser: Browser
) -> None:
    home = live.page.url.removesuffix("live/")
    with opened(browser, home, "live/", PHONE, **TOUCH) as page:
        phone = Live(page, [])
        phone.unfold()
        phone.load()
        phone.figure.locator(".text [data-n='90']").tap()
        expect(phone.figure.locator(".terms table")).to_be_visible(timeout=PATIENCE)
        # What nobody has asked for takes no room.
        assert not phone.figure.locator(".looked.none").count()
        phone.figure.get_by_role("textbox").first.fill(SHORT[:80])
        phone.button("Process the text").tap()
        phone.idle()
        blank = phone.figure.locator(".looked.none")
        assert blank.evaluate("e => e.offsetHeight") < 150
        assert width(phone.page) <= PHONE[0]


def test_only_a_page_with_a_model_may_fetch_from_the_hosts_of_models(
    folder: Path,
) -> None:
    for name, allowed in (("own/", True), ("live/", False)):
        html = (folder / "below" / name / "index.html").read_text(encoding="utf-8")
        rule = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
        assert rule
        named = [part.split()[0] for part in rule[1].split("; ") if HOST in part]
        assert named == (["connect-src"] if allowed else [])
