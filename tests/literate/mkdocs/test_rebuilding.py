"""A rebuild writes what a save has changed, and the site is that of a whole build."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.literate.small import (
    CONFIG,
    COUNTER,
    COUNTER_FILE,
    ENVIRONMENT,
    FILES,
    HOME,
    STEPS,
    contents,
    write,
)
from tests.literate.tongues import COUNTER_JA, HOME_JA, JAPANESE, SITE_JA, po

STEPS_FILE = "src/counting/steps.py"
DEAD = STEPS.replace("One step", "[Lost](nowhere.md). One step")
NOTED = COUNTER.replace("One more than before", "One more than there were")
TALLY = NOTED.replace("class Counter", "class Tally")
COUNTER_PO = "docs/locale/ja/counting/counter.po"
KEEPS = "Keeps the count $n_t$."
# What no page in Japanese may hold is found in it, and left out.
STRANGE = "数を保ちます。[あ](https://elsewhere.example/)"
PROJECT: Mapping[str, str | bytes] = {
    **FILES,
    "docs/locale/ja/language.toml": JAPANESE,
    "docs/locale/ja/site.po": po("ja", SITE_JA),
    "docs/locale/ja/index.po": po("ja", HOME_JA),
    COUNTER_PO: po("ja", COUNTER_JA),
}

# What is saved, one after the other.
SAVED: Mapping[str, Mapping[str, str]] = {
    "nothing": {},
    "a translation": {
        COUNTER_PO: po("ja", {**COUNTER_JA, KEEPS: "数 $n_t$ を覚えます。"})
    },
    "a strange one": {COUNTER_PO: po("ja", {**COUNTER_JA, KEEPS: STRANGE})},
    "its mending": {COUNTER_PO: po("ja", COUNTER_JA)},
    "a label": {"docs/locale/ja/site.po": po("ja", {**SITE_JA, "Counting": "勘定"})},
    "a note": {COUNTER_FILE: NOTED},
    "a formula": {COUNTER_FILE: NOTED.replace("$n_t$", "$m_t$")},
    "a title": {COUNTER_FILE: NOTED.replace("# The counter", "# The tally")},
    "a name": {COUNTER_FILE: TALLY},
    "a constant": {STEPS_FILE: STEPS.replace("= 1", "= 2")},
    "a page by hand": {"docs/index.md": f"{HOME}\nAnd then we stop.\n"},
    "another module": {"src/counting/more.py": '"""# More\n\nOf `Counter`."""\n'},
    "another page": {"docs/about.md": "# About\n\nSee `Counter`.\n"},
    "a link that is dead": {STEPS_FILE: DEAD},
    "a note beside it": {COUNTER_FILE: TALLY.replace("knows how", "sees how")},
    "the settings": {"mkdocs.yml": CONFIG.replace("Counting", "Counted")},
}

# Builds as `mkdocs serve` does, without its server.
SERVE = """
import json, logging, shutil, sys
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config

logging.basicConfig(format="%(message)s")
goal, whole, saved = Path(sys.argv[1]), sys.argv[2] == "whole", json.loads(sys.argv[3])
site = str(goal / "site")
load_config(site_dir=site).plugins.on_startup(command="serve", dirty=False)
for number, (name, files) in enumerate(saved.items()):
    print(f"# {name}", file=sys.stderr, flush=True)
    for path, text in files.items():
        Path(path).write_text(text, encoding="utf-8")
    config = load_config(site_dir=site)
    plugin = config.plugins["literate"]
    if whole:
        plugin.built = None
        plugin._site._placed.clear()
    config.site_url = address = "http://127.0.0.1:8000/"
    build(config, serve_url=address, dirty=number > 0)
    plugin._site.freshen(plugin.edition, "ja", Path(site))
    shutil.copytree(site, goal / name)
    files = (file for file in Path(site).rglob("*") if file.is_file())
    states = {str(f.relative_to(site)): f.stat().st_ino for f in files}
    goal.joinpath(f"{name}.json").write_text(json.dumps(states))
config.plugins.on_shutdown()
"""


class Served(NamedTuple):
    """The site after each save, and what was said."""

    folder: Path
    said: str

    def site(self, save: str) -> Mapping[str, bytes]:
        return contents(self.folder / save)

    def written(self, save: str) -> set[str]:
        """The files that are others than before."""
        before = [*SAVED][[*SAVED].index(save) - 1]
        old, new = (
            json.loads(self.folder.joinpath(f"{name}.json").read_text())
            for name in (before, save)
        )
        return {name for name, state in new.items() if old.get(name) != state}

    def faults(self, save: str) -> str:
        return self.said.partition(f"# {save}\n")[2].partition("\n# ")[0]


def served(folder: Path, way: str) -> Served:
    write(folder / "project", PROJECT)
    given: list[Any] = [str(folder), way, json.dumps(SAVED)]
    done = subprocess.run(
        [sys.executable, "-c", SERVE, *given],
        cwd=folder / "project",
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Served(folder, done.stderr)


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return served(tmp_path_factory.mktemp("rebuilt"), "changed")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return served(tmp_path_factory.mktemp("whole"), "whole")


@pytest.mark.parametrize("save", SAVED)
def test_a_rebuilt_site_is_that_of_a_whole_build(
    rebuilt: Served, whole: Served, save: str
) -> None:
    found, wanted = rebuilt.site(save), whole.site(save)
    assert found.keys() == wanted.keys()
    assert [name for name in wanted if found[name] != wanted[name]] == []


@pytest.mark.parametrize("save", ["a note", "a formula", "a constant"])
def test_pages_of_other_modules_stay_where_they_are(rebuilt: Served, save: str) -> None:
    changed = "steps" if save == "a constant" else "counter"
    (other,) = {"steps", "counter"} - {changed}
    names = {"/index.html", ".md", ".ipynb"}
    assert {f"counting/{changed}{name}" for name in names} <= rebuilt.written(save)
    assert not {f"counting/{other}{name}" for name in names} & rebuilt.written(save)


def test_a_saved_translation_leaves_the_other_pages_of_its_language(
    rebuilt: Served,
) -> None:
    written = rebuilt.written("a translation")
    names = {"/index.html", ".md", ".ipynb", ".sentences.json"}
    pages = {f"ja/counting/counter{name}" for name in names}
    assert pages <= written | {"ja/counting/counter.sentences.json"}
    assert not {f"ja/counting/steps{name}" for name in names} & written
    page = rebuilt.site("a translation")["ja/counting/counter/index.html"]
    assert "を覚えます。".encode() in page


def test_a_changed_title_is_seen_on_all_pages(rebuilt: Served) -> None:
    assert "counting/steps/index.html" in rebuilt.written("a title")
    page = rebuilt.site("a title")["counting/steps/index.html"]
    assert b"The tally" in page


def test_a_fault_is_told_again_while_others_are_mended(rebuilt: Served) -> None:
    said = "steps.py:3: the link nowhere.md leads to no page"
    assert said not in rebuilt.faults("another page")
    assert said in rebuilt.faults("a link that is dead")
    assert "counting/steps/index.html" not in rebuilt.written("a note beside it")
    assert said in rebuilt.faults("a note beside it")
