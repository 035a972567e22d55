"""# Colours

The colours of pages, as CSS variables and their values. The style sheet of a site, the
drawings in notebooks, and the page of an exported model are made from them.
"""

from collections.abc import Mapping

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
    "--lit-a": "#2a67bd",
    "--lit-b": "#b4481e",
    "--lit-c": "#07471f",
    "--lit-d": "#8a3d6e",
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
    "--lit-a": "#3fb1f8",
    "--lit-b": "#f1a457",
    "--lit-c": "#3df2d6",
    "--lit-d": "#fb6dac",
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


def write_style_sheet() -> str:
    """The rules that define the colours, to be inserted before all others."""
    default, slate = (
        ":root, [data-md-color-scheme=default]",
        "[data-md-color-scheme=slate]",
    )
    look = "[data-md-color-primary=literate]"
    light = _write_rule(default, LIGHT) + _write_rule(look, LIGHT_LOOK)
    dark = _write_rule(slate, DARK) + _write_rule(f"{slate}{look}", DARK_LOOK)
    return f"{light}@media screen {{\n{dark}}}\n"


def _write_rule(selector: str, colours: Mapping[str, str]) -> str:
    lines = "".join(f"  {name}: {value};\n" for name, value in colours.items())
    return f"{selector} {{\n{lines}}}\n"
