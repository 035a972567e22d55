"""# Splitting a source into blocks

A block is a note and the code beside it. The notes are the comments and docstrings of
the file; the code is everything else.

**Every line of the source belongs to exactly one block, in order, either to its note or
to its code.** A page can therefore neither lose a line nor show one twice. This is
tested on every file of Python's standard library.

`tokenize` finds the comments, so that a `#` inside a string stays code, and `ast` finds
the docstrings and the definitions, so that a decorator stays with its function.
"""

from __future__ import annotations

import ast
import tokenize
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from labml_txl.literate.markdown.inline import Piece
from labml_txl.literate.markdown.note import Note, Part, read_once
from labml_txl.literate.sources.comments import WrittenNote, comments_of
from labml_txl.literate.sources.docstrings import describe_parameters, docstring
from labml_txl.literate.sources.source import NewerSyntaxError, Source, UnreadableError
from labml_txl.literate.sources.syntax import (
    ASSIGNMENT,
    Definition,
    definitions,
    docstrings,
    parse,
    tokens,
)


class Line(NamedTuple):
    """One line of code: its number in the file, counted from 1, and its text."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A note and the code beside it.

    - `note`: the note, without the `#` signs, quotes and indentation of the source;
    - `code`: the lines of code;
    - `lines`: the numbers of all lines of the block, from 1;
    - `note_lines`: those of the note;
    - `scope`: the qualified name of the class or function around the block, empty at
      the top level of a module;
    - `opens`: `"class"`, `"function"` or `"method"` if the block begins with the header
      of `scope`, `"module"` for the first block of a file, `"exercises"` for the
      exercises after the last, and otherwise empty;
    - `begins`: the line with the first words of the note, 0 if there is no note;
    - `file`: the file that contains the note, if it is not the source.
    """

    note: Note
    code: tuple[Line, ...]
    lines: range
    note_lines: tuple[int, ...] = ()
    scope: str = ""
    opens: str = ""
    begins: int = 0
    file: str = ""

    def with_note(self, note: Note) -> Block:
        """The same block with another note."""
        return replace(self, note=note)

    @property
    def visible_code(self) -> tuple[Line, ...]:
        """The code without the blank lines around it and after its docstring."""
        notes = set(self.note_lines)
        lines = [n for n in self.code if n.text.strip() or n.number - 1 not in notes]
        full = [i for i, line in enumerate(lines) if line.text.strip()]
        return tuple(lines[full[0] : full[-1] + 1]) if full else ()

    @property
    def note_line(self) -> int:
        """The line that errors in the note refer to."""
        return self.begins or self.lines.start


class _Opening(NamedTuple):
    """A class or function: its lines, that of its first statement, its full name."""

    lines: range
    body: int
    scope: str
    kind: str


# The blocks of a large module take much memory, so few are cached.
@lru_cache(maxsize=200)
def split(source: Source) -> tuple[Block, ...]:
    """Split a Python source into blocks.

    A source that is not valid Python becomes one block without a note. One that needs
    a newer Python keeps its notes, but has no headings.
    """
    try:
        tree = parse(source)
        described = list(_docstrings(tree, source))
        spoken = [note for _, note in described]
        assigned = {
            node.lineno: note
            for node, note in described
            if isinstance(node, ASSIGNMENT)
        }
    except NewerSyntaxError:
        tree = ast.Module([], [])
        spoken, assigned = list(_find_strings(source)), {}
    except UnreadableError:
        code = (Line(n, t.rstrip("\n")) for n, t in enumerate(source.lines, start=1))
        lines = range(1, len(source.lines) + 1)
        return (Block(Note(), tuple(code), lines, opens="module"),)
    comments = list(comments_of(source))
    # Comments above the docstring of a module are a licence or a setting of an editor,
    # so they are not shown as notes.
    if spoken and tree.body and isinstance(tree.body[0], ast.Expr):
        above = spoken[0].lines.start
        comments = [note for note in comments if note.lines.start > above]
    openings = list(_openings(tree))

    starts = _starts(source, comments, openings, assigned)
    ends = [*starts[1:], len(source.lines) + 1]
    notes = sorted([*spoken, *comments], key=lambda note: note.lines.start)
    # The innermost class or function around each line, by its number.
    around = [_Opening(range(0), 0, "", "module")] * (len(source.lines) + 1)
    for one in openings:
        around[one.lines.start : one.lines.stop] = [one] * len(one.lines)
    return tuple(
        _block(source, range(start, end), notes, around)
        for start, end in zip(starts, ends, strict=True)
        if start < end
    )


