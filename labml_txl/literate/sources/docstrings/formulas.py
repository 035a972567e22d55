r"""# Formulas in the way of Sphinx

The docstrings of many projects, torch among them, write a formula as `` :math:`x^2` ``,
or below a line with `.. math::`. Here it gets its dollars.
"""

from __future__ import annotations

import re
import textwrap

from labml_txl.literate.markdown.inline import outside_code
from labml_txl.literate.markdown.tokens import WORDED

_FORMULA = re.compile(
    rf"""
    :math:`(?P<inline>(?:{WORDED}|[^`$])+)`
    | ^(?P<indent>[ ]*)\.\.[ ]math[ ]?::[ ]*(?P<first>[^\n]*)
      (?P<below>(?:\n(?P=indent)[ ]+\S[^\n]*|\n[ ]*(?=\n|\Z))*)
    """,
    re.MULTILINE | re.VERBOSE,
)
# What is told to Sphinx, such as `:label: name`.
_OPTION = re.compile(r"^:\w+:.*$", re.MULTILINE)


def with_formulas(note: str) -> str:
    """A note whose formulas have dollars, as Markdown wants them."""
    if ":math:" not in note and ".. math" not in note:
        return note
    return outside_code(_FORMULA, _dollars, note, moved=True)


def _dollars(match: re.Match[str]) -> str:
    if match["inline"]:
        return f"${' '.join(match['inline'].split())}$"
    text = f"{match['first']}\n\n{textwrap.dedent(match['below'])}"
    parts = re.split(r"\n\s*\n", _OPTION.sub("", text).strip())
    shown = (f"$$\n{_aligned(part)}\n$$\n" for part in parts if part.strip())
    return textwrap.indent("\n" + "\n".join(shown), match["indent"])


def _aligned(tex: str) -> str:
    """The lines of a formula below each other, as Sphinx has them."""
    plain = "\\begin{" in tex or not re.search(r"\\\\|(?<!\\)&", tex)
    return tex if plain else f"\\begin{{aligned}}\n{tex}\n\\end{{aligned}}"
