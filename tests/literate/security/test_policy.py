"""The rule of a page names what its templates and its author ask for, and no more."""

import re
from html import unescape
from pathlib import Path

from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.settings import Project
from labml_txl.literate.security.policy import add_policy, hash_script
from labml_txl.literate.theme.templates import finish_page
from tests.literate.small import write

FRAME = '<head><script src="https://cdn.example/a/b.js"></script></head><body>'


def rule(page: str) -> dict[str, list[str]]:
    """The sources that each directive of a page's rule allows."""
    (found,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    parts = (part.split() for part in unescape(found).split("; "))
    return {name: sources for name, *sources in parts}


def test_a_page_loads_from_the_hosts_of_its_templates_and_from_trusted_ones() -> None:
    trusted, requested = ["https://images.example"], ["https://weights.example"]
    own = ["'self'", "https://cdn.example", "https://images.example"]
    found = rule(add_policy(FRAME, FRAME, "", trusted, requested))
    assert found["script-src"] == own
    assert found["connect-src"] == [*own, *requested]
    assert found["default-src"] == found["object-src"] == ["'none'"]


def test_only_the_scripts_of_pages_that_are_named_may_request_from_other_hosts(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"docs/index.md": "# Home\n", "docs/live.md": "# Live\n"})
    connect = (("live.md", ("https://weights.example",)),)
    pages = ("index.md", "live.md")
    site = annotate(Project(tmp_path, prose=pages, connect=connect))
    for path, hosts in (("index.md", []), ("live.md", ["https://weights.example"])):
        found = rule(finish_page("<head>", "<head>", site, path))
        assert found["connect-src"] == ["'self'", *hosts]


def test_scripts_of_the_english_prose_run_and_those_of_other_content_do_not(
    tmp_path: Path,
) -> None:
    asked, strange = "<script>ours()</script>", "<script>theirs()</script>"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text(f"# Home\n\n{asked}\n")
    site = annotate(Project(tmp_path, prose=("index.md",)))
    frame = f"{FRAME}<script>templates()</script><script src=a></script>"
    page = finish_page(f"{frame}{asked}{strange}", frame, site, "index.md")
    wanted = map(hash_script, ("templates()", "ours()"))
    assert rule(page)["script-src"] == ["'self'", "https://cdn.example", *wanted]
    assert page.index("Content-Security-Policy") < page.index("<script>")
    # A preview serves each page with one more script.
    page = finish_page(frame, frame, site, "index.md", preview=True)
    assert rule(page)["script-src"][-1] == "'unsafe-inline'"
