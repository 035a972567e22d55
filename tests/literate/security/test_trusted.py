"""Notes bring no class of ours, and rows keep theirs."""

import re
from pathlib import Path

import pytest
from lxml.html import document_fromstring

from labml_txl.literate.security.trusted import sanitise
from labml_txl.literate.theme.templates import THEME
from tests.literate.small import COUNTER, COUNTER_FILE, FILES, must_build, write
from tests.literate.translations import JAPANESE

SHEET = (THEME / "assets" / "literate.css").read_text(encoding="utf-8")
CLASSES = sorted({*re.findall(r"\.((?:lit|fig)-[a-z][\w-]*)", SHEET)})


def test_notes_cannot_use_classes_of_the_style_sheet() -> None:
    assert len(CLASSES) > 90
    theirs = ("katex", "md-overlay", "sym-a", "shape", "headerlink", "mermaid")
    for name in (*CLASSES, *theirs):
        for written in (name, f"x {name}\t{name}", f"&#{ord(name[0])};{name[1:]}"):
            html = sanitise(f'<a class="{written}">w</a>')
            assert "class" not in html or 'class="x"' in html, written
    known = '<b class="note admonition literal">w</b>'
    assert sanitise(known) == known


def test_notes_cannot_position_elements() -> None:
    for style in ("position: fixed", "margin-top: -9em", "inset: 0", "float: left"):
        assert ":" not in sanitise(f'<b style="{style}">w</b>')


def test_a_note_cannot_use_the_controls_of_the_theme() -> None:
    for given in ('for="__drawer"', 'for="__search"', 'name="__palette"', 'id="__toc"'):
        for tag in ("label", "input", "a"):
            assert "__" not in sanitise(f"<{tag} {given}>w</{tag}>")
    tabs = '<label for="__tabbed_1_1">w</label>'
    assert sanitise(tabs) == tabs


def test_content_of_notes_cannot_be_much_larger_than_the_page() -> None:
    for size in (
        "9999px",
        "1e9px",
        "100vw",
        "calc(9px * 999)",
        "9\\39 99px",
        "999%",
        "999em",
    ):
        styled = f'<b style="text-align: left; width: {size}; height: 3em">w</b>'
        kept = '<b style="text-align: left;height: 3em">w</b>'
        assert sanitise(styled) == kept, size
    cells = (
        '<table><tbody><tr><td colspan="{}" rowspan="{}">w</td></tr></tbody></table>'
    )
    assert sanitise(cells.format(2, 99)) == cells.format(2, 99)
    assert "span" not in sanitise(cells.format(1000, 60000))


def test_only_pictures_may_have_data_urls() -> None:
    picture = "data:image/png;base64,aGVsbG8="
    assert sanitise(f'<img src="{picture}">') == f'<img src="{picture}">'
    blanks = " " * 99
    for address in (picture, "data:text/html,x", "da\tta:,x", f"{blanks}data:,x"):
        assert "ta:" not in sanitise(f'<a href="{address}" cite="{address}">w</a>')
    for form in ("svg+xml;base64,aGVsbG8=", "png,x"):
        assert "data" not in sanitise(f'<img src="data:image/{form}">')


HOSTILE = """\
<a class="lit-copy" style="width:9999px;height:9999px" href="//evil.example">w</a>

<div class="lit-side" markdown="1">

Words.
{ .lit-note #a }

</div>

[w](a.md){ .lit-menu style="position: fixed" }
"""


@pytest.mark.parametrize("language", ["", "ja/"])
def test_classes_of_notes_are_removed_and_those_of_rows_kept(
    tmp_path: Path, language: str
) -> None:
    note = "\n        # ".join(HOSTILE.splitlines())
    hostile = COUNTER.replace(
        "# One more than before:", f"# One more.\n        # {note}"
    )
    locale = {"docs/locale/ja/language.toml": JAPANESE}
    write(tmp_path, FILES, locale, {COUNTER_FILE: hostile})
    must_build(tmp_path)
    page = tmp_path / "site" / language / "counting/counter/index.html"
    html = page.read_text(encoding="utf-8")
    assert "\ufdd2" not in html
    assert "fonts.g" not in html
    notes = document_fromstring(html).xpath("//div[@class='lit-note']")
    (inner,) = [n for n in notes if n.xpath(".//a[contains(@href, 'evil.example')]")]
    classes = " ".join(inner.xpath("./*/descendant-or-self::*/@class")).split()
    ours = {name for name in classes if name.startswith(("lit-", "md-"))}
    # Of an index in a formula, and of the marks of what is not translated.
    assert ours == ({"lit-script", "lit-mark"} if language else {"lit-script"})
    assert not [s for s in inner.xpath(".//@style") if "position" in s]
    assert inner.getnext().get("class") == "lit-side"
