"""The registry of equations: what it refuses, who cites it, what proves it."""

from pathlib import Path

import pytest

from labml_txl.literate.equations.registry import (
    Registry,
    citations,
    load_registry,
    proofs,
)
from labml_txl.literate.i18n.catalog import Catalog, Entry
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate.small import REGISTRY


def registry(text: str = REGISTRY) -> Registry:
    return load_registry([Source("papers/count.toml", text)])


def test_a_registry_knows_its_equations_and_their_symbols() -> None:
    equation = registry().equations["cnt.next"]
    assert equation.title == "The next count"
    assert Site().key(equation) == "§ 2 (1): `cnt.next`"
    (symbol,) = equation.symbols
    assert (symbol.key, symbol.css) == ("cnt.n", "sym-cnt-n")
    assert symbol.names == ("number",)


@pytest.mark.parametrize(
    ("section", "number", "place"),
    [
        ("3.3", "", "§ 3.3"),
        ("3.1", "number = 2", "§ 3.1 (2)"),
        ("Algorithm 2, lines 3 to 5", "", "Algorithm 2, lines 3 to 5"),
    ],
)
def test_an_equation_says_where_it_stands(
    section: str, number: str, place: str
) -> None:
    text = REGISTRY.replace('"2"\nnumber = 1', f'"{section}"\n{number}')
    assert Site().place(registry(text).equations["cnt.next"]) == place


def test_where_an_equation_stands_is_told_in_the_language_of_the_page() -> None:
    english = "Algorithm {number}, lines {first} and {last}"
    words = {
        english: Entry("算法 {number} 第 {first}、{last} 行"),
        "{place}: {key}": Entry("{place}：{key}"),
    }
    catalog = Catalog("zh", "site", words)
    site = Site(labels=Labels(catalog))
    place = "Algorithm 2, lines 1 and 8"
    text = REGISTRY.replace('"2"\nnumber = 1', f'"{place}"')
    equation = registry(text).equations["cnt.next"]
    assert site.key(equation) == "算法 2 第 1、8 行：`cnt.next`"


FAULTS = [
    # What stands in the file, what stands there instead, the line, what is said.
    ("[paper]", "[paper", 2, "not valid TOML"),
    ('key = "cnt"\n', "", 2, "the field 'key' is missing in [paper]"),
    ('"cnt"', '"c.t"', 3, "the key 'c.t' may have letters, digits, _ and - only"),
    ("2020", "true", 6, "year must be a whole number, not True in [paper]"),
    ("arxiv", "arXiv", 7, "there is no field 'arXiv', is arxiv meant? in [paper]"),
    ("['n', 'n_t']", "['n', 1]", 10, "latex must be a list of one text or more, not"),
    ('"The next count"', '" "', 15, "title must be a text, not ' '"),
    ('symbols = ["n"]', 'symbols = ["m"]', 20, "cnt.next uses the symbol m"),
    ("[equations.next]", "[equations]", 1, "wanted a table, not 'The next count'"),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), FAULTS)
def test_a_registry_with_a_fault_is_refused_at_its_line(
    old: str, new: str, line: int, said: str
) -> None:
    assert old in REGISTRY
    with pytest.raises(LiterateError) as caught:
        registry(REGISTRY.replace(old, new, 1))
    assert str(caught.value).startswith(f"papers/count.toml:{line}: {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["paper = 3\n", "[[paper]]\n", "", "paper.key = 1\n"])
def test_a_text_that_is_no_registry_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(LiterateError, match=r"\Apapers/count\.toml:\d: [^\n]+\Z"):
        registry(text)


def test_two_papers_of_one_key_are_refused() -> None:
    sources = [Source("a.toml", REGISTRY), Source("b.toml", REGISTRY)]
    with pytest.raises(LiterateError, match="two papers have the key cnt"):
        load_registry(sources)
    with pytest.raises(LiterateError, match="two papers have the key cnt"):
        load_registry(iter(sources))


def test_a_note_cites_an_equation_by_its_key() -> None:
    text = "a = 1\n# One,\n# [the next][cnt.next] and [this][other].\nb = 2\n"
    blocks = split(Source("a.py", text))
    (found,) = citations("a.py", blocks, registry())
    assert (found.key, found.path, found.line) == ("cnt.next", "a.py", 3)
    assert found.block is blocks[1]


def test_an_unknown_key_is_refused_with_the_nearest() -> None:
    blocks = split(Source("a.py", "a = 1\n\n# [It][cnt.nxt].\nb = 2\n"))
    with pytest.raises(LiterateError) as caught:
        list(citations("a.py", blocks, registry()))
    said = "a.py:3: no equation has the key cnt.nxt: the nearest is cnt.next"
    assert str(caught.value) == said


def test_a_citation_in_code_is_none() -> None:
    blocks = split(Source("a.py", "# `[It][cnt.nxt]`\nb = 2\n"))
    assert list(citations("a.py", blocks, registry())) == []


def test_a_proof_is_read_without_running_the_test(tmp_path: Path) -> None:
    tests = tmp_path / "tests" / "deep"
    tests.mkdir(parents=True)
    tests.joinpath("test_count.py").write_text(
        "raise SystemExit('this was run')\n"
        "import pytest\n\n"
        '@pytest.mark.equation("cnt.next")\n'
        "def test_next(): pass\n\n"
        "class TestAll:\n"
        '    @pytest.mark.equation("cnt.next")\n'
        "    def test_again(self): pass\n"
    )
    tests.joinpath("helper.py").write_text(
        '@pytest.mark.equation("cnt.no")\ndef f(): 0\n'
    )
    found = proofs(tmp_path / "tests", tmp_path, registry())
    assert [(p.key, p.test, p.path, p.line) for p in found] == [
        ("cnt.next", "test_next", "tests/deep/test_count.py", 5),
        ("cnt.next", "test_again", "tests/deep/test_count.py", 9),
    ]


def test_a_proof_of_an_unknown_equation_is_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("test_a.py").write_text(
        '@pytest.mark.equation("cnt.nxt")\ndef test(): pass\n'
    )
    with pytest.raises(LiterateError, match=r"^test_a.py:2: .*nearest is cnt\.next$"):
        proofs(tmp_path, tmp_path, registry())


def test_a_test_that_is_not_python_is_refused_with_its_line(tmp_path: Path) -> None:
    tmp_path.joinpath("test_a.py").write_text("equation = 1\ndef f(:\n")
    with pytest.raises(LiterateError, match=r"^test_a\.py:2: not valid Python"):
        proofs(tmp_path, tmp_path, registry())
