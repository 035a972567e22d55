"""When the languages are built while somebody writes."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from labml_txl.literate.mkdocs.preview import Preview
from tests.literate.small import write


def test_a_language_is_built_when_one_of_its_files_is_saved(tmp_path: Path) -> None:
    languages = [SimpleNamespace(code=code) for code in ("en", "ja", "zh")]
    project = SimpleNamespace(locale="locale")
    edition: Any = SimpleNamespace(languages=languages, root=tmp_path, project=project)
    built: list[str] = []
    site: Any = SimpleNamespace(
        freshen=lambda edition, code, folder: built.append(code)
    )
    write(tmp_path, {"docs/index.md": "", "locale/ja/a.po": "", "locale/zh/a.po": ""})
    preview = Preview(
        edition=lambda: edition,
        site=site,
        english=lambda *arguments: built.append("en"),
        serve=lambda environ, start_response: [],
        mount="/",
        folder=tmp_path / "site",
        watched=[tmp_path / "docs"],
    )
    os.utime(tmp_path / "locale/ja/a.po", (1, 1))
    preview.build()
    assert built == ["ja"]
    os.utime(tmp_path / "docs/index.md", (1, 1))
    preview.build()
    assert built == ["ja", "en"]
