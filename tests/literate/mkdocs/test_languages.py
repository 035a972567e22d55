"""The site in several languages: what each page shows, and that it is never stale."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.literate.mkdocs.test_plugin import read, serving, wait
from tests.literate.small import (
    CONFIG,
    COUNTER,
    COUNTER_FILE,
    FILES,
    REGISTRY,
    RUNNABLE,
    build,
    contents,
    write,
)
from tests.literate.tongues import (
    CHINESE,
    COUNTER_JA,
    HOME_JA,
    JAPANESE,
    SITE_JA,
    Fuzzy,
    po,
)
from tests.site.served import served

SITE = "https://reader.example/counting/"
SETTINGS = (
    f"{CONFIG.replace('theme: material', 'theme: {name: material, font: false}')}"
    f"site_url: {SITE}\n"
    "repo_url: https://github.com/reader/counting\n"
    "edit_uri: edit/main/docs/\n"
)
COUNTER_PO = "docs/locale/ja/counting/counter.po"
EDIT = f"https://github.com/reader/counting/edit/main/{COUNTER_PO}"
EQUATIONS = "modules: [src/counting]\n      equations: [papers]"
TONGUES: Mapping[str, str | bytes] = {
    **FILES,
    **RUNNABLE,
    "mkdocs.yml": SETTINGS,
    "docs/locale/ja/language.toml": JAPANESE,
    "docs/locale/ja/site.po": po("ja", SITE_JA),
    "docs/locale/ja/index.po": po("ja", HOME_JA),
    COUNTER_PO: po("ja", {**COUNTER_JA, "Run it": "実行する"}),
    "docs/locale/zh/language.toml": CHINESE,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project in English, Japanese and Chinese, built once."""
    folder = tmp_path_factory.mktemp("tongues")
    write(folder, TONGUES)
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    return folder


