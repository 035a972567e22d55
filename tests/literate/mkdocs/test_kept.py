"""What is kept between builds is never taken for what has changed since.

Each project is built again where it stands: what is kept belongs to its folder.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.literate.small import (
    CONFIG,
    ENVIRONMENT,
    FILES,
    HOME,
    ROOT,
    build,
    contents,
    write,
)
from tests.literate.tongues import CHINESE, JAPANESE, SITE_JA, po

ORIGIN = "From {file}, which stands [beside its notes]({address}) on the site."
ADDRESS = "site_url: https://reader.example/counting/\n"
SENTENCE = "我们使用注意力和循环记忆。"
# The words of Chinese are found in a site whose search knows Chinese.
UNDIVIDED = CHINESE.replace('["zh"]', '["en"]')


class Site(NamedTuple):
    """The files of a site, byte for byte."""

    files: dict[str, bytes]

    def text(self, name: str) -> str:
        return self.files[name].decode()

    def known(self, folder: str = "") -> list[dict[str, Any]]:
        """What the search of a language knows."""
        docs = json.loads(self.text(f"{folder}search/search_index.json"))["docs"]
        return [entry for entry in docs if isinstance(entry, dict)]


def site(folder: Path) -> Site:
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    return Site(contents(folder / "site"))


def said(word: str) -> str:
    """The labels of the site in Japanese, two of them with this word."""
    origin = f"{word}：{{file}}。このサイトでは[解説と並べて]({{address}})読めます。"
    labels = {ORIGIN: origin, "Permalink to {anchor}": f"{word} {{anchor}}"}
    return po("ja", {**SITE_JA, **labels})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    sentence = (
        "A counter that knows how many things there were, and nothing more than that."
    )
    # Translations need not stand among the pages.
    settings = {"mkdocs.yml": f"{CONFIG}      locale: words\n{ADDRESS}"}
    japanese = {"words/ja/language.toml": JAPANESE, "words/ja/site.po": said("旧")}
    chinese = {
        "words/zh/language.toml": UNDIVIDED,
        "words/zh/counting/counter.po": po("zh", {sentence: SENTENCE}),
    }
    write(folder, FILES, settings, japanese, chinese)
    return folder


@pytest.fixture(scope="module")
def before(folder: Path) -> Site:
    return site(folder)


@pytest.fixture(scope="module")
def after(folder: Path, before: Site) -> Site:
    """The same site with other labels and other settings of the search."""
    write(
        folder,
        {
            "docs/index.md": f"---\nsearch:\n  boost: 3\n---\n{HOME}",
            "words/ja/site.po": said("新"),
            "words/zh/language.toml": CHINESE,
        },
    )
    return site(folder)


@pytest.mark.parametrize("ending", ["md", "ipynb"])
def test_a_changed_label_is_said_in_what_leaves_the_site(
    before: Site, after: Site, ending: str
) -> None:
    name = f"ja/counting/counter.{ending}"
    assert "旧：" in before.text(name)
    assert "新：" in after.text(name)
    assert "旧：" not in after.text(name)


def test_a_changed_label_is_said_on_the_page(before: Site, after: Site) -> None:
    name = "ja/counting/counter/index.html"
    assert "旧 Counter.count" in before.text(name)
    assert "新 Counter.count" in after.text(name)
    assert "旧" not in after.text(name)


def test_a_page_is_found_as_its_settings_of_the_search_say(
    before: Site, after: Site
) -> None:
    (old,) = (entry for entry in before.known() if not entry["location"])
    (new,) = (entry for entry in after.known() if not entry["location"])
    assert old["text"] == new["text"]
    assert (old.get("boost"), new.get("boost")) == (None, 3)


def test_a_language_is_divided_into_words_once_its_search_knows_them(
    before: Site, after: Site
) -> None:
    old, new = (
        "".join(entry["text"] for entry in one.known("zh/")) for one in (before, after)
    )
    assert SENTENCE in old
    assert SENTENCE not in new
    assert "\u200b注意力\u200b" in new


def test_another_engine_takes_nothing_that_this_one_kept(
    folder: Path, after: Site, tmp_path: Path
) -> None:
    package = tmp_path / "labml_txl"
    package.mkdir()
    for file in (ROOT / "labml_txl").glob("*.py"):
        shutil.copy(file, package)
    shutil.copytree(
        ROOT / "labml_txl" / "literate",
        package / "literate",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for file in package.rglob("*.py"):
        code = file.read_text(encoding="utf-8")
        file.write_text(code.replace("lit-side", "lit-edge"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    now = Site(contents(folder / "site"))
    for name in ("counting/counter/index.html", "ja/counting/counter/index.html"):
        sides = after.text(name).count("lit-side")
        assert sides > 0
        assert now.text(name).count("lit-edge") == sides
        assert "lit-side" not in now.text(name)


# A page that did not change


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Site]:
    """A site in one language: anew, as it was, and after changes elsewhere."""
    folder = tmp_path_factory.mktemp("grown")
    write(folder, FILES)
    found = {"anew": site(folder), "again": site(folder)}
    steps = FILES["src/counting/steps.py"]
    assert isinstance(steps, str)
    change = {"src/counting/steps.py": steps.replace("# Steps", "# Strides")}
    write(folder, change)
    found["title"] = site(folder)
    settings = CONFIG.replace("site_name: Counting", "site_name: Numbers")
    write(folder, {"mkdocs.yml": f"{settings}copyright: The reader\n"})
    found["settings"] = site(folder)
    shutil.rmtree(folder / ".cache")
    found["settings, anew"] = site(folder)
    return found


PAGE = "counting/counter/index.html"


def test_a_build_after_which_nothing_changed_gives_the_same_bytes(
    grown: dict[str, Site],
) -> None:
    assert timeless(grown["again"]) == timeless(grown["anew"])


def test_a_page_shows_the_new_title_of_another_and_all_that_it_had(
    grown: dict[str, Site],
) -> None:
    old, new = (grown[name].text(PAGE) for name in ("again", "title"))
    assert "Strides" not in old
    assert new == old.replace("Steps", "Strides")
    assert grown["title"].known() != grown["again"].known()


def test_a_page_shows_new_settings_as_if_it_were_made_anew(
    grown: dict[str, Site],
) -> None:
    assert "The reader" in grown["settings"].text(PAGE)
    assert timeless(grown["settings"]) == timeless(grown["settings, anew"])


def timeless(site: Site) -> dict[str, bytes]:
    """The files of a site, but for one that holds the time of the build."""
    return {name: data for name, data in site.files.items() if name != "sitemap.xml.gz"}
