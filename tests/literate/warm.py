"""Programs in processes of their own that begin where the imports are done.

`mkdocs build` of a small project takes a second, most of which goes into importing.
A server imports once, and makes a copy of itself for each program: nothing that one
program does to its modules, its folder or its environment is seen by the next.
"""

import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

IMPORTED = (
    *("labml_txl.cli", "labml_txl.literate.mkdocs.plugin", "mkdocs.commands.build"),
    *("material.plugins.search.plugin", "markdown.extensions.tables"),
    *("backrefs.bre", "platformdirs", "pygments.formatters", "pygments.lexers"),
)


def serve() -> None:
    """Run what each line of the input asks for, and answer with how it ended."""
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        module, words, folder, said = json.loads(line)
        if process := os.fork():
            status = os.waitpid(process, 0)[1]
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        for number, stream in enumerate([os.devnull, *said]):
            os.dup2(os.open(stream, os.O_RDWR), number)
        os.chdir(folder)
        sys.argv = [module, *words]
        # As a program of its own has it, which a server does not.
        del sys.modules["tests.literate.warm"]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        break


@cache
def _server(environment: tuple[tuple[str, str], ...]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", "from tests.literate.warm import serve; serve()"],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )


def run(
    module: str, words: tuple[str, ...], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """What `python -P -m module words` does in a folder."""
    server = _server(tuple(sorted(environment.items())))
    assert server.stdin
    assert server.stdout
    with tempfile.TemporaryDirectory() as place:
        said = [Path(place, name) for name in ("out", "err")]
        for file in said:
            file.touch()
        asked = [module, words, str(folder), [*map(str, said)]]
        print(json.dumps(asked), file=server.stdin)
        status = int(server.stdout.readline())
        out, err = (file.read_text("utf-8") for file in said)
    return subprocess.CompletedProcess([module, *words], status, out, err)
