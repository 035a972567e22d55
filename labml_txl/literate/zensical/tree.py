r"""# A site as a folder

A host that is no program of Python cannot be handed an edition. It reads a folder of
Markdown, and it leaves a folder of HTML. Here is what stands in the one, and what is
done with the other.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.site import written
from labml_txl.literate.equations.math import assets
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.mkdocs.policy import secured
from labml_txl.literate.mkdocs.templates import THEME, Words
from labml_txl.literate.render.finished.html import finished, squeezed
from labml_txl.literate.render.finished.links import Document, dead_links, ends
from labml_txl.literate.sources.source import LiterateError, Source

_ARTICLE = re.compile(r"<article\b.*</article>", re.S)


def write_docs(edition: Edition, words: Words, docs: Path) -> None:
    """Write the pages, their figures and KaTeX's files.

    The head of a page holds what its template asks for, by the name `lit`.
    """
    project, address = edition.project, edition.site.address
    ignore = _but(project.unseen)
    shutil.copytree(edition.root / project.docs, docs, ignore=ignore)
    for path, markdown in _pages(edition):
        edit = edition.edit(f"{project.docs}/{path}")
        told = words.page(path, address("index.md", path), edit)
        head, body = divided(markdown)
        fields = _escaped(next(yaml.safe_load_all(head), None) or {})
        fields["lit"] = as_html(told)
        put(docs / path, f"---\n{json.dumps(fields)}\n---\n{body}")
    for path, asset in assets().items():
        put(docs / path, asset)


def write_theme(folder: Path, given: Path | None, without: Collection[str]) -> None:
    """Write the templates, and in the place of ours those that a project has."""
    shutil.copytree(THEME, folder, ignore=shutil.ignore_patterns(*without))
    if given is not None:
        shutil.copytree(given, folder, dirs_exist_ok=True)


def finish(edition: Edition, site: Path) -> list[LiterateError]:
    """The last step of each page of HTML, and the pages in other forms.

    The result is what is wrong with the pages.
    """
    for path, content in edition.files().items():
        put(site / path, content)
    pages = written(edition)
    files = {file.relative_to(site).as_posix(): file for file in site.rglob("*.*")}
    texts = {
        name: file.read_text(encoding="utf-8")
        for name, file in files.items()
        if name.endswith(".html")
    }
    known = {pages[name]: html for name, html in texts.items() if name in pages}
    dead = dead_links(_documents(edition, known), files.keys())
    faults = [*edition.faults, *dead]
    for name, html in texts.items():
        english = edition.english(pages[name]) if name in pages else ""
        frame, whole = _ARTICLE.sub("", html), finished(html, edition.translation)
        hosts = edition.hosts
        put(files[name], secured(whole, squeezed(frame), squeezed(english), *hosts))
    return faults


def as_html(told: Mapping[str, Any]) -> dict[str, Any]:
    """What templates ask for, for a host that writes their values as they are."""
    return {**_escaped(told), "script": told["script"], "cards": told["cards"]}


def put(path: Path, content: str | bytes) -> None:
    """Write a file, whatever folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def _pages(edition: Edition) -> Iterator[tuple[str, str]]:
    for path, markdown in edition.pages().items():
        if path in edition.project.prose:
            source = edition.made.get(path)
            name = source.path if source else "the registry of equations"
            message = f"{name} makes the same page: rename one"
            raise LiterateError(f"{edition.project.docs}/{path}", 1, message)
        yield path, markdown
    for path in edition.project.prose:
        yield path, edition.prose(path) or ""


def _documents(edition: Edition, pages: Mapping[str, str]) -> Iterator[Document]:
    for path, html in pages.items():
        known = path in edition.made or path in edition.project.prose
        source = edition.source(path) if known else Source(path, html)
        url = unquote(edition.site.address("index.md", path)).removeprefix("./")
        article = _ARTICLE.search(html)
        yield Document(source, url, ends(article[0] if article else ""))


def _but(left_out: Collection[Path]) -> Callable[[str, list[str]], list[str]]:
    return lambda folder, names: [n for n in names if Path(folder, n) in left_out]


def _escaped(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _escaped(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_escaped(one) for one in value]
    return escape(value) if isinstance(value, str) else value
