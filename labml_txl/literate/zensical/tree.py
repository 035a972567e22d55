"""# Input and output folders

A host that is not written in Python reads a folder of Markdown and templates, and
writes a folder of HTML. This module writes the former and post-processes the latter.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Collection, Mapping
from html import escape
from pathlib import Path
from typing import Any

import yaml

from labml_txl.literate.equations.math import assets
from labml_txl.literate.markdown.front_matter import split_front_matter
from labml_txl.literate.project.files import files_of, html_files, write
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.theme.templates import (
    SHEET,
    THEME,
    Words,
    finish_page,
    style_sheet,
)

_ARTICLE = re.compile(r"<article\b.*</article>", re.S)


def write_docs(localized: LocalizedProject, words: Words, docs: Path) -> None:
    """Write the pages, their figures and the files of KaTeX.

    The front matter of a page contains the variables of its template under `lit`.
    """
    project, address = localized.project, localized.site.address
    ignore = _keep_only(project.unpublished)
    shutil.copytree(project.root / project.docs, docs, ignore=ignore)
    for path in localized.site_pages:
        head, body = split_front_matter(localized.entry(path).markdown)
        fields = _escape(next(yaml.safe_load_all(head), None) or {})
        edit = localized.edit(f"{project.docs}/{path}")
        given = words.page(path, address("index.md", path), edit)
        fields["lit"] = escape_variables(given)
        head = json.dumps(fields, ensure_ascii=False)
        write(docs / path, f"---\n{head}\n---\n{body}")
    for path, asset in assets().items():
        write(docs / path, asset)


def write_theme(
    folder: Path, given: Path | None, without: Collection[str], letters: str
) -> None:
    """Write our templates except `without`; those in `given` override them.

    `letters` are those of the terms in the registry of equations.
    """
    shutil.copytree(THEME, folder, ignore=shutil.ignore_patterns(*without))
    write(folder / SHEET, style_sheet(letters))
    if given is not None:
        shutil.copytree(given, folder, dirs_exist_ok=True)


def finish(localized: LocalizedProject, site: Path) -> None:
    """Post-process the HTML of each page, and write the other files of the site."""
    for path, content in files_of(localized):
        write(site / path, content)
    pages = html_files(localized)
    files = {file.relative_to(site).as_posix(): file for file in site.rglob("*.*")}
    texts = {
        name: file.read_text(encoding="utf-8")
        for name, file in files.items()
        if name.endswith(".html")
    }
    for name, html in texts.items():
        given = (_ARTICLE.sub("", html), localized, pages.get(name, ""))
        write(files[name], finish_page(html, *given))


def escape_variables(words: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the templates, escaped, since Zensical's templates do not.

    Those that become JSON, `script` and `cards`, are not escaped.
    """
    return {**_escape(words), "script": words["script"], "cards": words["cards"]}


def _keep_only(left_out: Collection[Path]) -> Callable[[str, list[str]], list[str]]:
    return lambda folder, names: [n for n in names if Path(folder, n) in left_out]


def _escape(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _escape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_escape(one) for one in value]
    return escape(value) if isinstance(value, str) else value
