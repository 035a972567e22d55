"""`mkdocs build` and `mkdocs serve`, as the owner of another project runs them."""

import pickle
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.literate.small import (
    COUNTER,
    COUNTER_FILE,
    ENVIRONMENT,
    FILES,
    REGISTRY,
    STEPS,
    WITH_REGISTRY,
    build,
    contents,
    write,
)
from tests.literate.tongues import JAPANESE


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The foreign project, built once. No file of ours is in it."""
    folder = tmp_path_factory.mktemp("foreign")
    write(folder, FILES)
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder / "site"


def page(site: Path, name: str) -> str:
    return site.joinpath(name, "index.html").read_text(encoding="utf-8")


# A project of somebody else's


def test_each_module_of_a_foreign_project_is_a_page(built: Path) -> None:
    pages = {p.parent.name for p in built.joinpath("counting").rglob("index.html")}
    assert pages == {"counting", "steps", "counter"}
    html = page(built, "counting/counter")
    assert "<title>The counter" in html
    assert '<meta name="description" content="A counter that knows how many' in html
    # Notes stand beside their code.
    block = html[html.index('id="Counter.count"') :]
    note, code = block.split('<div class="lit-side">')[:2]
    assert "The next count" in note
    assert ">count</span>" in code
    assert '<span class="shape"><i>  # </i>[total]</span>' in html
    assert 'class="katex' in html
    assert "<math" in html
    # Names link across relative imports, and from prose.
    link = '<a class="n" href="counter/#Counter">Counter</a>'
    assert link in page(built, "counting")
    assert '<a href="counting/counter/#Counter"><code>Counter</code>' in page(built, "")


def test_the_search_index_holds_a_formula_at_most_once_as_tex(built: Path) -> None:
    index = built.joinpath("search/search_index.json").read_text(encoding="utf-8")
    assert "<math" not in index
    assert "katex" not in index
    assert index.count("1 + 1 = 2") == 1


def test_building_runs_nothing_that_a_project_brings(tmp_path: Path) -> None:
    class Runs:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "ran",))

    fatal = f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    brought = ("torch.py", "jinja2.py", "mkdocs/__init__.py", "sitecustomize.py")
    write(
        tmp_path, FILES, {COUNTER_FILE: COUNTER + fatal}, dict.fromkeys(brought, fatal)
    )
    write(tmp_path, {"src/counting/steps.py": "import torch\n" + STEPS})
    packed = pickle.dumps(Runs())
    names = ("en", "ja", "mkdocs-en")
    write(tmp_path, {f".cache/literate/{name}.pickle": packed for name in names})
    write(tmp_path, {"docs/locale/ja/language.toml": JAPANESE})
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_module_that_is_a_link_out_of_the_project_is_refused(
    tmp_path: Path,
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text('"""# A secret"""\n')
    folder = tmp_path / "project"
    write(folder, FILES)
    (folder / "src/counting/linked.py").symlink_to(secret)
    (folder / "src/counting/near.py").symlink_to("steps.py")
    done = build(folder)
    assert "src/counting/linked.py:1: this link leads out of the project" in done.stderr
    site = folder / "site/counting"
    assert not site.joinpath("linked").exists()
    assert site.joinpath("near").exists()


def test_a_symbol_of_the_registry_is_marked_where_its_equation_is_cited(
    tmp_path: Path,
) -> None:
    cited = COUNTER.replace("One more than before", "[One more][cnt.next] than before")
    write(tmp_path, FILES, {"papers/count.toml": REGISTRY, COUNTER_FILE: cited})
    write(tmp_path, {"mkdocs.yml": WITH_REGISTRY})
    assert build(tmp_path, "--strict").returncode == 0
    site = tmp_path / "site"
    assert "sym-cnt-n" in page(site, "counting/counter")
    assert 'href="../../equations/#cnt.next"' in page(site, "counting/counter")
    equations = page(site, "equations")
    assert 'id="cnt.next"' in equations
    assert '<tr data-names="number" id="sym-cnt-n">' in equations
    assert 'href="../counting/counter/#Counter.count.2"' in equations


