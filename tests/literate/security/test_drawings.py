"""Drawings: read as XML, with names of their own on the page that shows them."""

import re
from pathlib import Path

import pytest

from labml_txl.literate.i18n.catalog import Catalog, Entry
from labml_txl.literate.i18n.pages import Translation
from labml_txl.literate.markdown.note import read
from labml_txl.literate.render.resolve import Site, resolve
from labml_txl.literate.security.svg import (
    DrawingError,
    measure_letters,
    parse,
    prefix_ids,
    relabel,
    write_markup,
)
from labml_txl.literate.sources.source import LiterateError

INKSCAPE = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x/svg11.dtd">
<!-- a drawing: <svg><text>no words</text></svg> -->
<svg:svg xmlns:svg="http://www.w3.org/2000/svg" xmlns:ink="https://ink.example"
    xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="https://dc.example"
    ink:zoom="2" viewBox="0 0 9 9">
  <svg:metadata><dc:title>kept by the program</dc:title></svg:metadata>
  <ink:view><svg:text>of the program</svg:text></ink:view>
  <svg:path id="a" d="M0 0"/>
  <svg:use xlink:href="#a"/>
  <svg:text xml:space="preserve">two <svg:tspan>words</svg:tspan></svg:text>
</svg:svg>
"""


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("<svg><!-- <text>no</text> --><text>words</text></svg>", ["words"]),
        ("<svg><text>one<!-- </text> --> two</text></svg>", ["one two"]),
        ("<svg><text><![CDATA[a < word]]></text></svg>", ["a < word"]),
        ("<svg><text>a &#119;ord &amp; more</text></svg>", ["a word & more"]),
        (
            "<svg><text>one <tspan>two</tspan> three</text></svg>",
            ["one", "two", "three"],
        ),
        ("<svg><style>no words</style><title>words</title></svg>", ["words"]),
        ("<svg><g font-family='monospace'><text>code</text></g></svg>", []),
        ("<svg><text style='font: 9px monospace'>my code</text></svg>", []),
        (
            "<svg><g font-family='monospace'><text style='font-family:serif'>"
            "words</text></g></svg>",
            ["words"],
        ),
        (INKSCAPE, ["two", "words"]),
    ],
)
def test_texts_of_a_drawing_are_messages(drawing: str, expected: list[str]) -> None:
    root = parse(drawing)
    relabel(root, str.upper)
    shown = [text.strip() for text in root.itertext() if text.strip()]
    assert [text for text in shown if text.isupper()] == [*map(str.upper, expected)]


@pytest.mark.parametrize(
    "words",
    [
        *("</text><script>x()</script><text>", "<b onclick='x()'>", "&lt;b&gt;"),
        *("]]><b>", "<!-- -->", "a & b", "\x00\x1f\ufffe b", '"quoted"', "&a;"),
    ],
)
@pytest.mark.parametrize("label", ["one", "<![CDATA[one]]>", "o&#110;e"])
def test_a_translated_label_is_nothing_but_text(words: str, label: str) -> None:
    catalog = Catalog("de", {"one": Entry(words)})
    translation = Translation(catalog=lambda page: catalog)
    root = parse(
        translation.translate_drawing(f"<svg><text>{label}</text></svg>", "site")
    )
    assert [element.tag for element in root.iter()] == ["svg", "text"]
    kept = words.translate(dict.fromkeys(map(ord, "\x00\x1f\ufffe")))
    assert (root.findtext("text") or "").strip() == kept.strip()


# Names for texts, each ten times the one before: together a thousand million letters.
BOMB = "<!ENTITY a0 'a'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("drawing", "line", "said"),
    [
        ("", 1, "not valid XML: no element found"),
        ("<svg>\n<g>\n</svg>", 3, "not valid XML: mismatched tag"),
        ("<svg>&nbsp;</svg>", 1, "not valid XML: undefined entity"),
        (f"<!DOCTYPE svg [{BOMB}]><svg>&a9;</svg>", 1, "not valid XML: limit on input"),
    ],
)
def test_an_invalid_drawing_is_an_error_with_its_line(
    drawing: str, line: int, said: str
) -> None:
    with pytest.raises(DrawingError) as caught:
        parse(drawing)
    assert (caught.value.line, str(caught.value)[: len(said)]) == (line, said)
    with pytest.raises(DrawingError, match="200 deep"):
        parse("<g>" * 1_000 + "</g>" * 1_000)


@pytest.mark.parametrize(
    ("drawing", "html"),
    [
        ("<svg><text>one <tspan>two</tspan> <tspan>three</tspan></text></svg>", ""),
        ("<svg><text>a &lt; b &amp; c</text><g/></svg>", ""),
        ('<svg><a href="?a=1&amp;b=&quot;">x</a></svg>', ""),
        # Of what a drawing program writes, only the drawing is kept.
        (
            INKSCAPE,
            '<svg viewBox="0 0 9 9"><path id="a" d="M0 0"/><use href="#a"/>'
            '<text xml:space="preserve">two <tspan>words</tspan></text></svg>',
        ),
    ],
)
def test_a_drawing_is_written_as_it_was_read(drawing: str, html: str) -> None:
    assert write_markup(parse(drawing)) == (html or drawing)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<path id="a"/>', '<path id="p-a"/>'),
        ('<use href="#a"/>', '<use href="#p-a"/>'),
        ('<g clip-path="url(#a)"/>', '<g clip-path="url(#p-a)"/>'),
        ("<g style=\"fill: url('#a') red\"/>", '<g style="fill: url(#p-a) red"/>'),
        ('<g aria-labelledby="a b other"/>', '<g aria-labelledby="p-a p-b other"/>'),
    ],
)
def test_ids_of_a_drawing_and_references_to_them_get_a_prefix(
    before: str, after: str
) -> None:
    root = parse(f'<svg><g id="a"/><g id="b"/><g id="abc"/>{before}</svg>')
    prefix_ids(root, "p-")
    assert write_markup(root).endswith(f"{after}</svg>")


@pytest.mark.parametrize(
    ("drawing", "said"),
    [
        ("<svg>\n<g></svg>", "a.py:7: the figure a.svg, line 2: not valid XML: mi"),
        ("<html/>", "a.py:7: the figure a.svg needs an <svg> element"),
        ("<!-- <svg> --><g/>", "a.py:7: the figure a.svg needs an <svg> element"),
        ("<x:svg xmlns:x='https://x.example'/>", "a.py:7: the figure a.svg needs an"),
        ("\xff", "a.svg:1: byte 0xff is not UTF-8"),
    ],
)
def test_a_figure_with_a_fault_is_refused_in_one_line(
    tmp_path: Path, drawing: str, said: str
) -> None:
    tmp_path.joinpath("a.svg").write_bytes(drawing.encode("latin-1"))
    site = Site(figures=tmp_path)
    with pytest.raises(LiterateError) as caught:
        resolve(read("![Words](a.svg)"), "a.md", site, near="", path="a.py", line=7)
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("inside", "wide"),
    [
        ('<text font-size="10">a</text><text font-size="20px">b</text>', 40),
        ('<g font-size="8"><text>a</text></g><text font-size="9">b</text>', 50),
        ('<text style="fill: red; font-size: 5px">a</text>', 80),
        (
            '<defs><text font-size="1">a word of a script</text></defs><text>b</text>',
            25,
        ),
        ('<text font-size="2em">a</text>', 25),
        ("<path/>", 0),
    ],
)
def test_a_drawing_states_the_size_of_its_smallest_letters(
    inside: str, wide: float
) -> None:
    assert measure_letters(parse(f'<svg viewBox="0 0 400 9">{inside}</svg>')) == wide
    assert measure_letters(parse(f"<svg>{inside}</svg>")) == 0


def test_links_of_a_drawing_lead_to_pages_from_its_folder(tmp_path: Path) -> None:
    drawing = tmp_path / "figures/one.svg"
    drawing.parent.mkdir()
    places = ("../models/b.md#B", "../a.md#here", "https://x.example/c.md")
    links = "".join(f'<a href="{place}"><text>w</text></a>' for place in places)
    drawing.write_text(f"<svg>{links}</svg>", encoding="utf-8")
    site = Site(figures=tmp_path, root=tmp_path)
    note = read("![Words](figures/one.svg)")
    text = str(resolve(note, "a.md", site, near="", path="a.md", line=7))
    assert re.findall('href="([^"]*)"', text) == ["models/b.md#B", "#here", places[2]]
    # A screen reader does not enter an image.
    assert 'role="group"' in text
