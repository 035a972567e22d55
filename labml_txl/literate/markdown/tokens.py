r"""# Formulas between brackets

What is a formula between `\(` and `\)` or `\[` and `\]`, which in Markdown are brackets
and no more, and a formula that has words with formulas in it.
"""

from __future__ import annotations

# Neither sign is part of any text.
OBJECT = "\ufffc"
EDGE = "\x00"

# The end of a line that is not the end of a paragraph.
TURN = r"\n(?![ \t]*\n)"
# Words within a formula, with a formula within them: they have dollars of their own.
_WORDS = rf"(?:[^{{}}$\n]|{TURN})"
_BRACES = rf"\{{(?:{_WORDS}|\{{{_WORDS}*\}})*\}}"
_WITHIN = rf"\$(?:{_WORDS}|{_BRACES})+\$"
WORDED = rf"\\(?:text[a-z]*|mbox|hbox)\{{{_WORDS}*(?:{_WITHIN}{_WORDS}*)+\}}"
# A formula between brackets with backslashes. In Markdown those are brackets and no
# more, so it is one only if it holds TeX: a command, an index or an exponent. A
# docstring without an `r` may hold a sign instead of the backslash of a command.
_INSIDE = rf"(?:{WORDED}|\\[^()\[\]\n]|[^\\$\n]|{TURN})"
TEX_INSIDE = (
    rf"(?={_INSIDE}*?(?:\\[A-Za-z]{{2}}|\x08[A-Za-z]|[\w)\]}}'][ ]?\^[ ]?[\w{{(\\*+-]"
    r"|(?<![^\W\d_])[^\W\d_]_(?:\{|[^\W_](?!\w))))"
)
SQUARE = rf"\\\[ {TEX_INSIDE} (?P<square>{_INSIDE}+?) \\\](?![(\[])"
# Symbols and signs, and no word: between round ones, that too can only be a formula.
SYMBOLS = (
    r"\s*(?!-)(?=[^A-Za-z\\]*[A-Za-z])"
    rf"(?:(?![^\W\d_]{{2}})[^\W_]|[ =<>+/,()'-]|{TURN})+"
)
ROUND = (
    rf"\\\( (?P<round> {TEX_INSIDE} {_INSIDE}+?"
    rf" | (?<![\w)\]]\\\() {SYMBOLS} (?=\\\)(?![ ]?\d)) ) \\\)"
)
