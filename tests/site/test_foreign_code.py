"""Code that is not ours, rendered without a change to its files.

`labml_nn` has some 220 annotated modules, and whoever reads annotated PyTorch has seen
its pages. Its wheel comes from the registry of Python packages. The others are parts of
what is installed.
"""

import ast
import io
import os
import re
import subprocess
import sys
import sysconfig
import tokenize
import zipfile
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from playwright.sync_api import Browser

from tests.literate.small import ROOT, build, write

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

# A formula in a docstring for Sphinx.
SPHINX = r":math:`|\.\. math ?::"
# How many of them stand moved to the right, in what Markdown takes for code.
INDENTED = {"rnn.py": 3}

# What is wrong with the wheel itself: pictures that it does not hold, links to pages
# that are nowhere, formulas that Python reads in another way.
FAULTS = {
    "Python reads this formula in another way": 540,
    "there is no picture": 9,
    "there is no figure": 11,
    "leads to no page": 27,
    "leads to no anchor": 6,
}


@pytest.fixture(scope="module")
def labml_nn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of `labml_nn`, with `modules: [labml_nn]` and nothing else."""
    folder = tmp_path_factory.mktemp("labml_nn")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", WHEEL]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = f"{WHEEL} cannot be fetched: {done.stderr.strip().splitlines()[-1]}"
        if os.environ.get("TXL_ALL_TESTS"):
            pytest.fail(said)
        pytest.skip(said)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder)
    write(folder, {"mkdocs.yml": SETTINGS.format("labml_nn"), "docs/.keep": ""})
    done = build(folder)
    assert done.returncode == 0, done.stderr
    folder.joinpath("said.txt").write_text(done.stderr)
    return folder


def test_each_module_has_its_page(labml_nn: Path) -> None:
    modules = [*labml_nn.joinpath("labml_nn").rglob("*.py")]
    assert len(modules) == 221
    assert [m for m in modules if not page_of(labml_nn, m).is_file()] == []


def test_each_formula_is_set_and_no_tex_is_left(labml_nn: Path) -> None:
    others = {}
    count = 0
    for module in labml_nn.joinpath("labml_nn").rglob("*.py"):
        page, wanted = (
            read(page_of(labml_nn, module)),
            sum(map(formulas, texts(module))),
        )
        count += wanted
        if (page.formulas, page.tex) != (wanted, []):
            others[module] = page.formulas, wanted, page.tex
    assert others == {}
    assert count > 3_161


def test_all_that_is_told_is_a_fault_of_the_wheel(labml_nn: Path) -> None:
    said = labml_nn.joinpath("said.txt").read_text()
    lines = re.findall(r"^WARNING +- +(labml_nn/\S+\.py:\d+: .*)$", said, re.M)
    found = Counter(next((f for f in FAULTS if f in line), line) for line in lines)
    assert found == FAULTS
    assert f"Faults: {sum(FAULTS.values())}." in said


def test_the_page_tells_what_was_found() -> None:
    page = (ROOT / "docs" / "example.md").read_text(encoding="utf-8")
    table = page.split("<!-- faults of labml_nn -->")[1].split("<!-- end -->")[0]
    rows = re.findall(r"^\| (?!what)(.+?) \| (\d+) \|$", table, re.M)
    counts = {words: int(count) for words, count in rows}
    named = {name: n for words, n in counts.items() for name in FAULTS if name in words}
    assert (named, len(rows)) == (FAULTS, len(FAULTS))


@pytest.mark.parametrize(
    "package", ["_markupbase", "asyncio", "dataclasses", "heapq", "torch.nn"]
)
def test_parts_of_what_is_installed_are_shown(tmp_path: Path, package: str) -> None:
    if package == "torch.nn":
        spec = find_spec("torch")
        assert spec is not None
        assert spec.origin is not None
        source = Path(spec.origin).parent / "nn" / "modules"
    else:
        source = Path(sysconfig.get_path("stdlib")) / package
    if source.is_dir():
        copytree(source, tmp_path / source.name, ignore=ignore_patterns("__pycache__"))
        name = source.name
    else:
        name = f"{package}.py"
        write(tmp_path, {name: source.with_suffix(".py").read_bytes()})
    write(tmp_path, {"mkdocs.yml": SETTINGS.format(name), "docs/.keep": ""})
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    start = tmp_path / name
    modules = [start] if start.is_file() else [*start.rglob("*.py")]
    for module in modules:
        text = module.read_text(encoding="utf-8")
        page = read(page_of(tmp_path, module))
        # Every line that is code to Python stands beside a note, once.
        assert page.lines == sorted(set(page.lines), key=int)
        assert code(text) <= {*map(int, page.lines)}, module
        wanted = sum(len(re.findall(SPHINX, words)) for words in docstrings(text))
        # One of Sphinx may have several parts.
        assert page.formulas >= wanted - INDENTED.get(module.name, 0), module
        assert page.tex == [], module


def code(source: str) -> set[int]:
    """The lines on which a token stands that is neither comment nor docstring."""
    found: set[int] = set()
    kinds = {tokenize.NAME, tokenize.NUMBER, tokenize.OP}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        # Brackets on lines of their own may stand around a docstring.
        if token.type in kinds and token.line.strip() not in {"(", ")"}:
            found.add(token.start[0])
    return found


def page_of(folder: Path, module: Path) -> Path:
    """The file of the page of a module."""
    way = module.relative_to(folder).with_suffix("")
    way = way.parent if way.stem == "__init__" else way
    return folder / "site" / way / "index.html"


class Page(HTMLParser):
    """The formulas of a page, its lines of code, and TeX outside of both."""

    def __init__(self) -> None:
        super().__init__()
        self.formulas = 0
        self.tex: list[str] = []
        self.lines: list[str] = []
        self._open: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if self._within("article"):
            self.formulas += tag == "span" and "katex" in classes
            self.lines += [given["data-n"] or ""] if "data-n" in given else []
        if tag not in {"br", "hr", "img", "input", "link", "meta", "source", "wbr"}:
            self._open.append((tag, "katex" if "katex" in classes else ""))

    def handle_endtag(self, tag: str) -> None:
        if self._within(tag):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        known = {"code", "pre", "script", "style", "math"}
        hidden = any(tag in known or name for tag, name in self._open)
        if self._within("article") and not hidden:
            self.tex += re.findall(r".{,30}(?:\$|\\[A-Za-z]{2,}).{,30}", data)

    def _within(self, tag: str) -> bool:
        return any(tag == opened for opened, _ in self._open)


def read(file: Path) -> Page:
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


# Colours that a formula brings along

COLOURS = """
    orange red green blue yellow lightgreen cyan magenta white black gray pink purple
    brown lime navy coral violet #ff0 #123456
