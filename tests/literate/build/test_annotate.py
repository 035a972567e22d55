"""From a project to its pages: their order, their addresses, what is unfinished."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.build.check import bad_formulas, check, unfinished
from labml_txl.literate.build.localized import Lazy, LocalizedProject, annotate
from labml_txl.literate.build.project import Project
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


def test_pages_stand_in_the_order_that_the_package_names_them(tmp_path: Path) -> None:
    paths = [page.path for page in small(tmp_path).pages]
    assert paths == [
        "counting/index.md",
        "counting/steps.md",
        "counting/counter.md",
    ]


def test_modules_that_no_package_names_come_last_by_name(tmp_path: Path) -> None:
    files = {f"src/counting/{name}.py": "x = 1\n" for name in ("zebra", "ape")}
    paths = [page.path for page in small(tmp_path, **files).pages]
    assert paths[3:] == ["counting/ape.md", "counting/zebra.md"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("src/counting/counter.py", {"index", "steps", "deep/index"}),
        ("src/counting/deep", {"index", "steps", "counter"}),
        ("src/counting/deep/", {"index", "steps", "counter"}),
        ("*/deep", {"index", "steps", "counter"}),
        ("*r.py", {"index", "steps", "deep/index"}),
        ("counting", {"index", "steps", "counter", "deep/index"}),
    ],
)
def test_what_is_excluded_has_no_page(
    pattern: str, left: set[str], tmp_path: Path
) -> None:
    write(tmp_path, FILES, {"src/counting/deep/__init__.py": "x = 1\n"})
    given = Project(tmp_path, modules=("src/counting",), exclude=(pattern,))
    paths = {page.path for page in annotate(given).pages}
    assert paths == {f"counting/{name}.md" for name in left}


def test_a_package_within_stands_where_its_parent_names_it(tmp_path: Path) -> None:
    files = {
        "src/counting/__init__.py": '"""Read `deep`, `steps`, `counter`."""\n',
        "src/counting/deep/__init__.py": '"""Of `two` and `one`."""\n',
        "src/counting/deep/one.py": "x = 1\n",
        "src/counting/deep/two.py": "x = 1\n",
    }
    paths = [page.path for page in small(tmp_path, **files).pages]
    assert paths == [
        "counting/index.md",
        "counting/deep/index.md",
        "counting/deep/two.md",
        "counting/deep/one.md",
        "counting/steps.md",
        "counting/counter.md",
    ]


def test_several_folders_keep_the_order_of_the_project(tmp_path: Path) -> None:
    write(tmp_path, {"zoo/a.py": "x = 1\n", "ark/b.py": "x = 1\n", "one.py": "x = 1\n"})
    found = annotate(Project(tmp_path, modules=("zoo", "ark", "one.py")))
    assert [page.path for page in found.pages] == ["zoo/a.md", "ark/b.md", "one.md"]


def test_modules_are_named_as_they_are_imported(tmp_path: Path) -> None:
    names = [page.module for page in small(tmp_path).pages]
    assert names == ["counting", "counting.steps", "counting.counter"]


def test_every_page_is_written(tmp_path: Path) -> None:
    found = small(tmp_path)
    assert set(found.markdown) == {
        *(page.path for page in found.pages),
        *("equations.md", "index.md"),
    }


def test_a_project_without_a_registry_has_no_page_of_equations(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    found = annotate(Project(tmp_path, modules=("src/counting",)))
    assert "equations.md" not in found.markdown


def test_two_files_of_one_page_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a/m/x.py": "x = 1\n", "b/m/x.py": "x = 1\n"})
    found = annotate(Project(tmp_path, modules=("a/m", "b/m")))
    (fault,) = found.faults
    told = "b/m/x.py:1: a/m/x.py has the same address, m/x/: rename one"
    assert (str(fault), [page.source.path for page in found.pages]) == (
        told,
        ["a/m/x.py"],
    )


def test_a_displayed_formula_is_one_without_empty_lines_around(tmp_path: Path) -> None:
    markdown = small(tmp_path).markdown["counting/counter.md"]
    assert "One more than before:\n\n$$\nn_{t+1} = n_t + 1\n$$\n" in markdown


# What is unfinished


def test_an_equation_without_code_and_without_test_is_reported(tmp_path: Path) -> None:
    found = list(unfinished(small(tmp_path)))
    assert len(found) == 2
    assert found[0].startswith("cnt.next: no note cites it")
    assert found[1].startswith("cnt.next: no test")


def test_an_equation_that_is_cited_and_proved_is_finished(tmp_path: Path) -> None:
    files = {COUNTER_FILE: CITED, "tests/test_count.py": TEST}
    assert list(unfinished(small(tmp_path, **files))) == []


def test_a_formula_of_the_registry_that_cannot_be_set_is_reported(
    tmp_path: Path,
) -> None:
    bad = REGISTRY.replace("n_t + 1'", r"n_t + \nosuch'")
    (line,) = bad_formulas(small(tmp_path, **{"papers/count.toml": bad}))
    assert line.startswith("cnt.next: ")
    assert "nosuch" in line


def test_what_is_wrong_with_a_text_is_one_line(tmp_path: Path) -> None:
    small(tmp_path)
    write(tmp_path, {COUNTER_FILE: COUNTER.replace("def count(", "def count((")})
    lines = check(annotate(project(tmp_path)))
    (line,) = (line for line in lines if "not valid Python" in line)
    assert line.startswith(f"{COUNTER_FILE}:")


def test_what_a_check_tells_is_what_the_pages_lack(tmp_path: Path) -> None:
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
def test_what_the_settings_name_and_nobody_finds_is_told_with_their_file(
    tmp_path: Path, field: str
) -> None:
    write(tmp_path, FILES, {"papers/count.toml": REGISTRY})
    gone: Any = {field: ("gone",)}
    given = replace(project(tmp_path), settings="web/site.yml", **gone)
    with pytest.raises(LiterateError, match=r"^web/site\.yml:1: .*gone"):
        annotate(given).texts  # noqa: B018


# A page


def page(text: str, name: str = "memory.py") -> Page:
    source = Source(name, text)
    return assemble(source, split(source), module="pkg.memory", path="memory.md")


def test_the_heading_of_the_docstring_is_the_title() -> None:
    made = page('r"""# The memory\n\nKeeps what was.\n\nMore.\n"""\n')
    assert made.title == "The memory"
    assert made.description == "Keeps what was."
    assert made.sections[0].block.note == "Keeps what was.\n\nMore."


