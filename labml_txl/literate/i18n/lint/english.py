r"""# The words of the English

A text that says one thing by two words is hard to read, and harder to translate. The
glossary of a project, `docs/locale/glossary.toml`, may say which English words it does
not use, and what it says instead.

```toml
[[english]]
never = ['linear maps?', 'last map']  # patterns, for whole words
use = "linear layer, output projection"
pages = ["models/", "papers/"]        # without this line: every page
```

`txl check` looks for them in the sentences of every page. Code, formulas and addresses
are no sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from labml_txl.literate.i18n.lint.markup import read_message
from labml_txl.literate.markdown.tokens import is_html


class Said(Protocol):
    """A message of a page, and where it stands."""

    @property
    def message(self) -> str:
        """What is said."""

    @property
    def place(self) -> str:
        """The file and the line."""


@dataclass(frozen=True)
class EnglishRule:
    """Words that the pages whose path begins with one of `pages` do not use.

    `never` are patterns; `use` is what to write instead.
    """

    never: tuple[str, ...]
    use: str
    pages: tuple[str, ...] = ("",)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Any of the words, whole, in capitals or not."""
        return re.compile(rf"\b(?:{'|'.join(self.never)})\b", re.IGNORECASE)


def rule(table: Mapping[str, object]) -> EnglishRule:
    """A rule from its table; raises `ValueError`, which says what is wrong."""
    lists: dict[str, tuple[str, ...]] = {}
    for key in ("never", "pages"):
        value = table.get(key, [""] if key == "pages" else None)
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            raise ValueError(f"{key} must be a list of words")
        lists[key] = tuple(value)
    use = table.get("use")
    if not isinstance(use, str) or {*table} - {"never", "use", "pages"}:
        raise ValueError('this must be never = [...], use = "...", pages = [...]')
    found = EnglishRule(lists["never"], use, lists["pages"])
    try:
        re.compile(found.pattern)
    except re.error as error:
        raise ValueError(f"never has no pattern: {error}") from None
    return found


def faults(
    inventory: Mapping[str, Iterable[Said]], rules: Iterable[EnglishRule]
) -> Iterator[str]:
    """The words that a page should not use, a line each."""
    rules = tuple(rules)
    for page, messages in inventory.items():
        here = [one for one in rules if page.startswith(one.pages)]
        for said in messages if here else ():
            words = read_message(said.message, not is_html(said.message)).words
            for one in here:
                for found in one.pattern.finditer(words):
                    yield (
                        f"{said.place}: “{found[0]}” in “{_around(words, found)}”: "
                        f"write {one.use}"
                    )


def _around(words: str, found: re.Match[str]) -> str:
    """The words before and behind."""
    left, right = max(found.start() - 30, 0), found.end() + 30
    return " ".join(words[left:right].split())
