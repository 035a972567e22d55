"""What a preview builds, and that its memory does not grow with each save."""

import gc
import threading
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


def previewed(
    folder: Path,
    build: Callable[..., None],
    build_language: Callable[..., None] = lambda language: None,
) -> Preview:
    """The preview of a project whose pages `build` and `build_language` make."""

    def serve(environ: Any, start: Any) -> list[str]:
        start("200 OK", [])
        return ["page"]

    server: Any = SimpleNamespace(
        builder=build,
        serve_request=serve,
        mount_path="/",
        set_app=lambda app: None,
    )
    site = annotate(Project(folder))
    given = (lambda: site, lambda: None, build_language)
    return Preview(server, *given, threading.Lock())


def answer(preview: Preview, path: str) -> dict[str, str]:
    """The headers of the answer to a request."""
    headers = dict[str, str]()
    page = preview.answer(
        {"PATH_INFO": path}, lambda status, given: headers.update(given)
    )
    assert page == ["page"]
    return headers


def test_memory_of_a_rebuild_is_freed(tmp_path: Path) -> None:
    made: list[weakref.ref[Any]] = []

    def build(*_: Any) -> None:
        page = Page()
        page.next = page
        made.append(weakref.ref(page))

    preview = previewed(tmp_path, build)
    gc.disable()  # or Python may free them by itself, sooner or later
    try:
        for _ in range(3):
            preview.note_save()
            answer(preview, "/")
            answer(preview, "/index.html")
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
    preview.note_save()
    for path in ("/", "/de/", "/index.html"):
        assert answer(preview, path) == {}
    assert caplog.messages == ["language.toml:1: not valid TOML"]


def test_readers_get_the_old_page_until_the_new_one_is_complete(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()
    builds = list[int]()

    def build() -> None:
        begun.set()
        assert go_on.wait(60)
        builds.append(1)

    preview = previewed(tmp_path, build)
    assert answer(preview, "/") == {}
    preview.note_save()
    first = threading.Thread(target=answer, args=(preview, "/"))
    first.start()
    assert begun.wait(60)
    for path in ("/", "/index.html", "/page/"):
        assert answer(preview, path) == {"Refresh": "1"}
    assert answer(preview, "/a.css") == {}
    assert first.is_alive()
    # Something is saved again while the build is running: another one follows.
    preview.note_save()
    go_on.set()
    first.join(60)
    while answer(preview, "/"):
        pass
    assert sum(builds) == 2


def test_a_save_during_the_first_build_of_a_language_causes_no_deadlock(
    tmp_path: Path,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def build_german(language: object) -> None:
        begun.set()
        assert go_on.wait(60)

    small.write(tmp_path, {"docs/locale/de/language.toml": 'name = "Deutsch"\n'})
    preview = previewed(tmp_path, lambda: None, build_german)
    answers = [
        threading.Thread(target=answer, args=(preview, "/de/"), daemon=True)
        for _ in range(2)
    ]
    answers[0].start()
    assert begun.wait(60)
    preview.note_save()
    answers[1].start()
    answers[1].join(0.5)  # until it waits
    go_on.set()
    for one in answers:
        one.join(20)
    assert not any(one.is_alive() for one in answers)
