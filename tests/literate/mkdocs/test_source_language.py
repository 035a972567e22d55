"""A project whose pages are not written in English, and English as a translation."""

import json
import re
from pathlib import Path

import pytest
from lxml import html

from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.po import load_shipped
from tests.literate.small import build, must_build, txl, write
from tests.literate.translations import po

SETTINGS = """\
site_name: 数え方
site_url: https://reader.example/counting/
theme:
  name: material
  language: ja
plugins:
  - search
  - literate:
      modules: [counting.py]
nav: [ホーム: index.md, counting.md]
"""
COUNTING = '''\
"""# カウンター

数を数えるだけのモジュールです。
"""


def count(number: int) -> int:
    """次の数を返します。"""
    # 前より一つ多い数です。
    return number + 1
'''
FILES = {
    "mkdocs.yml": SETTINGS,
    "docs/index.md": "# 数え方\n\n数え方を説明します。\n",
    "counting.py": COUNTING,
}
ENGLISH = {
    "docs/locale/en/counting.po": po(
        "en",
        {"カウンター": "The counter", "次の数を返します。": "Returns the next number."},
    ),
    "docs/locale/en/site.po": po("en", {"数え方": "Counting", "ホーム": "Home"}),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("japanese")
    write(folder, FILES)
    assert txl(folder, "i18n", "new", "en").returncode == 0
    write(folder, ENGLISH)
    must_build(folder, "--strict")
    return folder


def page(project: Path, path: str) -> html.HtmlElement:
    return html.parse(project / "site" / path / "index.html").getroot()


def text_of(tree: html.HtmlElement) -> str:
    return " ".join(tree.text_content().split())


def test_pages_have_the_language_and_the_labels_of_the_source_language(
    project: Path,
) -> None:
    for path in ("", "counting"):
        tree = page(project, path)
        assert tree.get("lang") == "ja"
        # Labels of the theme, and of the engine.
        assert "コンテンツにスキップ" in text_of(tree)
        assert tree.xpath("//input[@name='query']/@placeholder") == ["検索"]
    shipped = load_shipped("ja")
    assert shipped(LABELS["language"]) in tree.xpath("//summary/@aria-label")[0]
    labels = json.loads(tree.xpath("//*[@id='__labels']")[0].text)
    assert labels["copy"] == shipped(LABELS["copy"]) != LABELS["copy"]
    # Nothing is marked as not translated.
    assert not tree.xpath("//*[contains(@class, 'lit-mark')]")
    assert not tree.xpath("//*[contains(@class, 'lit-share')]")


def test_english_can_be_a_translation(project: Path) -> None:
    tree = page(project, "en/counting")
    assert tree.get("lang") == "en"
    assert tree.xpath("//h1")[0].text_content().startswith("The counter")
    assert "Returns the next number." in text_of(tree)
    assert tree.xpath("//input[@name='query']/@placeholder") == ["Search"]
    # What is not translated is marked as Japanese.
    (left,) = tree.xpath("//*[contains(@class, 'lit-code')]/../..//span[@lang='ja']")
    assert left.text_content() == "前より一つ多い数です。"
    found = {a.get("hreflang"): a.get("href") for a in tree.xpath("//a[@hreflang]")}
    assert found == {"ja": "../../counting/", "en": "./"}


def test_both_languages_are_in_the_site_map_and_in_the_search(project: Path) -> None:
    site = project / "site"
    found = re.findall("<loc>(.*?)</loc>", site.joinpath("sitemap.xml").read_text())
    home = "https://reader.example/counting/"
    assert {home, f"{home}en/", f"{home}counting/", f"{home}en/counting/"} <= {*found}
    index = json.loads(site.joinpath("search/search_index.json").read_text())
    assert index["config"]["lang"] == ["ja"]
    # Words in two scripts are two words.
    assert "ァ-ヶー" in index["config"]["separator"]


def test_catalogs_have_the_japanese_text_and_no_labels(
    project: Path,
) -> None:
    done = txl(project, "i18n", "stats", "en")
    assert done.returncode == 0, done.stderr
    (line,) = re.findall(r"^site .*$", done.stdout, re.MULTILINE)
    translated, *others, share = re.findall(r"\d+", line)
    assert (translated, others, share) == ("2", ["0", "0", "0"], "100")
    assert txl(project, "i18n", "update", "--check").returncode == 1
    assert txl(project, "i18n", "update").returncode == 0
    text = project.joinpath("docs/locale/en/counting.po").read_text()
    assert 'msgid "前より一つ多い数です。"\nmsgstr ""' in text
    assert 'msgstr "Returns the next number."' in text
    assert txl(project, "i18n", "lint").returncode == 0


def test_labels_can_be_translated_into_a_source_language_without_any(
    tmp_path: Path,
) -> None:
    settings = SETTINGS.replace("language: ja", "language: de")
    write(tmp_path, {**FILES, "mkdocs.yml": settings})
    assert load_shipped("de").entries == {}
    assert txl(tmp_path, "i18n", "new", "de").returncode == 0
    assert sorted(p.name for p in tmp_path.glob("docs/locale/de/*")) == [
        "language.toml",
        "site.po",
    ]
    given = po("de", {LABELS["copy"]: "Code kopieren"})
    write(tmp_path, {"docs/locale/de/site.po": given})
    assert txl(tmp_path, "i18n", "update").returncode == 0
    assert build(tmp_path, "--strict").returncode == 0
    tree = page(tmp_path, "counting")
    assert tree.get("lang") == "de"
    labels = json.loads(tree.xpath("//*[@id='__labels']")[0].text)
    assert (labels["copy"], labels["close"]) == ("Code kopieren", LABELS["close"])
    assert not tmp_path.joinpath("site/de").exists()
