r"""# The syntax of a source

Python's own parser reads it. Here are its tree, its tokens, and the classes and
functions in it.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from functools import lru_cache

from labml_txl.literate.sources.source import Source, UnreadableError

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


# Several steps read one source after the other. A tree takes much memory.
@lru_cache(maxsize=1)
def parse(source: Source) -> ast.Module:
    """The syntax of a source; raises `UnreadableError` where it is not valid Python."""
    try:
        # What Python warns of would name no file.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        message = f"not valid Python: {error.msg}"
        raise UnreadableError(source.path, error.lineno or 1, message) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(source.path, 1, f"not valid Python: {error}") from None


@lru_cache(maxsize=1)
def tokens(source: Source) -> tuple[list[tokenize.TokenInfo], UnreadableError | None]:
    """The tokens of a source, and what is wrong where they end too early."""
    found = []
    try:
        for piece in tokenize.generate_tokens(io.StringIO(source.text).readline):
            found.append(piece)
    except (tokenize.TokenError, SyntaxError) as error:
        line = error.args[1][0] if isinstance(error, tokenize.TokenError) else 1
        message = f"not valid Python: {error.args[0]}"
        return found, UnreadableError(source.path, line, message)
    return found, None


def in_characters(line: str, byte: int) -> int:
    """A column of a line in characters: `ast` counts bytes."""
    return byte if line.isascii() else len(line.encode()[:byte].decode())


def definitions(
    tree: ast.AST,
) -> Iterator[tuple[Definition, tuple[Definition, ...]]]:
    """The classes and functions of a module, in the order of the file.

    Each comes with those that it stands in, the outermost first.
    """
    # Without recursion: each branch of a long `if` stands in the one before.
    waiting: list[tuple[ast.AST, tuple[Definition, ...]]] = [(tree, ())]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, Definition):
            yield node, around
            around = (*around, node)
        if not isinstance(node, ast.expr):
            inner = ast.iter_child_nodes(node)
            waiting += [(part, around) for part in inner][::-1]
