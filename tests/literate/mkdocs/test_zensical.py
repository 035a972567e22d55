"""The second host: the same pages, from a program that is not Python."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from labml_txl.literate.export.notebooks.tutorial import parse, write_tutorial
from labml_txl.literate.recording.records import to_json
from labml_txl.literate.sources.source import Source
from tests.literate.mkdocs.test_languages import TONGUES
from tests.literate.small import (
    CONFIG,
    COUNTER,
    COUNTER_FILE,
    STEPS,
    contents,
    txl,
    write,
)
from tests.literate.translations import COUNTER_JA, po
from tests.site.served import served
from tests.site.test_observed import LOOK, record

FOLDER = "counting"
KERNEL = "{display_name: Python 3, name: python3}"
HEAD = f"# ---\n# jupyter:\n#   kernelspec: {KERNEL}\n# ---\n"
NOTEBOOK = (
    f"{HEAD}\n# %% [markdown]\n# # Count by hand\n#\n# We count $n_t$ things.\n\n"
    "# %%\n1 + 1\n"
)
PAPER = """\
---
description: What "a paper" says & more.
---

# The paper

## One more

[The next count][cnt.next] is $n_{t+1}$, see [`Counter`][counting.Counter].
"""
CITING = COUNTER.replace("One more than before:", "[One more][cnt.next] than before:")
CITING = CITING.replace("from .steps import STEP", "from .steps import STEP, width")
WIDTH = f'{STEPS}\n\ndef width() -> int:\n    r"""The width."""\n    return STEP\n'
CITING_JA = {"[One more][cnt.next] than before:": "[前より][cnt.next]一つ多い数："}
SETTINGS = f"""\
{CONFIG.replace("theme: material", "theme: {name: material, font: false}")}\
      equations: [papers]
      notebooks: [notebooks]
      observations: docs/seen
extra: {{generator: false}}
site_url: https://reader.example/{FOLDER}/
repo_url: https://github.com/reader/counting
edit_uri: edit/main/docs/
nav:
  - Home: index.md
  - Papers & more: [papers/counting.md]
  - Code: counting/
  - Notebooks: notebooks/
  - Equations: equations.md
