"""An edition is a function of the project and the language, and of nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from labml_txl.literate.build.build import Project
from labml_txl.literate.build.cache import Cache
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.modules.files import modules
from labml_txl.literate.equations.registry import Registry
from labml_txl.literate.i18n.languages import ENGLISH
from labml_txl.literate.recording.bindings import digest as code_digest
from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    written,
)
from labml_txl.literate.render.render import render_page
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import Source
from tests.literate.small import (
    COUNTER,
    COUNTER_FILE,
    FILES,
    HOME,
    REGISTRY,
    ROOT,
    write,
)
from tests.literate.tongues import CHINESE, COUNTER_JA, JAPANESE, Fuzzy, po

PYPROJECT = """\
[project]
name = "counting"

[project.optional-dependencies]
all = ["one", "two", "three", "four", "five"]
"""
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    '<text x="1" y="8">one</text></svg>'
)
CITED = COUNTER.replace(
    "One more than before", "[One more][cnt.next] than before, as `STEP.__len__` says"
).replace("Keeps the count", "![A count](count.svg)\n\n    Keeps the count")
STEPS = '''\
"""# Steps"""


class STEP:
    """One step."""

    size = 1

    def __len__(self):
        return 1
'''
COUNTER_PO = "docs/locale/ja/counting/counter.po"
SITE_PO = "docs/locale/ja/site.po"
INVENTORY = (
    "# Sphinx inventory version 2\n# Project: other\n# Version: 1\n# Plain text.\n"
    "{} py:module 1 {}.html -\n"
)
# What nobody has looked at is shown in English, with a link to its line.
TRANSLATED = {**COUNTER_JA, "Keeps the count $n_t$.": Fuzzy("数 $n_t$ です。")}
COUNTED = CITED.replace("from .steps", "import other\n\nfrom .steps")


def record(size: int, most: float = 1.0, digest_of: str = COUNTED) -> str:
    """What a run showed in the counter."""
    axes, key = (Axis("n", size),), "Counter.count"
    told = (key, "number", 0, "", "float32", axes, 0.0, most, 0.0, 0.0)
    one = Slice((), 0.0, most / 252, bytes(size))
    values = (
        Value(*told, columns=0, slices=(one,)),
        Value(key, "return", 0, "", "float32", axes, 0.0, 1.0, 0.0, 0.0),
    )
    run = Run("a count", "nothing", 1, 2, "txl observe")
    return written(Record(COUNTER_FILE, code_digest(digest_of), run, values))


COUNTED_MD = "counting/counter.md"
RECORD = "docs/observations/counter.json"
PROJECT: Mapping[str, str | bytes] = {
    **FILES,
    COUNTER_FILE: COUNTED,
    RECORD: record(3),
    "src/counting/steps.py": STEPS,
    "papers/count.toml": REGISTRY,
    "pyproject.toml": PYPROJECT,
    "objects.txt": INVENTORY.format("other", "first"),
    "docs/counting/count.svg": DRAWING,
    "docs/locale/ja/language.toml": JAPANESE,
    COUNTER_PO: po("ja", TRANSLATED),
    SITE_PO: po("ja", {}),
}

KEYS = """\
from pathlib import Path
from labml_txl.literate.build.cache import Cache
from tests.literate.build.test_edition import edition
made = []
keep = Cache.keep
def kept(self, key, value, parts=()):
    made.append(key)
    keep(self, key, value, parts)
Cache.keep = kept
found = edition(Path("."))
found.pages(), found.files()
print(len(made), sorted(made))
"""


def edition(folder: Path, kept: Cache | None = None, **changed: Any) -> Edition:
    """The edition in Japanese, or in another language."""
    project = Project(
        folder.resolve(),
        modules=("src/counting",),
        equations=("papers",),
        prose=("index.md",),
        inventories=(("https://other.example/", "objects.txt"),),
        repository=Repository("https://code.example/a/b", "edit/main/docs/"),
        url="https://reader.example/",
    )
    first = Edition(replace(project, **changed), kept=kept or Cache())
    return first.into(first.languages[1])


def said(found: Edition) -> dict[str, str]:
    """All that an edition gives."""
    prose = {f"prose {path}": found.prose(path) or "" for path in found.project.prose}
    forms = {f"form {path}": str(text) for path, text in found.files().items()}
    return {
        **found.pages(),
        **prose,
        **forms,
        "faults": "\n".join(map(str, found.faults)),
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, PROJECT)
    return tmp_path


def test_pages_come_in_the_order_of_reading(folder: Path) -> None:
    paths = [f"counting/{name}.md" for name in ("index", "steps", "counter")]
    assert [*edition(folder).pages()] == [*paths, "equations.md", "translations.md"]


def test_prose_is_what_was_written_by_hand(folder: Path) -> None:
    found = edition(folder)
    assert "[`Counter`](counting/counter.md#Counter)" in (found.prose("index.md") or "")
    assert found.prose("counting/counter.md") is None


def test_what_a_run_showed_stands_in_every_form_of_a_page(folder: Path) -> None:
    found = edition(folder)
    way = "`number` [3] → `return` [3]"
    assert (
        '<span class="n" data-o="0" id="o0">number</span>' in found.pages()[COUNTED_MD]
    )
    for form in ("counting/counter.md", "counting/counter.ipynb"):
        assert way in str(found.files()[form]), form


def test_the_values_stand_in_the_english_site_alone(folder: Path) -> None:
    base = "assets/observed/counting/counter"
    found = edition(folder)
    assert not [path for path in found.files() if path.startswith("assets")]
    english = found.into(ENGLISH).files()
    assert english[f"{base}/0-0.bin"] == bytes(3)
    assert json.loads(english[f"{base}.json"])["values"][0]["axes"] == [["n", 3]]
    # A value that no page shows is changed: the file is, and the page is not.
    write(folder, {RECORD: record(3, most=2.0)})
    again = edition(folder).into(ENGLISH)
    assert json.loads(again.files()[f"{base}.json"])["values"][0]["told"][1] == 2.0


def test_a_record_of_other_code_or_of_none_shows_nothing(folder: Path) -> None:
    for text in (record(3, digest_of="x = 1"), "{"):
        write(folder, {RECORD: text})
        assert "data-o=" not in edition(folder).pages()[COUNTED_MD]
        files = edition(folder).into(ENGLISH).files()
        assert not [path for path in files if path.startswith("assets")]


def test_every_page_has_its_other_forms(folder: Path) -> None:
    files = set(edition(folder).files())
    assert {"index.md", "equations.md", "counting.md", "llms.txt"} <= files
    assert {"counting/counter.md", "counting/counter.ipynb"} <= files


# What is kept

CHANGES: Mapping[str, Mapping[str, str | bytes]] = {
    "a note": {COUNTER_FILE: CITED.replace("nothing more than", "no more than")},
    "a name in code": {COUNTER_FILE: CITED.replace("number", "amount")},
    "a definition elsewhere": {"src/counting/steps.py": STEPS.replace("STEP", "FEW")},
    "an address elsewhere": {
        "src/counting/steps.py": STEPS.replace("    def", "    # How many.\n    def")
    },
    "a name that is another's now": {
        "src/counting/steps.py": "from .more import STEP\n",
        "src/counting/more.py": "class STEP:\n    '''One.'''\n",
    },
    "the order of reading": {
        "src/counting/__init__.py": '"""# Counting\n\nRead `counter`, `steps`."""\n'
    },
    "a formula": {"papers/count.toml": REGISTRY.replace("n_t + 1'", "1 + n_t'")},
    "a test": {
        "tests/test_a.py": '@pytest.mark.equation("cnt.next")\ndef test_a(): pass\n'
    },
    "a figure": {"docs/counting/count.svg": DRAWING.replace("one", "two")},
    "a record": {RECORD: record(4)},
    "a record of other code": {RECORD: record(3, digest_of="x = 1")},
    "a record that is broken": {RECORD: record(3)[:-9]},
    "prose": {"docs/index.md": HOME.replace("We count", "You count")},
    "an inventory": {"objects.txt": INVENTORY.format("other", "second")},
    "what a notebook installs": {
        "pyproject.toml": PYPROJECT.replace("all =", "more =").replace("one", "other")
    },
    "a translation": {
        COUNTER_PO: po("ja", {**TRANSLATED, "The counter": "数えるもの"})
    },
    "a line of a translation": {COUNTER_PO: f"# A comment.\n{po('ja', TRANSLATED)}"},
    "no translation": {COUNTER_PO: po("ja", {})},
    "a label": {SITE_PO: po("ja", {"Permalink to {anchor}": "{anchor}へ"})},
    "another language": {
        "docs/locale/zh/language.toml": CHINESE,
        "docs/locale/zh/counting/counter.po": po("zh", {"The counter": "计数器"}),
    },
}
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "the address of the site": {"url": "https://reader.example/below/"},
    "no address": {"url": ""},
    "the repository": {"repository": Repository("https://code.example/c/d", "edit/x/")},
    "addresses with endings": {"directory_urls": False},
    "the navigation": {"titles": (("counting/counter.md", "Count"),)},
    "no inventory": {"inventories": ()},
    "no records": {"observations": "docs/nowhere"},
}


def same_as_new(
    folder: Path, tmp_path: Path, before: dict[str, str], **given: Any
) -> None:
    """What is made with what was kept is what is made without it, and has changed."""
    now = said(edition(folder, Cache(tmp_path / "kept" / "ja.pickle"), **given))
    assert now == said(edition(folder, **given))
    assert now != before


def build_once(folder: Path, tmp_path: Path) -> dict[str, str]:
    kept = Cache(tmp_path / "kept" / "ja.pickle")
    before = said(edition(folder, kept))
    kept.save()
    kept.begin()
    return before


@pytest.mark.parametrize("change", CHANGES.values(), ids=[*CHANGES])
def test_nothing_is_kept_of_what_has_changed(
    folder: Path, tmp_path: Path, change: Mapping[str, str | bytes]
) -> None:
    before = build_once(folder, tmp_path)
    write(folder, change)
    same_as_new(folder, tmp_path, before)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=[*SETTINGS])
def test_nothing_is_kept_under_other_settings(
    folder: Path, tmp_path: Path, settings: Mapping[str, object]
) -> None:
    before = build_once(folder, tmp_path)
    same_as_new(folder, tmp_path, before, **settings)


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the pages that were made Markdown."""
    found: list[str] = []

    def noted(page: Any, *given: Any) -> str:
        found.append(page.path)
        return render_page(page, *given)

    monkeypatch.setattr("labml_txl.literate.build.build.render_page", noted)
    return found


@pytest.mark.parametrize(
    "step", ["edition.modules.files.split", "translation.inventory._messages"]
)
def test_languages_split_a_module_once_and_read_its_messages_once(
    step: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    step = f"labml_txl.literate.{step}"
    make = resolve_name(step)

    def noted(*given: Any) -> Any:
        read.extend(one.path for one in given if isinstance(one, Source))
        return make(*given)

    monkeypatch.setattr(step, noted)
    japanese = edition(folder, Cache(tmp_path / "kept" / "ja.pickle"))
    english = replace(
        japanese.into(ENGLISH), kept=Cache(tmp_path / "kept" / "en.pickle")
    )
    assert english.inventory == japanese.inventory
    said(english), said(japanese)
    assert sorted(read) == sorted(page.source.path for page in english.annotated.pages)


@pytest.mark.parametrize(
    ("old", "new", "pages"),
    [
        ("", "", []),
        ("One more", "One step more", ["counter"]),
        ("number", "amount", ["counter"]),
        # An address that others may lead to.
        ("def count", "def tell", ["index", "steps", "counter"]),
    ],
    ids=["nothing", "a note", "a local name", "a definition"],
)
def test_a_page_is_made_again_for_its_own_text_and_for_addresses(
    folder: Path,
    tmp_path: Path,
    rendered: list[str],
    old: str,
    new: str,
    pages: list[str],
) -> None:
    build_once(folder, tmp_path)
    rendered.clear()
    write(folder, {COUNTER_FILE: str(PROJECT[COUNTER_FILE]).replace(old, new)})
    said(edition(folder, Cache(tmp_path / "kept" / "ja.pickle")))
    assert sorted(rendered) == sorted(f"counting/{page}.md" for page in pages)


def test_what_is_kept_is_found_again_by_another_process(folder: Path) -> None:
    def keys(seed: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", KEYS],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert int(keys("1").split()[0]) > 9
    assert keys("1") == keys("2")


def test_each_language_begins_elsewhere_and_reads_the_same(folder: Path) -> None:
    first, second = (
        modules(folder, ["src/counting"], Registry(), Cache(), turn)
        for turn in ("", "ja/")
    )
    assert first == second
