"""A model of one's own in a page of one's own: what `txl export --to web` makes."""

import json
import time
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from labml_txl.cli import main
from labml_txl.literate.security.policy import add_policy
from tests.site.conftest import DESKTOP, PHONE, Watch, opened, reader, violations, width
from tests.site.served import Handler, served
from tests.training.small import small_text

PATIENCE = 120_000  # milliseconds: a busy machine computes slowly


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the page that is made of a small run."""
    root = tmp_path_factory.mktemp("exported")
    sizes = "--n-layers 2 --heads 2 --d-model 16 --d-ff 32 --seq-len 8 --batch 4"
    text = ["--text", str(small_text(root)), "--steps", "8", "--warmup", "2"]
    memory = ["--mem-len", "8", "--c-mem-len", "4", "--device", "cpu"]
    run, page = str(root / "runs" / "mine"), root / "site" / "page"
    train = ["train", "compressive", *text, *sizes.split(), *memory, "--out", run]
    assert main(train) == 0
    assert main(["export", "--to", "web", run, *text[:2], "--out", str(page)]) == 0
    return page


class Sharing(Handler):
    """A host that lets pages of others read its files."""

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


def read(shown: Page) -> None:
    """Load the model, which then reads a text."""
    load = shown.get_by_role("button", name="Load the model")
    load.press("Enter")
    stop = shown.get_by_role("button", name="Stop")
    expect(stop).to_have_attribute("aria-disabled", "true", timeout=PATIENCE)


def test_the_page_reads_a_text_of_the_run_below_a_folder(
    page: Path, browser: Browser, axe: str
) -> None:
    way = f"{page.parent.name}/{page.name}/"
    with (
        served(page.parents[1]) as address,
        opened(browser, address, way, PHONE) as shown,
    ):
        shown.evaluate(axe)
        assert violations(shown) == []
        told = json.loads((page / "model.json").read_text("utf-8"))["examples"]
        (example,) = (one["text"] for one in told)
        assert len(example) > 100
        expect(shown.get_by_role("textbox")).to_have_value(example)
        read(shown)
        # All of it is known: nothing is left out.
        expect(shown.locator(".text span")).to_have_count(len(example))
        expect(shown.locator(".status b")).to_have_count(0)
        shown.locator("summary").nth(1).click()
        bits = [float(b) for b in shown.locator(".worth b").all_inner_texts()]
        assert all(0 < one < 20 for one in bits)
        shown.get_by_role("button", name="One character").click()
        expect(shown.locator(".text .wrote")).to_have_count(1, timeout=PATIENCE)
        assert violations(shown) == []
        assert width(shown) <= PHONE[0]


@pytest.mark.parametrize(
    ("file", "hosts", "said"),
    [
        ("model.json", 1, ""),
        ("model.json", 0, "origin is {}"),
        ("nothing.json", 1, "check the connection"),
        ("live.js", 1, "format is none"),
    ],
)
def test_a_model_of_another_host_runs_only_if_the_policy_names_it(
    page: Path, browser: Browser, tmp_path: Path, file: str, hosts: int, said: str
) -> None:
    for script in ("live.js", "live.worker.js"):
        (tmp_path / script).write_bytes((page / script).read_bytes())
    with (
        served(page, Sharing) as elsewhere,
        served(tmp_path) as address,
        reader(browser, Watch(address), *DESKTOP) as context,
    ):
        host = elsewhere.rstrip("/")
        element = f'<txl-model src="{elsewhere}{file}"></txl-model>'
        script = '<script defer src="live.js"></script><link rel="icon" href="data:,">'
        html = f'<html lang="en"><head><meta charset="utf-8">{script}</head>{element}'
        whole = add_policy(html, "", requested=[host][:hosts])
        (tmp_path / "index.html").write_text(whole, encoding="utf-8")
        shown = context.new_page()
        asked: list[str] = []
        context.on("requestfinished", lambda request: asked.append(request.url))
        shown.goto(address)
        read(shown)
        wrong = shown.locator(".status .wrong")
        if said:
            expect(wrong).to_contain_text(said.format(host))
        else:
            expect(wrong).to_have_count(0)
        assert (f"{elsewhere}{file}" in asked) == (hosts and file != "nothing.json")


def many(count: int) -> list[dict[str, float]]:
    kinds = dict.fromkeys(("induction", "previous", "same", "far"), 0.1)
    return [{"layer": n, "head": 0, **kinds} for n in range(count)]


# A field of the description, a value that the figure cannot show, and what it says.
STRANGE: list[tuple[str, object, str]] = [
    ("heads", many(50_000), "heads is 50000, wanted ≤ 1024"),
    ("heads", [None], "heads[0]"),
    ("heads", [{"layer": 0}], "heads[0].head"),
    ("bytes", 0, "bytes is 0"),
    ("losses", {"bits_8": "<b>"}, "losses.bits_8 is <b>"),
    ("examples", 5, "examples is 5"),
    ("examples", [{}] * 17, "examples is 17"),
    ("examples", [{"text": "a" * 5000}], "examples[0].text is 5000, wanted ≤ 3000"),
    ("examples", [{"text": "abc", "with": [1.0]}], "examples[0].with is 1, wanted 2"),
    (
        "examples",
        [{"text": "abc", "with": [1, 2], "without": [1, None]}],
        "examples[0].without[1]",
    ),
    (
        "examples",
        [{"text": "abc", "with": [1, 2], "without": [1, 2], "looks": [{"at": 9}]}],
        "examples[0].looks[0].at is 9",
    ),
]


def answer(text: str, route: Route) -> None:
    route.fulfill(body=text)


def test_a_description_of_other_sizes_is_one_line_before_and_after_loading(
    page: Path, browser: Browser
) -> None:
    known = json.loads((page / "model.json").read_text("utf-8"))
    with served(page) as address, opened(browser, address) as shown:
        wrong = shown.locator(".status .wrong")
        expect(wrong).to_have_count(0)
        for field, value, said in STRANGE:
            text = json.dumps({**known, field: value})
            shown.unroute_all()
            shown.route("**/model.json", partial(answer, text))
            shown.reload()
            expect(wrong).to_contain_text(said)
            read(shown)
            expect(wrong).to_contain_text(said)
            assert shown.locator(".heads button").count() == 0


def test_a_text_of_a_million_letters_leaves_the_page_at_work(
    page: Path, browser: Browser
) -> None:
    with served(page) as address, opened(browser, address) as shown:
        box = shown.get_by_role("textbox")
        box.press("Control+a")
        begin = time.monotonic()
        shown.keyboard.insert_text("a" * 1_000_000)
        expect(shown.locator(".left")).to_contain_text("3000")
        box.fill("b" * 1_000_000)
        expect(box).to_have_value("b" * 12_000)
        assert time.monotonic() - begin < 10
