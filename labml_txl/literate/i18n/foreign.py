r"""# What a translation may hold

Translations are written by strangers and read by strangers. A translation has other
words than its English sentence, and nothing else: no element, no attribute and no
address that the English does not have. Every rendering (HTML, Markdown, notebooks,
`llms.txt`, labels, titles) takes its words from a catalog, and a catalog shows no
translation that does not pass here.

The rule does not depend on what a sentence becomes. Code, formulas, tags and the ends
of links are taken over as the English has them. In the words between them, no sign that
means something to Markdown, HTML or TeX stands more often than in the English, nothing
looks like an address, and no sign begins a block. What is left has only words.

Words cannot become anything else in any grammar. Where signs of the English are left,
their order could matter: such a translation is rendered beside its English, and the
elements that a browser finds in the two are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import Any

from markdown import Markdown

from labml_txl.literate.markdown.elements import Elements, elements, is_plain, named
from labml_txl.literate.markdown.inline import OBJECT, scan

# Where a line ends for Python, for Markdown or for a browser.
_LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Signs that nobody sees: controls, signs that turn the words around them, blanks that
# are letters, and the tags in which a text can be hidden. The joiners (U+200C, U+200D),
# the marks of direction (U+200E, U+200F) and the isolates (U+2066 to U+2069) stay:
# scripts need them. What is for private use looks otherwise on each machine.
_UNSEEN = re.compile(
    r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u202a-\u202e\u2060-\u2065\u206a-\u206f\u2800\u3164\ufe00-\ufe0f"
    r"\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff\ue000-\uf8ff\U000e0000-\U0010ffff]"
)
# A sign that turns the words up to the next U+2069, which ends it.
_ISOLATE = re.compile(r"[\u2066-\u2068]")
# Signs above and below a letter: a pile of them covers the lines around it.
_PILE = re.compile(r"[^\w\s!-~]{7,}")
# Signs that mean something in Markdown, its dialects, HTML, TeX or a template.
_SIGNS = re.compile(r"[]<>[{}\\`*_$|&^~#@]|==|\+\+|://|(?i:www\.)|:(?=[\w+-]+:)")
# What other programs make a link of: a name with dots, its last part letters.
_ADDRESS = re.compile(r"(?<![\w-])(?:[\w-]++\.)+(?:[A-Za-z]{2,}|рф)")
# What begins a tag or a comment. In Markdown a comment that nothing ends goes on to
# the end of the page.
_OPENING = re.compile(r"<[!?/A-Za-z]")
_BLOCK = re.compile(
    r"\s*(?:[-+*](?=\s)|[#>|]|\d{1,9}[.)](?=\s)|:(?=\s)|!!!|\?\?\?|===|---|///|```|~~~)"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->|<[\w.+-]+(?::|@)[^\s<>]*>")
_END = re.compile(r"\]\[[^\[\]]*\]")
_BRACES = re.compile(r"\{[^{}]*\}")
# Where two objects, or an object and a letter, could be read as one.
_JOINED = re.compile(rf"{OBJECT}[{OBJECT}\w]|[0-9A-Za-z]{OBJECT}", re.ASCII)
# No translation is that much longer than its English: so many times, and so many more.
_TIMES, _MORE = 4, 400


def foreign(message: str, translation: str) -> str:
    """What a translation holds that its English does not, in words; else nothing."""
    if len(_LINE_BREAK.findall(translation)) > len(_LINE_BREAK.findall(message)):
        return "a line break is not in the English (before TeX write two backslashes)"
    if unseen := set(_UNSEEN.findall(translation)) - set(message):
        sign = min(unseen)
        # In a PO file, `\\tau` with one backslash begins with a tabulator.
        way = " (in a formula, write two backslashes)" if sign < " " else ""
        return f"the sign U+{ord(sign):04X}, which nobody sees, does harm{way}"
    if len(_ISOLATE.findall(translation)) != translation.count("\u2069"):
        return "an isolate (U+2066 to U+2068) has no end (U+2069)"
    if any(all(map(_is_mark, run)) for run in _PILE.findall(translation)):
        return "more than six signs stand above and below one letter"
    if len(translation) > _TIMES * len(message) + _MORE:
        return "it is far longer than the English"
    objects, bare = without_objects(message)
    words = translation
    for _, raw in objects:
        words = words.replace(raw, OBJECT, 1)
    allowed, found = Counter(_SIGNS.findall(bare)), Counter(_SIGNS.findall(words))
    for sign in found - allowed:
        return f"{_named(sign, words)} is not in the English"
    if opening := set(_OPENING.findall(words)) - set(_OPENING.findall(bare)):
        return f"{min(opening)} is not in the English"
    for address in _ADDRESS.findall(words):
        # A word of another script may stand right before a name of the English.
        name = re.sub(r"\A[^\W\x00-\x7f]+(?=[\w-])", "", address)
        if name not in message:
            return f"{address} looks like an address, and is not in the English"
    begins, ours = _BLOCK.match(translation), _BLOCK.match(message)
    if begins and (not ours or ours[0] != begins[0]):
        return f"{begins[0].strip()} at its start is not in the English"
    has_tags = any(kind == "markup" for kind, _ in objects)
    if not found and not has_tags and not _JOINED.search(words):
        return ""
    english, theirs = _rendered(message), _rendered(_linked(translation, message))
    for element in (theirs[0] - english[0]).elements():
        return f"{named(element)} is not in the English"
    if english[1] and not theirs[1]:
        return "a browser reads its marks otherwise than it is written"
    return ""


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign).startswith("M")


def _named(sign: str, words: str) -> str:
    """The sign, or the tag that it begins."""
    tag = re.search(r"<[^<>]*>?", words) if sign == "<" else None
    return named(tag[0]) if tag else sign


@lru_cache(maxsize=20_000)
def without_objects(message: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """What a translation takes over as it is, the longest first, and the words between.

    An object is its kind and its text: `formula`, `code`, `markup` (a tag or a
    comment), `link` (the end of one) or `placeholder` (what stands in braces). In the
    words, `OBJECT` stands for it.
    """
    objects, words = list[tuple[str, str]](), ""
    for piece in scan(message):
        if piece.kind in {"text", "link", "citation", "image"}:
            words += piece.raw
        else:
            objects.append((_KINDS.get(piece.kind, "code"), piece.raw))
            words += OBJECT
    # The words of a link may hold code in their turn.
    for piece in scan(words.replace("[", " ")):
        if piece.kind in {"code", "math"}:
            objects.append((_KINDS.get(piece.kind, "code"), piece.raw))
            words = words.replace(piece.raw, OBJECT, 1)
    for kind, pattern in (("markup", _TAG), ("link", _END), ("placeholder", _BRACES)):
        objects += ((kind, raw) for raw in pattern.findall(words))
        words = pattern.sub(OBJECT, words)
    objects.sort(key=lambda one: len(one[1]), reverse=True)
    return tuple(objects), words


_KINDS = {"math": "formula", "display": "formula"}


# All that the Markdown of a project is likely to know. `magiclink` finds the addresses
# that other programs make links of.
_EXTENSIONS: dict[str, dict[str, Any]] = {
    "abbr": {},
    "admonition": {},
    "attr_list": {},
    "def_list": {},
    "footnotes": {},
    "md_in_html": {},
    "tables": {},
    "pymdownx.arithmatex": {"generic": True, "smart_dollar": True},
    "pymdownx.details": {},
    "pymdownx.magiclink": {},
    "pymdownx.superfences": {},
}


@cache
def _markdown() -> Markdown:
    return Markdown(extensions=[*_EXTENSIONS], extension_configs=_EXTENSIONS)


@lru_cache(maxsize=2_000)
def _rendered(text: str) -> tuple[Elements, bool]:
    """The elements of a text, in a paragraph and in a cell, and whether a browser reads
    its tags as they are written."""
    shown = _linked(text, text)
    markdown = _markdown().reset()
    html = markdown.convert(f"{shown}\n\n| {shown} |\n| --- |\n| {shown} |")
    return elements(html), is_plain(html)


def _linked(text: str, message: str) -> str:
    """The text with links where it has the ends of links of its English."""
    ends = set(_END.findall(message))
    for end in ends:
        text = text.replace(end, f"](#{end[2:-1]})")
    return text
