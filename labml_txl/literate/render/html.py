r"""# The last step of a page of HTML

What a host has made of a page gets what is no text to be searched: the words of the
marks, and the language.
"""

from __future__ import annotations

import re

from labml_txl.literate.equations.extension import bare
from labml_txl.literate.i18n.languages import Language
from labml_txl.literate.i18n.pages import Translation, say_marks


def finished(page: str, translation: Translation) -> str:
    """The page as readers get it."""
    html = say_marks(bare(page), translation.labels)
    parts = _AS_IT_IS.split(in_language(html, translation.language))
    # Templates leave empty lines and indentation.
    parts[::2] = (re.sub(r"\s*\n\s*", "\n", part) for part in parts[::2])
    return "".join(parts)


# What is shown as it is written, and what the rule of a page knows by its digest.
_AS_IT_IS = re.compile(r"(<pre\b.*?</pre>|<script\b.*?</script>)", re.DOTALL)


def in_language(page: str, language: Language) -> str:
    """The theme names its own language; readers of the page need its tag."""
    return re.sub(r'<html lang="[^"]*"', f'<html lang="{language.tag}"', page, count=1)


def searched(page: str) -> str:
    """The HTML of a page as a search reads it: its words, and where a section begins.

    An index ends a section where the box of its heading ends, so boxes go. It reads
    formulas as they are set and the colours of code too, and keeps none of them.
    """
    return _CODE.sub(lambda code: _COLOURS.sub("", code[0]), _BOXES.sub("", page))


# What holds the rows of a page together, the links that are no words of it, formulas.
_BOXES = re.compile(
    r'</?(?:div|section)\b[^>]*>|<a class="lit-(?:link|source)".*?</a>'
    r"|<lit-set data-search-exclude>.*?</lit-set>",
    re.DOTALL,
)
_CODE = re.compile(r'(?<=<pre class="lit-code" tabindex="0">).*?(?=</pre>)', re.DOTALL)
_COLOURS = re.compile(r"</?(?:span|a|i)\b[^>]*>")
