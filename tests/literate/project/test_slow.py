"""A build that takes long says which file it is at."""

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from labml_txl.literate.project import annotate, slow
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.page import Page, find_rows
from labml_txl.literate.sources.names import Module
from tests.literate.small import write


def test_a_file_that_takes_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(
        tmp_path, {"pkg/__init__.py": "", "pkg/a.py": "a = 1\n", "pkg/b.py": "b = 1\n"}
    )

    def slowly(page: Page, names: Module) -> Mapping[str, str]:
        time.sleep(0.5 if page.source.stem == "b" else 0)
        return find_rows(page, names)

    monkeypatch.setattr("labml_txl.literate.project.modules.find_rows", slowly)
    monkeypatch.setattr(slow, "SECONDS", 0.2)
    assert annotate.annotate(Project(tmp_path, modules=("pkg",))).content.modules
    told = capfd.readouterr().err.splitlines()
    assert told == ["pkg/b.py: this file has taken 0.2 seconds so far"]
