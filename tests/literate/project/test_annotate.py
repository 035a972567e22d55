"""From a project to its pages: their order, their addresses, what is unfinished."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.check import check
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.modules import LARGEST
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.page import Page, assemble
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate.small import COUNTER, COUNTER_FILE, FILES, REGISTRY, write

CITED = COUNTER.replace("One more than", "[One more][cnt.next] than")
TEST = '@pytest.mark.equation("cnt.next")\ndef test_next(): pass\n'


def project(folder: Path, *modules: str) -> Project:
    return Project(folder, modules=modules or ("src/counting",), equations=("papers",))


def small(folder: Path, **files: str) -> LocalizedProject:
    write(folder, FILES, {"papers/count.toml": REGISTRY}, files)
    return annotate(project(folder))


def test_excluded_modules_have_no_page(tmp_path: Path) -> None:
    write(tmp_path, FILES, {"src/counting/deep/__init__.py": "x = 1\n"})
    for pattern, left in {
        "src/counting/counter.py": {"index", "steps", "deep/index"},
        "src/counting/deep/": {"index", "steps", "counter"},
        "*r.py": {"index", "steps", "deep/index"},
        "counting": {"index", "steps", "counter", "deep/index"},
    }.items():
        given = Project(tmp_path, modules=("src/counting",), exclude=(pattern,))
        paths = {page.path for page in annotate(given).pages}
        assert paths == {f"counting/{name}.md" for name in left}, pattern


def test_pages_are_in_the_order_of_their_packages_docstrings(tmp_path: Path) -> None:
    files = {
        "src/counting/ape.py": "x = 1\n",
        "src/counting/__init__.py": '"""Read `deep`, `steps`, `counter`."""\n',
        "src/counting/deep/__init__.py": '"""Of `two` and `one`."""\n',
        "src/counting/deep/one.py": "x = 1\n",
        "src/counting/deep/two.py": "x = 1\n",
    }
    paths = [page.path for page in small(tmp_path, **files).pages]
    names = "index deep/index deep/two deep/one steps counter ape"
    assert paths == [f"counting/{name}.md" for name in names.split()]


def test_a_module_too_large_for_a_page_is_refused(
    tmp_path: Path,
) -> None:
    largest = "x = 1\n" * (LARGEST // 6)
    files = {"src/counting/large.py": f"{largest}y = 2\n" * 20}
    found = small(tmp_path, **files)
    assert "counting/large.md" not in found.paths
    (fault,) = [f for f in found.content.faults if f.path.endswith("large.py")]
    assert "this file has 20.0 MB, the limit for a page is 1 MB: name it" in str(fault)
    write(tmp_path, {"src/counting/large.py": largest})
    assert "counting/large.md" in annotate(project(tmp_path)).paths


# What is unfinished


def test_an_equation_without_code_and_without_test_is_reported(tmp_path: Path) -> None:
    bad = REGISTRY.replace("n_t + 1'", r"n_t + \nosuch'")
    broken = COUNTER.replace("def count(", "def count((")
    files = {"papers/count.toml": bad, COUNTER_FILE: broken}
    code, cited, proved, formula = check(small(tmp_path, **files))
    assert code.startswith(f"{COUNTER_FILE}:")
    assert "not valid Python" in code
    assert cited.startswith("cnt.next: cited by no note")
    assert proved.startswith("cnt.next: covered by no test")
    assert formula.startswith("cnt.next: ")
    assert "nosuch" in formula


def test_check_reports_what_the_pages_lack(tmp_path: Path) -> None:
    shown = CITED.replace(
        "# [One", "# ![Steps](../steps.svg)\n        #\n        # [One"
    )
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'
    home = "# Home\n\n![Steps](steps.svg)\n"
    files = {COUNTER_FILE: shown, "docs/steps.svg": drawing, "docs/index.md": home}
    small(tmp_path, **files, **{"tests/test_count.py": TEST})
    given = replace(project(tmp_path), prose=("index.md",))
    assert check(annotate(given)) == ()
    lost = f"{home}\n[One][cnt.lost] and\n![Steps](lost.svg)\n"
    write(tmp_path, {"docs/index.md": lost})
    equation, figure = check(annotate(given))
    assert equation.startswith("docs/index.md:5: ")
    assert "cnt.lost" in equation
    assert figure.startswith("docs/index.md:6: there is no figure lost.svg")


@pytest.mark.parametrize("field", ["modules", "equations", "notebooks", "figures"])
def test_missing_paths_in_the_settings_are_reported_with_their_file(
    tmp_path: Path, field: str
) -> None:
    write(tmp_path, FILES, {"papers/count.toml": REGISTRY})
    gone: Any = {field: ("gone",)}
    given = replace(project(tmp_path), settings="web/site.yml", **gone)
    with pytest.raises(LiterateError, match=r"^web/site\.yml:1: .*gone"):
        assert annotate(given).inventory


# A page


def page(text: str, name: str = "memory.py") -> Page:
    source = Source(name, text)
    return assemble(source, split(source), module="pkg.memory", path="memory.md")


def test_the_docstring_or_the_file_gives_the_title() -> None:
    made = page('r"""# The memory\n\nKeeps what was.\n\nMore.\n"""\n')
    assert (made.title, made.description) == ("The memory", "Keeps what was.")
    assert made.sections[0].block.note.text == "Keeps what was.\n\nMore."
    made = page("x = 1\n", "relative_shift.py")
    assert made.title == "Relative shift"
    assert made.description == "The annotated source of pkg.memory."


def test_addresses_of_blocks_are_names_or_words_without_line_numbers() -> None:
    text = (
        'class A:\n    """Told."""\n\n    def __init__(self):\n        pass\n\n'
        '    def f(self):\n        """## Another name"""\n\n'
        "    def g(self):\n        # One.\n        a = 1\n\n"
        "        # Two.\n        b = 2\n"
    )
    sections = page(text).sections
    headings = [(s.heading, s.level) for s in sections]
    assert headings[:3] == [("A", 2), ("", 0), ("g", 3)]
    below = page("\n\n\nx = 1\n" + text).sections[1:]
    assert [s.anchor for s in sections] == [s.anchor for s in below]
