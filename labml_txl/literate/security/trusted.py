"""# Trusted HTML

Some of the HTML in Markdown comes from the engine itself: columns of code, figures,
formulas. The rest comes from the author of a note, or from the run of a notebook. The
engine marks its own HTML with two characters that texts of authors cannot contain, and
Markdown leaves it unchanged. On a page with notes, `nh3` sanitises all other HTML after
Markdown has been rendered, because that is the HTML which a browser parses. What the
extensions of Markdown must know about a page (`page_data`) is marked in the same way.

A class of our style sheet may place an element anywhere on the page. So a third
character marks those classes that the engine writes around notes and within them, and
`nh3` removes all others.

Except for `NO_HTML` in `markdown.host`, which keeps the code of notes from being read
as HTML, this is the only place with such characters. The engine and the host exchange a
page as one text, with Zensical even in files, and an author could write any element,
attribute or name of ours. Noncharacters are what Unicode reserves for the internal use
of a program: no text loses anything when `strip_marks` removes them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from labml_txl.literate.markdown.host import NO_HTML
from labml_txl.literate.markdown.tags import TAGS

# Noncharacters of Unicode, which `strip_marks` removes from all other texts.
_BEGIN, _END, _CLASS = "\ufdd0", "\ufdd1", "\ufdd2"
# Python's parser of HTML stops at `&#` without a number, and the rest of the page would
# be lost.
_NO_NUMBER = re.compile(r"&(?=#(?!\d|[xX][0-9a-fA-F]))")
_SIGNS = dict.fromkeys(map(ord, (_BEGIN, _END, _CLASS)))
_OWN = re.compile(f"{_BEGIN}([^{_END}]*){_END}")


def mark_html(html: str) -> str:
    """Mark HTML of the engine in Markdown."""
    return f"{_BEGIN}{strip_marks(html)}{_END}"


def strip_marks(text: str) -> str:
    """A text that is not of the engine, without the marks of the engine's HTML."""
    return text.translate(_SIGNS)


def mark_class(classes: str) -> str:
    """Mark classes of the engine in HTML that is not marked as a whole."""
    return " ".join(f"{_CLASS}{one}" for one in classes.split())


def page_data(**data: object) -> str:
    """Data for the extensions of Markdown, as a part of a page of Markdown."""
    return mark_html(json.dumps(data))


# The mark of a page whose other HTML must be sanitised.
SANITISED = page_data(sanitised=True)


def store(md: Markdown, html: str) -> str:
    """Store HTML of the engine in Python-Markdown, and return its placeholder."""
    placeholder: str = md.htmlStash.store(html)
    md.lit_own.add(md.htmlStash.html_counter - 1)
    return placeholder


class TrustedExtension(Extension):  # type: ignore[misc]
    """The extension that keeps HTML of the engine and sanitises that of authors."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Store HTML after fenced code (25) and before HTML is parsed (21); sanitise
        before stored HTML is inserted (30)."""
        self.md = md
        self.reset()
        md.registerExtension(self)
        # As in CommonMark, a list may begin with any number.
        md.parser.blockprocessors["olist"].LAZY_OL = False
        md.preprocessors.register(_Aside(md), "lit-own", 22)
        md.postprocessors.register(_Sanitiser(md), "lit-sanitiser", 31)
        md.postprocessors.register(_Unmarked(md), "lit-unmarked", 0)

    def reset(self) -> None:
        """Reset the state for the next page."""
        self.md.lit_own, self.md.lit_data = set[int](), dict[str, Any]()


class _Aside(Preprocessor):  # type: ignore[misc]
    def run(self, lines: list[str]) -> list[str]:
        text = _OWN.sub(self._store, "\n".join(lines))
        return _NO_NUMBER.sub(f"&{NO_HTML}", text).split("\n")

    def _store(self, match: re.Match[str]) -> str:
        if not match[1].startswith("{"):
            return store(self.md, match[1])
        self.md.lit_data |= json.loads(match[1])
        return ""


