"""The header of a Python file, and the words in it that lead to its page."""

import pytest

from labml_txl.literate.sources.header import header, keywords
from labml_txl.literate.sources.source import LiterateError, Source

CODE = '"""# A title"""\n\na = 1\n'


def headed(*lines: str) -> Source:
    head = "".join(f"#{line}\n" for line in (" ---", *lines, " ---"))
    return Source("m.py", f"{head}{CODE}")


@pytest.mark.parametrize(
    "source",
    [
        headed(" keywords: [one, two words, 7]"),
        headed(" keywords: [one,", "   two words,", "   7]"),
        headed(" keywords:", " - one", " - two words", " - 7"),
        headed(
            " jupyter:",
            "   kernelspec: {name: python3}",
            "   keywords: [one, two words, 7]",
        ),
    ],
)
def test_keywords_of_modules_and_notebooks_are_read(source: Source) -> None:
    assert keywords(source) == ["one", "two words", "7"]
    assert header(source).stop == source.text.count("#") - CODE.count("#") + 1


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"# ---\n# A drawing\n# ---\n{CODE}",
        # A fault in a header without keywords is none of ours.
        f"# ---\n# jupyter: [\n# ---\n{CODE}",
        f"# ---\n# keywords: [one]\n{CODE}",
        f"{CODE}# ---\n# keywords: [one]\n# ---\n",
    ],
)
def test_other_comments_are_no_keywords(text: str) -> None:
    assert keywords(Source("m.py", text)) == []


@pytest.mark.parametrize(
    "line", [" keywords: [one", " keywords: one", "keywords: {a: b}"]
)
def test_keywords_that_are_no_list_are_a_fault(line: str) -> None:
    with pytest.raises(LiterateError, match=r"^m\.py:1: "):
        keywords(headed(line))
