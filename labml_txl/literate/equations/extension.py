"""# The Markdown extension for formulas

An extension of Python-Markdown that renders the formulas of a page, so that all hosts
which use Python-Markdown give the same result. It runs after `pymdownx.arithmatex`,
which finds the formulas.

Titles and the table of contents are computed before it runs, so they contain the TeX.
The search index should contain each formula once, as TeX. A page therefore contains the
TeX in an element that is not displayed, and the rendered formula in an element that is
excluded from the search.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from labml_txl.literate.equations.math import Formula, Typesetter
from labml_txl.literate.equations.math import open_typesetter as shared
from labml_txl.literate.equations.references import replace_references
from labml_txl.literate.equations.registry import Symbol
from labml_txl.literate.equations.symbols import mark_classes
from labml_txl.literate.markdown.host import NO_HTML
from labml_txl.literate.security.trusted import (
    TrustedExtension,
    mark_class,
    page_data,
    store,
)

_TEX = re.compile(r"\\([(\[])(.*)\\[)\]]", re.S)
# A formula may contain text, which may contain a formula.
_INLINE = re.compile(r"\\\(((?:\\\(.*?\\\)|.)*?)\\\)")
_WRAPPED = re.compile(r"<lit-tex>.*?</lit-tex>|</?lit-(?:formula|set)\b[^>]*>", re.S)


def add_symbols(
    page: str, symbols: Iterable[Symbol], *, previewed: bool = False
) -> str:
    """Append the list of the symbols to mark to a page of Markdown.

    Other pages show the formulas of a page that is `previewed`.
    """
    known = {symbol.css: symbol.latex for symbol in symbols}
    data = page_data(symbols=known, previewed=previewed)
    return f"{page}\n\n{data}\n" if known or previewed else page


def remove_search_texts(page: str) -> str:
    """A page of HTML without the elements that are only meant for the search."""
    return _WRAPPED.sub("", page)


class FormulaExtension(Extension):  # type: ignore[misc]
    """The extension that renders formulas, with a `Typesetter` that may be shared.

    A host that cannot pass a typesetter gives the `macros` of the project.
    """

    def __init__(
        self,
        typesetter: Typesetter | None = None,
        macros: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.typesetter = typesetter or shared()
        if macros is not None:
            self.typesetter.use(macros)

    def __repr__(self) -> str:
        return f"FormulaExtension(macros={self.typesetter.macros})"

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Register the step that replaces formulas."""
        if not hasattr(md, "lit_own"):
            TrustedExtension().extendMarkdown(md)
        setter = _Setter(md, self.typesetter)
        # Titles and the table of contents are computed at priorities of 1 and above.
        md.treeprocessors.register(setter, "lit-formulas", 0.5)


def typesetter_of(extensions: Iterable[object]) -> Typesetter:
    """The typesetter of a page that is converted with these extensions."""
    ours = (one for one in extensions if isinstance(one, FormulaExtension))
    return next(ours, FormulaExtension()).typesetter


def typeset_title(words: str, typesetter: Typesetter) -> str:
    """A title with formulas as HTML; empty if it contains no formula."""
    parts = _INLINE.split(words)
    if len(parts) == 1:
        return ""
    parts[::2] = map(html.escape, parts[::2])
    parts[1::2] = typesetter.typeset([Formula(tex, written=tex) for tex in parts[1::2]])
    return "".join(parts)


class _Setter(Treeprocessor):  # type: ignore[misc]
    """Replaces the TeX of each formula by the rendered formula."""

    def __init__(self, md: Markdown, typesetter: Typesetter) -> None:
        super().__init__(md)
        self._typesetter = typesetter

    def run(self, root: Element) -> None:
        known = self.md.lit_data.get("symbols", {})
        classes = tuple((css, tuple(symbols)) for css, symbols in known.items())
        formulas = (e for e in root.iter() if e.get("class") == "arithmatex")
        written = ((e, (e.text or "").replace(NO_HTML, "")) for e in formulas)
        found = [(e, m) for e, text in written if (m := _TEX.fullmatch(text))]
        texts = [html.unescape(match[2]).strip() for _, match in found]
        answers = self._typesetter.typeset(
            [
                Formula(mark_classes(tex, classes), match[1] == "[", written=text)
                for (_, match), tex, text in zip(
                    found, replace_references(texts), texts, strict=True
                )
            ]
        )
        if not self.md.lit_data.get("previewed"):
            answers = _share_shapes(answers)
        for (element, match), answer in zip(found, answers, strict=True):
            words = html.escape(html.unescape(match[0]), quote=False)
            whole = f"<lit-tex>{words}</lit-tex><lit-set data-search-exclude>{answer}"
            element.attrib.clear()
            formula = _wrap_punctuation(element) if match[1] == "(" else element
            formula.tag = "lit-formula"
            formula.text = store(self.md, f"{whole}</lit-set>")


def _share_shapes(formulas: Iterable[str]) -> list[str]:
    """Formulas of a page that have each long shape once, such as that of a brace."""
    numbers: dict[str, int] = {}

    def refer(match: re.Match[str]) -> str:
        shape = match[1]
        if shape in numbers:
            return f'<use href="#lit-shape-{numbers[shape]}"/>'
        numbers[shape] = len(numbers) + 1
        return f'<path id="lit-shape-{numbers[shape]}" d="{shape}"/>'

    return [_SHAPE.sub(refer, formula) for formula in formulas]


# KaTeX draws what it stretches.
_SHAPE = re.compile('<path d="([^"]{90,})"/>')


def _wrap_punctuation(formula: Element) -> Element:
    """The element to fill with the formula.

    If punctuation follows, both are put into one element, so that no line starts with
    the punctuation.
    """
    after = formula.tail or ""
    rest = after.lstrip(".,:;!?)’”、。，．：；！？）」』】》")
    if rest == after:
        return formula
    formula.tag, formula.text, formula.tail = "span", None, rest
    formula.set("class", mark_class("lit-whole"))
    inner = SubElement(formula, "lit-formula")
    inner.tail = after[: len(after) - len(rest)]
    return inner


def makeExtension(**settings: Any) -> FormulaExtension:  # noqa: N802
    """Create the extension; Python-Markdown calls this if settings name the module."""
    return FormulaExtension(**settings)
