"""A language that fails while all others are well, and one that is new."""

from collections.abc import Mapping
from pathlib import Path

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
from tests.literate.tongues import CHINESE, COUNTER_JA, JAPANESE, po

COUNTER_PO = "docs/locale/ja/counting/counter.po"
# Each language is a build of its own, which runs the hooks of the project as well. This
# one fails in Japanese alone, as long as a file says so.
HOOK = """\
from pathlib import Path

from mkdocs.exceptions import PluginError


def on_pre_build(config):
    order = Path(config.config_file_path).with_name("order")
    if config.theme["language"] == "ja" and order.exists():
        order.unlink()
        raise PluginError("hook.py: no Japanese today")
"""
PROJECT: Mapping[str, str | bytes] = {
    **FILES,
    "mkdocs.yml": f"{CONFIG}hooks: [hook.py]\n",
    "hook.py": HOOK,
    "docs/locale/ja/language.toml": JAPANESE,
    COUNTER_PO: po("ja", COUNTER_JA),
}


def test_one_language_that_fails_stops_the_build_and_leaves_the_old_site(
    tmp_path: Path,
) -> None:
    write(tmp_path, PROJECT)
    assert build(tmp_path, "--strict").returncode == 0
    before = contents(tmp_path / "site")
    write(tmp_path, {"order": "fail", COUNTER_FILE: f"{COUNTER}\n# New.\n"})
    done = build(tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = "hook.py: no Japanese today"
    assert [line for line in done.stderr.splitlines() if said in line]
    assert contents(tmp_path / "site") == before
    assert not tmp_path.joinpath("site.partial").exists()


def test_while_somebody_writes_languages_fail_are_mended_and_are_new(
    tmp_path: Path,
) -> None:
    write(tmp_path, PROJECT, {"order": "fail"})
    with serving(tmp_path) as site:
        address = f"{site}ja/counting/counter/"
        assert wait(lambda: "One more than before" in read(f"{site}counting/counter/"))
        # Whoever looks first finds nothing.
        assert read(address) == ""
        assert not tmp_path.joinpath("order").exists()
        entries = {**COUNTER_JA, "Keeps the count $n_t$.": "数 $n_t$ を覚えます。"}
        write(tmp_path, {COUNTER_PO: po("ja", entries)})
        assert wait(lambda: "を覚えます。" in read(address))
        # A language that is added is in the menu, and its pages are there.
        new = {"docs/locale/zh/language.toml": CHINESE}
        counter = po("zh", {"The counter": "计数器"})
        write(tmp_path, {"docs/locale/zh/counting/counter.po": counter}, new)
        assert wait(lambda: "中文" in read(address))
        assert "计数器" in read(f"{site}zh/counting/counter/")
