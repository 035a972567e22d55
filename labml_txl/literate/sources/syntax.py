"""# The syntax of a source

The syntax tree of a source, its tokens, and its classes and functions, from Python's
own parser.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from labml_txl.literate.sources.source import NewerSyntaxError, Source, UnreadableError

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


# Several steps in a row read the same source. Trees take much memory, so only one is
# cached.
@lru_cache(maxsize=1)
def parse(source: Source) -> ast.Module:
    """The syntax of a source.

    Raises `NewerSyntaxError` if it needs a newer version of Python than the one that
    runs, and `UnreadableError` if it is not valid Python.
    """
    try:
        # Python's warnings would not name the file.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        line = min(error.lineno or 1, len(source.lines))
        if newer := _find_newer(source.lines[line - 1] if line else "", error.msg):
            this = ".".join(map(str, VERSION))
            message = f"{newer}, and this is {this}: build the site with a newer one"
            raise NewerSyntaxError(source.path, line, message) from None
        message = f"not valid Python: {error.msg}"
        raise UnreadableError(source.path, error.lineno or 1, message) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(source.path, 1, f"not valid Python: {error}") from None


VERSION = sys.version_info[:2]
# Lines that only a newer version can parse, and what is new in them.
_NEW = [
    ((3, 12), "type parameters", re.compile(r"\s*(?:async\s+def|def|class)\s+\w+\[")),
    ((3, 12), "`type` statements", re.compile(r"\s*type\s+\w+\s*(?:\[.*\]\s*)?=")),
    (
        (3, 14),
        "several exceptions without brackets",
        re.compile(r"\s*except\*?\s+[\w.]+\s*,"),
    ),
    ((3, 14), "template strings", re.compile(r""".*\b[tT][rR]?["']""")),
]


def _find_newer(line: str, message: str) -> str:
    """What in a line needs a newer Python than this one; empty if nothing does."""
    for version, name, pattern in _NEW:
        if version > VERSION and pattern.match(line):
            return f"{name} need Python {'.'.join(map(str, version))}"
    if VERSION < (3, 12) and message.startswith("f-string"):
        return "this f-string needs Python 3.12"
    return ""


@lru_cache(maxsize=1)
def tokens(source: Source) -> list[tokenize.TokenInfo]:
    """The tokens of a source, up to the first one that is not valid."""
    found = []
    with suppress(tokenize.TokenError, SyntaxError):
        for piece in tokenize.generate_tokens(io.StringIO(source.text).readline):
            found.append(piece)
    return found


# Below one of these in such a body, a string describes what was assigned.
ASSIGNMENT = (ast.Assign, ast.AnnAssign)


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Expr, ast.Constant]]:
    """The docstrings of a module: what each describes, its statement and its string.

    As in Sphinx, this may also be an assignment in a module, a class or an `__init__`,
    if the string follows it directly.
    """
    for node in (tree, *(node for node, _ in definitions(tree))):
        declares = isinstance(node, ast.Module | ast.ClassDef) or (
            node.name == "__init__"
        )
        for above, statement in zip((node, *node.body), node.body, strict=False):
            match statement:
                case ast.Expr(value=ast.Constant(value=str()) as string):
                    if above is node or (declares and isinstance(above, ASSIGNMENT)):
                        yield above, statement, string


def convert_column(line: str, byte: int) -> int:
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
        parts = [part for name in _BODIES for part in getattr(node, name, ())]
        waiting += [(part, around) for part in parts[::-1]]


# The fields with statements, in the order of the file.
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")
