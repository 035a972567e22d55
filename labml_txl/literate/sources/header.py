"""# The header of a Python file

A Python file may begin with a header, as notebooks of jupytext do: YAML in comments
between two lines `# ---`. The engine reads the `keywords` of its page from it. In a
notebook they are below `jupyter:`, because jupytext takes other fields for a cell.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from labml_txl.literate.sources.source import LiterateError, Source

_DASHES = "# ---"
_KNOWN = re.compile(r"# *(?:jupyter|jupytext|kernelspec|keywords):")
_KEYWORDS = re.compile(r"# *keywords:")


def header(source: Source) -> range:
    """The numbers of the lines of a header with a known field; empty without one."""
    lines = [line.rstrip() for line in source.lines[:200]]
    if lines[:1] != [_DASHES] or _DASHES not in lines[1:]:
        return range(0)
    end = lines.index(_DASHES, 1) + 1
    known = any(map(_KNOWN.match, lines[:end]))
    return range(1, end + 1) if known else range(0)


def keywords(source: Source) -> list[str]:
    """The words by which the search finds the page of a file, besides those on it.

    Raises `LiterateError` for a header that is not YAML, and for keywords that are not
    a list.
    """
    within = source.lines[1 : max(len(header(source)) - 1, 0)]
    if not any(map(_KEYWORDS.match, within)):
        return []
    try:
        read = yaml.safe_load("".join(line.removeprefix("#") for line in within))
    except yaml.YAMLError as error:
        why = getattr(error, "problem", None) or "not YAML"
        fault = f"invalid header: {why}"
        raise LiterateError(source.path, 1, fault) from None
    fields: dict[str, Any] = read if isinstance(read, dict) else {}
    notebook = fields.get("jupyter")
    given = (notebook if isinstance(notebook, dict) else fields).get("keywords", [])
    if not isinstance(given, list):
        message = "keywords are a list: write [one word, another]"
        raise LiterateError(source.path, 1, message)
    # A number is a number in YAML, but the search only knows how to mark texts.
    return [*map(str, given)]
