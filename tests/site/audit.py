"""Measure pages with Lighthouse: `make audit`.

`python -m tests.site.audit PAGE …` measures these pages, else those below. Builds the
site, serves it on this machine as a host of static pages would, compressed and cached
for ten minutes, and prints a table. The exit status is 1 if a page misses a limit. It
is no test, since a score depends on how busy the machine is: a page that misses is
measured again, at most three times, and its best score of each kind counts.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from operator import attrgetter
from pathlib import Path
from typing import Any

import lxml.html

from labml_txl.literate.equations.node import NodeError, node, package
from tests.site.browser import FLAGS, NoBrowserError, require

PAGES = (
    "",
    "models/relative_attention/",
    "models/transformer_xl/",
    "ja/papers/transformer_xl/",
    "zh/models/relative_attention/",
    "notebooks/relative_shift/",
    "live/",
    "equations/",
    "measured/",
)
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
DESKTOP_LIMIT = 100
PHONE_LIMIT = 95
# Of the page on relative attention, the heaviest: formulas in HTML and MathML included.
HEAVIEST = "models/relative_attention/"
# Bytes of compressed HTML: 14,500 for notes, code and the marks of observed names,
# 2,300 for the picture of the four terms, 1,700 for the exercises.
SIZE_LIMIT = 19_000
NODE_LIMIT = 4_500
ATTEMPTS = 3

TEXT = {".html", ".css", ".js", ".json", ".svg", ".xml"}


@dataclass(frozen=True)
class Score:
    """What Lighthouse gives a page in one category, and the audits that cost points."""

    value: int = 0
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What was measured of a page: scores from 0 to 100, bytes and elements."""

    page: str
    desktop: tuple[Score, ...]
    phone: Score
    size: int
    nodes: int

    @property
    def misses(self) -> list[str]:
        """The limits that the page does not keep, as words."""
        found = [
            f"{name} {score.value} < {DESKTOP_LIMIT}: {', '.join(score.lost)}"
            for name, score in zip(CATEGORIES, self.desktop, strict=True)
            if score.value < DESKTOP_LIMIT
        ]
        if self.phone.value < PHONE_LIMIT:
            lost = ", ".join(self.phone.lost)
            found.append(
                f"performance on a phone {self.phone.value} < {PHONE_LIMIT}: {lost}"
            )
        if self.page == HEAVIEST and self.size > SIZE_LIMIT:
            found.append(f"{self.size:,} bytes of HTML > {SIZE_LIMIT:,}")
        if self.page == HEAVIEST and self.nodes > NODE_LIMIT:
            found.append(f"{self.nodes:,} elements > {NODE_LIMIT:,}")
        return found


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


def lighthouse(address: str, *options: str) -> dict[str, Score]:
    """The scores that Lighthouse gives a page, by category."""
    program = package("lighthouse") / "cli" / "index.js"
    flags = " ".join(["--headless=new", *FLAGS])
    done = subprocess.run(
        [
            *(node(), str(program), address, "--quiet", "--output=json"),
            *(f"--chrome-flags={flags}", *options),
        ],
        env={**os.environ, "CHROME_PATH": str(require())},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NodeError(f"Lighthouse failed at {address}: {done.stderr.strip()[-300:]}")
    report = json.loads(done.stdout)
    return {
        name: Score(round(100 * (category["score"] or 0)), _lost(category, report))
        for name, category in report["categories"].items()
    }


def _lost(category: dict[str, Any], report: dict[str, Any]) -> tuple[str, ...]:
    names = [audit["id"] for audit in category["auditRefs"] if audit["weight"]]
    scores = ((name, report["audits"][name]["score"]) for name in names)
    return tuple(name for name, score in scores if score is not None and score < 0.9)


def elements(html: str) -> int:
    """How many elements a page holds."""
    return sum(1 for _ in lxml.html.document_fromstring(html).iter("*"))


def measure(page: str, address: str, folder: Path) -> Measured:
    """Measure a page until it keeps every limit, at most `ATTEMPTS` times."""
    file = folder / page / "index.html"
    size, nodes = len(compressed(file)), elements(file.read_text(encoding="utf-8"))
    best = Measured(page, (Score(),) * len(CATEGORIES), Score(), size, nodes)
    for _ in range(ATTEMPTS):
        only = f"--only-categories={','.join(CATEGORIES)}"
        desktop = lighthouse(address + page, "--preset=desktop", only)
        phone = lighthouse(address + page, "--only-categories=performance")
        pairs = zip(best.desktop, (desktop[name] for name in CATEGORIES), strict=True)
        value = attrgetter("value")
        best = Measured(
            page,
            tuple(max(pair, key=value) for pair in pairs),
            max(best.phone, phone["performance"], key=value),
            size,
            nodes,
        )
        if not best.misses:
            break
    return best


def main(pages: Sequence[str]) -> int:
    """Print the table of the pages, then what they miss."""
    with tempfile.TemporaryDirectory() as parent, served(Path(parent)) as address:
        subprocess.run(
            [
                *(sys.executable, "-P", "-m", "mkdocs", "--quiet", "build"),
                *("--strict", "--site-dir", parent),
            ],
            env={**os.environ, "SITE_URL": address, "NO_MKDOCS_2_WARNING": "1"},
            check=True,
        )
        print(f"{'page':28} {'desktop':>17} {'phone':>6} {'HTML':>9} {'elements':>9}")
        measured = []
        for page in pages or PAGES:
            one = measure(page, address, Path(parent))
            measured.append(one)
            desktop = "/".join(str(score.value) for score in one.desktop)
            print(
                f"{page or '(home)':28} {desktop:>17} {one.phone.value:>6} "
                f"{one.size / 1000:>6.1f} kB {one.nodes:>9,}",
                flush=True,
            )
    for one in measured:
        for miss in one.misses:
            print(f"{one.page or '(home)'}: {miss}", file=sys.stderr)
    return int(any(one.misses for one in measured))


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (NodeError, NoBrowserError) as error:
        sys.exit(f"error: {error}")
    except subprocess.CalledProcessError:
        sys.exit("error: the site could not be built; its message stands above")
