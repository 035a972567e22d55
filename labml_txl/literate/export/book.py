r"""# The site as a book

Finished pages become one: a title, the contents, and each page as a chapter, with links
that stay within the book where they can. A browser prints it, with the style sheets of
the site and one for paper.

The parts of the book and their chapters are those of the site's navigation. What folds
away on the screen is open, except imports, and nothing runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

STYLE = Path(__file__).with_name("book.css")


@dataclass(frozen=True)
class Part:
    """A part of a book: its title, and the addresses of its pages below the site."""

    title: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Book:
    """What a book is made of.

    - `site`: the folder of the finished pages;
    - `url`: where they are published, or empty;
    - `title`, `about`: what stands on its first page;
    - `contents`: the title of its contents;
    - `tag`, `direction`: its language, as browsers call it, and `"ltr"` or `"rtl"`.
    """

    site: Path
    url: str
    title: str
    about: str
    contents: str
    tag: str
    direction: str
    parts: tuple[Part, ...]

    @property
    def chapters(self) -> Mapping[str, str]:
        """The anchor of each chapter, by the address of its page below the site."""
        pages = dict.fromkeys(page for part in self.parts for page in part.pages)
        return {page: f"c{n}" for n, page in enumerate(pages, 1)}


def html(book: Book, numbers: Mapping[str, int] | None = None) -> str:
    """The whole book as a page of HTML.

    `numbers` tells on which page each anchor stands, for the contents. They are known
    when the book has been printed once.
    """
    parts = [(part, [*_chapters(book, part)]) for part in book.parts]
    listed = [_listed(part, chapters, numbers or {}) for part, chapters in parts]
    heads = "".join(c.running for _, chapters in parts for c in chapters)
    front = next(iter(book.chapters))
    first = _read(book.site, front)
    sheets = (_file(book, front, unescape(sheet)) for sheet in _SHEET.findall(first))
    body = _BODY.search(first)
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{book.tag}" dir="{book.direction}">',
            f'<head><meta charset="utf-8"><title>{escape(book.title)}</title>',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            *(f'<link rel="stylesheet" href="{escape(sheet)}">' for sheet in sheets),
            f"<style>{STYLE.read_text(encoding='utf-8')}{heads}</style></head>",
            body[0] if body else "<body>",
            f'<header class="lit-front"><h1>{escape(book.title)}</h1>',
            f"<p>{escape(book.about)}</p><p>{escape(book.url)}</p></header>",
            f'<nav class="lit-toc"><h1 id="contents">{escape(book.contents)}</h1>',
            f"<div>{''.join(listed)}</div></nav>",
            *(line for part, chapters in parts for line in _bound(part, chapters)),
            "</body></html>",
        ]
    )


def in_order(site: Path) -> Iterator[str]:
    """The addresses of the pages of a site: each names the next one."""
    page: str | None = ""
    while page is not None:
        yield page
        head = _read(site, page).partition("</head>")[0]
        found = _NEXT.search(head)
        page = urljoin(f"/{page}", unescape(found[1]))[1:] if found else None


@dataclass(frozen=True)
class _Chapter:
    """A page of the site in the book."""

    anchor: str
    title: str
    text: str

    @property
    def running(self) -> str:
        """The style that writes the title at the head of its pages."""
        words = unescape(_TAG.sub("", self.title)).replace("\\", r"\\")
        words = " ".join(words.split()).replace('"', r"\"").replace("<", r"\3c ")
        head = f'@top-right {{ content: "{words}" }}'
        return (
            f"#{self.anchor} {{ page: {self.anchor} }} @page {self.anchor} {{{head}}}"
        )


def _chapters(book: Book, part: Part) -> Iterator[_Chapter]:
    """The chapters of a part; headings stand below its own, if it has one."""
    for page in part.pages:
        anchor = book.chapters[page]
        found = _ARTICLE.search(_read(book.site, page))
        text = _UNREAD.sub("", found[1] if found else "")
        text = _TAG.sub(partial(_tag, book, page), text)
        if len(part.pages) > 1:
            text = _HEADING.sub(lambda h: f"{h[1]}{min(6, int(h[2]) + 1)}", text)
        head = _TITLE.search(text)
        title = _LINKED.sub("", head[2]).strip() if head else ""
        text = (
            text.replace(head[1], f'{head[1]} class="lit-title"', 1) if head else text
        )
        yield _Chapter(anchor, title or escape(part.title), text)


def _bound(part: Part, chapters: Sequence[_Chapter]) -> Iterator[str]:
    """The pages of a part; one of a single chapter has no title but that one's."""
    if len(chapters) > 1:
        yield f'<header class="lit-part"><h1>{escape(part.title)}</h1></header>'
    for chapter in chapters:
        begin = f'<article class="md-typeset" id="{chapter.anchor}">'
        yield f"{begin}{chapter.text}</article>"


