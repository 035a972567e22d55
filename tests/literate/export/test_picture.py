"""A drawing as a picture of its own: in notebooks, and beside the plain Markdown."""

import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from labml_txl import web
from labml_txl.literate.colours import (
    DARK,
    DARK_LOOK,
    LIGHT,
    LIGHT_LOOK,
    style_terms,
)
from labml_txl.literate.export.picture import COLOURS, make_standalone
from labml_txl.literate.export.text import make_portable
from labml_txl.literate.markdown.note import read
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.source import Source
from labml_txl.literate.theme.templates import style_sheet

ROOT = Path(__file__).parents[3]
DRAWINGS = [
    *sorted((ROOT / "labml_txl/figures").glob("*.svg")),
    *sorted((ROOT / "docs/figures").glob("*.svg")),
]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 30" style="--wide: 9em"
>
  <defs><text data-word="slots">Slots</text></defs>
  <path class="fig-accent" d="M0 0h9"/>
  <rect class="fig-cell fig-term-b" x="1" y="2" width="3" height="4"/>
  <text class="fig-ink" x="1" y="25">Four slots</text>
</svg>"""
NOTE = "![Some slots.](figure:slots)"
SITE = Site(
    drawings={"slots": Source("slots.svg", SVG)},
    pages={"a.one": "a/one.md"},
    url="https://s.example/",
)


def held(markdown: str) -> ET.Element:
    """The picture that a note holds."""
    found = re.search(r"!\[[^]]*\]\(data:image/svg\+xml;base64,([\w+/=]+)\)", markdown)
    assert found, markdown[:200]
    return ET.fromstring(b64decode(found[1]))


def local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def test_an_exported_picture_has_its_own_colours_on_white() -> None:
    ground, line, cell, words = ET.fromstring(make_standalone(SVG, letters="ab"))
    assert ground.attrib == {
        **{"x": "-8", "y": "-8", "width": "86", "height": "46"},
        "fill": "#fff",
    }
    assert (line.get("fill"), line.get("stroke")) == ("none", COLOURS["fig-accent"])
    assert (cell.get("fill"), cell.get("stroke")) == (
        style_terms("ab")["b"].light,
        None,
    )
    assert words.get("fill") == COLOURS["fig-ink"]


def test_the_font_of_a_picture_depends_on_its_language() -> None:
    """The font that a system calls its own may be a Chinese one, on any page."""
    root = ET.fromstring(make_standalone(SVG, "ja"))
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "ja"
    assert root.get("font-family") == "sans-serif"
    assert 'xml:lang="ja"' in make_standalone(
        SVG.replace("<svg", '<svg xml:lang="ja"'), "zh"
    )
    site = replace(SITE, tag="zh-Hans")
    root = held(make_portable(read(NOTE), "a/one.md", site, drawn=True).text)
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == "zh-Hans"


def words_of(root: ET.Element) -> list[list[str]]:
    texts = (one for one in root.iter() if local(one) == "text")
    return ["".join(text.itertext()).split() for text in texts]


def test_exported_pictures_need_no_theme_and_keep_their_text() -> None:
    wrong = []
    for file in DRAWINGS:
        root = ET.fromstring(make_standalone(file.read_text(encoding="utf-8")))
        pairs = {pair for one in root.iter() for pair in one.attrib.items()}
        themed = {k for k, v in pairs if k in {"class", "data-word"} or "var(" in v}
        sizes = [root.get("width"), root.get("height")]
        drawn = ET.fromstring(file.read_text(encoding="utf-8"))
        for defs in drawn.findall("{*}defs"):
            drawn.remove(defs)
        fits = root.get("viewBox", "").split()[2:] == sizes
        if themed or not fits or words_of(root) != words_of(drawn):
            wrong.append((file.name, themed))
    assert len(DRAWINGS) > 10
    assert wrong == []


def test_all_renderings_have_the_colours_of_one_table() -> None:
    css = style_sheet("abcd")
    pattern = r"\.(fig-[\w-]+) \{\s+(?:--fig|fill): var\((--[\w-]+)\)"
    used = dict(re.findall(pattern, css))
    terms = {f"fig-term-{letter}" for letter in "abcd"}
    assert {*COLOURS, *terms, "fig-cell"} == {*used}
    light, dark = LIGHT | LIGHT_LOOK, DARK | DARK_LOOK
    for letter, style in style_terms("abcd").items():
        light[f"--lit-{letter}"], dark[f"--lit-{letter}"] = style[:2]
    named = {name: light[role] for name, role in used.items() if role in light}
    named = {name: colour for name, colour in named.items() if name not in terms}
    assert {name: COLOURS[name] for name in named} == named
    model, _, model_in_the_dark = web.colours().partition("@media")
    code = [f for f in (ROOT / "labml_txl").rglob("*.py") if f.stem != "colours"]
    text = "".join(f.read_text("utf-8") for f in code)
    for term in (f"--lit-{term}" for term in "abcd"):
        for part in (model, css):
            assert f"{term}: {light[term]};" in part
        for part in (model_in_the_dark, css):
            assert f"{term}: {dark[term]};" in part
        assert light[term] not in text  # written down nowhere else


def test_a_notebook_embeds_the_picture_and_markdown_links_to_it() -> None:
    shown = make_portable(read(NOTE), "a/one.md", SITE, drawn=True).text
    assert shown.startswith("![Some slots.](data:")
    assert shown.endswith("([See it](https://s.example/a/one.md).)")
    assert [local(one) for one in held(shown)] == ["rect", "path", "rect", "text"]
    assert make_portable(read(NOTE), "a/one.md", SITE).text.startswith(
        "![Some slots.](https://s.example/assets/figures/slots.svg)"
    )
