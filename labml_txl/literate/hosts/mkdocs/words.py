"""# Words of Chinese text

Chinese is written without blanks, so a search must first find where a word ends. The
theme asks the package `jieba`, which is published as source only: each machine would
have to build it. The package `rjieba` cuts the same words and comes ready to use, so it
stands in for `jieba`.
"""

from __future__ import annotations

from importlib.util import find_spec


class Words:
    """What the theme uses of `jieba`: `cut`, which takes bytes."""

    def cut(self, text: bytes) -> list[str]:
        """The words of a text in UTF-8. Joined, they are the text again."""
        # Only a build in Chinese needs the dictionary, which is read here.
        import rjieba

        return rjieba.cut(text.decode("utf-8"))


def chinese_words() -> Words | None:
    """What cuts Chinese words, or `None` where `rjieba` is not installed."""
    return Words() if find_spec("rjieba") else None
