"""The page of equations."""

import re
from pathlib import Path

from labml_txl.literate.i18n.languages import ENGLISH
from tests.literate.project.test_localized import PROJECT, japanese
from tests.literate.small import COUNTER_FILE, write


def test_an_equation_names_the_lines_that_compute_it(tmp_path: Path) -> None:
    write(tmp_path, PROJECT)
    page = japanese(tmp_path).entry("equations.md").markdown
    lines = (tmp_path / COUNTER_FILE).read_text(encoding="utf-8").splitlines()
    (line,) = (n for n, text in enumerate(lines, 1) if "return number" in text)
    (found,) = re.findall(r"\[([^\]]*`Counter\.count`[^\]]*)\]", page)
    assert re.findall(r"\d+", found) == [str(line)]


def test_an_equation_lists_the_modules_that_cite_it(tmp_path: Path) -> None:
    told = '"""# Steps\n\nEach is [one more][cnt.next].\n"""\n\nSTEP = 1\n'
    write(tmp_path, PROJECT, {"src/counting/steps.py": told})
    page = japanese(tmp_path).select_language(ENGLISH).entry("equations.md").markdown
    (line,) = (line for line in page.splitlines() if "[Steps]" in line)
    assert re.findall(r"\[[^\]]*\]\([^)]*\.md#[^)]*\)", line) == [
        "[Steps](counting/steps.md#steps)"
    ]