def _docstrings(
    tree: ast.Module, source: Source
) -> Iterator[tuple[ast.AST, WrittenNote]]:
    """The docstrings on lines of their own, each after what it describes.

    A docstring that shares its line with code stays code. The parameters that a
    signature describes are added to it; without one, they are the note.
    """
    lines, found = source.lines, set[ast.AST]()
    for node, statement, string in docstrings(tree):
        first, last = statement.lineno, statement.end_lineno or 0
        # Brackets around it belong to the statement, and may contain comments.
        around = string.col_offset != statement.col_offset
        if around and any(t.lstrip()[:1] == "#" for t in lines[first - 1 : last]):
            continue
        before = lines[first - 1].encode()[: statement.col_offset]
        end = statement.end_col_offset or 0
        after = lines[last - 1].encode()[end:].strip()
        if not before.strip() and (not after or after.startswith(b"#")):
            text, begins = docstring(string, source, module=node is tree)
            text = "\n\n".join(filter(None, (text, describe_parameters(node))))
            found.add(node)
            yield node, WrittenNote(range(first, last + 1), text, begins)
    for one, _ in definitions(tree):
        if one not in found and (text := describe_parameters(one)):
            yield one, WrittenNote(range(one.lineno, one.lineno), text, one.lineno)


def _find_strings(source: Source) -> Iterator[WrittenNote]:
    """The docstrings of a source that cannot be parsed: strings that begin a block."""
    before = tokenize.INDENT
    for token in tokens(source):
        if token.type in {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING}:
            continue
        if token.type == tokenize.STRING and before == tokenize.INDENT:
            with suppress(SyntaxError, ValueError):
                (statement,) = ast.parse(token.string).body
                match statement:
                    case ast.Expr(value=ast.Constant(value=str()) as string):
                        first, last = token.start[0], token.end[0]
                        string.lineno, string.end_lineno = first, last
                        string.col_offset = token.start[1]
                        end = source.lines[last - 1][: token.end[1]]
                        string.end_col_offset = len(end.encode())
                        text, begins = docstring(string, source)
                        yield WrittenNote(range(first, last + 1), text, begins)
        before = token.type


def _openings(tree: ast.AST) -> Iterator[_Opening]:
    """The classes, methods and functions that get a heading.

    Functions in functions, and special methods such as `__init__`, which the docstring
    of the class describes, get one only if they have a docstring or describe their
    parameters.
    """
    for node, around in definitions(tree):
        inside = type(around[-1]) if around else ast.Module
        special = inside is ast.ClassDef and is_special(node.name)
        detail = inside not in (ast.Module, ast.ClassDef) or special
        described = ast.get_docstring(node) is not None or describe_parameters(node)
        if not detail or described:
            kind = "method" if inside is ast.ClassDef else "function"
            first = _first_line(node)
            yield _Opening(
                lines=range(first, (node.end_lineno or first) + 1),
                body=_first_line(node.body[0]),
                scope=".".join(one.name for one in (*around, node)),
                kind="class" if isinstance(node, ast.ClassDef) else kind,
            )


