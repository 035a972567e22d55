"""Tutorial notebooks: what is written, what is stored, and what a reader gets."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from labml_txl.literate.export.notebooks.first_cell import CLAIM
from labml_txl.literate.export.notebooks.notebook import Distribution
from labml_txl.literate.export.notebooks.tutorial import (
    Tutorial,
    clean,
    document,
    parse,
)
from labml_txl.literate.export.notebooks.tutorial_page import (
    embed_plot,
    render_page,
    render_plain,
)
from labml_txl.literate.project.tutorials import read_tutorials
from labml_txl.literate.render.resolve import Site
from labml_txl.literate.security.trusted import mark_class
from labml_txl.literate.sources.cells import DRAWING
from labml_txl.literate.sources.source import LiterateError, Source
from tests.literate.small import CONFIG, FILES, build, contents, must_build, txl, write

HEADER = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

"""
BODY = """\
# %% [markdown]
# # Count to three
#
# We count with the counter of the project, and look at what it gives us in the end.
#
# The step is $1$, and `Counter` is [there](../index.md).

# %% tags=["parameters"]
import os

QUICK = bool(os.environ.get("TXL_QUICK"))

# %%
import sys

from counting import Counter

print("quick" if QUICK else "in full")
print("50 %", file=sys.stderr)
Counter().count(2)

# %% [markdown]
# ## The end

# %% tags=["claim"]
Counter().count(2) == 3
"""
SVG = """<?xml version="1.0"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="504pt" viewBox="0 0 504 302">
 <title>t</title><defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
 <g id="figure_1"><path id="m1" d="M 0.123456 2
" style="fill: #ffffff; stroke: #000000"/><use xlink:href="#m1" x="1"/>
 <text style="font: 12px 'DejaVu Sans', sans-serif; fill: #ffffff">nats</text></g>
</svg>"""
PRINTED = "```python\n<b>$x$</b>\n```\n~~~\n# no heading\n"
# With a figure, and what looks like Markdown.
WHOLE = f"""{BODY}
# %%
from IPython.display import display

print({PRINTED!r})
display(
    {{{DRAWING!r}: {SVG!r}}},
    raw=True,
    metadata={{{DRAWING!r}: {{"alt": "A dot"}}}},
)
"""
NAME = "notebooks/three.py"
SETTINGS = CONFIG + "      notebooks: [notebooks]\n"
SITE = Site(url="https://reader.example/", address=lambda start, goal: f"{goal}/")


def written(body: str = BODY, header: str = HEADER) -> Tutorial:
    return parse(Source(NAME, header + body))


