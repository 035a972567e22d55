"""The settings of the plugin, the page that lists them, and those of this site."""

import json
import re

from labml_txl.literate.mkdocs.search import keywords_of
from labml_txl.literate.mkdocs.settings import LiterateConfig, load, open_project
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
