r"""# Names for what pages are made of

A page that was made of the same files is the same page. So all the files that can
change it have one name, by their content.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from labml_txl.literate.build.cache import digest
from labml_txl.literate.i18n.languages import Language
from labml_txl.literate.sources.source import files_below

if TYPE_CHECKING:
    from labml_txl.literate.build.build import Project


def fingerprint(project: Project, language: Language, *folders: Path) -> str:
    """A name for all that the pages of a project are made of.

    `folders` holds what is read beside the project: figures and translations.
    """
    starts = [*project.modules, *project.equations, *project.figures, project.tests]
    paths = (*(project.root / given for given in starts), *folders)
    made_of = contents(paths, {".py", ".toml", ".svg", ".po"})
    seen = contents([project.root / project.observations], {".json"})
    exercises = contents((project.root / given for given in project.modules), {".md"})
    return digest(project, language, *made_of, *seen, *exercises)


def written(project: Project) -> str:
    """A name for what is written by hand: prose, and notebooks with their outputs."""
    prose = (project.root / project.docs / path for path in project.prose)
    given = [project.root / path for path in project.notebooks]
    stored = (path.with_suffix(".ipynb") for path in given)
    # It says what a notebook installs.
    packages = project.root / "pyproject.toml"
    notebooks = contents([*given, *stored, packages], {".py", ".ipynb", ".toml"})
    return digest(*contents(prose, {".md"}), *notebooks)


def contents(paths: Iterable[Path], endings: Collection[str]) -> Iterator[str | bytes]:
    """The names and the bytes of the files at some paths and below them."""
    files = {file for start in paths for file in files_below(start, endings)}
    for file in sorted(files):
        yield from (str(file), file.read_bytes())
