"""The rule of a page names what its templates and its author ask for, and no more."""

import re
from html import unescape
from pathlib import Path

from labml_txl.literate.build.localized import annotate
from labml_txl.literate.build.project import Project
from labml_txl.literate.mkdocs.policy import digest, sealed, secured

FRAME = '<head><script src="https://cdn.example/a/b.js"></script></head><body>'


def rule(page: str) -> dict[str, list[str]]:
    """The sources that each directive of a page's rule allows."""
    (found,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    parts = (part.split() for part in unescape(found).split("; "))
    return {name: sources for name, *sources in parts}


def test_a_page_asks_the_hosts_of_its_templates_and_of_its_model_alone() -> None:
    trusted, models = ["https://images.example"], ["https://weights.example"]
    own = ["'self'", "https://cdn.example", "https://images.example"]
    for english, connects in (("", own), ("<txl-model>", [*own, *models])):
        found = rule(secured(FRAME, FRAME, english, trusted, models))
        assert found["script-src"] == own
        assert found["connect-src"] == connects
        assert found["default-src"] == found["object-src"] == ["'none'"]


def test_scripts_of_the_english_prose_run_and_those_of_other_content_do_not(
    tmp_path: Path,
) -> None:
    asked, strange = "<script>ours()</script>", "<script>theirs()</script>"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(f"# Home\n\n{asked}\n")
    site = annotate(Project(tmp_path, prose=("index.md",)))
    page = sealed(f"{FRAME}{asked}{strange}", FRAME, site, "index.md")
    scripts = rule(page)["script-src"]
    assert digest("ours()") in scripts
    assert digest("theirs()") not in scripts


def test_the_rule_knows_scripts_of_templates_and_of_the_english_only() -> None:
    frame = (
        "<head><meta charset=utf-8></head><script>one()</script><script src=a></script>"
    )
    page = frame + "<script>two()</script><script>three()</script>"
    whole = secured(page, frame, "<script>two()</script>")
    assert digest("one()") in whole
    assert digest("two()") in whole
    assert digest("three()") not in whole
    # A preview serves each page with one more script.
    assert "'unsafe-inline'; script-src-attr 'none';" in secured(
        page, frame, preview=True
    )
    assert whole.index("Content-Security-Policy") < whole.index("<script>")
