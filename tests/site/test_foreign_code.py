"""Code that is not ours, rendered without a change to its files.

`labml_nn` has some 220 annotated modules, and whoever reads annotated PyTorch has seen
its pages. Its wheel comes from the registry of Python packages. PyTorch is installed.
"""

import io
import os
import re
import subprocess
import sys
import tokenize
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
import torch
from playwright.sync_api import Browser

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import read as read_source
from labml_txl.literate.theme.templates import style_sheet
from tests.literate.small import ROOT, must_build, write
from tests.literate.sources.splitting import holds
from tests.site import links
from tests.site.conftest import violations
from tests.site.test_pages import having

# The code of others has signs behind backslashes that mean nothing to Python.
pytestmark = pytest.mark.filterwarnings(
    "ignore::SyntaxWarning", "ignore::DeprecationWarning"
)

SETTINGS = """\
site_name: Somebody else's code
theme: material
plugins:
  - literate:
      modules: [{}]
"""
WHEEL = "labml_nn==0.5.1"

# A formula for Sphinx.
SPHINX = r":math:`|\.\. math ?::"
# How many of them are indented, so that Markdown takes them for code, or stand in
# strings that are no docstrings.
IN_CODE = {"rnn.py": 3, "conv.py": 96}

# What is wrong with the wheel itself: pictures that it does not hold, links to pages
# that are nowhere, formulas that Python reads in another way.
FAULTS = {
    "Python interprets a backslash of this formula": 540,
    "the policy of the page blocks pictures": 41,
    "there is no figure": 11,
    "there is no picture": 9,
    "leads to no page": 26,
    "leads to no anchor": 6,
}
# What MkDocs says of a link: that there is no such file, or no such anchor.
LINK = r"contains a link '(\S+)', but .* (is not found|anchor)"


def unpack(wheel: str, folder: Path) -> list[str]:
    """Fetch a wheel and unpack it into a folder; the packages that it contains."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", wheel]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = f"{wheel} cannot be fetched: {done.stderr.strip().splitlines()[-1]}"
        if os.environ.get("TXL_ALL_TESTS"):
            pytest.fail(reason)
        pytest.skip(reason)
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as files:
        files.extractall(folder)
    return sorted(path.parent.name for path in folder.glob("*/__init__.py"))


@pytest.fixture(scope="module")
def labml_nn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The site of `labml_nn`, with `modules: [labml_nn]` and nothing else."""
    folder = tmp_path_factory.mktemp("labml_nn")
    assert "labml_nn" in unpack(WHEEL, folder)
    write(folder, {"mkdocs.yml": SETTINGS.format("labml_nn"), "docs/.keep": ""})
    done = must_build(folder)
    return folder, done.stderr


@pytest.mark.setup
@pytest.mark.xdist_group("labml_nn")
def test_every_module_of_labml_nn_has_a_page_with_rendered_formulas(
    labml_nn: tuple[Path, str],
) -> None:
    folder, _ = labml_nn
    modules = [*folder.joinpath("labml_nn").rglob("*.py")]
    pages = {module: read(page_of(folder, module)) for module in modules}
    assert len(pages) == 221
    # A blank after the backslash is a fault of this comment, which is shown as written.
    raw = {module.name: page.tex for module, page in pages.items() if page.tex}
    assert raw == {"cifar10.py": [r"will produce a output of size $1 \ times 1$."]}
    # As many as its sources have between signs for formulas, without that one.
    assert sum(page.formulas for page in pages.values()) == 3_416


@pytest.mark.setup
@pytest.mark.xdist_group("labml_nn")
def test_every_warning_is_a_fault_of_the_wheel_and_is_listed_on_the_page(
    labml_nn: tuple[Path, str],
) -> None:
    _, said = labml_nn
    found = Counter(map(fault, re.findall(r"^WARNING +- +(.*)$", said, re.M)))
    # MkDocs too misses the pictures and the figures that are not there.
    missed = found["there is no figure"] + found["there is no picture"]
    assert found.pop("MkDocs misses it, too") == missed
    assert found == FAULTS
    page = (ROOT / "docs" / "example.md").read_text(encoding="utf-8")
    table = page.split("<!-- faults of labml_nn -->")[1].split("<!-- end -->")[0]
    rows = dict(re.findall(r"^\| (?!what)(.+?) \| (\d+) \|$", table, re.M))
    told = {f: int(n) for words, n in rows.items() for f in FAULTS if f in words}
    assert told == FAULTS
    assert len(rows) == len(told), rows


