"""The site in several languages: what each page shows, and that it is never stale."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

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


def test_every_page_is_there_in_every_language(project: Path) -> None:
    site = project / "site"
    pages = {
        folder: {p.relative_to(site / folder) for p in (site / folder).rglob("*.html")}
        for folder in ("", "ja", "zh")
    }
    english = {p for p in pages[""] if p.parts[0] not in ("ja", "zh")}
    assert len(english) == 6
    assert pages["ja"] == pages["zh"] == english


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


def test_a_changed_formula_in_a_sentence_is_never_shown_as_it_was(
    project: Path, tmp_path: Path
) -> None:
    copy = changed(project, tmp_path, in_counter("the count $n_t$", "the count $k_t$"))
    shown = note(copy, "Counter")
    # The words still say the same, and the formula is the new one.
    assert "を保ちます。" in shown
    assert "lit-mark" not in shown
    assert "<mi>k</mi>" in shown
    assert "<mi>n</mi>" not in shown


# The head, the search, and what leaves the site


def test_the_head_names_the_language_and_the_page_in_all_others(project: Path) -> None:
    html = page(project, "ja/counting/counter")
    assert '<html lang="ja"' in html
    assert '<html lang="zh-Hans"' in page(project, "zh/counting/counter")
    found = dict(
        re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', html)
    )
    path = "counting/counter/"
    assert found == {
        "en": f"{SITE}{path}",
        "ja": f"{SITE}ja/{path}",
        "zh-Hans": f"{SITE}zh/{path}",
        "x-default": f"{SITE}{path}",
    }
    assert f'<link rel="canonical" href="{SITE}ja/{path}">' in html
    assert '<meta property="og:locale" content="ja_JP">' in html
    assert '<meta property="og:title" content="カウンター">' in html
    assert "<title>カウンター - 数え方</title>" in html
    assert '<meta name="description" content="いくつあったかを覚えて' in html


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


def test_a_kept_page_is_not_taken_for_a_changed_one(
    project: Path, tmp_path: Path
) -> None:
    # The figure of a page is no part of its text, and its cache must know it.
    copy = changed(
        project,
        tmp_path,
        {
            **in_counter(
                "One more than", "![A step](step.svg)\n        # One more than"
            ),
            "docs/counting/step.svg": '<svg viewBox="0 0 1 1"><text>one</text></svg>',
        },
    )
    assert ">one</text>" in article(copy, "counting/counter")
    write(
        copy,
        {"docs/counting/step.svg": '<svg viewBox="0 0 1 1"><text>two</text></svg>'},
    )
    assert build(copy).returncode == 0
    assert ">two</text>" in article(copy, "counting/counter")


def test_a_language_that_the_theme_does_not_know_is_refused_in_a_line(
    tmp_path: Path,
) -> None:
    theme = "xx"
    settings = f'name = "X"\ntheme = "{theme}"\n'
    write(tmp_path, {**FILES, "docs/locale/xx/language.toml": settings})
    done = build(tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    told = f"docs/locale/xx/language.toml:1: theme = '{theme}' is no language of"
    assert told in done.stderr
    assert 'or theme = "en"' in done.stderr
    assert not tmp_path.joinpath("site").exists()


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

WORDS = {"ja": ("スコア行列",), "zh": ("循环记忆",)}
SENTENCE = "We count with `Counter`, and $1 + 1 = 2$."
HOMES: Mapping[str, str | bytes] = {
    "docs/locale/ja/index.po": po(
        "ja",
        {
            SENTENCE: "`Counter` は再帰メモリを使い、スコア行列と"
            "勾配チェックポイントを数えます。$1 + 1 = 2$"
        },
    ),
    "docs/locale/zh/index.po": po(
        "zh", {SENTENCE: "`Counter` 使用注意力和循环记忆，并保存检查点。$1 + 1 = 2$"}
    ),
}


@pytest.fixture(scope="module")
def searched(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return changed(project, tmp_path_factory.mktemp("searched"), HOMES) / "site"


def search(tab: Page, word: str) -> None:
    """Type a word as an input method does: it arrives whole."""
    tab.wait_for_load_state("networkidle")
    tab.keyboard.press("/")
    expect(tab.locator(".md-search__input")).to_be_focused()
    tab.keyboard.insert_text(word)
    tab.keyboard.press("Shift")


@pytest.mark.parametrize(
    ("language", "word"), [(code, word) for code in WORDS for word in WORDS[code]]
)
def test_search_finds_what_a_reader_of_the_language_types(
    searched: Path, browser: Browser, language: str, word: str
) -> None:
    with served(searched) as home:
        tab = browser.new_page()
        elsewhere: list[str] = []
        tab.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((home, "blob:", "data:"))
                else elsewhere.append(request.url)
            ),
        )
        tab.goto(f"{home}{language}/")
        search(tab, word)
        marks = tab.locator(".md-search-result__list mark")
        expect(marks.first).to_be_visible(timeout=15_000)
        assert set("".join(marks.all_inner_texts())) <= set(word)
        assert elsewhere == []
        tab.close()


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


def test_a_chosen_language_is_offered_and_not_forced(
    project: Path, browser: Browser
) -> None:
    with served(project / "site") as home:
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(f"{home}counting/")
        expect(tab.locator(".lit-offer")).to_have_count(0)
        tab.locator(".lit-languages summary").click()
        tab.get_by_role("link", name="日本語").click()
        tab.goto(f"{home}counting/steps/")
        offer = tab.get_by_role("link", name="このページを日本語で読む")
        expect(offer).to_be_visible()
        assert tab.url == f"{home}counting/steps/"
        offer.click()
        tab.wait_for_url(f"{home}ja/counting/steps/**")
        expect(tab.locator(".lit-offer")).to_have_count(0)
        tab.goto(f"{home}counting/steps/")
        tab.locator(".lit-offer button").click()
        tab.reload()
        expect(tab.locator(".lit-offer")).to_have_count(0)
        context.close()
