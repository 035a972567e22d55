"""`mkdocs build` and `mkdocs serve`, as the owner of another project runs them."""

import pickle
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from labml_txl.literate.render.finished.html import squeezed
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
    write,
)
from tests.literate.tongues import COUNTER_JA, JAPANESE, SITE_JA, po


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


def test_lines_are_squeezed_but_where_they_are_shown_as_written() -> None:
    shown = "<pre><code>one\n\n    two\n</code></pre>"
    given = f"<main>\n\n      <p>words\n  more</p>\n{shown}\n\n   </main>\n"
    assert squeezed(given) == f"<main>\n<p>words\nmore</p>\n{shown}\n</main>\n"


def test_of_all_blanks_around_the_end_of_a_line_only_the_end_stays() -> None:
    draw = random.Random(1)
    signs = [
        "a",
        "<b>",
        " ",
        "\n",
        "\n",
        "\t",
        "\r",
        "\x1c",
        "\x85",
        "\u2028",
        "\u3000",
    ]
    for _ in range(5_000):
        text = "".join(draw.choices(signs, k=draw.randrange(12)))
        assert squeezed(text) == re.sub(r"\s*\n\s*", "\n", text)


# A project of somebody else's


def test_each_module_of_a_foreign_project_is_a_page(built: Path) -> None:
    pages = {p.parent.name for p in built.joinpath("counting").rglob("index.html")}
    assert pages == {"counting", "steps", "counter"}


def test_title_and_description_come_from_the_docstring(built: Path) -> None:
    html = page(built, "counting/counter")
    assert "<title>The counter" in html
    assert '<meta name="description" content="A counter that knows how many' in html


def test_notes_stand_beside_their_code(built: Path) -> None:
    html = page(built, "counting/counter")
    block = html[html.index('id="Counter.count"') :]
    note, code = block.split('<div class="lit-side">')[:2]
    assert "The next count" in note
    assert ">count</span>" in code


def test_formulas_are_set_for_the_eye_and_for_screen_readers(built: Path) -> None:
    for name in ("", "counting/counter"):
        html = page(built, name)
        assert 'class="katex' in html
        assert "<math" in html
        assert "arithmatex" not in html


def test_names_link_across_relative_imports(built: Path) -> None:
    html = page(built, "counting")
    assert '<a class="n" href="counter/#Counter">Counter</a>' in html


def test_names_in_prose_link_to_their_module(built: Path) -> None:
    html = page(built, "")
    assert re.search(r'<a href="counting/counter/#Counter"><code>Counter</code>', html)


def test_a_shape_at_the_end_of_a_line_is_marked(built: Path) -> None:
    html = page(built, "counting/counter")
    assert '<span class="shape"><i>  # </i>[total]</span>' in html


def test_the_site_brings_its_own_style_sheet_and_fonts(built: Path) -> None:
    sheet = built.joinpath("assets/katex/katex.min.css").read_text(encoding="utf-8")
    fonts = set(re.findall(r"url\(fonts/([^)]+)\)", sheet))
    assert fonts
    assert fonts == {p.name for p in built.joinpath("assets/katex/fonts").iterdir()}


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


# A front page


def without_home(folder: Path, *files: Mapping[str, str | bytes]) -> str:
    """The article of the front page of a project that has no `docs/index.md`."""
    write(folder, {k: v for k, v in FILES.items() if k != "docs/index.md"}, *files)
    folder.joinpath("docs").mkdir(exist_ok=True)
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    html = folder.joinpath("site/index.html").read_text(encoding="utf-8")
    return html.partition("<article")[2].partition("</article>")[0]


def test_without_a_front_page_the_modules_are_listed(tmp_path: Path) -> None:
    signs = '"""# *Deep* `*things*` of $x_t$ & 1 < 2\n\nAll [of](one.md) *them*.\n"""\n'
    deep = {"src/counting/deep/__init__.py": signs, "src/counting/deep/one.py": "x = 1"}
    article = without_home(tmp_path, deep)
    assert ">Counting</h1>" in article
    links = re.findall(r'<a href="([^"]*)">(.*?)</a>(.*)', article)
    assert [link for link, *_ in links] == [
        "counting/",
        "counting/steps/",
        "counting/counter/",
        "counting/deep/",
    ]
    assert "A counter that knows how many things there were" in links[2][2]
    # No sign of a title or a description is a mark here.
    assert unescape(links[3][1]) == "Deep *things* of x_t & 1 < 2"
    assert "All of them." in links[3][2]


