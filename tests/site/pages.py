"""Which pages the site must have, read from the sources of the site.

A page has its address below the root of the site: `models/memory/`, and the home page
is the empty one.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.utils.yaml import yaml_load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SETTINGS = ROOT / "mkdocs.yml"
EQUATIONS = "equations/"
TRANSLATIONS = "translations/"
NOT_FOUND = "404.html"
# The page on relative attention: its formulas are in it as HTML and as MathML.
HEAVIEST = "models/relative_attention/"
(REPOSITORY,) = re.findall(
    r'^repo_url:.*"(https://[^"]+)"', SETTINGS.read_text("utf-8"), re.MULTILINE
)


class Language(NamedTuple):
    """A language of the site: where its pages start, and what it is called."""

    folder: str
    name: str
    tag: str


def _language(file: Path) -> Language:
    told = tomllib.loads(file.read_text(encoding="utf-8"))
    code = file.parent.name
    tag = told.get("tag", code)
    return Language(f"{code}/", told["name"], tag)


LANGUAGES = [
    Language("", "English", "en"),
    *map(_language, sorted(DOCS.glob("locale/*/language.toml"))),
]
FOLDERS = [one.folder for one in LANGUAGES]


def _settings() -> dict[str, Any]:
    plugins = yaml_load(SETTINGS.read_text(encoding="utf-8"))["plugins"]
    (found,) = [one["literate"] for one in plugins if "literate" in one]
    return dict(found)


def address_of(path: Path) -> str:
    """The address of the page that a file becomes."""
    folder = path.parent.as_posix().removeprefix(".")
    name = "" if path.stem in ("index", "__init__") else path.stem
    return "".join(f"{part}/" for part in (folder, name) if part)


def modules() -> dict[str, Path]:
    """The annotated modules, by the addresses of their pages."""
    settings = _settings()
    without = [ROOT / one for one in settings.get("exclude", [])]
    return {
        address_of(file.relative_to(ROOT / "labml_txl")): file
        for given in map(ROOT.joinpath, settings["modules"])
        for file in (sorted(given.rglob("*.py")) if given.is_dir() else [given])
        if not any(file.is_relative_to(one) for one in without)
    }


def prose() -> list[str]:
    """The pages that are written by hand."""
    return sorted(address_of(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))


def notebooks() -> list[str]:
    """The pages that are notebooks with what their cells gave."""
    return [f"notebooks/{path.stem}/" for path in sorted(ROOT.glob("notebooks/*.py"))]


def every() -> list[str]:
    """All pages of one language that readers and search engines are to find."""
    return [*prose(), *modules(), *notebooks(), EQUATIONS, TRANSLATIONS]
