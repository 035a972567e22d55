"""# Post-processing the HTML of a page

The host makes HTML of a page and indexes it for the search. Afterwards we add what
the search should not find, such as the labels of the marks at untranslated text, and
the language tag. `simplify_for_search` prepares the HTML for the index.
"""

from __future__ import annotations

import re

from labml_txl.literate.equations.extension import remove_search_texts
from labml_txl.literate.i18n.languages import Language
from labml_txl.literate.i18n.pages import Translation, label_marks


def finish_html(page: str, translation: Translation) -> str:
    """The HTML of a page as it is published."""
    html = label_marks(remove_search_texts(page), translation.labels)
    return set_language(html, translation.language)


def set_language(page: str, language: Language) -> str:
    """Replace the language that the theme writes into `<html lang>` by our tag.

    The two may differ, because the theme has its own names of languages.
    """
    return re.sub(r'<html lang="[^"]*"', f'<html lang="{language.tag}"', page, count=1)


def simplify_for_search(page: str, *, has_rows: bool) -> str:
    """The HTML of a page for the indexer of Material's search.

    The indexer ends a section at the end of the element that contains its heading, so
    we remove the elements around rows. It would also parse the elements of drawings,
    formulas and highlighted code only to discard them; without them, it is faster.
    """
    html = _FORMULA.sub("", _DRAWING.sub(" ", page))
    html = _CODE.sub(lambda code: _COLOURS.sub("", code[0]), html)
    return _BOXES.sub("", html) if has_rows else html


# The labels of a drawing are no sentence, and its caption says what it shows.
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_FORMULA = re.compile("<lit-set data-search-exclude>.*?</lit-set>", re.DOTALL)
# The elements around rows, and the links to a row or its source.
_BOXES = re.compile(
    r'</?(?:div|section)\b[^>]*>|<a class="lit-(?:link|source)".*?</a>', re.DOTALL
)
_CODE = re.compile(r"(?<=<pre)\b.*?(?=</pre>)", re.DOTALL)
_COLOURS = re.compile(r"</?(?:span|a|i)\b[^>]*>")
