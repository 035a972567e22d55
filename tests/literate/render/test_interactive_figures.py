"""Interactive figures: found by name, described in text, with one script each."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.equations.node import find_node
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.files import files_of
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
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
FRENCH = 'name = "Français"\nenglish = "French"\ntheme = "fr"\n'
PLACED = "# Counting\n\nWe count.\n\n![Steps of a\ncount.](figure:count)\n"


def edition(folder: Path, *pages: str) -> LocalizedProject:
    given = {f"docs/{name}": PLACED for name in pages}
    write(folder, FILES, FIGURE, given)
    prose = ("index.md", *pages)
    return annotate(
        Project(folder, ("src/counting",), figures=("figures",), prose=prose)
    )


def test_a_page_has_the_picture_of_a_figure_its_texts_and_its_script(
    tmp_path: Path,
) -> None:
    found = edition(tmp_path, "deep/a.md").entry("deep/a.md").markdown
    assert '<figure-count style="--wide: 5rem"><svg viewBox' in found
    assert '<text data-word="steps">Steps: {count}</text>' in found
    assert 'role="img" aria-label="Steps of a count."' in found
    assert '<script defer src="../../assets/figures/count.js"></script>' in found
    assert 'id="arrow"' not in found
    write(tmp_path, {"docs/b.md": PLACED.replace("figure:count", "figure:count#two")})
    begins = edition(tmp_path, "a.md").project
    begins = replace(begins, prose=("b.md",))
    assert '<figure-count style="--wide: 5rem" data-start="two">' in str(
        annotate(begins).entry("b.md").markdown
    )

    # The way to the script is that of the page.
    given = edition(tmp_path, "a.md").project
    ways: list[tuple[dict[str, Any], str]] = [
        ({}, "../assets"),
        ({"directory_urls": False}, "assets"),
        # A host that finds the address of each file by itself.
        ({"files_in_html": True}, "assets"),
    ]
    for settings, way in ways:
        found = annotate(replace(given, **settings)).entry("a.md").markdown
        assert f'src="{way}/figures/count.js"' in found


def printed(script: object) -> str:
    """What a script prints."""
    done = subprocess.run(
        [find_node(), "-e", str(script)], capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.stdout


def test_the_script_has_the_data_of_a_figure_and_its_arithmetic(tmp_path: Path) -> None:
    project = edition(tmp_path).project
    asks = "console.log(NAME, DATA.words[1], twice(half(DATA.n)));"
    worker = "console.log(half(twice(21)), globalThis.HTMLElement);"
    data = '{"n": 3, "words": ["</script>", "\u2028`${n}`"]}'
    write(tmp_path, {"figures/count.js": asks, "figures/count.json": data})
    script = dict(files_of(annotate(project)))["assets/figures/count.js"]
    page = f"{BROWSER} document.currentScript = {{ src: 'http://localhost/a.js' }};"
    assert printed(f"{page}\n{script!s}") == "figure-count \u2028`${n}` 3\n"
    # What runs beside the page has the same arithmetic.
    write(tmp_path, {"figures/count.worker.js": worker})
    script = dict(files_of(annotate(project)))["assets/figures/count.worker.js"]
    assert printed(script) == "21 undefined\n"


@pytest.mark.parametrize(
    ("folder", "start", "models", "worker"),
    [
        ("", "https://a.b/sub/", "https://a.b/sub/", True),
        ("fr/", "https://a.b/sub/fr/", "https://a.b/sub/", True),
        ("fr/", "file:///sub/fr/", "file:///sub/", False),
    ],
)
def test_a_figure_finds_its_files_and_those_shared_by_languages(
    folder: str, start: str, models: str, worker: bool, tmp_path: Path
) -> None:
    given = edition(tmp_path)
    write(tmp_path, {"docs/locale/fr/language.toml": FRENCH})
    write(tmp_path, {"figures/count.js": "globalThis.shown = new Figure();\n"})
    write(tmp_path, {"docs/observations/models/a.bin": "8"})
    files = dict(files_of(given.select_language(given.languages[bool(folder)])))
    assert ("assets/models/a.bin" in files) is not bool(folder)
    address = f"{start}assets/figures/count.js"
    asked = f"""
        {BROWSER}
        globalThis.Worker = class {{ constructor(of) {{ this.of = of.href; }} }};
        document.currentScript = {{ src: "{address}" }};
        location.protocol = "{start.partition("/")[0]}";
        {files["assets/figures/count.js"]!s}
        console.log(shown.asset("models/a.bin"), shown.worker()?.of ?? null);
    """
    beside = address.replace(".js", ".worker.js") if worker else "null"
    assert printed(asked).split() == [f"{models}assets/models/a.bin", beside]


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (
            {"docs/a.md": PLACED.replace("figure:count", "figure:cuont")},
            "docs/a.md:5: unknown figure cuont: did you mean count?",
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
        ({"figures/B.svg": DRAWING}, "figures/B.svg:1: invalid figure name B"),
        (
            {"more/count.svg": DRAWING, "more/count.js": "1;"},
            "more/count.svg:1: duplicate figure count, also in figures/count.svg",
        ),
    ],
)
def test_an_incomplete_figure_is_refused_in_one_line(
    extra: dict[str, str], fault: str, tmp_path: Path
) -> None:
    write(tmp_path, FILES, FIGURE, {"more/none.txt": ""}, extra)
    with pytest.raises(LiterateError) as error:
        _ = annotate(Project(tmp_path, figures=("figures", "more"))).content.figures
    assert str(error.value).startswith(fault)
    assert "\n" not in str(error.value)
    with pytest.raises(LiterateError, match="figures: the folder elsewhere does not"):
        _ = annotate(Project(tmp_path, figures=("elsewhere",))).content.figures
