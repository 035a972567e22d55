"""# The syntax of a source

The syntax tree of a source, its tokens, and its classes and functions, from Python's
own parser.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from labml_txl.literate.sources.source import Source, UnreadableError

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


# Several steps in a row read the same source. Trees take much memory, so only one is
# cached.
@lru_cache(maxsize=1)
def parse(source: Source) -> ast.Module:
    """The syntax of a source; raises `UnreadableError` if it is not valid Python."""
    try:
        # Python's warnings would not name the file.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        message = f"not valid Python: {error.msg}"
        raise UnreadableError(source.path, error.lineno or 1, message) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(source.path, 1, f"not valid Python: {error}") from None


@lru_cache(maxsize=1)
def tokens(source: Source) -> list[tokenize.TokenInfo]:
    """The tokens of a source, up to the first one that is not valid."""
    found = []
    with suppress(tokenize.TokenError, SyntaxError):
        for piece in tokenize.generate_tokens(io.StringIO(source.text).readline):
            found.append(piece)
    return found


def in_characters(line: str, byte: int) -> int:
    """Convert a column of a line from bytes, which `ast` counts, to characters."""
    return byte if line.isascii() else len(line.encode()[:byte].decode())


def definitions(
    tree: ast.AST,
) -> Iterator[tuple[Definition, tuple[Definition, ...]]]:
    """The classes and functions of a module, in the order of the file.

    Each is paired with the definitions that contain it, the outermost first.
    """
    # Without recursion, because each branch of a long `if` is nested in the one before.
    waiting: list[tuple[ast.AST, tuple[Definition, ...]]] = [(tree, ())]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, Definition):
            yield node, around
            around = (*around, node)
        if not isinstance(node, ast.expr):
            inner = ast.iter_child_nodes(node)
            waiting += [(part, around) for part in inner][::-1]
