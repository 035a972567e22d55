"""The figures on the pages are those that were measured."""

import ast
import json
import re

import pytest

from labml_txl.models import fast
from tests.benchmarks.fast import IDEAS, MODULES, RESULTS, tables

RESULT = json.loads(RESULTS.read_text(encoding="utf-8"))
TEXTS = {
    p.stem: ast.get_docstring(ast.parse(p.read_text("utf-8"))) or ""
    for p in sorted(MODULES.glob("*.py"))
}
TESTS = "\n".join(
    path.read_text("utf-8") for path in MODULES.parents[2].glob("tests/models/**/*.py")
)


@pytest.mark.parametrize("name", TEXTS)
def test_each_page_has_the_table_of_its_measurement(name: str) -> None:
    assert tables(RESULT)[name] in TEXTS[name]


def test_every_idea_has_a_page_and_every_page_an_idea() -> None:
    # One of them is measured on a GPU.
    assert {*TEXTS} - {"__init__", "fusion"} == {*IDEAS} == {*RESULT["ideas"]}
    assert fast.__doc__ is not None
    listed = re.findall(r"\]\((\w+)\.md\)", fast.__doc__)
    assert sorted(listed) == sorted([*IDEAS, "fusion"])


@pytest.mark.parametrize("name", [*IDEAS, "fusion"])
def test_each_page_names_a_test_that_holds_it_equal(name: str) -> None:
    named = re.findall(r"`(test_\w+)`", TEXTS[name])
    assert named
    assert all(f"def {test}(" in TESTS for test in named)


def test_the_short_form_needs_nothing_of_the_fast_one() -> None:
    for name in ("relative_attention", "relative_shift", "distances", "masking"):
        source = (MODULES.parent / f"{name}.py").read_text("utf-8")
        imported = [
            node.module or ""
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.ImportFrom)
        ]
        assert not any("fast" in module for module in imported), name
