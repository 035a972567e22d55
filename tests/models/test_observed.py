"""What the pages of the models show is what runs show today."""

from pathlib import Path

import pytest

from labml_txl.cli import main

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "observations"


def test_a_new_run_shows_what_is_recorded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    status = main(["observe", "--check"])
    assert (status, capsys.readouterr().err) == (0, "")


def test_committed_records_are_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.glob("*.json")) <= 3_000_000
    for file in FOLDER.glob("models/*.safetensors"):
        assert file.stat().st_size <= 1_500_000
