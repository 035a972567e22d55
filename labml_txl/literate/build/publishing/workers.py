r"""# Building several languages at once

The site is built once in each language, always from the current source. Each of these
builds runs in a process of its own, so that all cores of the machine work. A process
lives on and keeps what it knows: while somebody writes, the next build is quick.

Nothing here knows what is built. A request is a line of JSON, and so is its answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came of a build: the messages with their levels, and why it failed.

    A build that is not `whole` has written only the files that have changed.
    """

    messages: tuple[tuple[int, str], ...] = ()
    error: str = ""
    whole: bool = True


class Worker:
    """A process that answers one request after the other.

    `code` is the Python that it runs: it has to call `serve`.
    """

    def __init__(self, code: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )

    @property
    def alive(self) -> bool:
        """Whether the process can take another request."""
        return self._process.poll() is None

    def ask(self, request: Request) -> Answer:
        """Send a request and wait for the answer."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            return Answer(error="the process has no pipes")
        try:
            print(json.dumps(request), file=process.stdin, flush=True)
            line = process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            status = process.wait()
            return Answer(error=f"the build ended with the exit status {status}")
        said = json.loads(line)
        messages = tuple((level, text) for level, text in said["messages"])
        return Answer(messages, said["error"], said["whole"])

    def end(self) -> None:
        """End the process at once, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


@dataclass
class Workers:
    """A process for each name that is asked for, kept from build to build."""

    code: str
    _kept: dict[str, Worker] = field(default_factory=dict)
    _pool: ThreadPoolExecutor | None = None

    def ask(self, name: str, request: Request) -> Future[Answer]:
        """Send a request to the process of that name; its answer comes later.

        No more of them are at work than the machine has cores.
        """
        if self._pool is None:
            self._pool = ThreadPoolExecutor(os.cpu_count() or 1)
        return self._pool.submit(self._ask, name, request)

    def _ask(self, name: str, request: Request) -> Answer:
        if name not in self._kept:
            self._kept[name] = Worker(self.code)
        worker = self._kept[name]
        answer = worker.ask(request)
        if not worker.alive:
            # It is started anew with the next request.
            self._kept.pop(name, None)
        return answer

    def end(self) -> None:
        """End all processes, whatever they are doing."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        self._end_all()
        if pool is not None:
            pool.shutdown(wait=True)
        self._end_all()

    def _end_all(self) -> None:
        while self._kept:
            _, worker = self._kept.popitem()
            worker.end()


def serve(answer: Callable[[Request], Answer]) -> None:
    """Answer requests until there are no more: what a worker runs.

    Whatever else the process prints goes to the other stream, so that it is never
    taken for an answer.
    """
    answers = _own_stdout()
    for line in sys.stdin:
        given = answer(json.loads(line))
        print(json.dumps(asdict(given)), file=answers, flush=True)


def _own_stdout() -> TextIO:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers
