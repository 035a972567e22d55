"""# Smaller style sheets

A browser shows a page only when it has all style sheets, and compares each element with
their rules. Most rules of the theme are for parts that a site may not have, such as
tabs, so a built site loses those rules. Other style sheets lose comments and blanks.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

# The folders of the theme in a site.
_SHEETS, _SCRIPTS = "assets/stylesheets", "assets/javascripts"

_PAINT = r"dir|data-md-color-(?:scheme|primary|accent)"
_GIVEN = re.compile(rf"""\b(?:class|{_PAINT})=(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_WORD = re.compile(r"[\w-]+")
_PROPERTY = re.compile(r"var\((--[\w-]+)")

_RULE = re.compile(r"(?P<selectors>[^{}]+)\{(?P<body>[^{}]*)\}")
_EMPTY = re.compile(r"@media[^{};]+\{\s*\}")
# An argument may name what an element is not, or one of several things that it is.
_ARGUMENT = re.compile(r":(?:not|is|where|has)\([^()]*\)")
_NAMED = re.compile(rf"""\.([A-Za-z_][\w-]*)|\[(?:{_PAINT})="?([\w-]+)"?\]""")
_ICON = re.compile(r"(--[\w-]+):url\([^()]*\);?")
# Classes that the theme's script sets, other than those that begin with `md-`, and the
# direction that a browser sets when it translates a page.
_STATES = frozenset({"js", "no-js", "focus-visible", "rtl"})


def shrink_sheets(site: Path) -> None:
    """Shrink the style sheets of a site that is built, in all its languages."""
    names, texts = set(_STATES), list[str]()
    own = list[Path]()
    for file in site.rglob("*"):
        if file.suffix == ".html":
            text = file.read_text(encoding="utf-8")
            for given in _GIVEN.finditer(text):
                names.update(_WORD.findall("".join(given.groups(""))))
        elif file.suffix in {".js", ".mjs"}:
            text = file.read_text(encoding="utf-8", errors="replace")
            words = set(_WORD.findall(text))
            # The theme's script looks for parts, such as tabs, that pages may not have.
            if f"/{_SCRIPTS}/" in file.as_posix():
                words = {word for word in words if word.startswith("md-")}
            names |= words
        elif file.suffix == ".css" and f"/{_SHEETS}/" not in file.as_posix():
            text = file.read_text(encoding="utf-8")
            own.append(file)
        else:
            continue
        texts.append(" ".join({*_PROPERTY.findall(text)}))
    properties = set(" ".join(texts).split())
    for sheet in site.rglob(f"{_SHEETS}/*.css"):
        text = used_rules(sheet.read_text(encoding="utf-8"), names)
        sheet.write_text(without_icons(text, properties), encoding="utf-8")
    for sheet in own:
        text = compact(sheet.read_text(encoding="utf-8"))
        sheet.write_text(text, encoding="utf-8")


def used_rules(css: str, names: Collection[str]) -> str:
    """Drop the selectors whose classes are not all among `names`."""

    def keep(rule: re.Match[str]) -> str:
        selectors = _split(rule["selectors"])
        used = [one for one in selectors if _can_match(one, names)]
        return f"{','.join(used)}{{{rule['body']}}}" if used else ""

    css = _RULE.sub(keep, css)
    return _EMPTY.sub("", css)


def _split(selectors: str) -> list[str]:
    """The selectors of a list, whose arguments may be lists too."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(selectors):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            parts.append(selectors[start:place])
            start = place + 1
    return [*parts, selectors[start:]]


def _can_match(selector: str, names: Collection[str]) -> bool:
    shorter = _ARGUMENT.sub("", selector)
    while shorter != selector:
        selector, shorter = shorter, _ARGUMENT.sub("", shorter)
    return all("".join(name) in names for name in _NAMED.findall(selector))


def without_icons(css: str, properties: Collection[str]) -> str:
    """Drop the pictures that neither this style sheet nor `properties` refer to."""
    used = {*properties, *_PROPERTY.findall(css)}
    return _ICON.sub(lambda icon: icon[0] * (icon[1] in used), css)


_STRING = r""""[^"]*"|'[^']*'"""
_COMMENT = re.compile(rf"({_STRING})|/\*.*?\*/", re.DOTALL)
_BLANK = re.compile(rf"({_STRING})|\s*([{{}};,])\s*|(:)\s+|\s+")


def compact(css: str) -> str:
    """Drop comments, and blanks that separate nothing."""
    css = _COMMENT.sub(lambda part: part[1] or " ", css)
    return _BLANK.sub(lambda part: "".join(part.groups("")) or " ", css).strip()
