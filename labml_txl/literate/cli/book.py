r"""# The book

`txl book` makes a book of the built site: one PDF for each language, with an outline,
page numbers and links.

```sh
txl book
txl book Papers Models --out books
```

It prints with Chromium or Chrome. The variable `CHROMIUM` names another.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from labml_txl.errors import UsageError
from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.options import argument, option

if TYPE_CHECKING:
    from labml_txl.literate.export.book import Book


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl book` can be told."""

    sections: tuple[str, ...] = argument(
        "a title of the navigation, as in the settings (default: all)",
        default=(),
        metavar="SECTION",
    )
    site: Path = option(Path("site"), "where the site was built", metavar="FOLDER")
    out: Path = option(Path("book"), "where to write", metavar="FOLDER")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Print the book in all languages of the site, and name the files."""
    config = settings_of(options.config)
    if not (options.site / "404.html").is_file():
        raise UsageError(f"{options.site} holds no site: build it, or name it: --site")
    for code, book in books(config, options.site, options.sections):
        goal = options.out / f"{code}.pdf"
        goal.parent.mkdir(parents=True, exist_ok=True)
        printed(book, goal)
        print(goal)
    return 0


def books(
    config: Path, site: Path, sections: Sequence[str]
) -> "Iterator[tuple[str, Book]]":
    """The book in each language, with the language's code."""
    from labml_txl.literate.export.book import Book, Part, in_order
    from labml_txl.literate.mkdocs.project import edition_of, settings_of
    from labml_txl.literate.render.resolve import published

    english = edition_of(config)
    address = partial(
        published, "index.md", directory_urls=english.project.directory_urls
    )
    pages, nav = [*in_order(site)], settings_of(config).get("nav") or [{"": [""]}]
    chosen = [
        (title, [*_chosen(below, pages, address)])
        for title, below in _sections(nav)
        if title in sections or not sections
    ]
    if unknown := {*sections} - {title for title, _ in chosen}:
        raise UsageError(f"the navigation has no section {min(unknown)}")
    for language in english.languages:
        edition = english.into(language)
        title, about = edition.names
        parts = (
            Part(
                edition.translation.words(name, "site") if name else "",
                tuple(f"{language.folder}{page}" for page in pages),
            )
            for name, pages in chosen
        )
        yield (
            language.code,
            Book(
                site=site.resolve(),
                url=english.url,
                title=title,
                about=about,
                contents=edition.translation.labels("contents"),
                tag=language.tag,
                direction=language.direction,
                parts=tuple(parts),
            ),
        )


def _sections(nav: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The first level of a navigation: titles, and what stands below each."""
    for item in nav:
        yield from item.items() if isinstance(item, dict) else [("", item)]


def _chosen(
    nav: Any, pages: Sequence[str], address: Callable[[str], str]
) -> Iterator[str]:
    """The pages of a part of the navigation; a folder stands for those in it."""
    if not isinstance(nav, str):
        for item in nav.values() if isinstance(nav, dict) else nav:
            yield from _chosen(item, pages, address)
    elif nav.endswith("/") or not nav:
        yield from (page for page in pages if page.startswith(nav))
    elif (page := address(nav).removeprefix("./")) in pages:
        yield page


def printed(book: "Book", goal: Path) -> None:
    """Print a book twice: the contents name pages that are known after the first."""
    from labml_txl.literate.export.book import html
    from labml_txl.literate.export.paper import numbers, print_page

    with TemporaryDirectory() as folder:
        page, pdf = Path(folder, "book.html"), Path(folder, "book.pdf")
        found: dict[str, int] = {}
        for _ in range(2):
            page.write_text(html(book, found), encoding="utf-8")
            print_page(page, pdf)
            found = numbers(pdf)
        pdf.replace(goal)
