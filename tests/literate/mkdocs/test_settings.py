"""The settings of the plugin, the page that lists them, and those of this site."""

import json
import re
import subprocess
import sys
from pathlib import Path

from labml_txl.literate.mkdocs.search import keywords_of
from labml_txl.literate.mkdocs.settings import LiterateConfig, load, open_project
from tests.literate.small import ENVIRONMENT, FILES, write
from tests.site.pages import ROOT

ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| `([^`]*)` \| \S.* \|$", re.MULTILINE)


def test_the_page_lists_each_setting_with_its_type_and_default() -> None:
    page = (ROOT / "docs/annotate.md").read_text(encoding="utf-8")
    listed = [
        (name, kind, json.loads(value)) for name, kind, value in ROW.findall(page)
    ]
    defaults = LiterateConfig().items()
    assert listed == [(name, type(value).__name__, value) for name, value in defaults]


def test_each_keyword_of_the_search_leads_to_a_page() -> None:
    settings = ROOT / "mkdocs.yml"
    keywords = keywords_of(load(settings)[1])
    assert keywords
    site = open_project(settings)
    known = {*site.paths, *site.project.prose}
    codes = [one.code for one in site.languages]
    assert {*keywords} - known - {
        f"{c}/{path}" for c in codes for path in known
    } == set()


def test_mkdocs_prints_no_warnings_and_a_font_can_be_set(
    tmp_path: Path,
) -> None:
    """As its own program, MkDocs tells of what will be removed, with the stack."""
    code = "from mkdocs.__main__ import cli; cli(['build'])"
    base = {"mkdocs.yml": "INHERIT: base.yml\n", "base.yml": FILES["mkdocs.yml"]}
    fonts = "theme: {name: material, font: {text: Arial, code: Courier}}"
    own = {"base.yml": str(FILES["mkdocs.yml"]).replace("theme: material", fonts)}
    for name, files in (("none", base), ("own", {**base, **own})):
        write(tmp_path / name, FILES, files)
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path / name,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Deprecat" not in done.stderr
        html = (tmp_path / name / "site/index.html").read_text(encoding="utf-8")
        assert ("Courier" in html) is (name == "own")
