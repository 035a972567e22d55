"""The pages of a language depend on its project and its words, and on nothing else."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.i18n.languages import ENGLISH
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.cache import Cache
from labml_txl.literate.project.files import files_of
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
from labml_txl.literate.recording.bindings import hash_code as code_digest
from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    to_json,
)
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import LiterateError
from tests.literate.small import (
    COUNTER,
    COUNTER_FILE,
    FILES,
    HOME,
    REGISTRY,
    RUNNABLE,
    write,
)
from tests.literate.translations import CHINESE, COUNTER_JA, JAPANESE, Fuzzy, po

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
).replace(
    "Keeps the count",
    "![A count](count.svg)\n\n    ![It](figure:live)\n\n    Keeps the count",
)
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
    run = Run("a count", "nothing", 1, 2)
    return to_json(Record(COUNTER_FILE, code_digest(digest_of), run, values))


COUNTED_MD = "counting/counter.md"
RECORD = "docs/observations/counter.json"
PROJECT: Mapping[str, str | bytes] = {
    **FILES,
    COUNTER_FILE: COUNTED,
    RECORD: record(3),
    "src/counting/steps.py": STEPS,
    **RUNNABLE,
    "papers/count.toml": REGISTRY,
    "pyproject.toml": PYPROJECT,
    "objects.txt": INVENTORY.format("other", "first"),
    "docs/counting/count.svg": DRAWING,
    "figures/live.svg": DRAWING,
    "figures/live.js": "",
    "docs/locale/ja/language.toml": JAPANESE,
    COUNTER_PO: po("ja", TRANSLATED),
    SITE_PO: po("ja", {}),
}


def japanese(
    folder: Path, cache: Cache | None = None, **changed: Any
) -> LocalizedProject:
    """The project in Japanese."""
    project = Project(
        folder.resolve(),
        modules=("src/counting",),
        equations=("papers",),
        figures=("figures",),
        prose=("index.md",),
        inventories=(("https://other.example/", "objects.txt"),),
        repository=Repository("https://code.example/a/b", "edit/main/docs/"),
        url="https://reader.example/",
    )
    english = annotate(replace(project, **changed), cache=cache)
    return english.select_language(english.languages[1])


def everything(found: LocalizedProject) -> dict[str, str]:
    """All that is made of a project in a language."""
    paths = (*found.paths, *found.project.prose)
    pages = {f"page {path}": found.entry(path).markdown for path in paths}
    others = {f"file {path}": str(content) for path, content in files_of(found)}
    return {**pages, **others, "faults": "\n".join(map(str, found.faults))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, PROJECT)
    return tmp_path


def test_recorded_output_is_in_every_export_of_a_page(folder: Path) -> None:
    found, base = japanese(folder), "assets/observed/counting/counter"
    html = found.entry(COUNTED_MD).markdown
    assert '<span class="n" data-o="0" id="o0">number</span>' in html
    files = dict(files_of(found))
    for form in ("counting/counter.md", "counting/counter.ipynb"):
        assert "`number` [3] · `return` [3]" in str(files[form]), form
    # The values stand in the English site alone.
    assert not [path for path in files if path.startswith("assets/observed")]
    english = dict(files_of(found.select_language(ENGLISH)))
    assert english[f"{base}/0.bin"] == bytes(3)
    assert json.loads(english[f"{base}.json"])["values"][0]["axes"] == [["n", 3]]
    # A value that no page shows is changed: the file is, and the page is not.
    write(folder, {RECORD: record(3, most=2.0)})
    again = dict(files_of(japanese(folder).select_language(ENGLISH)))
    assert json.loads(again[f"{base}.json"])["values"][0]["statistics"][1] == 2.0
    # A record of other code or of none shows nothing.
    for text in (record(3, digest_of="x = 1"), "{"):
        write(folder, {RECORD: text})
        assert "data-o=" not in japanese(folder).entry(COUNTED_MD).markdown
        files = dict(files_of(japanese(folder).select_language(ENGLISH)))
        assert not [path for path in files if path.startswith("assets/observed")]


# The cache


def test_a_build_without_a_change_renders_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache()
    first = everything(japanese(folder, cache))
    made = list[type[Any]]()
    find = cache.get_or_make

    def watch(key: str, kind: type[Any], make: Callable[[], Any]) -> Any:
        def made_anew() -> Any:
            made.append(kind)
            return make()

        return find(key, kind, made_anew)

    monkeypatch.setattr(cache, "get_or_make", watch)
    assert everything(japanese(folder, cache)) == first
    assert made == []
    everything(japanese(folder, cache).select_language(ENGLISH))
    assert len(made) == len(japanese(folder).site_pages)


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
        "pyproject.toml": f'{PYPROJECT}[tool.txl.notebooks]\nextras = ["all"]\n'
    },
    "a translation": {
        COUNTER_PO: po("ja", {**TRANSLATED, "The counter": "数えるもの"})
    },
    "a line of a translation": {COUNTER_PO: f"# A comment.\n{po('ja', TRANSLATED)}"},
    "no translation": {COUNTER_PO: po("ja", {})},
    "a label": {SITE_PO: po("ja", {"Permalink to {anchor}": "{anchor}へ"})},
    "a label in a figure": {"docs/locale/ja/figures/live.po": po("ja", {"one": "一"})},
    "another language": {
        "docs/locale/zh/language.toml": CHINESE,
        "docs/locale/zh/counting/counter.po": po("zh", {"The counter": "计数器"}),
    },
}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "the address of the site": {"url": "https://reader.example/below/"},
    "no address": {"url": ""},
    "the repository": {"repository": Repository("https://code.example/c/d", "edit/x/")},
    "addresses with endings": {"directory_urls": False},
    "the navigation": {"titles": (("counting/counter.md", "Count"),)},
    "no inventory": {"inventories": ()},
    "a page for translators": {"translators": "index.md"},
    "no records": {"observations": "docs/nowhere"},
}


def cached(folder: Path) -> Cache:
    return Cache(folder / "kept" / "cache.sqlite")


def test_pages_from_the_cache_equal_those_made_without_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    offenders = []
    for name, change in [*CHANGES.items(), *SETTINGS.items()]:
        copy = tmp_path_factory.mktemp("copy")
        write(copy, PROJECT, {"kept/.keep": ""})
        first = japanese(copy, cached(copy))
        before = everything(first)
        first.content.cache.save()
        files = {k: v for k, v in change.items() if isinstance(v, str | bytes)}
        given = change if name in SETTINGS else {}
        if name in CHANGES:
            write(copy, files)
        now = everything(japanese(copy, cached(copy), **given))
        new = everything(japanese(copy, **given))
        offenders += [f"{name}: {k}" for k in new if now.get(k) != new[k]]
        offenders += [f"{name}: nothing has changed"] if now == before else []
    assert offenders == []


# The files beside the pages


def test_a_language_has_no_folder_of_the_english_site(folder: Path) -> None:
    for name in ("docs/api/a.md", "docs/api/a.png"):
        copy = folder / name.rpartition(".")[2]
        write(copy, PROJECT, {name: "# A page\n"})
        japanese(copy).paths  # noqa: B018 (a page alone is allowed)
        write(copy, {"docs/locale/api/language.toml": 'name = "Api"\n'})
        with pytest.raises(LiterateError, match=r"api/language\.toml:1: .*rename one"):
            japanese(copy).paths  # noqa: B018


def test_a_module_that_cannot_be_read_has_no_notebook(folder: Path) -> None:
    notebook_url = japanese(folder).links(COUNTED_MD)["notebook_url"]
    assert notebook_url == "counting/counter.ipynb"
    write(folder, {COUNTER_FILE: "def count(:\n"})
    found = japanese(folder)
    assert found.links(COUNTED_MD) == {"markdown_url": "counting/counter.md"}
    assert "counting/counter.ipynb" not in dict(files_of(found))


def test_a_fault_in_the_labels_of_the_site_and_of_figures_is_reported(
    folder: Path,
) -> None:
    drawing = {"figures/a.svg": DRAWING, "figures/a.js": ""}
    faulty = {
        SITE_PO: po("ja", {"Permalink to {anchor}": "<b>{anchor}</b>"}),
        "docs/locale/ja/figures/a.po": po("ja", {"one": "<b>一</b>"}),
    }
    write(folder, drawing, faulty)
    told = {fault.path for fault in japanese(folder).faults}
    assert told == set(faulty)
