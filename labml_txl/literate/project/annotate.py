"""# Opening a project"""

from __future__ import annotations

from labml_txl.literate.project.cache import Cache
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.kinds import KINDS
from labml_txl.literate.project.localized import LocalizedProject, SitePage
from labml_txl.literate.project.settings import Project


def annotate(
    project: Project,
    cache: Cache | None = None,
    *,
    kinds: tuple[type[SitePage], ...] = KINDS,
) -> LocalizedProject:
    """Open a project in the language of its pages.

    `cache` has the results of earlier builds, and `kinds` are the kinds of pages. The
    files are read when they are needed, which raises `LiterateError` for settings or
    registries that are not valid.
    """
    content = Content(project, cache)
    return LocalizedProject(content, kinds, content.language)
