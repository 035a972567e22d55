"""What the pages on speed say is what was measured and what is tested."""

import ast
import json
import re

from tests.benchmarks.fast import MODULES, RESULTS, tables


def test_each_page_has_the_table_of_its_measurement_and_names_its_tests() -> None:
    wanted = tables(json.loads(RESULTS.read_text("utf-8")))
    tests = "\n".join(
        path.read_text("utf-8")
        for path in MODULES.parents[2].glob("tests/models/**/*.py")
    )
    wrong = []
    for path in sorted(MODULES.glob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        named = re.findall(r"`(test_\w+)`", text)
        if wanted.get(path.stem, "") not in text:
            wrong.append(f"{path.name}: its table is not what was measured")
        if path.stem != "__init__" and not named:
            wrong.append(f"{path.name}: names no test that compares both forms")
        wrong += [f"{path.name}: {n}" for n in named if f"def {n}(" not in tests]
    # The one that is for a GPU is measured elsewhere.
    pages = {path.stem for path in MODULES.glob("*.py")} - {"fusion"}
    assert (wrong, pages) == ([], {*wanted})
