"""Chinese text is cut into the words that the theme's own choice would find."""

from pathlib import Path

import pytest
from material.plugins.search import plugin as search

from labml_txl.literate.mkdocs.chinese import chinese_words

LINES = Path(__file__).with_name("chinese_words.txt").read_text(encoding="utf-8")
RUNS = [line.split() for line in LINES.splitlines() if not line.startswith("#")]


def test_a_run_of_characters_is_cut_where_jieba_cuts_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "jieba", chinese_words())
    index = search.SearchIndex()
    found = [
        index._segment_chinese("".join(words)).split("\N{ZERO WIDTH SPACE}")
        for words in RUNS
    ]
    assert found == RUNS
