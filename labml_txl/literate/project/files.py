"""# The other files of a site

A site contains each page also as plain Markdown and, if it has an example to run, as a
notebook. `llms.txt` lists the Markdown pages for language models. The scripts of pages
fetch further files: figures, observed values, and the places at which translated
sentences can be edited.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from urllib.parse import quote, unquote, urljoin

from labml_txl.literate.export.picture import make_standalone
from labml_txl.literate.export.script import bundle_script, bundle_worker
from labml_txl.literate.export.text import (
    Entry,
    change_extension,
    picture_path,
    render_contents,
)
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.recording.bindings import hash_code
from labml_txl.literate.render.observed import write_files
from labml_txl.literate.render.resolve import relative_url, script_path
from labml_txl.literate.sources.repository import relative_to

# The folders of files that all languages share.
SHARED = "assets"
VALUES = f"{SHARED}/observed"

# The path and the content of a file.
SiteFile = tuple[str, str | bytes]


def files_of(localized: LocalizedProject) -> Iterator[SiteFile]:
    """Yield the other files of a language."""
    groups: dict[str, list[str]] = {}
    for path, page in localized.site_pages.items():
        if group := page.group(localized):
            groups.setdefault(group, []).append(path)
    yield "llms.txt", _render_contents(localized, groups)
    for path in chain(*groups.values()):
        yield change_extension(path, "md"), localized.entry(path).text
        if localized.site_pages[path].has_notebook:
            yield change_extension(path, "ipynb"), localized.entry(path).notebook
    for path, file in sentence_files(localized).items():
        yield file, localized.entry(path).sentences
    yield from _figures(localized)
    if not localized.language.folder:
        yield from _shared(localized)


def _render_contents(
    localized: LocalizedProject, groups: Mapping[str, list[str]]
) -> str:
    def entry(path: str) -> Entry:
        page = localized.entry(path)
        address = urljoin(localized.url, quote(change_extension(path, "md")))
        return Entry(localized.nav_title(path) or page.title, page.description, address)

    listed = {group: [*map(entry, paths)] for group, paths in groups.items()}
    return render_contents(*localized.names, listed)


def _figures(localized: LocalizedProject) -> Iterator[SiteFile]:
    up = "../" * bool(localized.language.folder)
    for name, figure in localized.content.figures.items():
        yield script_path(name), bundle_script(figure, f"../../{up}assets/")
        drawing = localized.site.drawing(figure.drawing.text, f"figures/{name}")
        site = localized.site
        picture = make_standalone(drawing, site.tag, site.registry.letters)
        yield picture_path(name), picture
        if figure.worker:
            yield script_path(f"{name}.worker"), bundle_worker(figure)


def _shared(localized: LocalizedProject) -> Iterator[SiteFile]:
    """The files that all languages share: values, and files in folders beside them."""
    folder = localized.root / localized.project.observations
    for file in sorted(folder.glob("*/**/*")):
        if file.is_file():
            yield f"{SHARED}/{relative_to(file, folder)}", file.read_bytes()
    for module in localized.content.modules:
        record = localized.content.records.get(module.source.path)
        readable = record and module.facts.readable
        if record and readable and record.digest == hash_code(module.source.text):
            place = f"{VALUES}/{module.path.removesuffix('.md')}"
            yield from write_files(record, place)


def sentence_files(localized: LocalizedProject) -> Mapping[str, str]:
    """For each page, the path of the JSON that says where its sentences are edited.

    Pages in English and pages whose catalog cannot be edited online have none.
    """
    found = {}
    for path in localized.site_pages:
        file = localized.catalog_file(path)
        root = localized.project.root
        known = localized.language.folder and file.is_relative_to(root)
        if known and localized.edit(file.relative_to(root).as_posix()):
            found[path] = change_extension(path, "sentences.json")
    return found


def html_files(localized: LocalizedProject) -> Mapping[str, str]:
    """The Markdown page that each HTML file of the site is made of, by its path."""
    found = {}
    for page in localized.site_pages:
        way = relative_url("index.md", page, localized.project.directory_urls)
        file = posixpath.join(way, "index.html") if way.endswith("/") else way
        found[posixpath.normpath(unquote(file))] = page
    return found


def write(path: Path, content: str | bytes) -> None:
    """Write a file, and create the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
