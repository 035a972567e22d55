r"""# What a translation may hold

Translations are written by strangers and read by strangers. A translation has other
words than its English sentence, and nothing else: no element, no attribute and no
address that the English does not have.

What a sentence holds is not guessed from its marks. The English and the translation are
both made HTML, and what a browser finds in the two is compared. That is done in each
place where a sentence may stand, since `{: … }` means nothing in a paragraph and
something in a cell. The marks of the engine itself, such as a name in code that becomes
a link, are compared as the engine reads them.

Two translations may be harmless alone and not together: one opens a box, another closes
it. So the messages of a page are compared once more as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from markdown import Markdown

from labml_txl.literate.markdown.elements import Elements, elements, is_plain, named
from labml_txl.literate.markdown.inline import Piece, rewrite, scan
from labml_txl.literate.markdown.tokens import OBJECT

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

# The places where a sentence may stand.
_PLACES = (
    "{0}",
    "# {0}",
    "- {0}",
    "| {0} |\n| --- |\n| {0} |",
    "<div markdown>\n{0}\n</div>",
)
# Where a sentence without links may become the words of one.
_WORDS_OF_A_LINK = ("[{0}](#)", "![{0}](#)")
# What means more in one of these places than in another.
_PLACED = re.compile(r"[{|<>]")
# What may reach beyond its own message.
_REACHING = re.compile(
    r"[<>]|\]:|\[\^|`|~~~|\$|\\[\[\](){}b]|!!!|\?\?\?|///|^\s*:", re.M
)

# Words, the signs between them, and code and formulas apart from each other: every
# program that reads Markdown finds nothing else in these.
_ONLY_WORDS = re.compile(
    rf"[^\W\d_](?:[^\W_]|[ ,.;()%?/’“”、。，；：？！（）「」『』《》—–…・-]|:(?=\s)"
    rf"|{OBJECT}(?![\d{OBJECT}]))*"
)
# Where a line ends for Python, for Markdown or for a browser.
_LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Signs that nobody sees: controls, signs that turn the words around them, blanks that
# are letters, and the tags in which a text can be hidden. The joiners (U+200C, U+200D),
# the marks of direction (U+200E, U+200F) and the isolates (U+2066 to U+2069) stay:
# scripts need them.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u202a-\u202e\u2060-\u2065\u206a-\u206f\u2800\u3164\ufe00-\ufe0f"
    r"\ufeff\uffa0\ufff0-\ufffc\U000e0000-\U000e0fff\ue000-\uf8ff]"
)
# Where other programs of a host begin to read commands.
_COMMAND = re.compile(r"\{\{|\{%|-8<-")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)


def fault(message: str, translation: str) -> str:
    """What a translation holds that its English does not, in words; else nothing."""
    if len(_LINE_BREAK.findall(translation)) > len(_LINE_BREAK.findall(message)):
        return "a line break is not in the English"
    if unseen := set(_UNSEEN.findall(translation)) - set(message):
        return f"the sign U+{ord(min(unseen)):04X}, which nobody sees, does harm"
    if translation.rstrip().endswith("\\") and not message.rstrip().endswith("\\"):
        return "a backslash at its end is not in the English"
    for sign in _COMMAND.findall(translation):
        if translation.count(sign) > message.count(sign):
            return f"{sign} is not in the English"
    ours, theirs = scan(message), scan(translation)
    for piece in (_marks(theirs) - _marks(ours)).elements():
        return f"{named(piece)} is not in the English"
    if _has_only_words(theirs):
        return ""
    english, words = _filled(message, message), _filled(translation, message)
    places: tuple[str, ...] = _PLACES if _PLACED.search(_worded(words)) else _PLACES[:1]
    if "[" not in english:
        places += _WORDS_OF_A_LINK
    compared = (
        _compared(_placed(english, place), _placed(words, place)) for place in places
    )
    return next(filter(None, compared), "")


def _marks(pieces: Iterable[Piece]) -> Counter[str]:
    """The pieces of a text that the engine makes something of."""
    return Counter(
        piece.raw if piece.kind in {"code", "math"} else piece.target or piece.body
        for piece in pieces
        if piece.kind != "text"
    )


def _has_only_words(pieces: Iterable[Piece]) -> bool:
    """Whether there are only words beside code, formulas and links of the English."""
    words = ""
    for piece in pieces:
        if piece.kind in {"code", "math"}:
            words += OBJECT
        elif piece.kind == "citation":
            words += piece.body
        else:
            words += piece.raw
    started = words if words[:1] != OBJECT else f"x{words}"
    return bool(_ONLY_WORDS.fullmatch(started)) and "www." not in words.lower()


def joint_faults(translations: Mapping[str, str]) -> dict[str, str]:
    """The translations of one page that are sound alone, and not beside each other.

    `translations` holds them by their English, in the order of the page. What comes
    back is what is wrong with each of those that have to go.
    """
    if not any(_reaches(found, message) for message, found in translations.items()):
        return {}
    kept, found = {**translations}, dict[str, str]()
    while why := _jointly(kept, len(kept)):
        # The shortest beginning of the page that is wrong ends with one to blame.
        low, high = 1, len(kept)
        while low < high:
            middle = (low + high) // 2
            if _jointly(kept, middle):
                high = middle
            else:
                low = middle + 1
        message = [*kept][low - 1]
        found[message] = f"{_jointly(kept, low) or why}, beside another translation"
        del kept[message]
    return found


def _reaches(text: str, message: str) -> bool:
    """Whether a translation has a mark that its English has not, for what follows."""
    theirs, ours = (Counter(_REACHING.findall(_worded(one))) for one in (text, message))
    return bool(theirs - ours)


def _jointly(translations: Mapping[str, str], count: int) -> str:
    """What is wrong with the first of some translations, as one text."""
    pairs = [*translations.items()][:count]
    english = "\n\n".join(_linked(message, message) for message, _ in pairs)
    words = "\n\n".join(_linked(found, message) for message, found in pairs)
    return _compared(_read(english), _read(words))


class _Held(NamedTuple):
    """What a text holds: its elements, its formulas, and how they were found.

    `defined` counts what it says to other texts: the targets of their links.
    """

    elements: Elements
    formulas: Counter[str]
    defined: Counter[str]
    plain: bool


def _compared(english: _Held, words: _Held) -> str:
    """The first thing that is in a translation only."""
    for element in (words.elements - english.elements).elements():
        return f"{named(element)} is not in the English"
    for formula in (words.formulas - english.formulas).elements():
        return f"the formula {named(formula)} is not in the English"
    for name in (words.defined - english.defined).elements():
        return f"[{named(name)}]: … is not in the English"
    if english.plain and not words.plain:
        return "a browser reads its marks otherwise than it is written"
    return ""


def _filled(text: str, message: str) -> str:
    """The text with the links of its English, and with something in its blanks."""
    for blank in set(_BLANK.findall(message)):
        text = text.replace(blank, "blank")
    return _linked(text, message)


# What a label has filled in: in Markdown, these would be lists of attributes.
_BLANK = re.compile(r"\{\w+\}")


@lru_cache(maxsize=20_000)
def _placed(text: str, place: str) -> _Held:
    return _read(place.format(text))


def _worded(text: str) -> str:
    """The text without its code and formulas."""
    return rewrite(text, lambda piece: piece.raw if piece.kind in _OPEN else "x")


_OPEN = {"text", "link", "citation", "image"}


def _read(text: str) -> _Held:
    markdown = _markdown()
    markdown.reset()
    html = markdown.convert(text)
    return _Held(
        elements(html),
        Counter(match[2] for match in _FORMULA.finditer(html)),
        Counter(markdown.references.keys()),
        is_plain(html),
    )


@cache
def _markdown() -> Markdown:
    return Markdown(extensions=[*_EXTENSIONS], extension_configs=_EXTENSIONS)


_END = re.compile(r"\]\[([^\[\]]+)\]")


def _linked(text: str, message: str) -> str:
    """The text with links where it has the ends of links of its English."""
    ends = set(_END.findall(message))
    return _END.sub(
        lambda match: f"](#{match[1]})" if match[1] in ends else match[0], text
    )
