import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from labml_txl.training.runs.lock import FILE, lock_folder
from labml_txl.training.text import files
from labml_txl.training.text.files import TrainingError, fetch, replace_file
from tests.site.served import Handler, served
from tests.training.conftest import Serve


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    code = (
        "import os, pathlib, signal, sys\n"
        "from labml_txl.training.text.files import replace_file\n"
        "with replace_file(pathlib.Path(sys.argv[1])) as file:\n"
        "    file.write(b'new')\n"
        "    file.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    # What it left is removed by the next one that holds the folder.
    assert len([*tmp_path.iterdir()]) == 2
    with lock_folder(tmp_path):
        assert {file.name for file in tmp_path.iterdir()} == {"file", FILE}


# Holds a folder until it is killed.
HOLD = """\
import pathlib, sys, time
from labml_txl.training.runs.lock import lock_folder
with lock_folder(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_process_is_refused_until_the_first_is_dead(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "xl"
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        try:
            assert first.stdout is not None
            assert first.stdout.readline() == "held\n"
            with (
                pytest.raises(TrainingError, match="in use by another process"),
                lock_folder(folder),
            ):
                pass
        finally:
            first.kill()
    with lock_folder(folder), lock_folder(tmp_path):
        # Git leaves out what was made for a run, and not what was there.
        ignored = [path.parent for path in tmp_path.rglob(".gitignore")]
        assert ignored == [folder]


def test_an_interrupted_write_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), replace_file(tmp_path / "file"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_the_error_for_a_full_disk_names_the_file(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="file") as failed, replace_file(path) as file:
        file.write(b"new")
    assert failed.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_long_work_reports_its_progress(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds, lines = (0.7 * n for n in range(99)), list[str]()
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))
    parts = [b"ab", b"c", b"defg", b"hij"] * 3
    assert [*files.report_progress(parts, 30, "read", lines.append, len)] == parts
    assert lines == ["read: 23.3%", "read: 43.3%", "read: 73.3%", "read: 100.0%"]
    # Of ten minutes, a few lines are enough.
    seconds, lines[:] = (1.0 * n for n in range(999)), []
    assert len([*files.report_progress([b"a"] * 600, 600, "read", lines.append)]) == 600
    assert 30 < len(lines) < 60


class Broken(Handler):
    """A server that breaks off after half of what it promises."""

    def send_header(self, name: str, value: str) -> None:
        promised = f"{2 * int(value)}" if name == "Content-Length" else value
        super().send_header(name, promised)
        self.close_connection = True


def test_downloads_are_complete_or_refused(tmp_path: Path, serve: Serve) -> None:
    lines: list[str] = []
    content = os.urandom(3_000_000)
    fetch(serve(content), tmp_path / "file", lines.append)
    assert (tmp_path / "file").read_bytes() == content
    assert lines[-1] == "file: 100% of 3,000,000 B"
    half = r"ended after 3000000 of 6000000 bytes"
    with served(tmp_path, Broken) as address, pytest.raises(OSError, match=half):
        fetch(f"{address}file", tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_errors_of_a_server_are_reported(tmp_path: Path, serve: Serve) -> None:
    missing = serve(b"").replace("/file", "/other")
    with pytest.raises(OSError, match=r"/other answered 404 Not Found$"):
        fetch(missing, tmp_path / "file")
    with pytest.raises(OSError, match=r"^http://127\.0\.0\.1:9/x cannot be reached"):
        fetch("http://127.0.0.1:9/x", tmp_path / "file")