# What is wrong with a text stops the build


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose site was built when all was well."""
    folder = tmp_path_factory.mktemp("standing")
    write(folder, FILES, {"papers/count.toml": REGISTRY})
    write(folder, {"mkdocs.yml": WITH_REGISTRY})
    assert build(folder, "--strict").returncode == 0
    return folder


def in_counter(old: str, new: str) -> dict[str, str | bytes]:
    assert old in COUNTER
    return {COUNTER_FILE: COUNTER.replace(old, new)}


FAULTS: dict[str, tuple[dict[str, str | bytes], str, str]] = {
    "a syntax error": (
        in_counter("return number +", "return number + +* "),
        f"{COUNTER_FILE}:18: ",
        "not valid Python",
    ),
    "a dead anchor": (
        {"docs/index.md": "# A\n\n[There](counting/counter.md#Countr).\n"},
        "Doc file 'index.md'",
        "#Countr",
    ),
    "a folder of modules that is not there": (
        {"mkdocs.yml": WITH_REGISTRY.replace("src/counting", "src/contin")},
        "mkdocs.yml:",
        "there is no file or folder src/contin",
    ),
    "a registry that is not TOML": (
        {"papers/count.toml": REGISTRY + "key\n"},
        "papers/count.toml:21: ",
        "not valid TOML",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_stops_the_build_and_leaves_the_old_site(
    standing: Path, tmp_path: Path, fault: str
) -> None:
    files, place, mending = FAULTS[fault]
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
    before = contents(folder / "site")
    write(folder, files)
    done = build(folder, "--strict")
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "Traceback" not in said
    (line,) = (line for line in said.splitlines() if mending in line)
    assert re.sub(r"^(?:ERROR|WARNING) +- +", "", line).startswith(place)
    assert contents(folder / "site") == before
    assert not folder.joinpath("site.partial").exists()


def test_without_strict_all_faults_are_told_in_each_build(
    standing: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
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
            "src/counting/drawn.py": '"""![A step](step.svg)"""\n',
        },
    )
    starts = {
        "Doc file 'counting/counter.md' contains a link 'no.md'",
        "Doc file 'counting/drawn.md' contains a link 'step.svg'",
        "Doc file 'index.md' contains a link 'step.png'",
        "docs/index.md:5: no equation has the key cnt.nxt",
        "papers/count.toml:18: KaTeX",
        "src/counting/broken.py:1: not valid Python",
        "src/counting/drawn.py:1: there is no figure step.svg",
        "src/counting/latin.py:1: byte 0xe9 is not UTF-8",
        "src/counting/steps.py:1: docs/counting/steps.md has the same address",
        f"{COUNTER_FILE}:14: KaTeX",
        f"{COUNTER_FILE}:14: no equation has the key cnt.nixt",
    }
    for _ in range(2):
        done = build(folder)
        assert done.returncode == 0, done.stderr
        lines = (x for x in done.stderr.splitlines() if x.startswith("WARNING"))
        told = {re.sub(r"^WARNING +- +", "", line) for line in lines}
        assert {s for s in starts if not any(t.startswith(s) for t in told)} == set()
        assert {t for t in told if not t.startswith(tuple(starts))} == set()
    html = page(folder / "site", "counting/counter")
    assert r'<code class="lit-fault">\frac{</code>' in html
    assert folder.joinpath("site/counting/broken/index.html").is_file()
    # A formula in a heading is one in the contents too.
    home = page(folder / "site", "")
    (entry,) = re.findall(
        r'<a href="#the-n2-of-it" class="md-nav__link">.*?</a>', home, re.DOTALL
    )
    assert "katex" in entry
    assert "\\(" not in entry


def test_a_module_that_went_leaves_no_page(standing: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
    folder.joinpath("src/counting/steps.py").unlink()
    write(folder, in_counter("from .steps import STEP", "STEP = 1"))
    assert build(folder).returncode == 0
    assert not folder.joinpath("site/counting/steps").exists()


# While somebody writes


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


def test_a_saved_note_is_shown_and_a_fault_can_be_mended(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    file = tmp_path / COUNTER_FILE
    with serving(tmp_path) as site:
        address = f"{site}counting/counter/"
        assert wait(lambda: "One more than before" in read(address))
        file.write_text(COUNTER.replace("One more", "Just one more"))
        assert wait(lambda: "Just one more than before" in read(address))
        file.write_text(COUNTER.replace("def count(", "def count(("))
        # What is not valid Python is shown as it stands, without rows.
        assert wait(lambda: 'id="Counter.count"' not in read(address))
        file.write_text(COUNTER.replace("One more", "Exactly one more"))
        assert wait(lambda: "Exactly one more than before" in read(address))
