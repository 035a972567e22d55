"""Addresses in the site of somebody else, wherever it is published, if it is at all."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.literate.mkdocs.test_languages import SETTINGS, SITE, TONGUES
from tests.literate.small import COUNTER, COUNTER_FILE, HOME, REGISTRY, build, write
from tests.site.links import NOT_FOUND, Published
from tests.site.served import served

REPOSITORY = "https://github.com/reader/counting"
ANYWHERE = "https://anywhere.example/"
HOW = "%E6%95%B0%E3%81%88%20%E6%96%B9%20%231"
# Names that no address can hold as they are, and a language without any file.
FILES = {
    **TONGUES,
    COUNTER_FILE: COUNTER.replace("One more than", "[One more][cnt.next] than"),
    "src/counting/数.py": 'r"""# Zahl\n\nWe count from [here](数.md).\n"""\n\nZ = 1\n',
    "docs/index.md": f"{HOME}\nSee [how]({HOW}.md) and `Z`.\n",
    "docs/数え 方 #1.md": "# How?\n\nAs [it][cnt.next] says, [here](a%20b.txt).\n",
    "docs/a b.txt": "one\n",
    "papers/count.toml": REGISTRY,
}
FLAT = f"{SETTINGS}use_directory_urls: false\n"
NOWHERE = "".join(
    line for line in SETTINGS.splitlines(keepends=True) if "https://" not in line
)


def built(folder: Path, settings: str) -> Path:
    modules = "      modules: [src/counting]\n"
    settings = settings.replace(modules, f"{modules}      equations: [papers]\n")
    write(folder, FILES, {"mkdocs.yml": settings})
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Pages that are files instead of folders."""
    folder = tmp_path_factory.mktemp("flat")
    return Published(built(folder, FLAT), SITE, REPOSITORY, folder)


@pytest.fixture(scope="module")
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """No address of the site, and none of the repository."""
    return Published(built(tmp_path_factory.mktemp("nowhere"), NOWHERE), ANYWHERE)


def test_every_address_leads_somewhere_without_folders(flat: Published) -> None:
    assert flat.broken() == []
    kinds = {link.kind for _, link in flat.links()}
    assert kinds >= {"canonical", "alternate", "loc", "result", "equations", "markdown"}
    assert f"{SITE}{HOW}.html" in {
        link.goal for link in flat.files["sitemap.xml"].links
    }


def test_the_cards_of_symbols_find_the_page_of_equations_without_folders(
    flat: Published, browser: Browser
) -> None:
    with served(flat.folder) as home:
        page = browser.new_page()
        page.goto(f"{home}counting/counter.html")
        page.locator('.katex-html [class*="sym-"]').first.click()
        expect(page.locator(".lit-card")).to_contain_text("How many there were")
        page.close()


def test_a_site_that_is_published_nowhere_can_stand_anywhere(
    nowhere: Published,
) -> None:
    lost = [f"{folder}{NOT_FOUND}" for folder in ("", "ja/", "zh/")]
    others = [file for file in nowhere.files if file not in lost]
    assert nowhere.broken(lost) == []
    assert nowhere.at(f"{ANYWHERE}some/folder/").broken(others) == []
    whole = {"canonical", "alternate", "og:url", "og:image", "loc", "colab"}
    assert [found for found in nowhere.links() if found[1].kind in whole] == []


@pytest.mark.parametrize("folder", ["", "ja/", "zh/"])
def test_without_an_address_lost_readers_are_led_home_in_their_language(
    nowhere: Published, folder: str
) -> None:
    file = f"{folder}{NOT_FOUND}"
    (form,) = (link for link in nowhere.files[file].links if link.kind == "form")
    assert nowhere.whole(file, form.goal) == f"{ANYWHERE}{folder}"
