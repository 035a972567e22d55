import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from labml_txl.training.runs.lock import FILE, held
from labml_txl.training.text.files import TrainingError

ROOT = Path(__file__).parents[3]

# Holds a folder until it is killed.
HOLD = """\
import pathlib, sys, time
from labml_txl.training.runs.lock import held
with held(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_process_is_refused_in_one_line_that_names_the_first(
    tmp_path: Path,
) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(TrainingError) as caught, held(tmp_path):
            pass
        line = str(caught.value)
        assert line.startswith(f"{tmp_path} is held by process {first.pid} on ")
        assert "--out names another folder" in line
        assert "\n" not in line
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        assert first.stdout is not None
        first.stdout.close()
    # What the dead process left is no obstacle.
    assert (tmp_path / FILE).read_text()
    with held(tmp_path):
        pass


def test_git_leaves_out_a_folder_that_was_made_for_a_run(tmp_path: Path) -> None:
    with held(tmp_path / "runs" / "xl"), held(tmp_path):
        pass
    assert (tmp_path / "runs" / "xl" / ".gitignore").read_text() == "*\n"
    # A folder that was there may hold other things.
    assert not (tmp_path / ".gitignore").exists()


@pytest.mark.parametrize(
    "content", ["{", "[1]", "{}", "\0", "[" * 10**5, "9" * 5000, "\udcff"]
)
def test_a_file_that_names_nobody_is_no_obstacle(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_bytes(content.encode(errors="surrogateescape"))
    with held(tmp_path):
        pass