class _Sanitiser(Postprocessor):  # type: ignore[misc]
    def run(self, text: str) -> str:
        if not self.md.lit_data.get("sanitised"):
            return text
        stored = self.md.htmlStash.rawHtmlBlocks
        restore = self.md.postprocessors["raw_html"]
        kept = {n: stored[n] for n in self.md.lit_own}
        for n in kept:
            stored[n] = f"{_BEGIN}{n}{_END}"
        clean = sanitise(restore.run(text))
        # Titles of the table of contents are processed here before the page is.
        for n, html in kept.items():
            stored[n] = html

        def restore_html(match: re.Match[str]) -> str:
            html = kept[int(match["inner"] or match["n"])]
            # A block is not put into a paragraph.
            block = match["inner"] and not restore.isblocklevel(html)
            return f"<p>{html}</p>" if block else html

        return _PLACES.sub(restore_html, clean)


class _Unmarked(Postprocessor):  # type: ignore[misc]
    def run(self, text: str) -> str:
        """Remove the marks, also from HTML that is not sanitised."""
        text = re.sub(f"&(?:amp;)?{NO_HTML}#", "&amp;#", text)
        return text.replace(_CLASS, "").replace(NO_HTML, "")


_PLACES = re.compile(f"<p>{_BEGIN}(?P<inner>\\d+){_END}</p>|{_BEGIN}(?P<n>\\d+){_END}")

# What elements of notes may have.
_ANYWHERE = {"class", "dir", "id", "lang", "role", "style", "tabindex", "title"}
_ATTRIBUTES = {
    "a": {"href", "name", "rel", "target"},
    "img": {"alt", "height", "loading", "src", "width"},
    "input": {"checked", "disabled", "name", "type"},
    "label": {"for"},
    "ol": {"reversed", "start", "type"},
    "progress": {"max", "value"},
    "td": {"align", "colspan", "rowspan", "valign"},
    "th": {"align", "colspan", "rowspan", "scope", "valign"},
    "details": {"open"},
}
# Ids and attributes that scripts of the theme look for.
_THEME = re.compile(r"__(?!span|codelineno|tabbed)|data-md-")
# The classes of the theme and of our style sheet, some of which cover the page, except
# for those meant for texts.
_OURS = re.compile(
    r"md-(?!button|tag|typeset)|(?:lit|fig|sym)(?:-|$)|katex|shape$|headerlink|mermaid"
)
# Styles that neither move an element nor make it far larger than the page.
_STYLE = re.compile(
    r"(?:^|;)\s*((?:text-align|(?:max-)?width|height)\s*:"
    r"\s*(?:\d{1,3}px|\d{1,2}(?:\.\d+)?(?:%|em|rem|ch)|100%|[a-z-]+))\s*(?=;|$)"
)
# The only content that an address may be itself, as an attachment of a notebook is.
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,", re.IGNORECASE)


def sanitise(html: str) -> str:
    """HTML of an author without scripts, styles, frames, forms and the like."""
    import nh3  # reading sources does not need it

    def filter_attribute(tag: str, name: str, value: str) -> str | None:
        named = name in {"id", "for", "name"} and _THEME.match(value)
        if named or _THEME.match(name):
            return None
        # Browsers ignore blanks in a scheme.
        address = re.sub(r"[\x00-\x20]+", "", value)
        if address[:5].lower() == "data:" and not (
            (tag, name) == ("img", "src") and _PICTURE.match(address)
        ):
            return None
        if name == "class":
            kept = (c for c in value.split() if not _OURS.match(c))
            return " ".join(kept) or None
        if name == "style":
            return ";".join(_STYLE.findall(value)) or None
        if name in {"colspan", "rowspan"} and not re.fullmatch(r"\d{1,2}", value):
            return None  # a browser takes minutes for a table of millions of cells
        if tag == "input" and name == "type":
            return value if value in {"checkbox", "radio"} else "checkbox"
        return value

    return nh3.clean(
        html,
        tags=set(TAGS),
        clean_content_tags={"script", "style"},
        attributes={"*": _ANYWHERE, **_ATTRIBUTES},
        attribute_filter=filter_attribute,
        generic_attribute_prefixes={"aria-", "data-"},
        link_rel=None,
        url_schemes={*nh3.ALLOWED_URL_SCHEMES, "data"},
    )


def makeExtension(**settings: Any) -> TrustedExtension:  # noqa: N802
    """Create the extension; Python-Markdown calls this if settings name the module."""
    return TrustedExtension(**settings)
