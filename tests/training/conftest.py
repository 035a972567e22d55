"""One thread, a fixed seed, a cache of its own, and a server on this machine."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from tests.site.served import served

torch.set_num_threads(1)

Serve = Callable[[bytes], str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    torch.manual_seed(1)
    folder = tmp_path / "cache"
    monkeypatch.setenv("TXL_CACHE", str(folder))
    return folder


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """A function that serves some bytes and gives the address at which they are."""
    folder = tmp_path_factory.mktemp("served")
    folder.joinpath("404.html").touch()
    with served(folder) as address:

        def give(content: bytes) -> str:
            folder.joinpath("file").write_bytes(content)
            return f"{address}file"

        yield give
