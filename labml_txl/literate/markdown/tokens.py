r"""# The marks of a message

What a mark looks like, in Markdown and in HTML, and which elements hold which. These
are tables only: what they mean for a message is told where it is read.
"""

from __future__ import annotations

import re

# Neither sign is part of any text.
OBJECT = "\ufffc"
EDGE = "\x00"

_BLOCK_TAGS = "address blockquote dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 li"
BLOCKS = frozenset(
    f"{_BLOCK_TAGS} ol p pre section table tbody td tfoot th thead tr ul".split()
)
# These hold other blocks and no words of their own.
FRAMES = {"ul", "ol", "dl", "table", "thead", "tbody", "tfoot", "tr"}
# A block within one of these ends it.
PHRASES = {"p", "h1", "h2", "h3", "h4", "h5", "h6"}
PARENTS = {
    "li": {"ul", "ol"},
    "dt": {"dl"},
    "dd": {"dl"},
    "tr": {"table", "thead", "tbody", "tfoot"},
    "td": {"tr"},
    "th": {"tr"},
}
VOID = {"br", "hr", "img", "input", "wbr", "source", "col"}
SAME = {"b": "strong", "i": "em"}

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

HTML = re.compile(
    r"</(?:p|h[1-6]|[uo]l|li|a|em|strong|span|code|div|table|t[dhr]|pre|blockquote)\s*>"
    r"|<(?:p|h[1-6]|[uo]l|li)>|<a\s+href",
    re.IGNORECASE,
)

# The first line takes what cannot begin anything, so that the rest is rarely tried.
TOKEN = re.compile(
    rf"""
    (?P<text> [^`\\$<>\[\]!{{*_]+ )
    | (?P<code> (?P<ticks>`+)(?!`) (?P<inner>.+?) (?<!`)(?P=ticks)(?!`) )
    | (?P<display> \$\$ (?P<big>.+?) \$\$ | {SQUARE} )
    | (?P<math> \$(?!\s) (?P<small>(?:{WORDED}|\\.|[^\\$])+?) (?<!\s)\$ | {ROUND} )
    | (?P<escape> \\[!-/:-@\[-`{{-~] )
    | (?P<wrapped> <span\s+translate=["']?no["']?\s*>\s*
        (?P<number>_\^_\d+_\^_)\s*</span> )
    | (?P<bare> _\^_\d+_\^_ )
    | (?P<comment> <!--.*?--> )
    | (?P<auto> <(?:https?://|mailto:)[^<>\s]+> )
    | (?P<tag> <(?P<slash>/?)(?P<name>[A-Za-z][A-Za-z0-9]*)
        (?P<rest>(?:\s(?:"[^"]*"|'[^']*'|[^<>"'])*)?)/?> )
    | (?P<image> !\[ )
    | (?P<goes> \]\(\s*(?P<address><[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)
        (?:\s+"[^"]*")?\s*\) | \]\[(?P<key>[^\[\]]*)\] )
    | (?P<open> \[ )
    | (?P<close> \] )
    | (?P<include> \{{\{{\s*[\w.-]+\s*\}}\}} )
    | (?P<attributes> \{{:?\s*[#.][^{{}}\n]*\}} )
    | (?P<stars> \*{{1,3}} )
    | (?P<lines> (?<![^\W_])_{{1,2}}(?=[^\s_]) | (?<=[^\s_])_{{1,2}}(?![^\W_]) )
    | (?P<stray> [`$<>] )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
TEX = re.compile(r"\\[A-Za-z]+|\\.|\S", re.DOTALL)
URL = re.compile(r"https?://[!-~]+?(?=[.,;:!?)\]]*(?:[^!-~]|$))")


def is_html(message: str) -> bool:
    """Whether a message is written in HTML rather than in Markdown."""
    return "<" in message and HTML.search(message) is not None
