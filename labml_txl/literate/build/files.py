r"""# The files beside the pages

Beside each page stand the same page as plain Markdown and, if it has code, as a
notebook. `llms.txt` leads programs that read to all of them. Figures, recorded values
and the places of translated sentences are files that the scripts of a page ask for.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote, urljoin

from labml_txl.literate.build.localized import Lazy, LocalizedProject
from labml_txl.literate.export.picture import picture
from labml_txl.literate.export.script import script, worker
from labml_txl.literate.export.text import Entry, beside, contents, picture_path
from labml_txl.literate.render.observed.data import files
from labml_txl.literate.render.resolve import published, script_path

# Where a site has what browsers ask for: once, for all languages.
VALUES = "assets/observed"
MODELS = "assets/models"

Make = Callable[[], str | bytes]


def files_of(localized: LocalizedProject) -> Mapping[str, str | bytes]:
    """The files of a language beside its pages, by path, each made when asked for."""
    found: dict[str, Make] = {}
    parts: dict[str, list[str]] = {}
    for path, part in _listed(localized):
        parts.setdefault(part, []).append(path)
        found[beside(path, "md")] = partial(_form, localized, path, "text")
        if "notebook_url" in localized.links(path):
            found[beside(path, "ipynb")] = partial(_form, localized, path, "notebook")
    found["llms.txt"] = partial(_contents, localized, parts)
    found.update(_figures(localized))
    if not localized.language.folder:
        found.update(_models(localized))
        found.update(_recorded_values(localized))
    for path, file in sentence_files(localized).items():
        found[file] = partial(_sentences, localized, path)
    return Lazy(found)


def _form(localized: LocalizedProject, path: str, form: str) -> str:
    text: str = getattr(localized.entry(path), form)
    return text


def _listed(localized: LocalizedProject) -> Iterator[tuple[str, str]]:
    """The pages in the list of all, each with the part that it stands in."""
    content, labels = localized.content, localized.site.labels
    for path in localized.project.prose:
        yield path, labels("pages")
    for path in localized.paths:
        if path in content.by_path:
            folder = path.partition("/")[0]
            first = f"{folder}/index.md"
            title = localized.entry(first).title if first in content.by_path else folder
            yield path, title
        elif path in content.tutorials:
            yield path, labels("notebooks")
        elif path == localized.site.equations:
            yield path, labels("pages")


def _contents(localized: LocalizedProject, parts: Mapping[str, list[str]]) -> str:
    listed = {
        part: [_entry(localized, path) for path in paths]
        for part, paths in parts.items()
    }
    return contents(*localized.names, listed)


def _entry(localized: LocalizedProject, path: str) -> Entry:
    page = localized.entry(path)
    address = urljoin(localized.url, quote(beside(path, "md")))
    return Entry(localized.nav_title(path) or page.title, page.description, address)


def _figures(localized: LocalizedProject) -> Iterator[tuple[str, Make]]:
    up = "../" * bool(localized.language.folder)
    for name, figure in localized.content.figures.items():
        yield script_path(name), partial(script, figure, f"../../{up}assets/")
        drawing = localized.site.drawing(figure.drawing.text, f"figures/{name}")
        yield picture_path(name), partial(picture, drawing, localized.site.tag)
        if figure.worker:
            yield script_path(f"{name}.worker"), partial(worker, figure)


def _models(localized: LocalizedProject) -> Iterator[tuple[str, Make]]:
    """The files of models that figures ask for, as they are."""
    project = localized.project
    folder = project.root / project.observations / "models"
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.is_file():
            yield f"{MODELS}/{file.name}", file.read_bytes


def _recorded_values(localized: LocalizedProject) -> Iterator[tuple[str, Make]]:
    """What cards ask for, of each page that shows values."""
    for module in localized.content.modules:
        record = localized.content.records.get(module.source.path)
        if record and localized.page(module.path).observed.marks:
            folder = f"{VALUES}/{module.path.removesuffix('.md')}"
            for path, content in files(record, folder):
                yield path, partial(_same, content)


def _same(content: str | bytes) -> str | bytes:
    return content


def sentence_files(localized: LocalizedProject) -> Mapping[str, str]:
    """The file that tells where each sentence of a page is edited, by that page."""
    found = {}
    for path in (*localized.paths, *localized.project.prose):
        file = localized.catalog_file(path)
        root = localized.project.root
        known = localized.language.folder and file.is_relative_to(root)
        if known and localized.edit(file.relative_to(root).as_posix()):
            found[path] = beside(path, "sentences.json")
    return found


def _sentences(localized: LocalizedProject, path: str) -> str:
    return localized.entry(path).sentences or "{}"


def html_files(localized: LocalizedProject) -> Mapping[str, str]:
    """The page of each file of HTML, by the path of that file in the site."""
    found = {}
    for page in (*localized.paths, *localized.project.prose):
        way = published("index.md", page, localized.project.directory_urls)
        file = posixpath.join(way, "index.html") if way.endswith("/") else way
        found[posixpath.normpath(unquote(file))] = page
    return found


def write(path: Path, content: str | bytes) -> None:
    """Write a file, whatever folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