def _listed(
    part: Part, chapters: Sequence[_Chapter], numbers: Mapping[str, int]
) -> str:
    """A part in the contents."""
    rows = "".join(
        f'<li><a href="#{chapter.anchor}"><span>{chapter.title}</span> '
        f"<b>{numbers.get(chapter.anchor, 0)}</b></a></li>"
        for chapter in chapters
    )
    head = f"<p>{escape(part.title)}</p>" if len(chapters) > 1 else ""
    return f"<section>{head}<ol>{rows}</ol></section>"


def _tag(book: Book, page: str, tag: re.Match[str]) -> str:
    """A tag of a page, with the addresses and the anchors that it has in the book."""
    changed = _ATTRIBUTE.sub(partial(_attribute, book, page), tag[0])
    return _FOLDED.sub("<details open", changed)


def _attribute(book: Book, page: str, found: re.Match[str]) -> str:
    anchor, name, value = book.chapters[page], found[1], unescape(found[2])
    if name == "id":
        value = f"{anchor}-{value}"
    elif name.startswith("aria-"):
        value = " ".join(f"{anchor}-{word}" for word in value.split())
    elif name == "src":
        value = _file(book, page, value)
    elif name.endswith("href"):
        value = _link(book, page, value)
    else:
        value = value.replace("url(#", f"url(#{anchor}-")
    return f' {name}="{escape(value)}"' if value else ""


def _link(book: Book, page: str, address: str) -> str:
    """Where a link of a page leads: within the book, to the site, or elsewhere."""
    if urlsplit(address).scheme:
        return address
    goal, anchor = urldefrag(urljoin(f"/{page}", address))
    chapter = book.chapters.get(goal.removeprefix("/"))
    if chapter:
        return f"#{chapter}-{anchor}" if anchor else f"#{chapter}"
    if not book.url:
        return ""
    return urljoin(book.url, goal.removeprefix("/")) + (anchor and f"#{anchor}")


def _file(book: Book, page: str, address: str) -> str:
    """A file that a page shows; what lies elsewhere is not fetched."""
    given = urlsplit(address)
    if given.scheme or given.netloc:
        return address
    path = unquote(urlsplit(urljoin(f"/{page}", address)).path)
    return (book.site.resolve() / path.removeprefix("/")).as_uri()


def _read(site: Path, page: str) -> str:
    path = f"{page}index.html" if page.endswith("/") or not page else page
    return (site / unquote(path)).read_text(encoding="utf-8")


# Nothing runs, and nothing is fetched.
_POLICY = (
    "default-src 'none'; style-src file: 'unsafe-inline'; img-src file: data:; "
    "font-src file:"
)
_ARTICLE = re.compile(r"<article\b[^>]*>(.*)</article>", re.DOTALL)
_BODY = re.compile(r"<body\b[^>]*>")
_NEXT = re.compile(r'<link rel="next" href="([^"]*)"')
_SHEET = re.compile(r'<link rel="stylesheet" href="([^"]*)"')
_TAG = re.compile(r"""</?[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(
    r"\s(id|src|(?:xlink:)?href|aria-labelledby|aria-describedby|style|fill|clip-path"
    r'|mask|marker-end|marker-start)="([^"]*)"'
)
_FOLDED = re.compile(r"<details\b(?![^>]*\blit-imports\b)")
_HEADING = re.compile(r"(</?h)([1-6])\b")
_TITLE = re.compile(r"(<h[12])\b[^>]*>(.*?)</h[12]>", re.DOTALL)
_LINKED = re.compile(r'</?a\b[^>]*>|\sid="[^"]*"')
# A reader of the paper sees formulas as they are set, once.
_UNREAD = re.compile(
    r'<!--.*?-->|<script\b.*?</script\s*>|<span class="katex-mathml">.*?</math></span>'
    r'|(?<=<span class="katex-html") aria-hidden="true"|<a class="lit-mark".*?</a>',
    re.DOTALL,
)
