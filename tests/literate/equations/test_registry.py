"""The registry of equations: what it refuses, who cites it, what proves it."""

from pathlib import Path

import pytest

from labml_txl.literate.equations.registry import (
    Registry,
    find_citations,
    find_proofs,
    load_registry,
)
from labml_txl.literate.i18n.catalog import Catalog, Entry
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate.small import REGISTRY


def registry(text: str = REGISTRY) -> Registry:
    return load_registry([Source("papers/count.toml", text)])


LINES = "Algorithm {number}, lines {first} and {last}"
CHINESE = {
    LINES: "算法 {number} 第 {first}、{last} 行",
    "{place}: {key}": "{place}：{key}",
}


def test_an_equation_says_where_it_is_in_the_language_of_the_page() -> None:
    entries = {english: Entry(text) for english, text in CHINESE.items()}
    chinese = Site(labels=Labels(Catalog("zh", entries)))
    lines = "Algorithm 2, lines 3 to 5"
    for section, number, site, place in (
        ("2", "number = 1", Site(), "§ 2 (1): `cnt.next`"),
        ("3.3", "", Site(), "§ 3.3: `cnt.next`"),
        (lines, "", Site(), f"{lines}: `cnt.next`"),
        (lines.replace("to", "and"), "", chinese, "算法 2 第 3、5 行：`cnt.next`"),
    ):
        text = REGISTRY.replace('"2"\nnumber = 1', f'"{section}"\n{number}')
        assert site.key(registry(text).equations["cnt.next"]) == place


FAULTS = [
    # What stands in the file, what stands there instead, the line, what is said.
    ("[paper]", "[paper", 2, "not valid TOML"),
    ('key = "cnt"\n', "", 2, "paper.key must be a text, not None"),
    ('"cnt"', '"c.t"', 3, "invalid key 'c.t': use only letters, digits, _ and -"),
    ("2020", '"2020"', 6, "paper.year must be a number, not '2020'"),
    ("arxiv", "arXiv", 7, "paper.arXiv must be a field of its table: key, title, "),
    ('arxiv = "2001.00001"\n', "", 2, "paper has no address: add arxiv or url"),
    ("['n', 'n_t']", "['n', 1]", 10, "symbols.n.latex must be a list of texts, not"),
    ("['n', 'n_t']", "'n'", 10, "symbols.n.latex must be a list of texts, not 'n'"),
    ('"The next count"', '""', 15, "equations.next.title must be a text, not ''"),
    ('symbols = ["n"]', 'symbols = ["m"]', 20, "cnt.next undefined symbol m"),
    (REGISTRY, "paper = 3\n", 1, ""),
    (REGISTRY, "paper.key = 1\n", 1, ""),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), FAULTS)
def test_a_faulty_registry_is_an_error_with_its_line(
    old: str, new: str, line: int, said: str
) -> None:
    assert old in REGISTRY
    with pytest.raises(LiterateError) as caught:
        registry(REGISTRY.replace(old, new, 1))
    assert str(caught.value).startswith(f"papers/count.toml:{line}: {said}")
    assert "\n" not in str(caught.value)


def test_two_papers_of_one_key_are_refused() -> None:
    with pytest.raises(LiterateError, match="duplicate paper cnt"):
        load_registry(Source(path, REGISTRY) for path in ("a.toml", "b.toml"))


def test_a_note_cites_an_equation_by_its_key() -> None:
    text = "a = 1\n# One, `[It][cnt.no]`,\n# [the next][cnt.next] and [this][other].\n"
    blocks = split(Source("a.py", f"{text}b = 2\n"))
    (found,) = find_citations("a.py", blocks, registry())
    assert (found.key, found.path, found.line) == ("cnt.next", "a.py", 3)
    assert found.block is blocks[1]
    with pytest.raises(LiterateError) as caught:
        list(
            find_citations(
                "a.py", split(Source("a.py", "# [It][cnt.nxt].\n")), registry()
            )
        )
    said = "a.py:1: unknown equation cnt.nxt: did you mean cnt.next?"
    assert str(caught.value) == said


def test_a_proof_is_read_without_running_the_test(tmp_path: Path) -> None:
    tests = tmp_path / "tests" / "deep"
    tests.mkdir(parents=True)
    tests.joinpath("test_count.py").write_text(
        "raise SystemExit('this was run')\n"
        "import pytest\n\n"
        '@pytest.mark.other("cnt.no")\n@pytest.mark.equation("cnt.next")\n'
        "def test_next(): pass\n\n"
        "class TestAll:\n"
        '    @pytest.mark.equation("cnt.next")\n'
        "    def test_again(self): pass\n"
    )
    tests.joinpath("helper.py").write_text(
        '@pytest.mark.equation("cnt.no")\ndef f(): 0\n'
    )
    found = find_proofs(tmp_path / "tests", tmp_path, registry())
    assert [(p.key, p.test, p.path, p.line) for p in found] == [
        ("cnt.next", "test_next", "tests/deep/test_count.py", 6),
        ("cnt.next", "test_again", "tests/deep/test_count.py", 10),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('@pytest.mark.equation("cnt.nxt")\ndef test(): pass\n', r".*mean cnt\.next"),
        ("equation = 1\ndef f(:\n", "not valid Python"),
    ],
)
def test_a_test_of_an_unknown_equation_is_an_error_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    tmp_path.joinpath("test_a.py").write_text(text)
    with pytest.raises(LiterateError, match=rf"^test_a\.py:2: {said}"):
        find_proofs(tmp_path, tmp_path, registry())
