"""The page of equations."""

import re
from pathlib import Path

from tests.literate.edition.test_edition import PROJECT, edition
from tests.literate.small import COUNTER_FILE, write


def test_an_equation_names_the_lines_that_compute_it(tmp_path: Path) -> None:
    write(tmp_path, PROJECT)
    page = edition(tmp_path).pages()["equations.md"]
    lines = (tmp_path / COUNTER_FILE).read_text(encoding="utf-8").splitlines()
    (line,) = (n for n, text in enumerate(lines, 1) if "return number" in text)
    (found,) = re.findall(r"\[([^\]]*`Counter\.count`[^\]]*)\]", page)
    assert re.findall(r"\d+", found) == [str(line)]
