"""The memory that a preview takes does not grow with each save."""

import gc
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from labml_txl.literate.build.localized import annotate
from labml_txl.literate.build.project import Project
from labml_txl.literate.mkdocs.serving import Preview


class Page:
    """Refers to another, as the pages of MkDocs do."""

    next: "Page"


def test_what_a_build_leaves_in_circles_is_freed(tmp_path: Path) -> None:
    made: list[weakref.ref[Any]] = []

    def build(*_: Any) -> None:
        page = Page()
        page.next = page
        made.append(weakref.ref(page))

    server: Any = SimpleNamespace(
        builder=build,
        serve_request=lambda environ, start: [],
        mount_path="/",
        set_app=lambda app: None,
    )
    site = annotate(Project(tmp_path))
    preview = Preview(server, lambda: site, lambda: None, lambda language: None)
    gc.disable()  # or Python may free them by itself, sooner or later
    try:
        for _ in range(3):
            preview.saved()
            preview.answer({"PATH_INFO": "/"}, None)
            preview.answer({"PATH_INFO": "/index.html"}, None)
    finally:
        gc.enable()
    assert len(made) == 3
    assert [page() for page in made] == [None] * 3