def _first_line(node: ast.stmt) -> int:
    """A definition starts at its first decorator."""
    decorators = node.decorator_list if isinstance(node, Definition) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _starts(
    source: Source,
    comments: list[WrittenNote],
    openings: list[_Opening],
    assigned: Mapping[int, WrittenNote],
) -> list[int]:
    """The lines at which a block starts: line 1, each comment, each header.

    So do an assignment with a docstring, and what follows that docstring.

    Code that follows a comment after only blank lines belongs to the same block, so a
    header does not start a second block below its own comment. If a function has no
    docstring, the comment above its first statement is the note of the function.
    """
    lines = source.lines
    spoken = {n for note in comments for n in note.lines}
    headers = {o.lines.start: range(o.lines.start, o.body) for o in openings}
    # A comment without text is no note, so it starts no block.
    starting = {note.lines.start for note in comments if note.text}
    banners = {note.lines.start for note in comments if note.banner}
    for start, note in assigned.items():
        after = (
            n for n in range(note.lines.stop, len(lines) + 1) if lines[n - 1].strip()
        )
        starting |= {start, *islice(after, 1)}
    starts = [1]
    for start in sorted(starting | set(headers)):
        between = range(starts[-1], start)
        follows = all(n in spoken or not lines[n - 1].strip() for n in between)
        # Two blank lines separate a comment from what follows it.
        blank = not "".join(lines[max(start - 3, 0) : start - 1]).strip()
        apart = blank and start - 3 >= starts[-1] in starting
        apart = apart or starts[-1] in banners
        if (not follows or apart) and start not in headers.get(starts[-1], ()):
            starts.append(start)
    return starts


def _block(
    source: Source, lines: range, notes: list[WrittenNote], around: list[_Opening]
) -> Block:
    position = attrgetter("lines.start")
    first_note = bisect_left(notes, lines.start, key=position)
    here = notes[first_note : bisect_left(notes, lines.stop, key=position)]
    note_lines = tuple(n for note in here for n in note.lines)
    written = source.lines
    code = tuple(
        Line(n, written[n - 1].rstrip("\n"))
        for n in sorted(set(lines).difference(note_lines))
    )
    # The scope is that of the first code, because a comment may precede a header.
    first = next((line.number for line in code if line.text.strip()), lines.start)
    scope = around[first]
    opens = scope.kind if first == scope.lines.start or lines.start == 1 else ""
    begins = next((note.begins for note in here if note.text), 0)
    text = "\n\n".join(note.text for note in here if note.text)
    own = lines.start == 1 or (bool(opens) and begins > first)
    return Block(
        note=_read(text, _LEVEL.get(scope.kind, 1), own),
        begins=begins,
        code=code,
        lines=lines,
        note_lines=note_lines,
        scope=scope.scope,
        opens=opens,
    )


_LEVEL = {"class": 2, "function": 2, "method": 3}


def _read(text: str, level: int, own: bool) -> Note:
    """Parse a note of a block whose heading has this level, with its titles below it.

    A page has one title. If a heading at the beginning is the block's `own`, it gets
    the level of the block.
    """
    note, parts, added = read_once(text), list[Part](), 0
    for part in note.parts:
        marks = parts[-1].pieces[-1] if parts else None
        deeper = part
        if marks and part.level == 1 and marks.raw.rstrip(" ").endswith("#"):
            more = level - (own and part is note.opening)
            deeper = replace(part, level=1 + more)
            opened = (*parts[-1].pieces[:-1], _add_hashes(marks, more))
            parts[-1] = replace(parts[-1], pieces=opened)
            added += more
        moved = (replace(one, start=one.start + added) for one in deeper.pieces)
        parts.append(replace(deeper, pieces=tuple(moved)))
    return Note(tuple(parts), "".join(part.raw for part in parts)) if added else note


def _add_hashes(marks: Piece, count: int) -> Piece:
    def add(text: str) -> str:
        before = text.rstrip(" ")
        return f"{before}{'#' * count}{text[len(before) :]}"

    host = marks.host and add(marks.host)
    return replace(marks, raw=add(marks.raw), body=add(marks.body), host=host)


def heading_of(block: Block) -> tuple[str, int]:
    """The name and level of the heading of a block; empty and 0 if it gets none.

    It gets none if its docstring starts with a heading, or if it opens a special
    method. A heading in a comment above a definition belongs to what follows it too.
    """
    name = block.scope.rpartition(".")[2]
    level = _LEVEL.get(block.opens, 0)
    header = next((line.number for line in block.code if line.text.strip()), 0)
    own = block.begins > header and block.note.opening
    if not level or own or is_special(name):
        return "", 0
    return name, level


def is_special(name: str) -> bool:
    """Whether a name is one of Python's own, such as `__init__`."""
    return name.startswith("__") and name.endswith("__")
