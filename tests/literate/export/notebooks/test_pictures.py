"""The pictures of a notebook speak the language of the page."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.cli import main
from labml_txl.literate.export.notebooks.tutorial import parse, write_tutorial
from labml_txl.literate.export.notebooks.tutorial_page import embed_plot
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.sources.source import Source
from tests.literate.export.notebooks.test_tutorial import HEADER, SETTINGS
from tests.literate.small import FILES, must_build, write
from tests.literate.translations import po

BODY = """\
# %% [markdown]
# # Plots
#
# Each cell of code shows a picture with words for it. All of them are small.

# %%
falls()

# %% [markdown]
# ## More

# %%
rises()

# %%
dots()
"""
NAME = "notebooks/plots.py"
# The tokens on an axis are code, whatever they read like.
DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><title>{title}</title>\
<text style="font-size: 9px; font-family: 'DejaVu Sans', sans-serif">loss</text>\
<text style="font-size: 9px; font-family: 'DejaVu Mono', monospace">the cat</text>\
<text style="font-family: Arial, sans-serif, monospace">as it is</text></svg>"""
DOT = "iVBORw0KGgo="
FALLS, RISES, DOTS = "The loss falls.", "The loss rises.", "Some dots."
ABOUT = "Each cell of code shows a picture with words for it. All of them are small."
GERMAN = 'name = "Deutsch"\nenglish = "German"\n'
CATALOG = {
    "Plots": "Kurven",
    FALLS: 'Der "Verlust" fällt und fällt.',
    "loss": "Verlust und mehr",
    DOTS: "Einige Punkte.",
}


def output_of(form: str, data: str, words: str) -> dict[str, Any]:
    return {
        "output_type": "display_data",
        "data": {form: data, "text/plain": words},
        "metadata": {form: {"alt": words}},
    }


def notebook(body: str = BODY) -> str:
    """What Jupyter stored when the three cells had run."""
    svg = "image/svg+xml"
    outputs = iter(
        (
            output_of(svg, DRAWING.format(title=FALLS), FALLS),
            output_of(svg, DRAWING.format(title=RISES), RISES),
            output_of("image/png", DOT, DOTS),
        )
    )
    tutorial = parse(Source(NAME, HEADER + body))
    cells = (
        replace(cell, outputs=(next(outputs),)) if cell.kind == "code" else cell
        for cell in tutorial.cells
    )
    return write_tutorial(replace(tutorial, cells=tuple(cells)))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a notebook, in English and German, built with all checks."""
    folder = tmp_path_factory.mktemp("plots")
    files = {
        "mkdocs.yml": SETTINGS,
        NAME: HEADER + BODY,
        "notebooks/plots.ipynb": notebook(),
        "docs/locale/de/language.toml": GERMAN,
        "docs/locale/de/notebooks/plots.po": po("de", CATALOG),
    }
    write(folder, FILES, files)
    must_build(folder, "--strict")
    return folder


def pictures(project: Path, folder: str = "") -> list[str]:
    file = project / "site" / folder / "notebooks/plots/index.html"
    html = file.read_text(encoding="utf-8")
    return re.findall(r'<figure class="lit-plot".*?</figure>', html, re.DOTALL)


def words_for(picture: str) -> str:
    found = re.search(r'(?:aria-label|alt)="([^"]*)"', picture)
    return found[1] if found else ""


def test_translators_get_the_words_of_pictures_where_they_are(project: Path) -> None:
    said = open_project(project / "mkdocs.yml").inventory["notebooks/plots"]
    assert [(one.kind, one.text, one.heading) for one in said] == [
        ("heading", "Plots", ""),
        ("paragraph", ABOUT, "Plots"),
        ("alternative", FALLS, "Plots"),
        ("figure", "loss", "Plots"),
        ("heading", "More", "Plots"),
        ("alternative", RISES, "More"),
        ("alternative", DOTS, "More"),
    ]
    assert {one.place for one in said} == {NAME}


def test_a_picture_is_translated_and_its_code_is_not(project: Path) -> None:
    english, german = pictures(project), pictures(project, "de")
    assert [*map(words_for, english)] == [FALLS, RISES, DOTS]
    falls = "Der &quot;Verlust&quot; fällt und fällt."
    assert [*map(words_for, german)] == [falls, RISES, "Einige Punkte."]
    # Words that are not translated are marked as English.
    assert [one.count('<div lang="en">') for one in german] == [0, 1, 0]
    assert not any("lang=" in one for one in english)
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", german[0])
    assert labels == ["Verlust und mehr", "the cat", "as it is"]
    assert re.findall(r"<text[^>]*>([^<]*)", english[0])[0] == "loss"


def test_all_exports_of_a_notebook_have_the_same_text(project: Path) -> None:
    folder = project / "site/de/notebooks"
    plain = folder.joinpath("plots.md").read_text(encoding="utf-8")
    assert f"*Figure: {CATALOG[FALLS]}*" in plain
    assert f"*Figure: {RISES}*" in plain
    cells = json.loads(folder.joinpath("plots.ipynb").read_text(encoding="utf-8"))
    (output,) = cells["cells"][1]["outputs"]
    assert output["metadata"]["image/svg+xml"] == {"alt": CATALOG[FALLS]}
    assert "".join(output["data"]["text/plain"]) == CATALOG[FALLS]
    assert ">Verlust und mehr</text>" in "".join(output["data"]["image/svg+xml"])


@pytest.mark.parametrize("command", ["check", "i18n update"])
def test_a_broken_notebook_is_reported_once(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Translators would lose the words of all its pictures."""
    files = {"mkdocs.yml": SETTINGS, NAME: HEADER + BODY, "notebooks/plots.ipynb": "{"}
    write(tmp_path, FILES, files, {"docs/locale/de/language.toml": GERMAN})
    assert main([*command.split(), "-f", str(tmp_path / "mkdocs.yml")]) == 1
    told = "notebooks/plots.ipynb:1: not valid JSON"
    assert capsys.readouterr().err.count(told) == 1


def test_a_drawing_without_a_view_box_shows_its_width_and_height() -> None:
    for sizes, view in (
        ('width="30pt" height="20.5"', "0 0 30 20.5"),
        ("", "0 0 300 150"),
        ('width="30" viewBox="0 0 9 9"', "0 0 9 9"),
    ):
        made = embed_plot(f'<svg xmlns="http://www.w3.org/2000/svg" {sizes}/>', "A dot")
        assert f'viewBox="{view}"' in made
        # From its width the style sheet takes the size of its letters.
        assert f'style="--points:{view.split()[2]}"' in made


def test_hidden_text_of_a_plot_is_not_a_message() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g id="axes">'
        '<g id="line"><path d="M 1.27 2.031 L -3.96 4"/></g>'
        '<g><title>Named</title><text x="1.04" transform="rotate(-0 1.04 2)">a</text>'
        '</g></g><g style="opacity: 0.25"><text transform="rotate(-90 1 2)">b</text>'
        "</g></svg>"
    )
    drawn = embed_plot(svg, "A plot")
    assert '><path d="M 1.3 2 L -4 4"/><g><title>Named</title><text x="1">a' in drawn
    assert '<g style="opacity: 0.25"><text transform="rotate(-90 1 2)">b' in drawn