"""
PROJECT = {
    **TONGUES,
    "mkdocs.yml": f"{SETTINGS}  - Translations: translations.md\n",
    COUNTER_FILE: CITING,
    "src/counting/steps.py": WIDTH,
    "src/counting/look.py": LOOK,
    "docs/seen/look.json": to_json(record()),
    "docs/papers/counting.md": PAPER,
    "notebooks/by_hand.py": NOTEBOOK,
    "notebooks/by_hand.ipynb": write_tutorial(
        parse(Source("notebooks/by_hand.py", NOTEBOOK))
    ),
    "docs/locale/ja/counting/counter.po": po("ja", {**COUNTER_JA, **CITING_JA}),
}
# One page of each kind, its title, and how many formulas it shows.
PAGES = {
    "": ("Counting", 1),
    "papers/counting/": ("The paper", 1),
    "counting/counter/": ("The counter", 3),
    "notebooks/by_hand/": ("Count by hand", 1),
    "equations/": ("Equations", 3),
    "translations/": ("Translations", 0),
    "ja/": ("数える", 1),
    "ja/counting/counter/": ("カウンター", 3),
    "zh/equations/": ("公式", 3),
}


def export(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the site of a project with Zensical."""
    words = ["export", "--to", "site", "--host", "zensical", "--out", f"web/{FOLDER}"]
    return txl(folder, *words, *options)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project in English, Japanese and Chinese, built once."""
    folder = tmp_path_factory.mktemp("zensical")
    write(folder, PROJECT)
    done = export(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"web/{FOLDER}\n")
    return folder


@pytest.fixture
def home(project: Path) -> Iterator[str]:
    with served(project / "web") as address:
        yield f"{address}{FOLDER}/"


@pytest.fixture
def tab(browser: Browser, home: str) -> Iterator[Page]:
    """A page that may not complain, and may not ask another host."""
    said: list[str] = []
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    own = (home, "blob:", "data:")
    loud = ("error", "warning")
    tab.on("console", lambda one: said.extend([one.text] * (one.type in loud)))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on(
        "request", lambda one: said.extend([one.url] * (not one.url.startswith(own)))
    )
    yield tab
    tab.close()
    assert said == []


def test_each_kind_of_page_is_complete(tab: Page, home: str) -> None:
    for path, (title, formulas) in PAGES.items():
        tab.goto(home + path)
        expect(tab.get_by_role("heading", level=1)).to_have_text(title)
        expect(tab.locator("article .katex")).to_have_count(formulas)
        assert tab.locator("html").get_attribute("lang") == (
            {"ja": "ja", "zh": "zh-Hans"}.get(path.partition("/")[0], "en")
        )
        # The script of the page is alive: it has put its live region into the page.
        expect(tab.locator(".lit-live")).to_have_count(1)
        active = tab.locator(".md-nav--primary .md-nav__link--active")
        expect(active).not_to_have_count(0)
        assert tab.locator("lit-tex, lit-set, lit-formula").count() == 0


def test_cards_show_recorded_values_and_cited_equations(tab: Page, home: str) -> None:
    tab.goto(f"{home}ja/counting/look/")
    tab.locator(".lit-code [data-o]", has_text="weights").first.click()
    expect(tab.locator(".lit-card")).to_contain_text("[heads 4, query 6, key 6]")
    expect(tab.locator(".lit-read b")).to_have_text("0.70")
    tab.goto(f"{home}ja/counting/counter/")
    tab.get_by_role("link", name="前より").hover()
    card = tab.get_by_role("tooltip")
    expect(card.locator(".katex-display")).to_be_visible()
    expect(card).to_contain_text("The next count")


def test_the_search_leads_to_a_page(tab: Page, home: str) -> None:
    for language, word, goal in (
        ("", "next count", "equations/"),
        ("", "STEP", "counting/"),
        ("ja/", "カウンター", "ja/counting/counter/"),
    ):
        tab.goto(home + language)
        tab.locator(".md-search__button").click()
        tab.get_by_role("combobox").fill(word)
        tab.get_by_role("option").first.click()
        tab.wait_for_url(re.compile(re.escape(home + goal)))


def test_the_other_forms_of_the_pages_are_beside_them(project: Path) -> None:
    files = contents(project / "web" / FOLDER)
    for name in ("llms.txt", "counting/counter.md", "notebooks/by_hand.ipynb"):
        assert {name, f"ja/{name}"} <= files.keys()
    assert not [name for name in files if "locale" in name or name.endswith(".po")]


def test_with_zensical_an_untranslated_page_has_the_english_canonical_address(
    project: Path,
) -> None:
    for path, goal in {
        "counting/counter/": "counting/counter/",
        "ja/counting/counter/": "ja/counting/counter/",
        "ja/papers/counting/": "papers/counting/",
        "zh/counting/counter/": "counting/counter/",
    }.items():
        html = project.joinpath("web", FOLDER, path, "index.html").read_text()
        found = re.findall(r'rel="canonical" href="([^"]*)"', html)
        assert found == [f"https://reader.example/{FOLDER}/{goal}"], path


def test_a_fault_is_reported_in_a_line_and_leaves_the_old_site(tmp_path: Path) -> None:
    english = {k: v for k, v in PROJECT.items() if "locale" not in k}
    faulty = {COUNTER_FILE: CITING.replace("= n_t + 1$", r"= \frac{n$")}
    old = {"mkdocs.yml": SETTINGS, f"web/{FOLDER}/404.html": "old"}
    write(tmp_path, english, faulty, old)
    done = export(tmp_path, "--strict")
    assert done.returncode == 1
    lines = [one.removeprefix("txl: ") for one in done.stderr.splitlines()]
    assert [one for one in lines if one.startswith(f"{COUNTER_FILE}:13:")], lines
    assert "Traceback" not in done.stderr
    assert contents(tmp_path / "web") == {f"{FOLDER}/404.html": b"old"}
