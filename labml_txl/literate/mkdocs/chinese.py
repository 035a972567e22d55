"""# Words of Chinese text

Chinese is written without blanks, so a search must first find where a word ends. The
theme asks the package `jieba`, which is published as source only: each machine would
have to build it. The package `rjieba` cuts the same words and comes ready to use, so it
stands in for `jieba`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, TypeVar

AnyFiles = TypeVar("AnyFiles", bound=Iterable[Any])


class Cutter:
    """What the theme uses of `jieba`: `cut`, which takes bytes."""

    def cut(self, text: bytes) -> list[str]:
        """The words of a text in UTF-8. Joined, they are the text again."""
        # Only a build in Chinese needs the dictionary, which is read here.
        import rjieba

        return rjieba.cut(text.decode("utf-8"))


def chinese_words() -> Cutter | None:
    """What cuts Chinese words, or `None` where `rjieba` is not installed."""
    return Cutter() if find_spec("rjieba") else None


def corrected(files: AnyFiles) -> AnyFiles:
    """Let the search take what is typed in Chinese characters to its end.

    Material divides it into the words that the index knows, and leaves out the last
    character: who types 注意力 gets what is found for 注意. Between the words it writes
    an asterisk too many, which finds everything.
    """
    for file in files:
        if _SEARCH_WORKER.fullmatch(file.src_uri):
            script = file.content_string.replace(*_TO_THE_END)
            file.content_string = script.replace(*_WORDS_ALONE)
    return files


_SEARCH_WORKER = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
_TO_THE_END = (
    "for(let o=s+1;o<t.length;o++)t.slice(s,o)in e",
    "for(let o=s+1;o<=t.length;o++)t.slice(s,o)in e",
)
_WORDS_ALONE = ('.join("* ")', '.join(" ")')
