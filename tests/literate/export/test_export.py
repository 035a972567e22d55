"""Modules as notebooks that run, as plain Markdown, and the list of all pages."""

import ast
import json
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest

from labml_txl import cli
from labml_txl.literate.equations.registry import load_registry
from labml_txl.literate.export.notebooks.notebook import (
    Distribution,
    notebook,
    read_distribution,
    shows_something,
)
from labml_txl.literate.export.text import make_portable, text
from labml_txl.literate.markdown.note import read as read_note
from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.render.page import Page, assemble
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import LiterateError, Source, read
from tests.literate.small import (
    CONFIG,
    COUNTER_FILE,
    ENVIRONMENT,
    FILES,
    REGISTRY,
    ROOT,
    contents,
    index_modules,
    write,
)
from tests.site.served import served

ANNOTATED = open_project(ROOT / "mkdocs.yml")
INSTALL = ANNOTATED.content.install
PUBLISHED = replace(ANNOTATED.site, url="https://reader.example/annotated/")
UNPUBLISHED = replace(ANNOTATED.site, url="")


def cells(document: str, kind: str = "code") -> list[str]:
    """The texts of the cells of one kind."""
    found = json.loads(document)["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def page_of(code: str, path: str = "package/module.py") -> Page:
    """The page of some code."""
    source = Source(path, code)
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return assemble(source, split(source), module=module, path="package/module.md")


@pytest.fixture(scope="module")
def notebooks() -> list[tuple[Page, str]]:
    """The notebook of each annotated module."""
    return [(page, notebook(page, PUBLISHED, INSTALL)) for page in ANNOTATED.pages]


# Notebooks run

# Runs cells as IPython does: one after the other, in one module, and what
# `from __future__` brings stays. Nothing may be installed. Each notebook has a process
# of its own; all that these share is torch, which takes long to import, and the list of
# fonts, for which Matplotlib runs a program the first time.
RUN = """
import codeop, gc, json, os, subprocess, sys, types
import matplotlib.font_manager, torch.distributed.fsdp
gc.freeze()
for line in sys.stdin:
    given, folder, said = json.loads(line)
    if process := os.fork():
        print(os.waitpid(process, 0)[1], flush=True)
        continue
    for stream in (1, 2):
        os.dup2(os.open(said, os.O_WRONLY | os.O_APPEND), stream)
    os.chdir(folder)
    module, code = types.ModuleType("__main__"), codeop.Compile()
    sys.modules["__main__"], subprocess.run = module, None
    for number, cell in enumerate(given):
        exec(code(cell, f"cell {number}", "exec"), module.__dict__)
    break
"""


Run = Callable[[Sequence[str], str, Path], str]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Run cells and a last line in a fresh process; what it prints, and its fault."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN],
        env={**ENVIRONMENT, "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as server:
        assert server.stdin
        assert server.stdout
        asked, answers = server.stdin, server.stdout

        def run(cells: Sequence[str], after: str, folder: Path) -> str:
            said = folder / "said"
            said.touch()
            print(json.dumps([[*cells, after], str(folder), str(said)]), file=asked)
            status = answers.readline()
            return said.read_text("utf-8") + status.removeprefix("0\n")

        yield run


def defined(code: str) -> set[str]:
    """What a module defines at its top."""
    tree = ast.parse(code)
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return {node.name for node in tree.body if isinstance(node, kinds)}


def test_each_notebook_runs_defines_its_module_and_prints_what_is_stored(
    notebooks: list[tuple[Page, str]], run: Run, tmp_path: Path
) -> None:
    wrong, ended = {}, []
    for number, (page, document) in enumerate(notebooks):
        folder = tmp_path / str(number)
        folder.mkdir()
        names = defined(page.source.text)
        after = f"assert {{n for n in {names!r} if n in globals()}} == {names!r}"
        found = json.loads(document)
        nbformat.validate(found)
        # Only the call at its end prints.
        outputs = [one for cell in found["cells"] for one in cell.get("outputs", ())]
        stored = "".join("".join(one["text"]) for one in outputs)
        if (said := run(cells(document), after, folder)) != stored:
            wrong[page.path] = said
        if shows_something(page.exercises):
            ended.append(page.path)
            if not stored or f"from {page.module} import" in cells(document)[-1]:
                wrong[page.path] = cells(document)[-1]
    assert wrong == {}
    assert len(ended) >= 10


# What stands in the cells


def meaning(body: Sequence[ast.stmt]) -> list[str]:
    """Statements without what a notebook shows as text: their order and sense stay."""
    kept = []
    for node in body:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.If(test=test) if ast.unparse(test) == "__name__ == '__main__'":
                if not node.orelse:
                    continue
            case ast.ImportFrom(module="__future__"):
                continue
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node) is not None:
                    node.body = node.body[1:]
        kept.append(ast.dump(node))
    return kept


LIBRARY = Path(sysconfig.get_path("stdlib"))


def library() -> Iterator[Source]:
    """Every twelfth file of the standard library that is valid Python."""
    files = sorted(p for p in LIBRARY.glob("*/*.py") if p.parent.name != "test")
    for path in [*sorted(LIBRARY.glob("*.py")), *files][::12]:
        if "site-packages" in path.parts:
            continue
        try:
            source = read(path, LIBRARY)
            ast.parse(source.text)
        except (LiterateError, SyntaxError, ValueError):
            continue
        yield source


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_exported_notebooks_have_the_notes_and_code_of_their_modules() -> None:
    checked = 0
    for source in library():
        module = source.path.removesuffix(".py").replace("/", ".")
        module = module.removesuffix(".__init__")
        made = assemble(source, split(source), module=module, path="page.md")
        found = "\n".join(cells(notebook(made, Site())))
        tree, here = ast.parse(source.text), ast.parse(found)
        wanted = meaning(tree.body)
        # What the first cell sets comes before.
        said = meaning(here.body)
        said = said[-len(wanted) :] if wanted else []
        assert said == wanted, source.path
        checked += 1
    assert checked > 30


MODULE = '''"""# Words

First.
"""

from __future__ import annotations

# Above the imports.
from . import sibling
from ..above.more import (
    one,
)

PLACE = __file__


class Bare(Exception):
    """Nothing else."""


# Above, with [words][nowhere].
@decorated
def function():
    """Said above.

    More of it.
    """

    # Stays inside.
    from .other import late

    return late


if __name__ == "__main__":
    function()
'''


def test_code_that_only_works_in_a_module_is_changed_for_the_notebook() -> None:
    document = notebook(page_of(MODULE, "package/inner/module.py"), Site())
    first, *others = cells(document)
    assert '__package__ = "package.inner"' in first
    assert '__file__ = importlib.util.find_spec("package.inner.module")' in first
    assert others == [
        "from __future__ import annotations",
        "from . import sibling\nfrom ..above.more import (\n    one,\n)\n\n"
        "PLACE = __file__",
        'class Bare(Exception):\n    """Nothing else."""',
        "@decorated\ndef function():\n    # Stays inside.\n"
        "    from .other import late\n\n    return late",
    ]
    assert cells(document, "markdown") == [
        "# Words\n\nFrom `package/inner/module.py`.\n\nFirst.",
        "Above the imports.",
        "## `Bare`\n\nNothing else.",
        "## `function`\n\nAbove, with [words][nowhere].\n\nSaid above.\n\nMore of it.",
        "As a command, the module runs this:\n\n"
        '```python\nif __name__ == "__main__":\n    function()\n```',
    ]


# The first cell


def test_the_first_cell_installs_the_checkout_that_contains_the_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def pip(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(words[3:])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(subprocess, "run", pip)
    names = {"notebooks/pyproject.toml": "another", "pyproject.toml": "mine"}
    write(tmp_path, {k: f'[project]\nname = "{v}"\n' for k, v in names.items()})
    monkeypatch.chdir(tmp_path / "notebooks")
    given = Distribution("mine", "git+https://code.example/a/b", "main")
    (first, *_) = cells(notebook(page_of("x = 1\n"), Site(), given))
    exec(first, {})
    assert asked == [["install", "--quiet", f"mine @ {tmp_path.as_uri()}"]]


# Makes a wheel without any package: its code is the message of the commit.
BACKEND = """\
import zipfile
from pathlib import Path

INFO = "mine-1.dist-info"


def build_wheel(folder, *_):
    head = "Metadata-Version: 2.1\\nName: mine\\nVersion: 1\\nProvides-Extra: more\\n"
    files = {
        "mine.py": Path("mine.py").read_text(),
        f"{INFO}/METADATA": head,
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\\nTag: py3-none-any\\n",
        f"{INFO}/RECORD": "",
    }
    with zipfile.ZipFile(Path(folder, "mine-1-py3-none-any.whl"), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return "mine-1-py3-none-any.whl"
"""
PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "mine"
version = "1"
"""


@pytest.mark.setup
def test_the_first_cell_installs_its_commit_once_and_replaces_another(
    tmp_path: Path,
) -> None:
    """With pip and git themselves; all commits have the same version."""
    project, place = tmp_path / "project", tmp_path / "place"
    files = {"pyproject.toml": PROJECT, "backend.py": BACKEND}
    place.mkdir()

    def output(*words: str, cwd: Path = project) -> str:
        done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    commits = []
    for number in range(3):
        write(project, files, {"mine.py": f"NUMBER = {number}\n"})
        if not number:
            output("git", "init", "--quiet")
        author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        output("git", "add", ".")
        output("git", *author, "commit", "--quiet", "-m", "One more")
        commits.append(output("git", "rev-parse", "HEAD"))
    output("git", "update-server-info")
    (project / ".git/404.html").touch()
    output(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    python = str(tmp_path / "venv/bin/python")
    count = (
        "import subprocess\nrun = subprocess.run\ncalls = []\n"
        "subprocess.run = lambda *a, **k: calls.append(a) or run(*a, **k)\n"
    )
    with served(project / ".git") as address:
        for commit, calls in ((1, 1), (1, 0), (0, 2), (0, 0)):
            given = Distribution("mine", f"git+{address}", commits[commit])
            code = f"{count}{given.cell()}\nimport mine\nprint(mine.NUMBER, len(calls))"
            assert output(python, "-c", code, cwd=place) == f"{commit} {calls}"


def test_the_packages_to_install_are_read_from_the_project(tmp_path: Path) -> None:
    settings = tmp_path / "pyproject.toml"
    assert read_distribution(tmp_path, "https://code.example/a/b", "main") is None
    settings.write_text(
        '[project]\nname = "mine"\n'
        '[project.optional-dependencies]\nfast = ["num-py>=2", "torch"]\n'
        '[tool.txl.notebooks]\nextras = ["fast"]\n'
    )
    assert read_distribution(tmp_path, "", "main") is None
    address, extras = "git+https://code.example/a/b", {"fast": ("num-py>=2", "torch")}
    assert read_distribution(
        tmp_path, "https://code.example/a/b/", "v2"
    ) == Distribution("mine", address, "v2", extras, ("fast",))
    # A branch that MkDocs only guesses is never installed.
    for given, own, revision in (
        ("", "", ""),
        ("edit_uri: edit/dev/docs/\n", "", "dev"),
        ("", "      revision: v3\n", "v3"),
    ):
        config = f"repo_url: https://github.com/nobody/counting\n{given}{CONFIG}{own}"
        write(tmp_path, FILES, {"mkdocs.yml": config})
        install = open_project(tmp_path / "mkdocs.yml").content.install
        assert install is not None
        assert install.address == "git+https://github.com/nobody/counting"
        assert install.revision == revision
    settings.write_text("[project\n")
    with pytest.raises(LiterateError, match=r"^pyproject\.toml:1: not valid TOML"):
        read_distribution(tmp_path, "https://code.example/a/b", "main")


# Plain Markdown


def plain_fences(markdown: str) -> Iterator[str]:
    """The lines within the fences that name no language: those of the exported code."""
    fence = language = ""
    for line in markdown.split("\n"):
        if fence:
            if line == fence:
                fence = ""
            elif not language:
                yield line
        elif match := re.match(r"(```+|~~~+)(.*)$", line):
            fence, language = match[1], match[2]


def test_every_line_of_code_and_every_note_is_in_the_markdown_once() -> None:
    wrong = []
    for page in ANNOTATED.pages:
        blocks = [section.block for section in page.sections]
        lines = {n.number: n.text.rstrip() for b in blocks for n in b.visible_code}
        every = {n.number for b in blocks for n in b.code if n.text.strip()}
        found = [
            (int(match[1]), match[2] or "")
            for line in plain_fences(text(page, PUBLISHED))
            if (match := re.fullmatch(r" *(\d+)(?:  (.*))?", line))
        ]
        if found != sorted(lines.items()) or every - {*lines}:
            wrong.append(f"{page.path}: {sorted({*found} ^ {*lines.items()})}")
        made = text(page, UNPUBLISHED)
        for block in blocks:
            note = make_portable(
                block.note, page.path, UNPUBLISHED, near=page.module
            ).text
            if note.strip() not in made:
                wrong.append(f"{page.path}: {note}")
    assert wrong == []


# Links that leave the site


NOTE = "[$n$][cnt.next], `f`, `g`, [that](two.md#g), [out](https://o.example), $x$"
# The same where a site is published, and where only words remain.
PORTABLE = {
    "https://s.example/": "[$n$](https://s.example/equations.md#cnt.next), `f`, "
    "[`g`](https://s.example/a/two.md#g), [that](https://s.example/a/two.md#g), "
    "[out](https://o.example), $x$",
    "": "$n$, `f`, `g`, that, [out](https://o.example), $x$",
}


def test_tabs_become_titles_above_their_contents() -> None:
    note = read_note('=== "One"\n\n    *a*\n\n=== "Two"\n\n    b\n\n        c\n\nd\n')
    shown = make_portable(note, "a/one.md", Site(index=index_modules(())))
    assert shown.text == "**One**\n\n*a*\n\n**Two**\n\nb\n\n    c\n\nd\n"


def test_links_lead_to_the_published_site_or_become_text() -> None:
    modules = {"a.one": "def f(): pass\n", "a.two": "def g(): pass\n"}
    for url, wanted in PORTABLE.items():
        site = Site(
            index=index_modules((n, Source(f"{n}.py", t)) for n, t in modules.items()),
            pages={name: f"{name.replace('.', '/')}.md" for name in modules},
            registry=load_registry([Source("cnt.toml", REGISTRY)]),
            url=url,
        )
        assert (
            make_portable(read_note(NOTE), "a/one.md", site, near="a.one").text
            == wanted
        )


def test_no_notebook_or_markdown_has_a_relative_link(
    notebooks: list[tuple[Page, str]],
) -> None:
    wrong = []
    for page, document in notebooks:
        for given in ("\n".join(cells(document, "markdown")), text(page, PUBLISHED)):
            words = re.sub(r"^(```+).*?^\1$|`[^`\n]*`", "", given, flags=re.M | re.S)
            targets = re.findall(r"\]\(([^)\s]+)\)", words)
            own = ("https://", "data:image/svg+xml;base64,")
            faults = [one for one in targets if not one.startswith(own)]
            faults += re.findall(r"\]\[(?:txl|cmp)\.", words)
            if faults or not targets:
                wrong.append(f"{page.path}: {faults}")
    assert wrong == []


# The command


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project that the command is called in."""
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_export_writes_the_requested_files(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, (words, wanted) in enumerate(
        (
            (f"{COUNTER_FILE} --to ipynb", {"counter.ipynb"}),
            (f"counting.steps {COUNTER_FILE} --to md", {"steps.md", "counter.md"}),
            ("--to md", {"counting.md", "counting/steps.md", "counting/counter.md"}),
        )
    ):
        out = f"out{number}"
        assert cli.main(["export", *words.split(), "--out", out]) == 0
        assert {*contents(project / out)} == wanted
        said = capsys.readouterr().out.splitlines()
        assert {Path(line).relative_to(out).as_posix() for line in said} == wanted


def test_errors_of_export_are_one_line_and_nothing_is_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, {"taken/steps.md/inside": "Mine.\n"})
    before = contents(project)
    for arguments, status, words in (
        ("nothing.py --to md", 2, "txl: no annotated module matches nothing.py"),
        ("--to md --out docs/index.md", 1, "docs/index.md"),
        ("counting.steps --to md --out taken", 2, "taken/steps.md is a"),
        ("--to site --out src", 2, "src exists and is not a built site"),
        ("counting --to site", 2, "--to site exports all modules"),
    ):
        assert cli.main(["export", *arguments.split()]) == status
        said = capsys.readouterr()
        (line,) = said.err.splitlines()
        assert words in line
        assert said.out == ""
        assert contents(project) == before
