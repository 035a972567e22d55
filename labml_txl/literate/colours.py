"""# Colours

The colours of pages, as CSS variables and their values. The style sheet of a site, the
drawings in notebooks, and the page of an exported model are made from them.
"""

from collections.abc import Mapping
from itertools import cycle
from typing import NamedTuple

# What a site has no name for, each at least 4.5:1 on its background: in a light scheme,
LIGHT = {
    "--lit-lit": "#8a4b00",
    "--lit-lit-bg": "#ffefcf",
    "--lit-shape": "#0b6b53",
    "--lit-shape-bg": "#e0f3ec",
    "--lit-fill": "#eceefb",
    "--lit-fill2": "#f3e9dc",
    "--lit-accent2": "#a34a00",
    "--lit-fill3": "#e0f3ec",
    "--md-default-fg-color--light": "#596273",
    "--md-code-hl-keyword-color": "#8a2c8a",
    "--md-code-hl-function-color": "#1f5fbf",
    "--md-code-hl-number-color": "#a34a00",
    "--md-code-hl-string-color": "#2b7a36",
    "--md-code-hl-comment-color": "#616a7c",
    "--md-code-hl-constant-color": "#5b49c2",
    "--md-code-hl-special-color": "#b3124a",
}
# and in a dark one.
DARK = {
    "--lit-lit": "#ffc069",
    "--lit-lit-bg": "#41310f",
    "--lit-shape": "#6fd6b6",
    "--lit-shape-bg": "#15302a",
    "--lit-fill": "#262b46",
    "--lit-fill2": "#3a2c1c",
    "--lit-accent2": "#ffb37a",
    "--lit-fill3": "#15302a",
    "--md-default-fg-color": "#e4e7ee",
    "--md-default-fg-color--light": "#a3acbd",
    "--md-code-hl-keyword-color": "#d99ae0",
    "--md-code-hl-function-color": "#8ab8ff",
    "--md-code-hl-number-color": "#ffb37a",
    "--md-code-hl-string-color": "#93d39b",
    "--md-code-hl-comment-color": "#9aa3b4",
    "--md-code-hl-constant-color": "#b6a8ff",
    "--md-code-hl-special-color": "#ff9dbb",
}
# The palette `primary: literate`, which drawings and exported models have too: light,
LIGHT_LOOK = {
    "--md-default-fg-color": "#1f2430",
    "--md-default-fg-color--lightest": "#e4e7ee",
    "--md-default-bg-color": "#fff",
    "--md-code-bg-color": "#f7f8fb",
    "--md-code-fg-color": "#1f2430",
    "--md-typeset-a-color": "#4151b0",
    "--md-accent-fg-color": "#2f3d93",
    "--md-accent-fg-color--transparent": "#4151b01a",
}
# and dark.
DARK_LOOK = {
    "--md-default-fg-color": "#e4e7ee",
    "--md-default-fg-color--lightest": "#2a2f3b",
    "--md-default-bg-color": "#14161c",
    "--md-code-bg-color": "#1a1d25",
    "--md-code-fg-color": "#e4e7ee",
    "--md-typeset-a-color": "#9aa8ff",
    "--md-accent-fg-color": "#c0c9ff",
    "--md-accent-fg-color--transparent": "#9aa8ff22",
}


class Term(NamedTuple):
    """How a term of a sum is shown: its colours in both schemes, and its underline."""

    light: str
    dark: str
    underline: str


_TERMS = (
    Term("#2a67bd", "#3fb1f8", "solid"),
    Term("#b4481e", "#f1a457", "dashed"),
    Term("#07471f", "#3df2d6", "dotted"),
    Term("#8a3d6e", "#fb6dac", "double"),
)


def style_terms(letters: str) -> Mapping[str, Term]:
    """How the terms with these letters are shown; the fifth is shown as the first."""
    return dict(zip(letters, cycle(_TERMS), strict=False))


def write_style_sheet(letters: str = "") -> str:
    """The rules that define the colours, to be inserted before all others.

    `letters` are those of the terms in the registry of equations.
    """
    terms = style_terms(letters)
    default, slate = (
        ":root, [data-md-color-scheme=default]",
        "[data-md-color-scheme=slate]",
    )
    look = "[data-md-color-primary=literate]"
    own = [{f"--lit-{name}": term[n] for name, term in terms.items()} for n in (0, 1)]
    light = _write_rule(default, {**LIGHT, **own[0]}) + _write_rule(look, LIGHT_LOOK)
    dark = _write_rule(slate, {**DARK, **own[1]})
    dark += _write_rule(f"{slate}{look}", DARK_LOOK)
    rules = "".join(_write_term(name, term) for name, term in terms.items())
    return f"{light}@media screen {{\n{dark}}}\n{rules}"


def _write_term(letter: str, term: Term) -> str:
    """The rules of a term, from which `literate.css` takes its colour and underline.

    In an excerpt, a term and its lines light up together.
    """
    term_class, colour = f".lit-term-{letter}", f"var(--lit-{letter})"
    own = {"--l": f'"{letter}"', "--t": colour, "--u": term.underline}
    if term.underline == "double":
        own["--w"] = "3px"
    lit = f"{term_class}:hover, .katex:focus {term_class}"
    ground = f"color-mix(in srgb, {colour} 14%, transparent)"
    return (
        _write_rule(term_class, own)
        + _write_rule(f".katex .munder:has({term_class})", {"color": colour})
        + _write_rule(f".fig-term-{letter}", {"--fig": colour})
        + _write_rule(f".lit-excerpt:has({lit}) {term_class}", {"background": ground})
    )


def _write_rule(selector: str, colours: Mapping[str, str]) -> str:
    lines = "".join(f"  {name}: {value};\n" for name, value in colours.items())
    return f"{selector} {{\n{lines}}}\n"
