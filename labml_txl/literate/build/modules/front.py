r"""# The front page

A site has a page that a reader sees first. Where nobody wrote one, this is a list of
the modules in the order of reading. Each has its title and what it says of itself
first.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import quote

from labml_txl.literate.build.build import Project
from labml_txl.literate.render.page import Page

PATH = "index.md"


def is_written(pages: Collection[str], project: Project) -> bool:
    """Whether a project has a front page; a host takes `README.md` for one too.

    `pages` are those that are made. A page may also be written as HTML.
    """
    found = not {PATH, "README.md"}.isdisjoint([*pages, *project.prose])
    return found or (project.root / project.docs / "index.html").is_file()


def front_page(name: str, about: str, pages: Iterable[Page]) -> str:
    """The Markdown of the front page: the name of the site, and its modules.

    The modules of a package stand below it. What lies deeper is left to the
    navigation.
    """
    items = "\n".join(_item(page) for page in pages if _depth(page.path) < 2)
    # In every language the heading has one address.
    parts = [f"# {_words(name)} {{#index}}", _words(about), items]
    return "\n\n".join(filter(None, parts)) + "\n"


def _item(page: Page) -> str:
    indent, goal = "    " * _depth(page.path), quote(page.path)
    about = f": {_words(page.description)}" if page.description else ""
    return f"{indent}- [{_words(page.title)}]({goal}){about}"


def _depth(path: str) -> int:
    """How many packages a page is in; that of a package is not in it."""
    return path.removesuffix("/index.md").count("/")


def _words(words: str) -> str:
    """Words on one line, in which no sign is a mark of Markdown."""
    line = " ".join(words.split())
    return re.sub(r"[\\`*_{}\[\]<>&$#]", lambda sign: f"&#{ord(sign[0])};", line)
