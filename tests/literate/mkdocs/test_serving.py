"""What a preview builds, and that its memory does not grow with each save."""

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mkdocs.exceptions import Abort

from labml_txl.literate.mkdocs.serving import Preview
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.settings import Project
from tests.literate import small


class Page:
    """Refers to another, as the pages of MkDocs do."""

    next: "Page"


def previewed(folder: Path, build: Callable[..., None]) -> Preview:
    """The preview of a project whose pages `build` makes."""
    server: Any = SimpleNamespace(
        builder=build,
        serve_request=lambda environ, start: ["page"],
        mount_path="/",
        set_app=lambda app: None,
    )
    site = annotate(Project(folder))
    return Preview(server, lambda: site, lambda: None, lambda language: None)


def test_what_a_build_leaves_in_circles_is_freed(tmp_path: Path) -> None:
    made: list[weakref.ref[Any]] = []

    def build(*_: Any) -> None:
        page = Page()
        page.next = page
        made.append(weakref.ref(page))

    preview = previewed(tmp_path, build)
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


def test_settings_of_a_language_that_are_broken_leave_the_old_pages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def build() -> None:
        raise Abort("language.toml:1: not valid TOML")

    small.write(tmp_path, {"docs/locale/de/language.toml": "name = \n"})
    preview = previewed(tmp_path, build)
    preview.saved()
    for path in ("/", "/de/", "/index.html"):
        assert preview.answer({"PATH_INFO": path}, None) == ["page"]
    assert caplog.messages == ["language.toml:1: not valid TOML"]
