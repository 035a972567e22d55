"""What every split of a source must keep, as one check for several tests."""

import ast
import re

from labml_txl.literate.markdown.note import read
from labml_txl.literate.sources.blocks import Block, split
from labml_txl.literate.sources.source import Source

SIGNS = ("===", "---", "***", "~~~", "#######", ".......")


def is_python(given: str | bytes) -> bool:
    """Whether a text is valid, by Python's own word."""
    try:
        ast.parse(given)
    except (UnicodeDecodeError, SyntaxError, ValueError):
        return False
    return True


def parts(text: str, path: str = "module.py") -> tuple[Block, ...]:
    """The blocks of a text, after the law was held against them."""
    source = Source(path, text)
    blocks = split(source)
    holds(source, blocks)
    return blocks


def holds(source: Source, blocks: tuple[Block, ...]) -> None:
    """Every line stands in exactly one block, in order, in its note or its code."""
    lines = source.text.split("\n")
    if lines[-1] == "":
        lines.pop()
    assert [n for block in blocks for n in block.lines] == [
        *range(1, len(lines) + 1)
    ], source.path
    for block in blocks:
        assert block.note.text == block.note.source, source.path
        assert block.note == read(block.note.source), source.path
        code = [line.number for line in block.code]
        assert sorted([*code, *block.note_lines]) == [*block.lines], source.path
        assert code == sorted(code), source.path
        for line in block.code:
            assert line.text == lines[line.number - 1], source.path
        for number in block.note_lines:
            words = lines[number - 1].strip()
            # What Python itself rewrites, escapes and tabs, cannot be compared.
            if words.startswith("# ") and not {"\\", "\t"} & set(words):
                shown = re.sub(r" # (?:noqa|type: ignore)[^ ]*( [A-Z]\d+)?$", "", words)
                shown = shown[2:].strip()
                # Of a banner and of the line below a title, only the words are shown.
                if shown.startswith(SIGNS):
                    shown = shown.strip("".join(SIGNS) + " {}")
                assert shown in block.note.text, f"{source.path}:{number}"