def test_the_list_of_modules_is_in_the_language(tmp_path: Path) -> None:
    catalogs = {
        "docs/locale/ja/language.toml": JAPANESE,
        "docs/locale/ja/site.po": po("ja", SITE_JA),
        "docs/locale/ja/counting/counter.po": po("ja", COUNTER_JA),
    }
    english = without_home(tmp_path, catalogs)
    japanese = tmp_path.joinpath("site/ja/index.html").read_text(encoding="utf-8")
    assert '<h1 id="index">Counting</h1>' in english
    assert '<h1 id="index">数え方</h1>' in japanese
    assert '<a href="counting/counter/">カウンター</a>' in japanese


@pytest.mark.parametrize(
    "files",
    [
        {"docs/README.md": "# Mine, as always\n"},
        {"docs/index.html": "<article>Mine, as always</article>\n"},
        {"src/index.py": '"""# Mine, as always"""\n'},
    ],
)
def test_a_front_page_of_another_kind_stays(
    files: dict[str, str | bytes], tmp_path: Path
) -> None:
    config = CONFIG.replace("src/counting]", "src/counting, src/index.py]")
    both = {"mkdocs.yml": config} if "src/index.py" in files else {}
    assert "Mine, as always" in without_home(tmp_path, files, both)


def test_a_front_page_that_another_plugin_makes_stays(tmp_path: Path) -> None:
    hook = (
        "from mkdocs.plugins import event_priority\n"
        "from mkdocs.structure.files import File\n"
        "@event_priority(100)\n"
        "def on_files(files, config):\n"
        "    made = File.generated(config, 'index.md', content='# Of a hook')\n"
        "    files.append(made)\n"
    )
    config = f"{CONFIG}hooks: [hook.py]\n"
    article = without_home(tmp_path, {"hook.py": hook, "mkdocs.yml": config})
    assert "Of a hook" in article


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
    "bad TeX in a note": (
        in_counter("count $n_t$", r"count $\frac{n$"),
        f"{COUNTER_FILE}:10: ",
        "correct the formula",
    ),
    "bad TeX in prose": (
        {"docs/index.md": "# Counting\n\nHere is a sum:\n$\\nosuch{1}$.\n"},
        "docs/index.md:4: ",
        "correct the formula",
    ),
    "bad TeX in a registry": (
        {"papers/count.toml": REGISTRY.replace("n_t + 1'", "n_t + \\nosuch'")},
        "papers/count.toml:18: ",
        "correct the formula",
    ),
    "an unknown equation in a note": (
        in_counter("One more than", "[One more][cnt.nxt] than"),
        f"{COUNTER_FILE}:14: ",
        "the nearest is cnt.next",
    ),
    "an unknown equation in prose": (
        {"docs/index.md": "---\ntitle: A\n---\n# Counting\n\n[It][cnt.nixt] is.\n"},
        "docs/index.md:6: ",
        "the nearest is cnt.next",
    ),
    "a dead link in a note": (
        in_counter("One more than", "[One](nowhere.md) more than"),
        f"{COUNTER_FILE}:14: ",
        "nowhere.md",
    ),
    "a dead link in prose": (
        {"docs/index.md": "# Counting\n\nSee [there](nowhere.md).\n"},
        "docs/index.md:3: ",
        "nowhere.md",
    ),
    "a dead anchor": (
        {"docs/index.md": "# A\n\n[There](counting/counter.md#Countr).\n"},
        "docs/index.md:3: ",
        "did you mean #Counter?",
    ),
    "a page that a module has too": (
        {"docs/counting/steps.md": "# Steps\n"},
        "src/counting/steps.py:1: docs/counting/steps.md has the same address",
        "rename one",
    ),
    "a module that is not UTF-8": (
        {COUNTER_FILE: COUNTER.encode() + b"# \xe9\n"},
        f"{COUNTER_FILE}:19: ",
        "save the file with the encoding UTF-8",
    ),
    "a figure that is not there": (
        in_counter("One more than", "![A step](step.svg)\n        # One more than"),
        f"{COUNTER_FILE}:14: ",
        "there is no figure step.svg",
    ),
    "a folder of modules that is not there": (
        {"mkdocs.yml": WITH_REGISTRY.replace("src/counting", "src/contin")},
        "mkdocs.yml:",
        "there is no file or folder src/contin",
    ),
    "a title in the navigation that YAML takes for no text": (
        {"mkdocs.yml": f"{WITH_REGISTRY}nav:\n  - No: index.md\n"},
        "mkdocs.yml:",
        "the title False is no text",
    ),
    "a registry that is not TOML": (
        {"papers/count.toml": REGISTRY + "key\n"},
        "papers/count.toml:21: ",
        "not valid TOML",
    ),
    "prose that is not UTF-8": (
        {"docs/index.md": b"# Caf\xe9\n"},
        "docs/index.md:1: ",
        "save the file with the encoding UTF-8",
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
    # MkDocs adds that it stopped, and which of its pages it was reading.
    errors = [line for line in said.splitlines() if line.startswith("ERROR")]
    assert [e for e in errors if e != line and "Error reading page" not in e] == []
    assert contents(folder / "site") == before
    assert not folder.joinpath("site.partial").exists()


def test_without_strict_all_faults_are_told_and_the_site_is_built(
    standing: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
    note = r"One [more](no.md) $\frac{$ than [before][cnt.nixt]"
    index = "# Counting\n\n## The $n^2$ of it\n\n![A step](step.png)\n"
    write(
        folder,
        {
            COUNTER_FILE: COUNTER.replace("One more than", note),
            "docs/index.md": index,
            "src/counting/broken.py": "def f(:\n",
        },
    )
    done = build(folder)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    told = [re.sub(r"^WARNING +- +", "", line) for line in lines]
    starts = [
        "docs/index.md:5: there is no picture step.png",
        "src/counting/broken.py:1: not valid Python",
        *(f"{COUNTER_FILE}:14: {fault}" for fault in ("KaTeX", "no equation", "the")),
    ]
    assert [t.startswith(s) for t, s in zip(told, starts, strict=True)] == [True] * 5
    assert "Faults: 5. Files with faults: 3." in done.stderr
    page = folder.joinpath("site/counting/counter/index.html").read_text()
    assert r'<code class="lit-fault">\frac{</code>' in page
    assert folder.joinpath("site/counting/broken/index.html").is_file()
    # A formula in a heading is one in the contents too.
    home = folder.joinpath("site/index.html").read_text()
    (entry,) = re.findall(
        r'<a href="#the-n2-of-it" class="md-nav__link">.*?</a>', home, re.DOTALL
    )
    assert "katex" in entry
    assert "\\(" not in entry


def test_two_modules_of_one_page_are_a_fault(standing: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
    before = contents(folder / "site")
    modules = "modules: [src/counting, other/counting]"
    config = WITH_REGISTRY.replace("modules: [src/counting]", modules)
    write(folder, {"mkdocs.yml": config, "other/counting/steps.py": "a = 1\n"})
    done = build(folder, "--strict")
    assert done.returncode == 1
    assert (
        "other/counting/steps.py:1: src/counting/steps.py has the same" in done.stderr
    )
    assert contents(folder / "site") == before


def test_a_warning_in_a_strict_build_leaves_the_old_site(
    standing: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    shutil.copytree(standing, folder)
    before = contents(folder / "site")
    config = folder.joinpath("mkdocs.yml").read_text(encoding="utf-8")
    write(folder, {"mkdocs.yml": config + "nav:\n  - index.md\n  - nowhere.md\n"})
    done = build(folder, "--strict")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert contents(folder / "site") == before
    assert not folder.joinpath("site.partial").exists()


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


def test_a_saved_note_is_shown_a_fault_is_not_and_its_mending_is(
    tmp_path: Path,
) -> None:
    write(tmp_path, FILES)
    file = tmp_path / COUNTER_FILE
    with serving(tmp_path) as site:
        address = f"{site}counting/counter/"
        assert wait(lambda: "One more than before" in read(address))
        file.write_text(COUNTER.replace("One more", "Just one more"))
        assert wait(lambda: "Just one more than before" in read(address))
        file.write_text(COUNTER.replace("def count(", "def count(("))
        # What stood there goes on standing there.
        assert not wait(lambda: "Just one more" not in read(address), seconds=3)
        file.write_text(COUNTER.replace("One more", "Exactly one more"))
        assert wait(lambda: "Exactly one more than before" in read(address))
