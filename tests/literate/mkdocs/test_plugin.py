"""`mkdocs build` and `mkdocs serve`, as the owner of another project runs them."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.literate.small import (
    CONFIG,
    COUNTER,
    COUNTER_FILE,
    ENVIRONMENT,
    FILES,
    REGISTRY,
    STEPS,
    WITH_REGISTRY,
    build,
    contents,
    must_build,
    write,
)
from tests.literate.translations import CHINESE, COUNTER_JA, JAPANESE, po

COUNTER_PO = "docs/locale/ja/counting/counter.po"


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The foreign project, built once. No file of ours is in it."""
    folder = tmp_path_factory.mktemp("foreign")
    cited = COUNTER.replace("One more than before", "[One more][cnt.next] than before")
    write(folder, FILES, {"papers/count.toml": REGISTRY, COUNTER_FILE: cited})
    write(folder, {"mkdocs.yml": WITH_REGISTRY})
    head = "---\nkeywords: [abacus, 1790]\n---\n"
    write(folder, {"docs/beads.md": f"{head}# Beads\n\nOne.\n\n## Two\n\nMore.\n"})
    head = "# ---\n# keywords: [stairs, 7]\n# ---\n"
    write(folder, {"src/counting/steps.py": f"{head}{STEPS}"})
    done = must_build(folder, "--strict")
    assert "WARNING" not in done.stderr
    return folder


def page(folder: Path, name: str) -> str:
    return (folder / "site" / name / "index.html").read_text(encoding="utf-8")


def test_the_search_index_holds_a_formula_at_most_once_as_tex(foreign: Path) -> None:
    index = (foreign / "site/search/search_index.json").read_text(encoding="utf-8")
    assert "<math" not in index
    assert "katex" not in index
    assert index.count("1 + 1 = 2") == 1


def test_keywords_of_the_front_matter_lead_to_the_page(foreign: Path) -> None:
    """Once, and not to each of its sections; a number is searched for like a word."""
    index = json.loads((foreign / "site/search/search_index.json").read_text("utf-8"))
    tags = {
        entry["location"]: entry.get("tags")
        for entry in index["docs"]
        if entry["location"].startswith("beads/")
    }
    assert tags == {"beads/": ["abacus", "1790"], "beads/#two": None}
    assert "abacus" not in page(foreign, "beads")


def test_keywords_in_the_header_of_a_module_lead_to_its_page(foreign: Path) -> None:
    index = json.loads((foreign / "site/search/search_index.json").read_text("utf-8"))
    tags = {
        entry["location"].rpartition("/")[2]: entry.get("tags")
        for entry in index["docs"]
        if entry["location"].startswith("counting/steps/")
    }
    assert tags.pop("") == ["stairs", "7"]
    assert {*tags.values()} <= {None}


def test_a_build_runs_no_code_of_the_project(tmp_path: Path) -> None:
    fatal = f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    brought = ("torch.py", "jinja2.py", "mkdocs/__init__.py", "sitecustomize.py")
    write(
        tmp_path, FILES, {COUNTER_FILE: COUNTER + fatal}, dict.fromkeys(brought, fatal)
    )
    write(tmp_path, {"src/counting/steps.py": "import torch\n" + STEPS})
    write(tmp_path, {"docs/locale/ja/language.toml": JAPANESE})
    command = [sys.executable, "-P", "-m", "mkdocs", "build"]
    subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, check=True)
    assert not (tmp_path / "ran").exists()


# What is wrong with a text stops the build

FAULTS: Mapping[str, Mapping[str, str | bytes]] = {
    "Doc file 'index.md' contains a link 'counting/counter.md#Countr'": {
        "docs/index.md": "# A\n\n[There](counting/counter.md#Countr).\n"
    },
    "papers/count.toml:21: not valid TOML": {"papers/count.toml": f"{REGISTRY}key\n"},
}


