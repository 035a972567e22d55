"""Addresses in the site of somebody else, wherever it is published, if it is at all."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.literate.mkdocs.test_languages import SETTINGS, SITE, TONGUES
from tests.literate.small import COUNTER, COUNTER_FILE, HOME, must_build, write
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
}
FLAT = f"{SETTINGS}use_directory_urls: false\n"
NOWHERE = "".join(
    line for line in SETTINGS.splitlines(keepends=True) if "https://" not in line
)


def built(folder: Path, settings: str) -> Path:
    write(folder, FILES, {"mkdocs.yml": settings})
    must_build(folder, "--strict")
    return folder / "site"


def test_every_address_leads_somewhere_without_folders(
    tmp_path: Path, browser: Browser
) -> None:
    flat = Published(built(tmp_path, FLAT), SITE, REPOSITORY, tmp_path)
    assert flat.broken() == []
    kinds = {link.kind for _, link in flat.links()}
    assert kinds >= {"canonical", "alternate", "loc", "result", "equations", "markdown"}
    assert f"{SITE}{HOW}.html" in {
        link.goal for link in flat.files["sitemap.xml"].links
    }
    # So do the cards of symbols, which ask for the page of equations.
    with served(flat.folder) as home:
        page = browser.new_page()
        page.goto(f"{home}counting/counter.html")
        page.locator('.katex-html [class*="sym-"]').first.click()
        expect(page.locator(".lit-card")).to_contain_text("How many there were")
        page.close()


def test_a_site_without_an_address_has_relative_links_only(tmp_path: Path) -> None:
    nowhere = Published(built(tmp_path, NOWHERE), ANYWHERE)
    lost = {folder: f"{folder}{NOT_FOUND}" for folder in ("", "ja/", "zh/")}
    others = [file for file in nowhere.files if file not in lost.values()]
    assert nowhere.broken([*lost.values()]) == []
    assert nowhere.at(f"{ANYWHERE}some/folder/").broken(others) == []
    whole = {"canonical", "alternate", "og:url", "og:image", "loc", "colab"}
    assert [found for found in nowhere.links() if found[1].kind in whole] == []
    # Lost readers are led home in their language.
    for folder, file in lost.items():
        (form,) = (link for link in nowhere.files[file].links if link.kind == "form")
        assert nowhere.whole(file, form.goal) == f"{ANYWHERE}{folder}"
