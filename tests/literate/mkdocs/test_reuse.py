"""Pages that are taken from the last build."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.commands.build import build

from labml_txl.literate.mkdocs import plugin, settings
from labml_txl.literate.theme.templates import finish_page
from tests.literate.small import CONFIG, COUNTER, COUNTER_FILE, FILES, contents, write
from tests.literate.translations import COUNTER_JA, JAPANESE, po

COUNTER_PAGE, JA = "counting/counter/index.html", "docs/locale/ja/counting/counter.po"
Build = Callable[..., set[str]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Build:
    """Builds a project, and returns the files of the pages that templates made."""
    found = set[str]()

    def note(html: str, frame: str, localized, path: str, **given):  # type: ignore[no-untyped-def]
        file = path.replace("index.md", "").replace(".md", "/") + "index.html"
        found.add(localized.language.folder + file)
        return finish_page(html, frame, localized, path, **given)

    monkeypatch.setattr(plugin, "finish_page", note)

    def run(folder: Path, **changed: object) -> set[str]:
        found.clear()
        _, config = settings.load(folder / "mkdocs.yml")
        config.load_dict(changed)
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        return {*found}

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in two languages."""
    folder = tmp_path / "project"
    write(folder, FILES, {"docs/locale/ja/language.toml": JAPANESE})
    write(folder, {JA: po("ja", COUNTER_JA)})
    return folder


def test_only_changed_pages_are_rendered_by_templates(
    made: Build, project: Path
) -> None:
    everything = made(project)
    assert {COUNTER_PAGE, f"ja/{COUNTER_PAGE}", "index.html"} < everything
    before = contents(project / "site")
    assert made(project) == set()
    assert contents(project / "site") == before
    file = project / COUNTER_FILE
    file.write_text(COUNTER.replace("One more than before", "One more than it was"))
    # The page of translations says how many messages are not translated.
    progress = {"translations/index.html", "ja/translations/index.html"}
    assert made(project) - progress == {COUNTER_PAGE, f"ja/{COUNTER_PAGE}"}
    # What was taken over is, byte for byte, what the templates make.
    after = contents(project / "site")
    assert made(project, site_dir=str(project / "other")) == everything
    assert contents(project / "other") == after


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("mkdocs.yml", "Counting", "Numbers"),
        ("src/counting/steps.py", "# Steps", "# Stairs"),
        (JA, 'msgstr "カウンター"', 'msgstr "計数器"'),
        ("docs/locale/ja/language.toml", "日本語", "にほんご"),
    ],
)
def test_a_change_of_navigation_or_header_renders_every_page(
    made: Build, project: Path, name: str, old: str, new: str
) -> None:
    made(project)
    file = project / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert f"ja/{COUNTER_PAGE}" in made(project)
    taken = contents(project / "site")
    made(project, site_dir=str(project / "other"))
    assert contents(project / "other") == taken


def test_a_page_that_was_edited_in_the_output_is_rendered_again(
    made: Build, project: Path
) -> None:
    made(project)
    file = project / "site" / COUNTER_PAGE
    whole = file.read_bytes()
    file.write_bytes(whole + b"<script>run()</script>")
    (project / "site/index.html").unlink()
    assert made(project) == {COUNTER_PAGE, "index.html"}
    assert file.read_bytes() == whole


@pytest.mark.parametrize("whose", ["hook", "templates"])
def test_with_other_plugins_or_templates_all_pages_are_rendered(
    made: Build, project: Path, whose: str
) -> None:
    hook = "def on_page_context(context, **given):\n    return context\n"
    write(project, {"hook.py": hook, "own/partials/copyright.html": "By us."})
    given = "hooks: [hook.py]\n"
    if whose == "templates":
        given = ""
    text = CONFIG + given
    if whose == "templates":
        text = text.replace(
            "theme: material", "theme: {name: material, custom_dir: own}"
        )
    write(project, {"mkdocs.yml": text})
    assert made(project) == made(project) != set()