@pytest.mark.setup
@pytest.mark.xdist_group("labml_nn")
def test_every_line_of_labml_nn_and_of_ours_is_in_exactly_one_block(
    labml_nn: tuple[Path, str],
) -> None:
    """What a note was parsed into, joined, is its text again."""
    packages = labml_nn[0] / "labml_nn", ROOT / "labml_txl", ROOT / "notebooks"
    for package in packages:
        files = sorted(package.rglob("*.py"))
        assert len(files) > 5
        for file in files:
            source = read_source(file, package)
            holds(source, split(source))


def fault(warning: str) -> str:
    """The kind of a warning of the build: one of `FAULTS`, or the warning itself."""
    if link := re.search(LINK, warning):
        if link[2] == "anchor":
            return "leads to no anchor"
        picture = Path(link[1]).suffix in {".png", ".svg"}
        return "MkDocs misses it, too" if picture else "leads to no page"
    return next((kind for kind in FAULTS if kind in warning), warning)


def test_each_module_of_torch_is_shown_with_its_lines_and_formulas(
    tmp_path: Path,
) -> None:
    source = Path(torch.nn.modules.__file__).parent
    copytree(source, tmp_path / "nn", ignore=ignore_patterns("__pycache__"))
    write(tmp_path, {"mkdocs.yml": SETTINGS.format("nn"), "docs/.keep": ""})
    must_build(tmp_path)
    wrong = {}
    for module in (tmp_path / "nn").rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        page = read(page_of(tmp_path, module))
        # Every line that is code to Python is beside a note, once, in order.
        lost = code(text) - {*page.lines}
        wanted = len(re.findall(SPHINX, text)) - IN_CODE.get(module.name, 0)
        # One of Sphinx may have several parts.
        less = page.formulas < wanted
        if lost or less or page.tex or page.lines != sorted({*page.lines}):
            wrong[module.name] = (lost, page)
    assert wrong == {}


def code(source: str) -> set[int]:
    """The lines on which a token is that is neither comment nor docstring."""
    found: set[int] = set()
    kinds = {tokenize.NAME, tokenize.NUMBER, tokenize.OP}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        # Brackets on lines of their own may be around a docstring.
        if token.type in kinds and token.line.strip() not in {"(", ")"}:
            found.add(token.start[0])
    return found


def page_of(folder: Path, module: Path) -> Path:
    """The file of the page of a module."""
    way = module.relative_to(folder).with_suffix("")
    way = way.parent if way.stem == "__init__" else way
    return folder / "site" / way / "index.html"


@dataclass
class Page:
    """How many formulas a page has, its lines of code, and TeX outside of both."""

    formulas: int
    lines: list[int]
    tex: list[str]


HIDDEN = " or ".join(
    f"ancestor::{name}" for name in ("code", "pre", "script", "style", "math")
)


def read(file: Path) -> Page:
    (article,) = links.read(file).tree.xpath("//article")
    katex = having("katex")
    words = article.xpath(f".//text()[not({HIDDEN} or ancestor::*[{katex}])]")
    tex = r".{,30}(?:\$|\\[A-Za-z]{2,}).{,30}"
    return Page(
        len(article.xpath(f".//span[{katex}]")),
        [int(e) for e in article.xpath(".//*/@data-n")],
        [one for text in words for one in re.findall(tex, text)],
    )


# Colours that a formula brings along

COLOURS = """
    orange red green blue yellow lightgreen cyan magenta white black gray pink purple
    brown lime navy coral violet #ff0 #123456
"""


@pytest.mark.parametrize(
    ("scheme", "ground"), [("default", "#fff"), ("slate", "#1e2129")]
)
def test_a_colour_of_a_formula_can_be_read_in_both_themes(
    browser: Browser, axe: str, scheme: str, ground: str
) -> None:
    inks = "".join(
        f"<p class=lit-ink style='--lit-ink: {name}'>words</p>"
        for name in COLOURS.split()
    )
    page = browser.new_page()
    page.set_content(
        f"<style>{style_sheet()} body {{background: {ground}}}"
        f"</style><body data-md-color-scheme={scheme}>{inks}"
    )
    page.evaluate(axe)
    assert violations(page, "color-contrast") == []
    shown = "all => all.map(e => getComputedStyle(e).color)"
    # And they are still as many colours, but for shades of grey.
    assert (
        len({*page.eval_on_selector_all(".lit-ink", shown)}) > len(COLOURS.split()) // 2
    )
    page.close()
