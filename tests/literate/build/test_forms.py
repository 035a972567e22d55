"""The other forms of a page, which its template offers."""

import re
from pathlib import Path

from labml_txl.literate.build.forms import leads
from labml_txl.literate.i18n.languages import ENGLISH
from tests.literate.build.test_edition import PROJECT, edition
from tests.literate.small import COUNTER_FILE, write


def test_a_module_that_cannot_be_read_has_no_notebook(tmp_path: Path) -> None:
    write(tmp_path, PROJECT, {COUNTER_FILE: "def count(:\n"})
    found = edition(tmp_path)
    assert leads(found, "counting/counter.md") == {
        "markdown_url": "counting/counter.md"
    }
    whole = leads(found, "counting/steps.md")
    assert whole["notebook_url"] == "counting/steps.ipynb"


def test_the_list_of_pages_has_a_part_for_each_folder_of_modules(
    tmp_path: Path,
) -> None:
    write(tmp_path, PROJECT)
    listed = str(edition(tmp_path).into(ENGLISH).files()["llms.txt"])
    parts = {
        part.partition("\n")[0]: set(re.findall(r"^- \[([^]]+)\]", part, re.MULTILINE))
        for part in listed.split("\n## ")[1:]
    }
    assert {"Steps", "The counter"} <= parts["Counting things"], parts
