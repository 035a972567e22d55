"""The site in several languages: what each page shows, and that it is never stale."""

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page, expect

from labml_txl.literate.equations.node import find_package
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.theme.templates import THEME, Words, theme_of
from tests.literate.small import (
    CONFIG,
    FILES,
    HOME,
    REGISTRY,
    RUNNABLE,
    build,
    contents,
    must_build,
    write,
)
from tests.literate.translations import (
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
    "      equations: [papers]\n"
    f"site_url: {SITE}\n"
    "repo_url: https://github.com/reader/counting\n"
    "edit_uri: edit/main/docs/\n"
)
COUNTER_PO = "docs/locale/ja/counting/counter.po"
EQUATIONS_PO = "docs/locale/ja/equations.po"
EDIT = "https://github.com/reader/counting/edit/main/docs/locale/ja"
NEXT, SYMBOL = "The next count is one more.", "How many there were at step $t$."
EQUATIONS_JA: Mapping[str, str | Fuzzy] = {
    "The next count": "次の数",
    NEXT: Fuzzy("古い文"),
    SYMBOL: Fuzzy("古い文 $t$"),
}
TONGUES: Mapping[str, str | bytes] = {
    **FILES,
    **RUNNABLE,
    "mkdocs.yml": SETTINGS,
    "docs/index.md": f"---\nstyles: [assets/home.css]\n---\n{HOME}",
    "docs/assets/home.css": "h1 {\n  color: red;\n}\n",
    "papers/count.toml": REGISTRY,
    "pyproject.toml": '[project]\nname = "counting"\n',
    "docs/locale/ja/language.toml": JAPANESE,
    "docs/locale/ja/site.po": po("ja", SITE_JA),
    "docs/locale/ja/index.po": po("ja", HOME_JA),
    EQUATIONS_PO: po("ja", EQUATIONS_JA),
    COUNTER_PO: po("ja", {**COUNTER_JA, "Run it": "実行する"}),
    "docs/locale/zh/language.toml": CHINESE,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small project in English, Japanese and Chinese, built once."""
    folder = tmp_path_factory.mktemp("tongues")
    write(folder, TONGUES)
    must_build(folder, "--strict")
    return folder


def page(project: Path, path: str) -> str:
    return (project / "site" / path / "index.html").read_text(encoding="utf-8")


def article(project: Path, path: str) -> str:
    html = page(project, path)
    return html[html.index("<article") : html.index("</article>")]


# What a page shows


def test_outdated_sentences_are_english_and_link_to_their_line(project: Path) -> None:
    html = article(project, "ja/equations")
    assert "古い文" not in html
    for english in (NEXT, SYMBOL):
        mark = (
            re.escape(f'<span lang="en">{english[:15]}')
            + r'.*?<a class="lit-mark"(.*?)</a>'
        )
        (found,) = re.findall(mark, html, re.DOTALL)
        assert found.endswith(">英語版が更新されました")
    (line,) = re.findall(rf'href="{re.escape(EDIT)}/equations.po#L(\d+)">', found)
    text = project.joinpath(EQUATIONS_PO).read_text(encoding="utf-8").splitlines()
    assert SYMBOL in text[int(line) - 1]
    # Of a language that it does not know the theme is in English.
    assert theme_of("xx", [str(THEME)]) == "en"


def test_a_page_says_how_much_of_it_is_translated(project: Path) -> None:
    html = article(project, "ja/counting/steps")
    assert "このページの 0 % が翻訳済みです。" in html
    assert '<span lang="en">One step of the count, as wide as' in html
    assert ">未翻訳</a>" in html
    assert "lit-share" not in article(project, "counting/steps")
    # What is translated has no mark.
    html = article(project, "ja/counting/counter")
    assert "を保ちます。" in html
    assert "lit-share" not in html
    assert "lit-mark" not in html


def test_home_says_how_much_of_it_is_translated(project: Path) -> None:
    for path, told in (("", ""), ("ja", ""), ("zh", "本页已翻译 0%。")):
        html = page(project, path)
        found = re.findall(r'<p class="lit-share"[^>]*>([^<]*?) ?(?:<|$)', html)
        assert found == ([told] if told else [])


def test_only_the_page_that_names_a_style_sheet_loads_it(project: Path) -> None:
    for folder in ("", "ja", "zh"):
        home, other = (
            page(project, folder),
            page(project, f"{folder}/counting/steps".lstrip("/")),
        )
        assert home.count('<link rel="stylesheet" href="assets/home.css">') == 1
        assert "home.css" not in other
        sheet = project / "site" / folder / "assets/home.css"
        assert sheet.read_text(encoding="utf-8") == "h1{color:red;}"


def test_an_untranslated_page_has_the_canonical_address_of_the_english_one(
    project: Path,
) -> None:
    for path, goal in {
        "counting/counter": "counting/counter/",
        "ja/counting/counter": "ja/counting/counter/",
        "ja/counting/steps": "counting/steps/",
        "ja": "ja/",
        "zh": "",
        "zh/counting/counter": "counting/counter/",
    }.items():
        html = page(project, path)
        assert re.findall(r'rel="canonical" href="([^"]*)"', html) == [SITE + goal]


def test_the_offer_of_a_language_is_in_that_language_or_in_english(
    tmp_path: Path,
) -> None:
    for code, name, english in (
        ("fr", "Français", "French"),
        ("it", "Italiano", "Italian"),
    ):
        language = f'name = "{name}"\nenglish = "{english}"\n'
        write(tmp_path, FILES, {f"docs/locale/{code}/language.toml": language})
    label = po("it", {"Read this page in {language}": "Leggi in {language}"})
    write(tmp_path, {"docs/locale/it/site.po": label})
    words = Words(open_project(tmp_path / "mkdocs.yml"))
    assert [choice["offer"] for choice in words.site["languages"]] == [
        "Read this page in English",
        "Read this page in French",
        "Leggi in Italiano",
    ]


def test_a_language_that_the_search_does_not_know_is_refused_in_a_line(
    tmp_path: Path,
) -> None:
    language = 'name = "Deutsch"\n[search]\nlanguages = ["de", "zz"]\n'
    write(tmp_path, FILES, {"docs/locale/de/language.toml": language})
    done = build(tmp_path)
    assert done.returncode == 1
    assert "de/language.toml: no stemmer for zz: use ar, da, de, " in done.stderr
    assert "Traceback" not in done.stderr
    language = language.replace(', "zz"', "")
    write(tmp_path, {"docs/locale/de/language.toml": language})
    assert build(tmp_path, "--strict").returncode == 0


def test_the_labels_of_menu_and_search_are_in_one_language_each(project: Path) -> None:
    for path, language, search in (
        ("counting/counter", "Language: English", "Type to start searching"),
        ("ja/counting/counter", "言語：日本語", "検索キーワードを入力してください"),
    ):
        html = page(project, path)
        assert f'<summary aria-label="{language}">' in html
        assert f'<div class="md-search-result__meta">{search}</div>' in html


@pytest.mark.parametrize("folder", ["", "ja/"])
def test_every_page_has_markdown_and_modules_with_a_final_call_a_notebook(
    project: Path, folder: str
) -> None:
    site = project.resolve() / "site" / folder
    for name in ("counting", "counting/steps", "counting/counter"):
        html = page(project, f"{folder}{name}")
        bar = html[html.index('<p class="lit-links">') :].partition("</p>")[0]
        links = re.findall(r'<a href="([^"]*)"', bar)
        forms = {f"{name}.md"}
        if name == "counting/counter":
            forms.add(f"{name}.ipynb")
            whole = f"{SITE}{folder}{name}.ipynb"
            colab = f"https://colab.research.google.com/#fileId={whole}"
            assert colab in map(unquote, links)
        assert {*links} >= {posixpath.relpath(form, name) for form in forms}
        assert {p.relative_to(site).as_posix() for p in site.glob(f"{name}.*")} >= forms
    assert not site.joinpath("counting/steps.ipynb").exists()


def test_downloads_are_translated_too(project: Path) -> None:
    site = project / "site" / "ja"
    text = site.joinpath("counting/counter.md").read_text(encoding="utf-8")
    assert text.startswith("# カウンター\n")
    assert "を保ちます。" in text
    assert "lit-mark" not in site.joinpath("counting/steps.md").read_text()
    cells = json.loads(site.joinpath("counting/counter.ipynb").read_text())["cells"]
    words = ["".join(cell["source"]) for cell in cells]
    assert "counting @ git+https://github.com/reader/counting@main" in words[0]
    assert '__package__ = "counting"' in words[0]
    assert f"]({SITE}ja/counting/counter/)" in words[1]
    assert "を保ちます。" in "".join(words)
    assert "return number + STEP" in "".join(words)
    assert words[-2:] == ["## 実行する", "print(Counter().count(2))"]
    listed = site.joinpath("llms.txt").read_text(encoding="utf-8")
    assert listed.startswith("# 数え方\n\n## ページ\n\n- [数える](")
    about = "いくつあったかを覚えているだけのカウンターです。"
    address = f"{SITE}ja/counting/counter.md"
    assert f"- [カウンター]({address}): {about}\n" in listed
    files = {path for path in contents(site) if path.endswith(".md")}
    assert {*re.findall(rf"\({SITE}ja/([^)]+)\)", listed)} == files


def test_each_page_links_to_its_source_file(project: Path) -> None:
    for path, file in {
        "": "docs/index.md",
        "ja": "docs/locale/ja/index.po",
        "equations": "papers/count.toml",
        "ja/equations": "docs/locale/ja/equations.po",
    }.items():
        (link,) = re.findall(r'"lit-edit" href="([^"]+)"', page(project, path))
        assert link.endswith(f"/edit/main/{file}")


def test_the_progress_page_counts_each_page_of_each_language(project: Path) -> None:
    html = article(project, "translations")
    assert html.index('id="ja"') < html.index('id="zh"')
    assert "中文</span>, Chinese (simplified)<" in html
    japanese, chinese = html.partition('id="zh"')[::2]
    # A page is listed where something is left to do.
    assert 'href="../counting/counter/"' not in japanese
    row = japanese[japanese.index('href="../counting/steps/"') :].partition("</tr>")[0]
    assert '<progress value="0"' in row
    for part in (japanese, chinese):
        names = re.findall(r"<th[^>]*>(.*?)</th>", part)
        cells = re.findall(r"<td[^>]*>(.*?)</td>", part, re.DOTALL)
        columns = {name: cells[n :: len(names)] for n, name in enumerate(names)}
        open_ = (*columns["Missing"], *columns["To be checked"], *columns["Faulty"])
        left = sum(int(number or 0) for number in open_)
        assert f"{left} messages are not translated." in part
    row = article(project, "ja/translations").partition("counting/counter/")[2]
    assert "カウンター" in row.partition("</tr>")[0]
    # Who searches for the title of a page is not shown the whole table.
    index = json.loads((project / "site/search/search_index.json").read_text("utf-8"))
    found = [one for one in index["docs"] if one["location"].startswith("translations")]
    assert [one for one in found if "Japanese" in one["title"]]
    assert not [one for one in found if "counter" in one["text"]]


def test_a_build_without_changes_gives_the_same_site(project: Path) -> None:
    before = contents(project / "site")
    assert build(project, "--strict").returncode == 0
    after = contents(project / "site")
    different = {name for name in before if before[name] != after.get(name)}
    assert after.keys() == before.keys()
    # Translations themselves are not published.
    assert not {Path(name).suffix for name in after} & {".po", ".toml"}
    assert different <= {"sitemap.xml.gz"}


# In a browser

MORE = "One more than before:"


@pytest.fixture
def home(project: Path) -> Iterator[str]:
    with served(project / "site") as address:
        yield address


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    tab = browser.new_page(viewport={"width": 800, "height": 300})
    yield tab
    tab.close()


def test_the_language_menu_keeps_the_block_and_works_without_scripts(
    home: str, tab: Page, browser: Browser
) -> None:
    tab.goto(f"{home}counting/counter/")
    tab.evaluate("document.getElementById('Counter.count').scrollIntoView()")
    tab.locator(".lit-languages summary").press("Enter")
    tab.get_by_role("link", name="日本語").click()
    tab.wait_for_url(re.compile(r"/ja/counting/counter/#(h-)?Counter\.count"))
    expect(tab.locator("html")).to_have_attribute("lang", "ja")
    plain = browser.new_page(java_script_enabled=False)
    plain.goto(f"{home}ja/counting/counter/")
    plain.locator(".lit-languages summary").press("Enter")
    plain.get_by_role("link", name="中文").click()
    assert plain.url == f"{home}zh/counting/counter/"
    plain.close()


def asked(tab: Page) -> list[str]:
    names = "performance.getEntriesByType('resource').map(e => e.name)"
    return [name for name in tab.evaluate(names) if "sentences" in name]


def test_the_panel_shows_the_english_of_a_sentence_and_links_to_its_line(
    project: Path, home: str, tab: Page
) -> None:
    lines = project.joinpath(COUNTER_PO).read_text(encoding="utf-8").split("\n")
    tab.goto(f"{home}ja/counting/counter/")
    words = str(COUNTER_JA[MORE])
    block = tab.locator(".lit-note p", has_text=words).first
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
    expect(panel.locator("[lang=ja]")).to_have_text(words)
    line = lines.index(f'msgid "{MORE}"') + 1
    link = panel.get_by_role("link")
    expect(link).to_be_focused()
    expect(link).to_have_attribute("href", f"{EDIT}/counting/counter.po#L{line}")
    tab.evaluate((find_package("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
    assert tab.evaluate("axe.run('.lit-sentences').then(r => r.violations)") == []
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


def test_text_of_contributors_is_shown_as_plain_text(home: str, tab: Page) -> None:
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
