"""A kind of page is one class: whatever asks about pages asks the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from labml_txl.literate.i18n.update import Message
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.cache import Cache
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.files import files_of
from labml_txl.literate.project.kinds import KINDS
from labml_txl.literate.project.localized import LocalizedProject, PageEntry, SitePage
from labml_txl.literate.project.settings import Project
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError, Source, read
from tests.literate.small import FILES, write
from tests.literate.translations import JAPANESE, po


@dataclass(frozen=True)
class LicencePage(SitePage):
    """The licence of a project, as a page with a notebook."""

    file: Source

    has_notebook = True

    @classmethod
    def find(cls, content: Content) -> Iterator["LicencePage"]:
        yield cls("licence.md", read(content.root / "LICENCE", content.root))

    @property
    def source(self) -> Source:
        return self.file

    def messages(self, project: Project) -> Iterator[Message]:
        yield Message(self.file.text, "paragraph", self.file.path)

    def group(self, localized: LocalizedProject) -> str:
        return "Law"

    def render(self, localized: LocalizedProject) -> PageEntry:
        words = localized.translation.translate_markdown(self.file.text, self.path)
        fault = (self.file.path, 1, "too short")
        return PageEntry(words, "Licence", "", f"# {words}", "{}", faults=[fault])


def opened(folder: Path, cache: Cache | None = None) -> LocalizedProject:
    project = Project(
        folder.resolve(),
        modules=("src/counting",),
        prose=("index.md",),
        repository=Repository("https://code.example/a/b", "edit/main/docs/"),
        url="https://reader.example/",
    )
    return annotate(project, cache=cache, kinds=(*KINDS, LicencePage))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    french = 'name = "Français"\nenglish = "French"\n'
    language = {
        "docs/locale/fr/language.toml": french,
        "docs/locale/ja/language.toml": JAPANESE,
    }
    catalog = {"docs/locale/ja/licence.po": po("ja", {"Do as you like.": "ご自由に。"})}
    write(tmp_path, FILES, language, catalog, {"LICENCE": "Do as you like."})
    return tmp_path


def test_a_new_kind_of_page_is_listed_translated_and_edited_like_all_others(
    folder: Path,
) -> None:
    english = opened(folder)
    french, japanese = map(english.select_language, english.languages[1:])
    assert "licence.md" in english.paths
    assert [m.text for m in english.inventory["licence"]] == ["Do as you like."]
    files = dict(files_of(japanese))
    assert (files["licence.md"], files["licence.ipynb"]) == ("# ご自由に。", "{}")
    assert "ご自由に。" in str(files["licence.sentences.json"])
    assert "## Law\n" in str(files["llms.txt"])
    assert japanese.entry("licence.md").share == 100
    # It is on the list of a language in which something of it is left to translate.
    assert "licence" in french.entry("translations.md").markdown
    assert str(japanese.faults[-1]) == "LICENCE:1: too short"
    assert english.edit_url("licence.md", "").endswith("/edit/main/LICENCE")
    assert japanese.edit_url("licence.md", "").endswith("ja/licence.po")


def test_a_new_kind_of_page_is_rendered_again_when_its_file_changes(
    folder: Path,
) -> None:
    cache = Cache()
    for text in ("Do as you like.", "Ask first.", "Do as you like."):
        write(folder, {"LICENCE": text})
        assert opened(folder, cache).entry("licence.md").markdown == text


def test_two_pages_of_one_path_are_an_error(folder: Path) -> None:
    write(folder, {"docs/licence.md": "# Ours\n"})
    site = opened(folder)
    taken = annotate(
        Project(folder.resolve(), prose=("index.md", "licence.md")), kinds=site.kinds
    )
    with pytest.raises(LiterateError, match=r"^docs/licence\.md:1: .*rename"):
        assert taken.paths