@pytest.mark.parametrize("told", FAULTS)
def test_a_fault_stops_the_build_and_leaves_the_old_site(
    foreign: Path, tmp_path: Path, told: str
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(foreign, folder)
    before = contents(folder / "site")
    write(folder, FAULTS[told])
    done = build(folder, "--strict")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "Traceback" not in said
    faults = re.findall(r"^(?:ERROR|WARNING) +- +(.*)", said, re.MULTILINE)
    assert [fault for fault in faults if fault.startswith(told)], said
    assert contents(folder / "site") == before
    assert not folder.joinpath("site.partial").exists()


def test_without_strict_all_faults_are_reported_in_each_build(
    foreign: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(foreign, folder)
    note = r"One [more](no.md) $\frac{$ than [before][cnt.nixt]"
    index = "# Counting\n\n## The $n^2$ of it\n\n[It][cnt.nxt]\n\n![A](step.png)\n"
    write(
        folder,
        {
            COUNTER_FILE: COUNTER.replace("One more than", note),
            "docs/index.md": index,
            "docs/counting/steps.md": "# Steps\n",
            "papers/count.toml": REGISTRY.replace("n_t + 1'", "n_t + \\nosuch'"),
            "src/counting/broken.py": "def f(:\n",
            "src/counting/latin.py": b"# \xe9\n",
            "src/counting/null.py": "a = 1\nb = '\0'\n",
            "src/counting/drawn.py": '"""![A step](step.svg)"""\n',
        },
    )
    starts = {
        "Doc file 'counting/counter.md' contains a link 'no.md'",
        "Doc file 'counting/drawn.md' contains a link 'step.svg'",
        "Doc file 'index.md' contains a link 'step.png'",
        "docs/index.md:5: unknown equation cnt.nxt",
        "papers/count.toml:18: KaTeX",
        "src/counting/broken.py:1: not valid Python",
        "src/counting/drawn.py:1: there is no figure step.svg",
        "src/counting/null.py:1: not valid Python",
        "src/counting/latin.py:1: byte 0xe9 is not UTF-8",
        "src/counting/steps.py:1: docs/counting/steps.md has the same address",
        f"{COUNTER_FILE}:14: KaTeX",
        f"{COUNTER_FILE}:14: unknown equation cnt.nixt",
    }
    for _ in range(2):
        done = must_build(folder)
        told = re.findall(r"^WARNING +- +(.*)", done.stderr, re.MULTILINE)
        assert {s for s in starts if not any(t.startswith(s) for t in told)} == set()
        assert {t for t in told if not t.startswith(tuple(starts))} == set()
    html = page(folder, "counting/counter")
    assert r'<code class="lit-fault">\frac{</code>' in html
    # What is no Python is shown as it stands.
    assert "def f(:" in re.sub(r"<[^>]+>", "", page(folder, "counting/broken"))
    # A formula in a heading is one in the contents too.
    (entry,) = re.findall(
        r'<a href="#the-n2-of-it" class="md-nav__link">.*?</a>',
        page(folder, ""),
        re.DOTALL,
    )
    assert "katex" in entry
    assert "\\(" not in entry


# A language that fails while all others are well, and what changes while one writes

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
TWO_LANGUAGES: Mapping[str, str | bytes] = {
    **FILES,
    "mkdocs.yml": f"{FILES['mkdocs.yml']!s}hooks: [hook.py]\n",
    "hook.py": HOOK,
    "docs/locale/ja/language.toml": JAPANESE,
    COUNTER_PO: po("ja", COUNTER_JA),
}


# Faults of the machine while a site is built: the code of a hook, and the message.
BROKEN: Mapping[str, tuple[str, str]] = {
    "KaTeX is killed": (
        "import os, signal; from labml_txl.literate.equations import math\n"
        "def on_pre_build(config):\n"
        "    math.find_node = lambda: os.path.abspath('killed')\n",
        "KaTeX's process ended with the status -9: build again",
    ),
    "Node is missing": (
        "from labml_txl.literate.equations import math\n"
        "def on_pre_build(config):\n"
        "    math.find_node = lambda: 'nowhere'\n",
        "Node cannot be started (No such file or directory): install it again",
    ),
    "a module is deleted": (
        "import os\n"
        "def on_page_markdown(markdown, **given):\n"
        "    if os.path.exists('src/counting/steps.py'):\n"
        "        os.remove('src/counting/steps.py')\n",
        "src/counting/steps.py:1: this file was deleted during the build",
    ),
    "a drawing is deleted": (
        "import os\ndef on_nav(nav, **given):\n    os.remove('docs/a.png')\n",
        "docs/a.png: No such file or directory",
    ),
    "the disk is full": (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "def on_env(env, **given):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))\n",
        "File too large",
    ),
    "a page links to itself": ("", "docs/self.md:1: a link to itself"),
    "a module links to itself": ("", "src/counting/self.py:1: a link to itself"),
    "a catalog is a folder": ("", "docs/locale/de/index.po:1: a folder, expected"),
    "a page is a pipe": ("", "docs/pipe.md:1: a pipe or a device"),
    "a picture is a pipe": ("", "docs/pipe.png:1: a pipe or a device"),
    "another folder has the name of the lock": ("", "site.lock is a folder or a link"),
}


CUTTING = """\
def on_page_markdown(markdown, page, config, files):
    return markdown.partition('id="Counter"')[0]
"""


def test_rows_that_are_not_on_the_page_are_reported(tmp_path: Path) -> None:
    write(tmp_path, FILES, {"mkdocs.yml": f"{CONFIG}hooks: [cut.py]\n"})
    write(tmp_path, {"cut.py": CUTTING})
    lost = "Counter, Counter.count, Counter.count.2"
    told = f"{COUNTER_FILE}:9: the page lacks rows that it must have ({lost})"
    assert told in build(tmp_path).stderr


@pytest.mark.parametrize("fault", BROKEN)
def test_a_system_error_is_one_line_and_leaves_the_old_site(
    foreign: Path, tmp_path: Path, fault: str
) -> None:
    folder, (hook, words) = tmp_path / "project", BROKEN[fault]
    shutil.copytree(foreign, folder)
    before = contents(folder / "site")
    write(folder, {"hook.py": hook, "killed": "#!/bin/sh\nkill -9 $$\n"})
    write(folder, {"docs/a.png": "", "docs/index.md": "# A\n\n$1 + 2$\n"})
    (folder / "killed").chmod(0o755)
    if "itself" in words:
        place = folder / words.partition(":")[0]
        place.symlink_to(place.name)
    if "folder, expected" in words:
        write(folder, {"docs/locale/de/language.toml": 'name = "Deutsch"\n'})
        (folder / "docs/locale/de/index.po").mkdir()
    if "pipe." in words:
        os.mkfifo(folder / words.partition(":")[0])
    if "site.lock" in words:
        (folder / "site.lock").mkdir()
    write(folder, {"mkdocs.yml": f"{WITH_REGISTRY}hooks: [hook.py]\n"})
    done = build(folder, "--strict")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "Traceback" not in said
    assert [line for line in said.splitlines() if words in line], said
    assert contents(folder / "site") == before
    assert not [one for one in folder.glob("site.*") if one.name not in words]


def test_one_language_that_fails_stops_the_build_and_leaves_the_old_site(
    tmp_path: Path,
) -> None:
    write(tmp_path, TWO_LANGUAGES, {"order": "fail", "site/index.html": "old"})
    done = build(tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = "hook.py: no Japanese today"
    assert [line for line in done.stderr.splitlines() if said in line]
    assert contents(tmp_path / "site") == {"index.html": b"old"}
    assert not tmp_path.joinpath("site.partial").exists()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a project that `mkdocs serve` shows."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "mkdocs", "serve", "--dev-addr", address],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://{address}/"
    finally:
        process.terminate()
        process.wait(timeout=30)


def read(address: str) -> str:
    try:
        with urlopen(address, timeout=30) as answer:
            return str(answer.read().decode())
    except (URLError, OSError):
        return ""


def wait(until: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether something comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.1)
    return False


def test_while_serving_a_saved_file_is_shown_in_each_language(
    tmp_path: Path,
) -> None:
    write(tmp_path, TWO_LANGUAGES, {"order": "fail"})
    file = tmp_path / COUNTER_FILE
    with serving(tmp_path) as site:
        english, japanese = (f"{site}{each}counting/counter/" for each in ("", "ja/"))

        def shows(address: str, words: str) -> bool:
            return wait(lambda: words in read(address))

        assert shows(english, "One more than before")
        # The language fails once: whoever looks first finds nothing.
        assert read(japanese) == ""
        assert not tmp_path.joinpath("order").exists()
        entries = {**COUNTER_JA, "Keeps the count $n_t$.": "数 $n_t$ を覚えます。"}
        write(tmp_path, {COUNTER_PO: po("ja", entries)})
        assert shows(japanese, "を覚えます。")
        file.write_text(COUNTER.replace("One more", "Just one more"))
        # It does not matter which language is asked for first.
        assert shows(japanese, '<span lang="en">Just one more than before:</span>')
        assert f'rel="alternate" hreflang="en" href="{english}"' in read(japanese)
        assert shows(english, "Just one more than before")
        # What is not valid Python is shown as it stands, without rows.
        file.write_text(COUNTER.replace("def count(", "def count(("))
        assert wait(lambda: 'id="Counter.count"' not in read(english))
        file.write_text(COUNTER.replace("One more", "Exactly one more"))
        assert shows(english, "Exactly one more than before")
        # A language that is added is in the menu, and its pages are there.
        new = {"docs/locale/zh/language.toml": CHINESE}
        counter = po("zh", {"The counter": "计数器"})
        write(tmp_path, {"docs/locale/zh/counting/counter.po": counter}, new)
        assert shows(f"{site}zh/counting/counter/", "计数器")
        assert shows(japanese, "中文")
