"""A server for a folder, as a host of static pages is one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Handler(SimpleHTTPRequestHandler):
    """Static files, kept by the browser for ten minutes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the file, with a folder's index, or with the page for 404."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        found = path.is_file()
        path = path if found else Path(self.directory, "404.html")
        body = path.read_bytes()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


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
