"""One thread, a fixed seed, a cache of its own, and a server on this machine."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)

Serve = Callable[..., str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    torch.manual_seed(1)
    folder = tmp_path / "cache"
    monkeypatch.setenv("TXL_CACHE", str(folder))
    return folder


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A function that serves some bytes and gives the address at which they are."""
    pages: dict[str, tuple[bytes, int]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in pages:
                self.send_error(404)
                return
            content, promised = pages[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(promised))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def give(content: bytes, promised: int | None = None, name: str = "/file") -> str:
        pages[name] = (content, len(content) if promised is None else promised)
        return f"http://127.0.0.1:{server.server_port}{name}"

    yield give
    server.shutdown()
    server.server_close()
    thread.join()
