"""Figures that one can touch: placed by their names, told in words, one script each."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.build.files import files_of
from labml_txl.literate.build.localized import LocalizedProject, annotate
from labml_txl.literate.build.project import Project
from labml_txl.literate.equations.node import node
from labml_txl.literate.sources.source import LiterateError
from tests.literate.small import FILES, write

DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" style="--wide: 5rem">
  <defs><text data-word="steps">Steps: {count}</text></defs>
  <path id="arrow" d="M0 0h9"/><use href="#arrow"/>
</svg>
"""
NUMBERS = (
    "export const twice = (n) => 2 * n;\nexport function half(n) { return n / 2; }\n"
)
FIGURE = {
    "figures/count.svg": DRAWING,
    "figures/count.js": "console.log(NAME, twice(half(21)));\n",
    "figures/count.mjs": NUMBERS,
}
# What all figures build on needs a browser: some of its names stand in for it.
BROWSER = """
globalThis.HTMLElement = class {}; globalThis.matchMedia = () => ({});
globalThis.document = {}; globalThis.location = {};
"""
PLACED = "# Counting\n\nWe count.\n\n![Steps of a\ncount.](figure:count)\n"


def edition(folder: Path, *pages: str) -> LocalizedProject:
    given = {f"docs/{name}": PLACED for name in pages}
    write(folder, FILES, FIGURE, given)
    prose = ("index.md", *pages)
    return annotate(
        Project(folder, ("src/counting",), figures=("figures",), prose=prose)
    )


def test_a_page_holds_the_picture_its_words_and_its_script(tmp_path: Path) -> None:
    found = edition(tmp_path, "deep/a.md").entry("deep/a.md").markdown
    assert '<figure-count style="--wide: 5rem"><svg viewBox' in found
    assert '<text data-word="steps">Steps: {count}</text>' in found
    assert 'role="img" aria-label="Steps of a count."' in found
    assert '<script defer src="../../assets/figures/count.js"></script>' in found
    assert 'id="arrow"' not in found


@pytest.mark.parametrize(
    ("settings", "way"),
    [
        ({}, "../assets"),
        ({"directory_urls": False}, "assets"),
        # A host that finds the address of each file by itself.
        ({"files_in_html": True}, "assets"),
    ],
)
def test_the_way_to_the_script_is_that_of_the_page(
    settings: dict[str, Any], way: str, tmp_path: Path
) -> None:
    given = edition(tmp_path, "a.md").project
    found = annotate(replace(given, **settings)).entry("a.md").markdown
    assert f'src="{way}/figures/count.js"' in found


