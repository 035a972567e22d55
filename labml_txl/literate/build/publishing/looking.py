r"""# A look at every translated page

Each page of each language is looked at beside the English one before the site takes its
place. That is the last work of a build, when the other processes have done theirs. So
it is done in threads: what a browser would find in a page is read without Python, and
one page is read while another is compared.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from labml_txl.literate.build.cache import digest
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.render.finished.wall import Place
from labml_txl.literate.sources.repository import relative_to


def strangers(
    edition: Edition, site: Path, targets: Mapping[str, Path]
) -> Mapping[str, Mapping[str, str]]:
    """The pages of languages that hold more than the English ones, and what it is.

    `targets` are the folders of the languages. A page is looked at in all of them
    before the next one, so the English one is read once.
    """
    locale = relative_to(edition.root / edition.project.locale, edition.root)
    edit, kept = edition.project.repository.edit, edition.kept
    places = {c: Place(c, edition.url, edit(f"{locale}/{c}/")) for c in targets}
    pages: dict[str, list[str]] = {}
    for code, folder in targets.items():
        for page in folder.rglob("*.html"):
            pages.setdefault(page.relative_to(folder).as_posix(), []).append(code)

    def look(path: str) -> list[tuple[str, str, str]]:
        english, seen = _text(site / path), []
        for code in pages[path]:
            told = _text(targets[code] / path)
            key = digest("wall", places[code], path, english, told)
            if (what := kept.get(key)) is None:
                what = places[code].beyond(english, told, path)
            seen.append((code, key, what))
        return seen

    found: dict[str, dict[str, str]] = {code: {} for code in targets}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = sorted(pages)
        for path, seen in zip(paths, pool.map(look, paths), strict=True):
            for code, key, what in seen:
                kept.keep(key, what)
                if what:
                    found[code][path] = what
    return found


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""
