"""Style sheets of a built site have only what its pages can use."""

import re
from pathlib import Path

from labml_txl.literate.theme.sheets import (
    compact,
    shrink_sheets,
    used_rules,
    without_icons,
)
from labml_txl.literate.theme.templates import THEME


def test_each_class_of_the_engine_is_one_that_the_engine_writes() -> None:
    """The rules for the pages of a project are in style sheets of the project."""
    files = [p for p in THEME.parents[1].rglob("*") if p.suffix in WRITTEN]
    assert len(files) > 100
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    for sheet in THEME.rglob("*.css"):
        css = sheet.read_text(encoding="utf-8")
        classes = {*re.findall(r"\.(lit-[\w-]+)", css)}
        assert {name for name in classes if name not in text} == set()


WRITTEN = {".py", ".html", ".js", ".mjs", ".j2"}


def test_rules_for_parts_that_no_page_has_are_dropped() -> None:
    css = (
        '@charset "UTF-8";html{a:b}.tabs>input,.note{color:red}.tabs:checked{x:y}'
        "@media print{.tabs{a:b}}@media print{.note:not(.tabs){a:b}}"
        ".note:is(.tabs,h2){a:b}@keyframes k{0%,12.5%{a:b}}"
        "[data-md-color-primary=red]{a:b}[dir=rtl] .note{a:b}[dir=ltr] .note{a:b}"
    )
    assert used_rules(css, {"note", "ltr"}) == (
        '@charset "UTF-8";html{a:b}.note{color:red}'
        "@media print{.note:not(.tabs){a:b}}"
        ".note:is(.tabs,h2){a:b}@keyframes k{0%,12.5%{a:b}}"
        "[dir=ltr] .note{a:b}"
    )


def test_pictures_that_nothing_refers_to_are_dropped() -> None:
    css = ":root{--a:url('x');--b:url('y');--c:url('z')}p{mask:var(--a)}"
    left = ":root{--a:url('x');--c:url('z')}p{mask:var(--a)}"
    assert without_icons(css, {"--c"}) == left


def test_comments_and_blanks_are_dropped_but_not_between_names() -> None:
    css = """/* One. */
    [dir="rtl"]
      :is(a, .b) > p {
      content: "a  /* b */; c";
      width: calc(1px + 2px); /* two */
    }
    """
    assert compact(css) == (
        '[dir="rtl"] :is(a,.b) > p{content:"a  /* b */; c";width:calc(1px + 2px);}'
    )


def test_rules_that_pages_or_scripts_use_are_kept(tmp_path: Path) -> None:
    files = {
        "index.html": '<body dir="ltr"><p class="note"></p>',
        "ja/index.html": "<p class=hint></p>",
        "assets/own.js": 'e.className = "made"',
        "assets/javascripts/bundle.js": 'find("tabs"); make("md-tip")',
        "assets/literate.css": "/* a */ .lit {\n  mask: var(--b);\n}\n",
        "assets/home.css": "/* a */ .home {\n  a: b;\n}\n",
        "assets/stylesheets/main.css": ":root{--a:url(x);--b:url(y)}"
        ".note{}.hint{}.made{}.tabs{}.md-tip{}.md-post{}.js .note{}",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    shrink_sheets(tmp_path)
    assert (tmp_path / "assets/literate.css").read_text() == ".lit{mask:var(--b);}"
    assert (tmp_path / "assets/home.css").read_text() == ".home{a:b;}"
    assert (tmp_path / "assets/stylesheets/main.css").read_text() == (
        ":root{--b:url(y)}.note{}.hint{}.made{}.md-tip{}.js .note{}"
    )