def test_the_script_has_the_data_of_a_figure(tmp_path: Path) -> None:
    asks = "console.log(NAME, DATA.words[1], twice(half(DATA.n)));"
    given = '{"n": 3, "words": ["</script>", "\u2028`${n}`"]}'
    write(tmp_path, {"figures/count.json": given})
    project = edition(tmp_path).project
    write(tmp_path, {"figures/count.js": asks})
    script = str(files_of(annotate(project))["assets/figures/count.js"]())
    page = """
        globalThis.HTMLElement = class {};
        globalThis.matchMedia = () => ({});
        globalThis.document = { currentScript: { src: "http://localhost/count.js" } };
    """
    command = [node(), "-e", f"{page}\n{script}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("figure-count \u2028`${n}` 3\n", "")


@pytest.mark.parametrize("given", ['{"a": 1,}', "\nalert(1)", "[" * 9999, ""])
def test_data_that_is_no_json_is_told_in_a_line(tmp_path: Path, given: str) -> None:
    write(
        tmp_path, {"figures/count.json": f"\n{given}" if given == "alert(1)" else given}
    )
    with pytest.raises(LiterateError, match="the data of a figure is no JSON") as fault:
        _ = edition(tmp_path).content.figures
    line = 1 + given.count("\n")
    assert str(fault.value).startswith(f"figures/count.json:{line}: ")
    assert "\n" not in str(fault.value)


def test_what_runs_beside_the_page_is_a_file_with_the_same_arithmetic(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"figures/count.worker.js": "console.log(half(twice(21)));\n"})
    files = files_of(edition(tmp_path))
    asked = str(files["assets/figures/count.worker.js"]())
    done = subprocess.run([node(), "-e", asked], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("21\n", "")
    assert "HTMLElement" not in asked


@pytest.mark.parametrize(
    ("folder", "start", "models", "worker"),
    [
        ("", "https://a.b/sub/", "https://a.b/sub/", True),
        ("fr/", "https://a.b/sub/fr/", "https://a.b/sub/", True),
        ("fr/", "file:///sub/fr/", "file:///sub/", False),
    ],
)
def test_a_figure_finds_what_stands_beside_it_and_what_languages_share(
    folder: str, start: str, models: str, worker: bool, tmp_path: Path
) -> None:
    settings = 'name = "Français"\nenglish = "French"\ntheme = "fr"\n'
    given = edition(tmp_path)
    write(tmp_path, {"docs/locale/fr/language.toml": settings})
    write(tmp_path, {"figures/count.js": "globalThis.shown = new Figure();\n"})
    write(tmp_path, {"docs/observations/models/a.bin": "8"})
    files = files_of(given.into(given.languages[bool(folder)]))
    assert ("assets/models/a.bin" in files) is not bool(folder)
    address = f"{start}assets/figures/count.js"
    asked = f"""
        {BROWSER}
        globalThis.Worker = class {{ constructor(of) {{ this.of = of.href; }} }};
        document.currentScript = {{ src: "{address}" }};
        location.protocol = "{start.partition("/")[0]}";
        {files["assets/figures/count.js"]()!s}
        console.log(shown.asset("models/a.bin"), shown.worker()?.of ?? null);
    """
    done = subprocess.run([node(), "-e", asked], capture_output=True, text=True)
    beside = address.replace(".js", ".worker.js") if worker else "null"
    assert done.stdout.split() == [f"{models}assets/models/a.bin", beside]


def test_the_words_of_a_figure_have_a_catalog_of_their_own(tmp_path: Path) -> None:
    french = (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "Steps: {count}"\nmsgstr "Pas : {count}"\n'
    )
    settings = 'name = "Français"\nenglish = "French"\ntheme = "fr"\n'
    locale = {
        "docs/locale/fr/language.toml": settings,
        "docs/locale/fr/figures/count.po": french,
    }
    write(tmp_path, locale)
    english = edition(tmp_path, "a.md")
    said = english.inventory["figures/count"]
    assert [one.text for one in said] == ["Steps: {count}"]
    assert said[0].place == "figures/count.svg"
    found = english.into(english.languages[1]).entry("a.md").markdown
    assert '<text data-word="steps">Pas : {count}</text>' in found


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (
            {"docs/a.md": PLACED.replace("figure:count", "figure:cuont")},
            "docs/a.md:5: there is no figure cuont: did you mean count?",
        ),
        (
            {"docs/a.md": PLACED.replace("Steps of a\ncount.", "")},
            "docs/a.md:5: the figure figure:count needs a text in its [ ]",
        ),
    ],
)
def test_a_figure_that_cannot_be_shown_is_a_fault_of_its_page(
    changed: dict[str, str], fault: str, tmp_path: Path
) -> None:
    given = edition(tmp_path, "a.md")
    write(tmp_path, changed)
    assert fault in map(str, given.faults)


@pytest.mark.parametrize(
    ("extra", "fault"),
    [
        ({"figures/b.svg": DRAWING}, "figures/b.svg:1: the figure b needs b.js"),
        ({"figures/B.svg": DRAWING}, "figures/B.svg:1: the figure B needs another"),
    ],
)
def test_what_is_no_whole_figure_is_refused(
    extra: dict[str, str], fault: str, tmp_path: Path
) -> None:
    given = edition(tmp_path)
    write(tmp_path, extra)
    with pytest.raises(LiterateError) as error:
        _ = given.content.figures
    assert str(error.value).startswith(fault)


def test_folders_are_there_and_share_no_name(tmp_path: Path) -> None:
    write(tmp_path, FILES, FIGURE)
    with pytest.raises(
        LiterateError, match=r"mkdocs.yml:1: figures: there is no folder"
    ):
        _ = annotate(Project(tmp_path, figures=("elsewhere",))).content.figures
    write(tmp_path, {f"more/{Path(name).name}": text for name, text in FIGURE.items()})
    with pytest.raises(LiterateError, match=r"count.svg is a figure count too: rename"):
        _ = annotate(Project(tmp_path, figures=("figures", "more"))).content.figures