def changed(project: Path, folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A copy of the project with other files, built again."""
    copy = folder / "project"
    shutil.copytree(project, copy)
    write(copy, files)
    done = build(copy, "--strict")
    assert done.returncode == 0, done.stderr
    return copy


def page(project: Path, path: str) -> str:
    return (project / "site" / path / "index.html").read_text(encoding="utf-8")


def article(project: Path, path: str) -> str:
    html = page(project, path)
    return html[html.index("<article") : html.index("</article>")]


def note(project: Path, anchor: str, language: str = "ja") -> str:
    """The note of a block of the counter, as HTML."""
    html = article(project, f"{language}/counting/counter".lstrip("/"))
    start = re.search(rf'<div class="lit-block(?: lit-intro)?" id="{anchor}"', html)
    assert start, anchor
    block = html[start.start() :]
    return block[: block.index('<div class="lit-side">')]


def in_counter(old: str, new: str) -> dict[str, str | bytes]:
    assert old in COUNTER
    return {COUNTER_FILE: COUNTER.replace(old, new)}


# What a page shows


def test_a_fuzzy_translation_is_not_shown_and_its_mark_leads_to_its_line(
    project: Path, tmp_path: Path
) -> None:
    entries = {**COUNTER_JA, "One more than before:": Fuzzy("古い文：")}
    copy = changed(project, tmp_path, {COUNTER_PO: po("ja", entries)})
    shown = note(copy, "Counter.count.2")
    assert '<span lang="en">One more than before:</span>' in shown
    assert "古い文" not in article(copy, "ja/counting/counter")
    assert ">英語版が更新されました</a>" in shown
    (line,) = re.findall(rf'href="{re.escape(EDIT)}#L(\d+)"', shown)
    text = copy.joinpath(COUNTER_PO).read_text(encoding="utf-8").splitlines()
    assert "One more than before:" in "".join(text[int(line) - 1 :][:3])


def test_a_translation_with_a_fault_is_not_shown(project: Path, tmp_path: Path) -> None:
    entries = {**COUNTER_JA, "Keeps the count $n_t$.": "数 $m_t$ を保ちます。"}
    copy = tmp_path / "project"
    shutil.copytree(project, copy)
    write(copy, {COUNTER_PO: po("ja", entries)})
    done = build(copy)
    assert done.returncode == 0, done.stderr
    assert f"{COUNTER_PO}:12: $ is not in the English" in done.stderr
    assert '<span lang="en">Keeps the count' in note(copy, "Counter")
    assert build(copy, "--strict").returncode == 1


def test_all_but_the_words_is_that_of_the_english_page(project: Path) -> None:
    def kept(html: str) -> dict[str, list[str]]:
        html = re.sub(r'aria-label="[^"]*"', "", html)
        return {
            "code": re.findall(r'<pre class="lit-code".*?</pre>', html, re.S),
            "source": re.findall(r'<a class="lit-source"[^>]*>.*?</a>', html),
            "formulas": sorted(
                re.findall(r'<span class="katex">.*?</span>\n?</', html)
            ),
            "anchors": re.findall(r' id="([^"]+)"', html),
            "links": sorted(re.findall(r' href="([^"]+)"', html)),
        }

    for path in ("counting/counter", "counting", "counting/steps"):
        english, japanese = article(project, path), article(project, f"ja/{path}")
        japanese = re.sub(
            r'<a class="lit-mark".*?</a>|<p class="lit-share.*?</p>', "", japanese
        )
        assert kept(japanese) == kept(english), path
    assert len(kept(article(project, "ja/counting/counter"))["code"]) == 4


def test_a_page_that_is_not_whole_says_how_much_is_translated(project: Path) -> None:
    assert "このページの 0 % が翻訳済みです。" in article(project, "ja/counting/steps")
    assert "lit-share" not in article(project, "ja/counting/counter")
    assert "lit-share" not in article(project, "counting/steps")
    # What is translated has no mark, and what is not is marked as English.
    assert "を保ちます。" in note(project, "Counter")
    assert "lit-mark" not in article(project, "ja/counting/counter")
    html = article(project, "ja/counting/steps")
    assert '<span lang="en">One step of the count, as wide as' in html
    assert ">未翻訳</a>" in html


# One change of the English


def test_a_changed_sentence_is_shown_in_english_and_nothing_else_is_lost(
    project: Path, tmp_path: Path
) -> None:
    new = in_counter("One more than before:", "Exactly one more than before:")
    copy = changed(project, tmp_path, new)
    shown = note(copy, "Counter.count.2")
    assert '<span lang="en">Exactly one more than before:</span>' in shown
    assert ">英語版が更新されました</a>" in shown
    assert "前より一つ多い数" not in shown
    for anchor in ("counter", "Counter", "Counter.count"):
        assert note(copy, anchor) == note(project, anchor)


# The head, the search, and what leaves the site


def test_what_leaves_the_site_is_translated_too(project: Path) -> None:
    site = project / "site" / "ja"
    text = site.joinpath("counting/counter.md").read_text(encoding="utf-8")
    assert text.startswith("# カウンター\n")
    assert "を保ちます。" in text
    assert "lit-mark" not in site.joinpath("counting/steps.md").read_text()
    cells = json.loads(site.joinpath("counting/counter.ipynb").read_text())["cells"]
    words = "".join(line for c in cells for line in c["source"])
    assert "を保ちます。" in words
    assert "## 実行する" in words
    assert "return number + STEP" in words
    listed = site.joinpath("llms.txt").read_text(encoding="utf-8")
    assert f"[カウンター]({SITE}ja/counting/counter.md)" in listed


def test_the_first_page_and_the_equations_lead_to_their_files(
    project: Path, tmp_path: Path
) -> None:
    settings = SETTINGS.replace("modules: [src/counting]", EQUATIONS)
    files = {"mkdocs.yml": settings, "papers/counting.toml": REGISTRY}
    words = {"docs/locale/ja/equations.po": po("ja", {"The next count": "次の数"})}
    copy = changed(project, tmp_path, {**files, **words})
    for path, file in {
        "": "docs/index.md",
        "ja": "docs/locale/ja/index.po",
        "equations": "papers/counting.toml",
        "ja/equations": "docs/locale/ja/equations.po",
    }.items():
        (link,) = re.findall(r'"lit-edit" href="([^"]+)"', page(copy, path))
        assert link.endswith(f"/edit/main/{file}")


def test_the_progress_page_counts_each_page_of_each_language(project: Path) -> None:
    html = article(project, "translations")
    assert 'id="ja"' in html
    assert 'id="zh"' in html
    row = html[html.index('href="../counting/counter/"') :]
    assert '<progress value="100"' in row[: row.index("</tr>")]
    row = html[html.index('href="../counting/steps/"') :]
    assert '<progress value="0"' in row[: row.index("</tr>")]
    row = article(project, "ja/translations").partition("counting/counter/")[2]
    assert "カウンター" in row[: row.index("</tr>")]
    # Who searches for the title of a page is not shown the whole table.
    index = json.loads((project / "site/search/search_index.json").read_text("utf-8"))
    found = [one for one in index["docs"] if one["location"].startswith("translations")]
    assert [one for one in found if "Japanese" in one["title"]]
    assert not [one for one in found if "counter" in one["text"]]


# Builds


def test_a_build_without_changes_gives_the_same_site(project: Path) -> None:
    before = contents(project / "site")
    assert build(project, "--strict").returncode == 0
    after = contents(project / "site")
    different = {name for name in before if before[name] != after.get(name)}
    assert after.keys() == before.keys()
    # Translations themselves are not published.
    assert not {Path(name).suffix for name in after} & {".po", ".toml"}
    assert different <= {"sitemap.xml.gz"}


def test_of_a_language_that_it_does_not_know_the_theme_is_in_english(
    tmp_path: Path,
) -> None:
    settings = 'name = "X"\ntheme = "xx"\n'
    write(tmp_path, {**FILES, "docs/locale/xx/language.toml": settings})
    done = build(tmp_path, "--strict")
    assert done.returncode == 0, done.stderr
    assert '<html lang="xx"' in tmp_path.joinpath("site/xx/index.html").read_text()


def test_a_saved_translation_is_shown(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "project"
    shutil.copytree(project, copy)
    with serving(copy) as site:
        address = f"{site}counting/ja/counting/counter/"
        assert wait(lambda: "を保ちます。" in read(address))
        entries = {**COUNTER_JA, "Keeps the count $n_t$.": "数 $n_t$ を覚えます。"}
        write(copy, {COUNTER_PO: po("ja", entries)})
        assert wait(lambda: "を覚えます。" in read(address))
        # A save of the English reaches every language.
        write(copy, in_counter("One more than before:", "Just one more:"))
        assert wait(
            lambda: "Just one more:" in read(f"{site}counting/counting/counter/")
        )
        assert wait(lambda: '<span lang="en">Just one more:</span>' in read(address))


# In a browser


def test_the_switcher_stays_on_the_page_and_at_the_block(
    project: Path, browser: Browser
) -> None:
    with served(project / "site") as home:
        tab = browser.new_page(viewport={"width": 800, "height": 300})
        tab.goto(f"{home}counting/counter/")
        tab.locator("#Counter\\.count").scroll_into_view_if_needed()
        tab.evaluate("document.getElementById('Counter.count').scrollIntoView()")
        tab.locator(".lit-languages summary").focus()
        tab.keyboard.press("Enter")
        tab.get_by_role("link", name="日本語").click()
        tab.wait_for_url(re.compile(r"/ja/counting/counter/#(h-)?Counter\.count"))
        expect(tab.locator("html")).to_have_attribute("lang", "ja")
        tab.close()


def test_the_switcher_works_without_scripts(project: Path, browser: Browser) -> None:
    with served(project / "site") as home:
        tab = browser.new_page(java_script_enabled=False)
        tab.goto(f"{home}ja/counting/counter/")
        tab.locator(".lit-languages summary").press("Enter")
        tab.get_by_role("link", name="中文").click()
        assert tab.url == f"{home}zh/counting/counter/"
        tab.close()
