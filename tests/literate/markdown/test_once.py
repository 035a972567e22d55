"""A note is parsed once in a build, whatever the number of languages."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from labml_txl.literate.markdown import inline, note
from labml_txl.literate.markdown.blocks import blocks
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.settings import Project
from tests.literate.small import FILES, REGISTRY, RUNNABLE, write
from tests.literate.translations import CHINESE, COUNTER_JA, JAPANESE, po

SIGNS = '''\
"""# Heading alder

The angle $\\theta$:

>>> turn(1)
2
"""


def turn(x):
    r"""# Heading birch

    An angle $\theta$.

    | elm | oak |
    |-----|-----|
    | one | `x` |

    # Another cedar
    """
    # A formula $x$ with an example of larch:
    #
    # >>> x
    # 1
    y = (
        # The angle $y$, as maple.
        x
    )
    # Signs such as &lt; by rowan.
    return y
'''
# A word of each note, and how often a text with it is parsed. What an author may write
# that is no Markdown is found in the text first: formulas in a string without an `r`,
# examples and entities in comments.
PLACES = Counter(alder=2, birch=1, cedar=1, larch=2, maple=1, rowan=2)


def forget() -> None:
    """Clear what the engine memoizes: tests before this one build the same files."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("labml_txl.literate"):
            for value in vars(module).values():
                if clear := getattr(value, "cache_clear", None):
                    clear()


def test_a_build_parses_each_note_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogs = {
        "docs/locale/ja/language.toml": JAPANESE,
        "docs/locale/ja/counting/counter.po": po("ja", COUNTER_JA),
        "docs/locale/zh/language.toml": CHINESE,
    }
    more = {"src/counting/signs.py": SIGNS}
    write(tmp_path, FILES, RUNNABLE, catalogs, {"papers/one.toml": REGISTRY}, more)
    parsed, places = Counter[str](), Counter[str]()

    def counted(text: str, **how: bool) -> object:
        parsed[text] += 1
        places.update(place for place in PLACES if place in text)
        return blocks(text, **how)

    scanned = Counter[str]()

    class Counted(inline._Scanner):
        def __init__(self, text: str) -> None:
            scanned[text] += 1
            super().__init__(text)

    monkeypatch.setattr(note, "blocks", counted)
    monkeypatch.setattr(inline, "_Scanner", Counted)
    forget()
    project = annotate(
        Project(
            tmp_path,
            modules=("src/counting",),
            prose=("index.md",),
            equations=("papers",),
        )
    )
    assert [one.code for one in project.languages] == ["en", "ja", "zh"]
    for language in project.languages:
        site = project.select_language(language)
        for path in (*site.paths, *site.project.prose):
            assert site.entry(path).markdown
    assert len(parsed) > 10
    twice = {text for text, times in parsed.items() if times > 1}
    # The page of equations is made from data, and it is parsed once in each language.
    assert all("## On Counting" in text for text in twice)
    assert max(parsed.values()) <= len(project.languages)
    assert places == PLACES
    translations = {text for text in COUNTER_JA.values() if isinstance(text, str)}
    assert {text: times for text, times in scanned.items() if times > 1} == {}
    assert len(translations & {*scanned}) > 3
