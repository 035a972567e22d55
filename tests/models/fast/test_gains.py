"""What the pages on speed say is what was measured."""

import ast
import json

from tests.benchmarks.fast import MODULES, RESULTS, tables


def test_each_page_has_the_table_of_its_measurement() -> None:
    wanted = tables(json.loads(RESULTS.read_text("utf-8")))
    texts = {
        path.stem: ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        for path in MODULES.glob("*.py")
    }
    # The one that is for a GPU is measured elsewhere.
    assert texts.keys() - {"fusion"} == wanted.keys()
    assert [name for name, table in wanted.items() if table not in texts[name]] == []
