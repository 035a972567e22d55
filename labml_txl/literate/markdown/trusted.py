"""# Whose HTML it is

Markdown may hold HTML. Some of it the engine writes itself: columns of code, figures,
formulas. The rest was written by the author of a note, or by a notebook's run. What the
engine writes stands between two signs that no text of an author can hold, and passes
through Markdown as it is. On a page with notes, all other HTML is sanitised by `nh3`,
after Markdown has been rendered, so that what is judged is what a browser would parse.
"""

from __future__ import annotations

import re
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

# Noncharacters of Unicode: `foreign` takes them out of what others wrote.
_BEGIN, _END = "\ufdd0", "\ufdd1"
_SIGNS = dict.fromkeys(map(ord, (_BEGIN, _END)))
_OWN = re.compile(f"{_BEGIN}([^{_END}]*){_END}")


def own(html: str) -> str:
    """HTML of the engine, as a part of a page of Markdown."""
    return f"{_BEGIN}{foreign(html)}{_END}"


def foreign(text: str) -> str:
    """The text of somebody else, which cannot pass for HTML of the engine."""
    return text.translate(_SIGNS)


# Begins a page, or a part of one, whose other HTML is to be sanitised.
SANITISED = own("")


def store(md: Markdown, html: str) -> str:
    """A placeholder for HTML of the engine, for extensions of Python-Markdown."""
    placeholder: str = md.htmlStash.store(html)
    md.lit_own.add(md.htmlStash.html_counter - 1)
    return placeholder


class TrustedExtension(Extension):  # type: ignore[misc]
    """Keeps the HTML of the engine, and sanitises that of authors."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Put HTML aside once fenced code is out of the way (25), before anything reads
        HTML (21); sanitise before stored HTML comes back (30)."""
        self.md = md
        self.reset()
        md.registerExtension(self)
        md.preprocessors.register(_Aside(md), "lit-own", 22)
        md.postprocessors.register(_Sanitiser(md), "lit-sanitiser", 31)

    def reset(self) -> None:
        """Forget the last page."""
        self.md.lit_own, self.md.lit_sanitised = set[int](), False


class _Aside(Preprocessor):  # type: ignore[misc]
    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        self.md.lit_sanitised = SANITISED in text
        text = text.replace(SANITISED, "")
        return _OWN.sub(lambda match: store(self.md, match[1]), text).split("\n")


class _Sanitiser(Postprocessor):  # type: ignore[misc]
    def run(self, text: str) -> str:
        if not self.md.lit_sanitised:
            return text
        stored = self.md.htmlStash.rawHtmlBlocks
        restore = self.md.postprocessors["raw_html"]
        kept = {n: stored[n] for n in self.md.lit_own}
        for n in kept:
            stored[n] = f"{_BEGIN}{n}{_END}"
        clean = sanitised(restore.run(text))
        # Titles of a table of contents go through here before the page does.
        for n, html in kept.items():
            stored[n] = html

        def back(match: re.Match[str]) -> str:
            html = kept[int(match["inner"] or match["n"])]
            # A block stands in no paragraph.
            block = match["inner"] and not restore.isblocklevel(html)
            return f"<p>{html}</p>" if block else html

        return _PLACES.sub(back, clean)


_PLACES = re.compile(f"<p>{_BEGIN}(?P<inner>\\d+){_END}</p>|{_BEGIN}(?P<n>\\d+){_END}")

_TAGS = """
    a abbr acronym article aside b bdi bdo blockquote br caption center cite code col
    colgroup data dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4
    h5 h6 header hr i img input ins kbd label li lit-formula mark nav ol p pre progress
    q rp rt ruby s samp section small span strike strong sub summary sup table tbody td
    tfoot th thead time tr tt u ul var wbr
"""
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
# What scripts of the theme look for: the page's own come first.
_THEME = re.compile(r"__(?!span|codelineno|tabbed)|data-md-")
# Parts of the theme that lie over the page are none of its classes for texts.
_OURS = re.compile(r"(?!md-(?!button|tag|typeset))")


def sanitised(html: str) -> str:
    """HTML of an author without scripts, styles, frames, forms and the like."""
    import nh3  # not everybody who reads a source has it

    def allowed(tag: str, name: str, value: str) -> str | None:
        if (name == "id" and _THEME.match(value)) or _THEME.match(name):
            return None
        if name == "class":
            return " ".join(filter(_OURS.match, value.split())) or None
        if tag == "input" and name == "type":
            return value if value in {"checkbox", "radio"} else "checkbox"
        return value

    return nh3.clean(
        html,
        tags=set(_TAGS.split()),
        clean_content_tags={"script", "style"},
        attributes={"*": _ANYWHERE, **_ATTRIBUTES},
        attribute_filter=allowed,
        generic_attribute_prefixes={"aria-", "data-"},
        filter_style_properties={"text-align", "width", "height", "max-width"},
        link_rel=None,
    )


def makeExtension(**settings: Any) -> TrustedExtension:  # noqa: N802
    """What Python-Markdown calls where the extension is named in settings."""
    return TrustedExtension(**settings)
