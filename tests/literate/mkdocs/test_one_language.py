"""A build of one language that fails while all the others are well."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.literate.mkdocs.test_plugin import read, serving, wait
from tests.literate.small import (
    CONFIG,
    COUNTER,
    COUNTER_FILE,
    FILES,
    build,
    contents,
    write,
)
from tests.literate.tongues import COUNTER_JA, JAPANESE, po

COUNTER_PO = "docs/locale/ja/counting/counter.po"
# Each language is a build of its own, which runs the hooks of the project as well. This
# one does something in Japanese alone, as long as a file says so.
HOOK = """\
import os
from pathlib import Path

from mkdocs.exceptions import PluginError


def on_pre_build(config):
    order = Path(config.config_file_path).with_name("order")
    if config.theme["language"] == "ja" and order.exists():
        if order.read_text() == "fail":
            raise PluginError("hook.py: no Japanese today")
        order.unlink()
        os._exit(3)
"""
PROJECT: Mapping[str, str | bytes] = {
    **FILES,
    "mkdocs.yml": f"{CONFIG}hooks: [hook.py]\n",
    "hook.py": HOOK,
    "docs/locale/ja/language.toml": JAPANESE,
    COUNTER_PO: po("ja", COUNTER_JA),
}


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, whose site was built when all was well."""
    folder = tmp_path_factory.mktemp("standing")
    write(folder, PROJECT)
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize(
    ("order", "said"),
    [("fail", "hook.py: no Japanese today"), ("die", "ended with the exit status 3")],
)
@pytest.mark.parametrize("options", [(), ("--strict",)], ids=["loose", "strict"])
def test_one_language_that_fails_stops_every_build_and_leaves_the_old_site(
    standing: Path, tmp_path: Path, order: str, said: str, options: tuple[str, ...]
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
    before = contents(folder / "site")
    write(folder, {"order": order, COUNTER_FILE: f"{COUNTER}\n# New.\n"})
    done = build(folder, *options)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if said in line]
    assert contents(folder / "site") == before
    assert not folder.joinpath("site.partial").exists()


def test_a_language_whose_process_died_is_built_after_the_next_save(
    tmp_path: Path,
) -> None:
    write(tmp_path, PROJECT, {"order": "die"})
    with serving(tmp_path) as site:
        address = f"{site}ja/counting/counter/"
        assert wait(lambda: "One more than before" in read(f"{site}counting/counter/"))
        # Whoever looks first finds nothing: the process ends.
        assert read(address) == ""
        assert not tmp_path.joinpath("order").exists()
        entries = {**COUNTER_JA, "Keeps the count $n_t$.": "数 $n_t$ を覚えます。"}
        write(tmp_path, {COUNTER_PO: po("ja", entries)})
        assert wait(lambda: "を覚えます。" in read(address))
