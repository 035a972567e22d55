"""# What a translation must not contain

Translations are contributed by strangers. A translation may differ from its English
message in words only: it must not contain any element, attribute or URL that the
English does not. Every format (HTML, Markdown, notebooks, `llms.txt`, labels, titles)
takes its text from catalogs, and a catalog shows no translation that fails this check.

The check does not depend on the format. Code, formulas, tags and the ends of links must
be those of the English. In the text between them, no character with a meaning in
Markdown, HTML or TeX may occur more often than in the English, nothing may look like a
URL, and the text must not start with the syntax of a block.

A text without such characters is plain text in every format. If it contains some of
those that the English has, their order could matter. In this case we render both texts,
and compare the elements that a browser would find.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import Any

from markdown import Markdown

from labml_txl.literate.markdown.message import read_message, replace_ends
from labml_txl.literate.security.elements import Elements, describe, elements, is_plain

# Line breaks of Python, Markdown or browsers.
_LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Invisible characters: controls, overrides of the direction of writing, letters that
# look like spaces, tags that can hide a text. Some scripts need the joiners (U+200C,
# U+200D), the marks of direction (U+200E, U+200F) and the isolates (U+2066 to U+2069).
# Characters for private use look different on each machine.
_UNSEEN = re.compile(
    r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u202a-\u202e\u2060-\u2065\u206a-\u206f\u2800\u3164\ufe00-\ufe0f"
    r"\ufdd0-\ufdef\ufeff\uffa0\ufff0-\uffff\ue000-\uf8ff\U00013441\U00013442"
    r"\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    r"\U000e0000-\U0010ffff]"
)
# Starts a part with its own direction of writing, which U+2069 ends.
_ISOLATE = re.compile(r"[\u2066-\u2068]")
# A run that may contain many combining characters, which on one letter would cover the
# lines above and below.
_PILE = re.compile(r"[^\w\s!-~]{7,}")
# Characters with a meaning in Markdown, its dialects, HTML, TeX or templates.
_SIGNS = re.compile(r"[]<>[{}\\`*_$|&^~#@]|==|\+\+|//|(?i:www\.)|:(?=[\w+-]+:)")
# The host of a URL, with or without its scheme.
_HOST = re.compile(r"//[^\s/?#]*")
# Host names and hashes of commits, which other programs turn into links.
_ADDRESS = re.compile(
    r"(?<![\w-])(?:[\w-]++\.)+(?:[A-Za-z]{2,}|рф)|(?<![A-Za-z\d])[a-f\d]{40}(?![A-Za-z\d])"
)
# The start of a tag or a comment. In Markdown, a comment that is not closed extends to
# the end of the page.
_OPENING = re.compile(r"<[!?/A-Za-z]")
_BLOCK = re.compile(
    # In an item, two signs are a line.
    r"(?=[-*_\s]+\Z)\s*[-*_]"
    r"|\s*(?:(?:[-+*]|\d{1,9}[.)])(?=\s|$)|[#>|]|:(?=\s)|!!!|\?\?\?|===|---|///|```|~~~)"
)
# What the definition of a footnote or of an abbreviation begins with.
_HEAD = re.compile(r"\[\^[^]\n]*\]:|\*\[[^]\n]*\][ ]?:")
# A translation may be this many times as long as the English, plus so many characters.
_TIMES, _MORE = 4, 400


def find_foreign(message: str, translation: str) -> str:
    """Describe what a translation contains that its English does not; else `""`."""
    if len(_LINE_BREAK.findall(translation)) > len(_LINE_BREAK.findall(message)):
        return (
            "a line break that is not in the English (write TeX with two backslashes)"
        )
    if why := find_hidden(translation, message):
        return why
    if len(translation) > _TIMES * len(message) + _MORE:
        return "far longer than the English"
    english, theirs = (read_message(text).divided for text in (message, translation))
    for kind, raw in Counter(theirs.objects) - Counter(english.objects):
        name = describe(raw.removeprefix("]"))
        if (kind, raw) in english.objects:
            return f"{name} occurs more often than in the English"
        what = "" if kind == "markup" else f"the {kind} "
        return f"{what}{name} is not in the English"
    found = Counter(theirs.find(_SIGNS))
    for sign in found - Counter(english.find(_SIGNS)):
        return f"{sign} is not in the English"
    if opening := set(theirs.find(_OPENING)) - set(english.find(_OPENING)):
        return f"{min(opening)} is not in the English"
    for host in theirs.find(_HOST):
        if not any(host in text for text in english.texts):
            return f"the address {host} is not in the English"
    for address in theirs.find(_ADDRESS):
        # A word of another script may directly precede a name of the English.
        name = re.sub(r"\A[^\W\x00-\x7f]+(?=[\w-])", "", address)
        if name not in message:
            return f"the address {address} is not in the English"
    if (head := _HEAD.match(message)) and not translation.startswith(head[0]):
        return f"the beginning {head[0]} is missing, or changed"
    begins, ours = _BLOCK.match(translation), _BLOCK.match(message)
    if begins and (not ours or ours[0] != begins[0]):
        return f"{begins[0].strip()} at the start is not in the English"
    has_tags = any(kind == "markup" for kind, _ in english.objects)
    if not found and not has_tags and not theirs.has_joined:
        return ""
    before, after = _render(message), _render(replace_ends(translation, message))
    for element in (after[0] - before[0]).elements():
        return f"{describe(element)} is not in the English"
    if before[1] and not after[1]:
        return "a browser would parse these tags differently"
    return ""


def find_hidden(text: str, message: str = "") -> str:
    """Describe characters that hide text, unless `message` has them; else `""`."""
    if unseen := set(_UNSEEN.findall(text)) - set(message):
        sign = min(unseen)
        # In a PO file, `\\tau` with a single backslash starts with a tab.
        way = " (in a formula, write two backslashes)" if sign < " " else ""
        return f"invisible character U+{ord(sign):04X} is not allowed{way}"
    if len(_ISOLATE.findall(text)) != text.count("\u2069"):
        return "a directional isolate (U+2066 to U+2068) is not closed by U+2069"
    for run in _PILE.findall(text):
        height = 0
        for kind in map(unicodedata.category, run):
            # Invisible joiners between marks do not end the pile.
            height = height + (kind != "Cf") if kind[0] in "MC" else 0
            if height > 6:
                return "more than six combining characters on one letter"
    return ""


# The extensions that a project is likely to use. `magiclink` finds the URLs that other
# programs turn into links.
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
    "pymdownx.emoji": {},
    "pymdownx.keys": {},
    "pymdownx.magiclink": {
        **{"repo_url_shorthand": True, "social_url_shorthand": True},
        **{"user": "a", "repo": "b"},
    },
    "pymdownx.mark": {},
    "pymdownx.progressbar": {},
    "pymdownx.superfences": {},
    "pymdownx.tilde": {},
}


@cache
def _markdown() -> Markdown:
    return Markdown(extensions=[*_EXTENSIONS], extension_configs=_EXTENSIONS)


@lru_cache(maxsize=2_000)
def _render(text: str) -> tuple[Elements, bool]:
    """The elements of a text, in a paragraph and in a cell of a table, and whether a
    browser would change none of its tags."""
    shown = replace_ends(text, text)
    markdown = _markdown().reset()
    html = markdown.convert(f"{shown}\n\n| {shown} |\n| --- |\n| {shown} |")
    return elements(html), is_plain(html)