def test_a_module_without_a_title_has_its_name() -> None:
    assert page("x = 1\n", "relative_shift.py").title == "Relative shift"
    assert page("x = 1\n").description == "The annotated source of pkg.memory."


def test_a_long_description_ends_with_a_word_or_a_sentence() -> None:
    words = "word " * 50
    assert len(page(f'"""# T\n\n{words}"""\n').description) <= 160
    assert page(f'"""# T\n\n{words}"""\n').description.endswith("word …")
    sentence = "This sentence is long enough to stand alone as the description of it."
    assert page(f'"""# T\n\n{sentence} {words}"""\n').description == sentence


def test_blocks_have_addresses_that_do_not_count_lines() -> None:
    text = (
        "class A:\n    # One.\n    a = 1\n\n    # Two.\n    b = 2\n\n"
        "    def f(self):\n        return 1\n"
    )
    below = page("\n\n\nx = 1\n" + text).sections[1:]
    assert [s.anchor for s in page(text).sections] == [s.anchor for s in below]


def test_no_two_blocks_share_an_address() -> None:
    anchors = [
        s.anchor for s in page("# A.\na = 1\n# B.\nb = 2\n# C.\nc = 3\n").sections
    ]
    assert anchors == ["memory", "memory.2", "memory.3"]


def test_a_block_is_headed_by_its_name_or_its_own_words() -> None:
    text = (
        'class A:\n    """Told."""\n\n    def __init__(self):\n        pass\n\n'
        '    def f(self):\n        """## Another name"""\n\n'
        "    def g(self):\n        pass\n"
    )
    sections = page(text).sections
    assert [(s.heading, s.level) for s in sections] == [("A", 2), ("", 0), ("g", 3)]


def test_what_python_calls_by_itself_stands_under_its_class() -> None:
    text = 'class A:\n    """Told."""\n\n    def __init__(self):\n        self.n = 1\n'
    (section,) = page(text).sections
    assert [line.number for line in section.block.shown] == [1, 4, 5]


def test_a_text_is_made_when_it_is_asked_for() -> None:
    asked: list[str] = []

    def make() -> str:
        asked.append("a")
        return "words"

    texts = Lazy({"a": make})
    assert "a" in texts
    assert "b" not in texts
    assert [*texts] == ["a"]
    assert asked == []
    assert texts["a"] == "words"
    assert dict(texts) == {"a": "words"}
