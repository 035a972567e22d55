r"""# The syntax of a source

Python's own parser reads it. Here are the ways through what it finds: all parts of a
piece of syntax, or statements only, which are few beside the expressions in them.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from labml_txl.literate.sources.source import Source, UnreadableError

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


# Several steps read one source after the other. A tree takes much memory.
@lru_cache(maxsize=1)
def parse(source: Source) -> ast.Module:
    """The syntax of a source; raises `UnreadableError` where it is not valid Python."""
    if (null := source.text.find("\0")) >= 0:
        line = source.text.count("\n", 0, null) + 1
        raise UnreadableError(source.path, line, "not valid Python: a null byte")
    try:
        with unwarned():
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


@contextmanager
def unwarned() -> Iterator[None]:
    """Keep back what Python warns of in code that it reads: it would name no file.

    What a reader of the page would miss, the engine tells by itself.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def in_characters(line: str, byte: int) -> int:
    """A column of a line in characters: `ast` counts bytes."""
    return byte if line.isascii() else len(line.encode()[:byte].decode())


# Where a statement, or a branch of one, holds statements.
_HELD = ("body", "handlers", "cases", "orelse", "finalbody")


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements and branches that a statement holds, in the order of the file.

    Those within them are left to be asked for; a chain of `elif` is one statement.
    """
    while isinstance(node, ast.If) and [*map(type, node.orelse)] == [ast.If]:
        yield from node.body
        node = node.orelse[0]
    for name in _HELD:
        yield from getattr(node, name, ())


def every_statement(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below a piece of syntax."""
    for held in statements(node):
        yield held
        yield from every_statement(held)