"""
# The share of light that a colour gives back, for what the browser makes of it.
LIGHT = """name => {
    const ink = document.querySelector(".lit-ink");
    ink.style.setProperty("--lit-ink", name);
    const paper = new OffscreenCanvas(1, 1).getContext("2d");
    return [ink, document.body].map((element, i) => {
        const style = getComputedStyle(element);
        paper.fillStyle = i ? style.backgroundColor : style.color;
        paper.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...paper.getImageData(0, 0, 1, 1).data].map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    });
}"""


@pytest.mark.parametrize(
    ("scheme", "ground"), [("default", "#fff"), ("slate", "#1e2129")]
)
def test_a_colour_of_a_formula_can_be_read_in_both_themes(
    browser: Browser, scheme: str, ground: str
) -> None:
    css = ROOT / "labml_txl/literate/mkdocs/theme/assets/literate.css"
    page = browser.new_page()
    try:
        page.set_content(
            f"<style>{css.read_text(encoding='utf-8')} body {{background: {ground}}}"
            f"</style><body data-md-color-scheme={scheme}><i class=lit-ink>x</i>"
        )
        lights = {name: page.evaluate(LIGHT, name) for name in COLOURS.split()}
    finally:
        page.close()
    contrast = {
        name: (max(both) + 0.05) / (min(both) + 0.05) for name, both in lights.items()
    }
    assert {name for name, ratio in contrast.items() if ratio < 4.5} == set()
    # And they are still as many colours, but for shades of grey.
    assert len({round(light, 4) for light, _ in lights.values()}) > len(lights) // 2


# The formulas of a source, counted in another way than the engine finds them


def texts(module: Path) -> Iterator[str]:
    """The docstrings and comments of a module, as its author sees them."""
    source = module.read_text(encoding="utf-8-sig")
    yield from docstrings(source)
    comments: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            if token.start[0] > last + 1:
                yield "\n".join(comments)
                comments = []
            comments.append(token.string.lstrip("# "))
            last = token.start[0]
    yield "\n".join(comments)


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of a module, as they stand in the file."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        known = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if known and body and ast.get_docstring(node) is not None:  # type: ignore[arg-type]
            yield ast.get_source_segment(source, body[0]) or ""


def formulas(text: str) -> int:
    """How many formulas a text has."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    count = 0
    for pattern in (
        r"\$\$.+?\$\$",
        r"\\begin\{(align|gather|equation)(\*?)\}.+?\\end\{\1\2\}",
        r"(?<!\\)\$[^$]+?\$",
    ):
        text, found = re.subn(pattern, "", text, flags=re.S)
        count += found
    return count
