"""A server for a folder, as a host of static pages is one."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TEXT = {".html", ".css", ".js", ".json", ".svg", ".xml"}


class Handler(SimpleHTTPRequestHandler):
    """Static files, text compressed, kept by the browser for ten minutes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the file, with a folder's index, or with the page for 404."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        status = 200 if path.is_file() else 404
        if status == 404:
            path = Path(self.directory, "404.html")
        headers = {"Content-Type": self.guess_type(path)}
        if path.suffix in TEXT:
            headers["Content-Type"] += "; charset=utf-8"
            headers["Content-Encoding"] = "gzip"
            body = compressed(path)
        else:
            body = path.read_bytes()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@cache
def compressed(path: Path) -> bytes:
    """The file as a server sends it."""
    return gzip.compress(path.read_bytes(), compresslevel=6)


@contextmanager
def served(folder: Path, handler: type[Handler] = Handler) -> Iterator[str]:
    """Serve a folder; the value is the address."""
    answer = partial(handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
