"""What the pages on speed say is what was measured."""

import ast
import json

from tests.benchmarks.fast import MODULES, RESULTS, module_of, tables


def test_each_page_on_speed_has_the_table_of_its_measurement() -> None:
    wanted = tables(json.loads(RESULTS.read_text("utf-8")))
    texts = {
        name: ast.get_docstring(ast.parse(module_of(name).read_text("utf-8"))) or ""
        for name in wanted | {path.stem: "" for path in MODULES.glob("*.py")}
    }
    # The one that is for a GPU is measured elsewhere.
    assert texts.keys() - {"fusion"} == wanted.keys()
    assert [name for name, table in wanted.items() if table not in texts[name]] == []
