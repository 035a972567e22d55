r"""# The pages in other forms

Beside each page stand the same page as plain Markdown and, if it has code, as a
notebook. One more file leads programs that read to all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

from labml_txl.literate.build.cache import Lazy, digest
from labml_txl.literate.build.modules.excerpts import with_excerpts
from labml_txl.literate.build.modules.observed import models, observed_files
from labml_txl.literate.export.notebooks.notebook import notebook
from labml_txl.literate.export.notebooks.tutorial import document
from labml_txl.literate.export.notebooks.tutorial_page import (
    page_markdown,
    plain_markdown,
)
from labml_txl.literate.export.picture import picture
from labml_txl.literate.export.script import script, worker
from labml_txl.literate.export.text import (
    Entry,
    beside,
    contents,
    equations_text,
    excerpt_text,
    picture_path,
    prose,
    text,
)
from labml_txl.literate.i18n.pages import anchored, sentences
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.headings import title_of
from labml_txl.literate.markdown.inline import plain
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.resolve import script_path

if TYPE_CHECKING:
    from labml_txl.literate.build.edition import Edition


def forms(edition: Edition) -> Mapping[str, str | bytes]:
    """Every form of every page, and what pages ask for, by the path of its file."""
    found: dict[str, Callable[[], str | bytes]] = {}
    parts: dict[str, list[Entry]] = {}
    pages = {page.path: page for page in edition.annotated.pages}
    for path, part, make in _texts(edition):
        found[beside(path, "md")] = make
        head = _head(edition, path, pages.get(path))
        address = urljoin(edition.site.url, quote(beside(path, "md")))
        title = edition.given_title(path) or head.get("title", path)
        entry = Entry(title, head.get("description", ""), address)
        parts.setdefault(part, []).append(entry)
    found |= _notebooks(edition)
    found["llms.txt"] = partial(contents, *edition.names, parts)
    up = "../" * bool(edition.language.folder)
    for name, figure in edition.project.touched.items():
        found[script_path(name)] = partial(script, figure, f"../../{up}assets/")
        drawing = edition.site.drawing(figure.drawing.text, f"figures/{name}")
        found[picture_path(name)] = partial(picture, drawing, edition.site.tag)
        if figure.worker:
            found[script_path(f"{name}.worker")] = partial(worker, figure)
    for path, file in models(edition):
        found[path] = file.read_bytes
    for path, told in sentences_of(edition):
        found[told] = partial(_sentences, edition, path)
    for path, asked in observed_files(edition):
        found[path] = partial(_itself, asked)
    return Lazy(found)


def sentences_of(edition: Edition) -> Iterator[tuple[str, str]]:
    """The pages of which each sentence can be edited, and the file that tells where."""
    for path in (*edition.pages(), *edition.project.prose):
        catalog = edition.translation.of(path)
        if not catalog.is_english and edition.edit(catalog.path):
            yield path, beside(path, "sentences.json")


def _sentences(edition: Edition, path: str) -> str:
    said = edition.inventory.get(path.removesuffix(".md"), ())
    messages = (one.message for one in said)
    return sentences(path, messages, edition.translation) or "{}"


def _itself(content: str | bytes) -> str | bytes:
    return content


def _texts(edition: Edition) -> Iterator[tuple[str, str, Callable[[], str]]]:
    """Each page as plain Markdown: its path, the part that it belongs to, its text."""
    site = edition.site
    for path in edition.project.prose:
        yield path, site.labels("pages"), partial(_prose, edition, path)
    if site.registry.papers:
        words = partial(equations_text, site)
        yield site.equations, site.labels("pages"), words
    titles = {page.path: page.title for page in edition.annotated.pages}
    for page in edition.annotated.pages:
        folder = page.path.partition("/")[0]
        words = partial(_once, edition, "text", page, partial(text, page, site))
        yield page.path, titles.get(f"{folder}/index.md", folder), words
    for path in edition.written:
        words = partial(getattr, tutorial(edition, path), "text")
        yield path, site.labels("notebooks"), words


def _prose(edition: Edition, path: str) -> str:
    body = divided(edition.source(path).text)[1]
    words = edition.translation.markdown(body, path)
    told, site = prose(words, path, edition.site), edition.site
    show = partial(excerpt_text, site=site)
    tutorials = in_colab(edition, "[{words}]({address})")
    return with_excerpts(told, edition.annotated.pages, site, show, tutorials)


def _notebooks(edition: Edition) -> Iterator[tuple[str, Callable[[], str]]]:
    site, install = edition.site, edition.install
    for page in edition.annotated.pages:
        if page.source.path in edition.unreadable:
            continue
        make = partial(notebook, page, site, install)
        yield (
            beside(page.path, "ipynb"),
            partial(_once, edition, "notebook", page, make),
        )
    for path in edition.written:
        make = partial(getattr, tutorial(edition, path), "notebook")
        yield beside(path, "ipynb"), make


def _once(edition: Edition, form: str, page: Page, make: Callable[[], str]) -> str:
    """A form of a page, unless it is known from before."""
    catalog = edition.translation.of(page.path)
    written = (page.path, page.source, page.exercises, page.observed)
    return edition.kept.made(digest(form, around(edition), written, catalog), make)


def around(edition: Edition) -> list[object]:
    """What the other forms of a page depend on beside the page."""
    found: list[object] = [edition.annotated.around, edition.url]
    if install := edition.install:
        extras = [(extra, sorted(brings)) for extra, brings in install.extras.items()]
        found += [install.name, install.address, extras]
    return found


@dataclass(frozen=True)
class Forms:
    """A tutorial as the Markdown of its page, as plain Markdown, and as a notebook."""

    title: str
    description: str
    page: str
    text: str
    notebook: str


def tutorial(edition: Edition, path: str) -> Forms:
    """All forms of a tutorial.

    To load the program that walks over notebooks takes a second: what it made is kept.
    """
    written, catalog = edition.written[path], edition.translation.of(path)

    def make() -> Forms:
        told, taken = edition.tutorials[path], set[str]()
        output = partial(edition.translation.output, path=path)

        def shown(words: str) -> str:
            anchors = anchored(words, taken)
            return edition.translation.markdown(anchors, path, marked=True)

        return Forms(
            title=told.title,
            description=told.description,
            page=page_markdown(written.translated(shown, output), edition.site, told),
            text=plain_markdown(told, edition.site),
            notebook=document(told, edition.site, edition.install),
        )

    given = (around(edition), edition.edit(catalog.path))
    return edition.kept.made(digest("tutorial", given, written, catalog), make)


def _head(edition: Edition, path: str, page: Page | None) -> Mapping[str, str]:
    """The title and the description of a page, as plain words."""
    told = page or (tutorial(edition, path) if path in edition.written else None)
    if told:
        return {"title": told.title, "description": told.description}
    if path == edition.site.equations:
        names = {name: f"equations_{name}" for name in ("title", "description")}
        return {name: edition.site.labels(label) for name, label in names.items()}
    return _prose_head(edition, path)


def _prose_head(edition: Edition, path: str) -> Mapping[str, str]:
    head, body = divided(edition.source(path).text)
    found = {
        part.kind: edition.translation.words(part.message, path)
        for part in cut(head)
        if part.message
    }
    heading = title_of(body.lstrip())[0]
    title = plain(edition.translation.words(heading, path)) if heading else path
    return {"title": title, **found}


def leads(edition: Edition, path: str) -> dict[str, str]:
    """Where the other forms of a page stand, for its template."""
    found = {"markdown_url": quote(beside(path, "md"))}
    if path in edition.made and edition.made[path].path in edition.unreadable:
        return found
    notebook = found["notebook_url"] = quote(beside(path, "ipynb"))
    whole = urljoin(edition.url, notebook)
    in_colab = edition.install and edition.project.repository.in_colab
    if in_colab and whole.startswith("https://"):
        found["colab_url"] = f"{_COLAB}{quote(whole, safe='')}"
    return found


def in_colab(edition: Edition, form: str) -> dict[str, str]:
    """The link to each tutorial in Colab, by its path with dots; empty without one.

    `form` is what it is written as, with the `words` and the `address`.
    """
    words, found = edition.site.labels("colab"), dict[str, str]()
    for path in edition.written:
        address = leads(edition, path).get("colab_url", "")
        name = path.removesuffix(".md").replace("/", ".")
        found[name] = form.format(words=words, address=address) if address else ""
    return found


# Opens a notebook in Colab, by its address.
_COLAB = "https://colab.research.google.com/#fileId="