def project(folder: Path, body: str = BODY, header: str = HEADER) -> Path:
    write(folder, FILES, {"mkdocs.yml": SETTINGS, NAME: header + body})
    return folder


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose notebook was run in full, and its site."""
    folder = project(tmp_path_factory.mktemp("stored"), WHOLE)
    done = txl(folder, "notebooks")
    assert done.returncode == 0, done.stderr
    must_build(folder, "--strict")
    return folder


@pytest.fixture
def copy(stored: Path, tmp_path: Path) -> Path:
    shutil.copytree(stored, tmp_path / "project")
    return tmp_path / "project"


def cells(folder: Path) -> list[dict[str, Any]]:
    text = folder.joinpath("notebooks/three.ipynb").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    return found


# What is read


def test_a_faulty_tutorial_is_an_error_with_its_line() -> None:
    kernel = HEADER.replace("name: python3", "name: julia-1.9")
    head = HEADER.replace("#   kernelspec:", "#   kernelspec: [")
    for body, header, told in (
        (BODY, kernel, "1: unknown kernel julia-1.9: write python3"),
        (BODY, head, "1: invalid header"),
        (BODY.replace("# # Count", "# Count"), HEADER, "9: no title"),
        (
            BODY.replace("[markdown]\n# # Count", "[markdown] # Count"),
            HEADER,
            "9: words after [markdown]",
        ),
        (
            BODY.replace("import os\n", "import os of\n"),
            HEADER,
            "17: cell 2: not valid Python",
        ),
    ):
        with pytest.raises(LiterateError) as raised:
            written(body, header)
        assert str(raised.value).startswith(f"{NAME}:{told}")
    # Without a header, the kernel is that of Python.
    assert written(BODY, "").title == written(BODY, HEADER).title


# What is run and stored


def test_a_run_stores_the_outputs_and_a_second_run_the_same(copy: Path) -> None:
    before = contents(copy / "notebooks")
    outputs = [cell["outputs"] for cell in cells(copy) if "outputs" in cell]
    assert outputs[0] == []
    first, second = outputs[1]
    assert first["text"] == ["in full\n"]  # and no progress
    assert second["data"] == {"text/plain": ["3"]}
    for words in (["three"], ["--keep"]):
        assert txl(copy, "notebooks", *words).returncode == 0
        assert contents(copy / "notebooks") == before


def test_a_quick_run_sets_its_variable_and_stores_nothing(tmp_path: Path) -> None:
    body = BODY.replace('print("quick"', 'assert QUICK\nprint("quick"')
    body = body.replace('["claim"]', '["claim", "full"]').replace("2) == 3", "2) == 4")
    done = txl(project(tmp_path, body), "notebooks", "--quick")
    assert done.returncode == 0, done.stderr
    assert [p.name for p in tmp_path.joinpath("notebooks").iterdir()] == ["three.py"]


FAILING = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "os._exit(3)": "the kernel died",
    "from IPython.display import display\ndisplay({'text/html': 'x'}, raw=True)": (
        "output of type text/html"
    ),
    "print(os.getcwd())": "the output contains a path",
    "(\n    1 < 2\n    and 2 < 1\n)": "the claim is False, not True: 1 < 2 and",
    "x = 1": "the claim is without a value, not True: x = 1",
}


@pytest.mark.parametrize("code", FAILING)
def test_an_error_in_a_cell_is_one_line_and_nothing_is_stored(
    tmp_path: Path, code: str
) -> None:
    body = BODY.replace("Counter().count(2) == 3", code)
    done = txl(project(tmp_path, body), "notebooks")
    assert done.returncode == 1
    (line,) = (n for n in done.stderr.splitlines() if n.startswith("txl: "))
    assert line.startswith(f"txl: {NAME}:33: cell 5: ")
    assert FAILING[code] in line
    assert "Traceback" not in done.stderr
    assert not tmp_path.joinpath("notebooks/three.ipynb").exists()


def test_text_overwritten_by_a_carriage_return_is_not_kept() -> None:
    def printed(*texts: str) -> str:
        streams = [
            {"output_type": "stream", "name": "stdout", "text": text} for text in texts
        ]
        return "".join(output["text"] for output in clean(streams))

    assert printed("1 %\r", "2 %\r", "done\n", "next") == "done\nnext"
    assert printed("\x1b[31mred\x1b[0m\r\n") == "red\n"


# What stops a build


BROKEN: dict[str, dict[str, str | bytes]] = {
    "notebooks/three.ipynb:2: not valid JSON": {
        "notebooks/three.ipynb": '{\n "cells": [}\n'
    },
    f"{NAME}:33: cell 5: notebooks/three.ipynb has different code here": {
        NAME: HEADER + WHOLE.replace("count(2) == 3", "count(1) == 2")
    },
    f"{NAME}:14: ": {NAME: HEADER + WHOLE.replace("$1$", r"$\frac{1$")},
    "notebooks/four.py:1: notebooks/four.ipynb is missing": {
        "notebooks/four.py": HEADER + BODY
    },
}


def test_a_fault_stops_the_build_with_its_place(copy: Path) -> None:
    before = contents(copy)
    for told, files in BROKEN.items():
        write(copy, files)
        done = build(copy, "--strict")
        assert done.returncode == 1
        lines = re.findall(r"^(?:ERROR|WARNING) +- +(.*)", done.stderr, re.MULTILINE)
        (line,) = (line for line in lines if "reading" not in line)
        assert line.startswith(told)
        assert "Traceback" not in done.stderr
        write(copy, {name: before[name] for name in files if name in before})
        after = {k: v for k, v in contents(copy).items() if k.startswith("site")}
        assert after == {k: v for k, v in before.items() if k.startswith("site")}


# What a reader gets


def test_the_page_and_its_other_forms_show_words_formulas_code_and_outputs(
    stored: Path,
) -> None:
    site = stored / "site"
    html = site.joinpath("notebooks/three/index.html").read_text()
    assert '<meta name="description" content="We count with the counter' in html
    assert 'class="katex' in html
    assert 'href="../../counting/counter/#Counter"><code>Counter</code>' in html
    assert "<code>in full</code></pre>" in html
    assert 'href="../three.ipynb" download' in html
    assert html.count("<h1") == 1
    # Printed fences and marks stay what they are.
    shown = html.rpartition('<pre class="lit-output"><code>')[2].partition("</code>")[0]
    assert unescape(shown) == PRINTED.rstrip()
    assert json.loads(site.joinpath("notebooks/three.ipynb").read_text())["cells"]
    text = site.joinpath("notebooks/three.md").read_text()
    assert "# Count to three" in text
    assert "```text\nin full\n```" in text
    assert "- [Count to three](" in site.joinpath("llms.txt").read_text()


INSTALL = Distribution(
    "counting",
    "git+https://h/c",
    "v1",
    {"m": ("torch>=2; python_version > '3'", "num-py"), "all": ("counting[m]", "b")},
    ("m",),
)


def code_cells(text: str) -> Iterator[str]:
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"])


def test_the_first_cell_of_code_installs_what_the_tutorial_imports() -> None:
    first, second, *_ = code_cells(document(written(), SITE, INSTALL))
    assert '"counting[m] @ git+https://h/c@v1"' in first
    assert "('counting', 'num-py')" in first
    assert second.startswith("# @title Parameters that you can change\nimport os")
    # Its head may name others.
    more = written(header=HEADER.replace("# ---\n\n", "#   extras: [all]\n# ---\n\n"))
    first, *_ = code_cells(document(more, SITE, INSTALL))
    assert '"counting[all] @ git+https://h/c@v1"' in first
    assert "('counting', 'num-py', 'b')" in first
    unknown = replace(INSTALL, chosen=("n",))
    with pytest.raises(LiterateError, match=r"unknown extra n: choose from all, m$"):
        document(written(), SITE, unknown)


def test_what_cannot_be_installed_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nowhere = Distribution("counting", f"git+{tmp_path.as_uri()}/nowhere")
    told = run_as_cells(nowhere.cell())
    assert told.startswith("counting could not be installed: ")
    assert "nowhere" in told
    assert told.count("\n") == 1


def run_as_cells(*cells: str) -> str:
    """What IPython prints when it runs these cells one after the other."""
    code = (
        "import sys\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "for cell in sys.argv[1:]:\n"
        "    shell.run_cell(cell)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *cells], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_false_claim_prints_its_false_part() -> None:
    here = Distribution("labml_txl", "git+https://h/c", "v1")

    def first_cell(body: str) -> str:
        tutorial = written(body.replace("counting", "labml_txl"))
        first, *_ = code_cells(document(tutorial, SITE, here))
        return first

    def claim(code: str) -> str:
        return f"# @title Check\n{CLAIM}\n{code}"

    first = first_cell(BODY)
    told = run_as_cells(
        *(first, first),  # installed twice, it says everything once
        claim(
            "bits = {0: 3, 64: 2}\n(\n    bits[0] > 1\n    and bits[0] < bits[64]\n)"
        ),
        claim("1 > 2 or 3"),
        claim("2 < 1"),
        "3 < 1",  # the reader's own
    )
    lines = re.findall("This claim is false in your run: (.*)", told)
    assert lines == ["bits[0] < bits[64]", "2 < 1"]
    # A notebook without claims shows what it shows.
    plain = first_cell(BODY.replace(' tags=["claim"]', ""))
    assert "IPython" not in plain


# Figures


def test_a_plot_takes_the_colours_and_the_font_of_the_page() -> None:
    html = embed_plot(SVG, 'The "loss"')
    assert "fill: var(--md-default-bg-color); stroke: currentcolor" in html
    # It may stand on a dark cell of a map, whatever the theme.
    assert 'var(--md-text-font-family); fill: #ffffff">nats' in html
    assert "DejaVu" not in html


def with_outputs(*outputs: dict[str, Any]) -> Tutorial:
    tutorial = written()
    *others, last = tutorial.cells
    empty = {"output_type": "display_data", "metadata": {}}
    shown = tuple({**empty, **output} for output in outputs)
    return replace(tutorial, cells=(*others, replace(last, outputs=shown)))


def test_a_plot_is_drawn_on_the_page_and_described_in_plain_text() -> None:
    metadata = {"image/svg+xml": {"alt": "The loss falls."}}
    data = {"image/svg+xml": SVG, "text/plain": "The loss falls."}
    # Even the same figure may be drawn twice: their names differ.
    tutorial = with_outputs(*[{"data": data, "metadata": metadata}] * 2)
    html = render_page(tutorial, SITE)
    assert html.count('<figure class="lit-plot"') == 2
    names = [part.split('"')[0] for part in html.split(' id="')[1:]]
    assert len({*names}) == len(names) == 2
    assert [html.count(f'href="#{name}"') for name in names] == [1, 1]
    assert "*Figure: The loss falls.*" in render_plain(tutorial, SITE)


def test_a_plot_without_a_description_is_refused(tmp_path: Path) -> None:
    project(tmp_path)
    tutorial = with_outputs({"data": {"image/png": "aGVsbG8="}})
    shown = [replace(cell, tags=()) for cell in tutorial.cells]
    text = document(replace(tutorial, cells=tuple(shown)), SITE)
    write(tmp_path, {"notebooks/three.ipynb": text})
    with pytest.raises(LiterateError, match="cell 5: figure without a description"):
        read_tutorials(tmp_path, ["notebooks"])


# What folds away


FOLDS = BODY + '\n# %% tags=["plot"]\nx = 1\n\n# %%\ny = 2\n'


def test_code_that_only_draws_or_checks_folds_away_on_the_page() -> None:
    page = render_page(written(FOLDS), SITE)
    folded = page.split(f'<details class="{mark_class("lit-fold")}" markdown="1">')[1:]
    inside = [part.partition("</details>")[0] for part in folded]
    parameters, claim, plot = inside
    assert "<summary>Parameters that you can change</summary>" in parameters
    assert "import os" in parameters
    assert "<summary>Check of the statement above</summary>" in claim
    assert "Counter().count(2) == 3" in claim
    assert "<summary>Code of the figure</summary>" in plot
    assert not any("y = 2" in part for part in inside)


def test_colab_and_jupyterlab_fold_the_same_cells_whose_code_stays(
    tmp_path: Path,
) -> None:
    text = document(written(FOLDS), SITE)
    forms = [c for c in json.loads(text)["cells"] if "cellView" in c["metadata"]]
    opening = ["".join(cell["source"]).split("\n")[:2] for cell in forms]
    assert opening == [
        ["# @title Parameters that you can change", "import os"],
        ["# @title Check of the statement above", CLAIM],
        ["# @title Code of the figure", "x = 1"],
    ]
    folded = {"cellView": "form", "jupyter": {"source_hidden": True}}
    assert all(folded.items() <= cell["metadata"].items() for cell in forms)
    # The title is no change of the code.
    write(tmp_path, {NAME: HEADER + FOLDS, "notebooks/three.ipynb": text})
    (kept,) = read_tutorials(tmp_path, [NAME])
    assert [cell.text for cell in kept.cells] == [c.text for c in written(FOLDS).cells]
    write(tmp_path, {"notebooks/three.ipynb": text.replace("x = 1", "x = 9")})
    with pytest.raises(LiterateError, match="has different code here"):
        read_tutorials(tmp_path, [NAME])


def jupyter(*cells: dict[str, Any], language: str = "python") -> str:
    spec = {"name": "conda-env-mine", "display_name": "mine", "language": language}
    form = {"nbformat": 4, "nbformat_minor": 4}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": spec}, **form})


def test_a_notebook_is_shown_as_jupyter_stored_it(tmp_path: Path) -> None:
    result = {"output_type": "execute_result", "execution_count": 7, "metadata": {}}
    noise = {"output_type": "stream", "name": "stderr", "text": ["50 %\n"]}
    notebook = jupyter(
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": ["# Mine\n", "\n", "Text."],
        },
        {
            "cell_type": "code",
            "execution_count": 7,
            "metadata": {"collapsed": False},
            "outputs": [noise, {**result, "data": {"text/plain": ["'seven'"]}}],
            "source": ["%matplotlib inline\n", "!ls\n", "'sev' + 'en'"],
        },
    )
    files = {"notebooks/mine.ipynb": notebook, "notebooks/both.ipynb": "{}"}
    write(tmp_path, {**files, "notebooks/both.py": BODY})
    with pytest.raises(LiterateError, match="not a notebook of format 4"):
        read_tutorials(tmp_path, ["notebooks"])
    (found,) = read_tutorials(tmp_path, ["notebooks/mine.ipynb"])
    assert (found.title, found.path) == ("Mine", "notebooks/mine.md")
    assert found.cells[1].text == "%matplotlib inline\n!ls\n'sev' + 'en'"
    text = render_plain(found, Site())
    assert "'seven'" in text
    assert "50 %" not in text
    # What readers download has the author's cells, and is read as the same again.
    again = document(found, Site(), Distribution("pkg", "git+https://a.example"))
    write(tmp_path, {"notebooks/mine.ipynb": again})
    assert read_tutorials(tmp_path, ["notebooks/mine.ipynb"])[0].cells == found.cells


def test_outputs_that_a_page_cannot_show_are_named_and_reported(
    tmp_path: Path,
) -> None:
    def code(tags: list[str], **output: object) -> dict[str, Any]:
        cell = {"cell_type": "code", "execution_count": 1, "source": ["1"]}
        return {**cell, "metadata": {"tags": tags}, "outputs": [output]}

    words = {"ename": "ValueError", "evalue": "no"}
    error = {"output_type": "error", "traceback": [], **words}
    picture = {"image/png": "aGVsbG8=", "text/plain": ["<Figure size 1x1>"]}
    text = {
        "cell_type": "markdown",
        "metadata": {},
        "attachments": {"a b.png": {"image/png": "aGVsbG8="}},
        "source": ["# Mine\n", "\n", "![One.](attachment:a%20b.png)"],
    }
    shown = {"output_type": "display_data", "metadata": {}}
    home = "/".join(("", "home", "me"))  # no file of ours names one
    notebook = jupyter(
        text,
        code([], **error),
        code(["raises-exception"], **error),
        code([], **shown, data={"application/x-chart+json": {}}),
        code([], **shown, data=picture),
        code([], **shown, data={"text/plain": [home]}),
    )
    write(tmp_path, {"notebooks/mine.ipynb": notebook})
    faults = list[LiterateError]()
    (found,) = read_tutorials(tmp_path, ["notebooks"], tell=faults.append)
    assert [fault.message.split(" ", 2)[1:] for fault in faults] == [
        ["2:", "ValueError: no"],
        ["4:", "output of type application/x-chart+json: show text or a figure"],
        ["5:", "figure without a description: add `alt` to its metadata"],
        ["6:", f"the output contains a path of this machine: {home[:-1]}…"],
    ]
    page = render_page(found, Site())
    assert page.count("ValueError: no") == 2
    assert "&lt;application/x-chart+json&gt;" in page
    assert 'alt="Figure size 1x1"' in page
    assert "![One.](data:image/png;base64,aGVsbG8=)" in page
    assert home in page


def test_a_notebook_in_another_language_is_refused_in_a_line(tmp_path: Path) -> None:
    write(tmp_path, {"notebooks/r.ipynb": jupyter(language="R")})
    with pytest.raises(LiterateError) as error:
        read_tutorials(tmp_path, ["notebooks"])
    assert str(error.value).startswith("notebooks/r.ipynb:1: a notebook in R: ")


def test_a_stored_notebook_is_not_run(tmp_path: Path) -> None:
    given = jupyter({"cell_type": "markdown", "metadata": {}, "source": ["# Mine"]})
    settings = f"{CONFIG}      notebooks: [notebooks]\n"
    write(tmp_path, {**FILES, "mkdocs.yml": settings, "notebooks/mine.ipynb": given})
    done = txl(tmp_path, "notebooks")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "notebooks/mine.ipynb is run in Jupyter, which stores it\n"
    assert tmp_path.joinpath("notebooks/mine.ipynb").read_text() == given
