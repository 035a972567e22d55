"""# Symbols in formulas

Before a formula is rendered, the symbols of the registry are marked in it, each with a
class of its own. By these classes, the script of the page highlights a symbol together
with its names in the code, and the style sheet sets their colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from labml_txl.literate.equations.registry import Symbol


def mark_symbols(tex: str, symbols: tuple[Symbol, ...]) -> str:
    r"""Mark each symbol in a formula with its class.

    `u^\top K_j` becomes `{\htmlClass{sym-txl-u}{u}}^\top K_j`. Spellings are compared
    token by token, so $u$ is not found in `\mu`, and the longest spelling is used. The
    symbols in a term of a sum are marked as well.
    """
    return mark_classes(tex, tuple((symbol.css, symbol.latex) for symbol in symbols))


# The class of each symbol, with the spellings of the symbol.
Classes = tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=10_000)
def mark_classes(tex: str, classes: Classes) -> str:
    """Mark each symbol in a formula with its class."""
    return "".join(_mark(_TOKEN.findall(tex), _spellings(classes)))


_TOKEN = re.compile(r"\\[A-Za-z]+\s*|\\.|.", re.S)
# Commands whose argument contains no symbols.
_WORDS = {"\\text", "\\mathrm", "\\operatorname", "\\htmlClass", "\\begin", "\\end"}
Spelling = tuple[list[str], str]


@lru_cache(maxsize=1_000)
def _spellings(classes: Classes) -> list[Spelling]:
    """Every spelling of every symbol, the longest first."""
    found = [(_words(s), css) for css, latex in classes for s in latex]
    return sorted(found, key=lambda pair: -len(pair[0]))


def _words(tex: str) -> list[str]:
    return [token.rstrip() for token in _TOKEN.findall(tex) if token.strip()]


def _mark(tokens: list[str], spellings: list[Spelling]) -> Iterator[str]:
    position = 0
    while position < len(tokens):
        end, css = _match(tokens, position, spellings)
        if css:
            inner = "".join(tokens[position:end])
            if css.startswith("lit-term-"):
                smaller = [one for one in spellings if one[1] != css]
                inner = "".join(_mark(tokens[position:end], smaller))
            yield f"{{\\htmlClass{{{css}}}{{{inner}}}}}"
        else:
            yield "".join(tokens[position:end])
        position = end


def _match(
    tokens: list[str], position: int, spellings: list[Spelling]
) -> tuple[int, str]:
    """The end of the symbol at a position, and its class, empty if there is none."""
    for words, css in spellings:
        at = position
        for word in words:
            while at < len(tokens) and at > position and tokens[at].isspace():
                at += 1
            if at == len(tokens) or tokens[at].rstrip() != word:
                break
            at += 1
        else:
            return at, css
    end = position + 1
    if tokens[position].rstrip() in _WORDS and tokens[end : end + 1] == ["{"]:
        depth = 1
        while depth and end + 1 < len(tokens):
            end += 1
            depth += (tokens[end] == "{") - (tokens[end] == "}")
        end += 1
    return end, ""
