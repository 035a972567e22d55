"""Which pages the site must have, read from the sources of the site.

A page has its address below the root of the site: `models/memory/`, and the home page
is the empty one.
"""

from pathlib import Path

from labml_txl.literate.mkdocs.settings import project_of

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LANGUAGES = [*DOCS.glob("locale/*/language.toml")]
SETTINGS = ROOT / "mkdocs.yml"
EQUATIONS = "equations/"
TRANSLATIONS = "translations/"
NOT_FOUND = "404.html"


def address_of(path: Path) -> str:
    """The address of the page that a file becomes."""
    folder = path.parent.as_posix().removeprefix(".")
    name = "" if path.stem in ("index", "__init__") else path.stem
    return "".join(f"{part}/" for part in (folder, name) if part)


def prose() -> list[str]:
    """The pages that are written by hand."""
    return sorted(address_of(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))


def annotated() -> list[str]:
    """The pages that are modules beside their notes."""
    return sorted(
        address_of(path.relative_to(folder.parent))
        for folder in map(ROOT.joinpath, project_of(SETTINGS).modules)
        for path in folder.rglob("*.py")
    )


def notebooks() -> list[str]:
    """The pages that are notebooks with what their cells gave."""
    return [f"notebooks/{path.stem}/" for path in sorted(ROOT.glob("notebooks/*.py"))]


def every() -> list[str]:
    """All pages that readers and search engines are to find."""
    return [*prose(), *annotated(), *notebooks(), EQUATIONS, TRANSLATIONS]


def folders() -> list[str]:
    """Where the pages of each language start, those of English first."""
    return ["", *(f"{path.parent.name}/" for path in sorted(LANGUAGES))]
