"""The contents beside a page."""

from pathlib import Path

from tests.literate.small import FILES, build, write


def test_a_formula_of_a_heading_is_set_in_the_contents_too(tmp_path: Path) -> None:
    page = "# Counting\n\n## Of $n_t$ steps\n\n## Of words\n"
    write(tmp_path, FILES, {"docs/index.md": page})
    assert build(tmp_path, "--strict").returncode == 0
    html = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    contents = html.partition('aria-label="Table of contents"')[2].partition("</nav>")[
        0
    ]
    formula, words = contents.split('href="#')[1:]
    assert '<span class="katex">' in formula
    assert "Of words" in words
