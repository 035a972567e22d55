"""A page that is written by hand shows code as the page of its module does."""

import re
from pathlib import Path

from markdown import Markdown

from labml_txl.literate.export.notebooks.tutorial import parse, write_tutorial
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.files import files_of
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
from labml_txl.literate.recording.bindings import hash_code
from labml_txl.literate.recording.records import Record, Run, Value, to_json
from labml_txl.literate.security.trusted import TrustedExtension, mark_class
from labml_txl.literate.sources.repository import Repository
from labml_txl.literate.sources.source import Source
from tests.literate.small import FILES, REGISTRY, write

HOME = "# Home\n\nIt is so:\n\n{{ %s }}\n\nAnd on.\n"


def edition(folder: Path, name: str, **files: str) -> LocalizedProject:
    prose = {"docs/index.md": HOME % name, "papers/cnt.toml": REGISTRY, **files}
    write(folder, FILES, prose)
    code = ("src/counting",)
    return annotate(
        Project(folder, modules=code, equations=("papers",), prose=("index.md",))
    )


def render(page: str) -> str:
    """The HTML of a page, without its front matter."""
    extensions = ["md_in_html", "attr_list", TrustedExtension()]
    html: str = Markdown(extensions=extensions).convert(page.rpartition("---\n")[2])
    return html


def visible_text(markdown: str) -> str:
    """What a reader sees of the code."""
    return re.sub(r"<[^>]+>", "", markdown)


def test_a_definition_is_cut_out_of_its_page(tmp_path: Path) -> None:
    for name in ("Counter.count", "counting.counter.Counter.count"):
        found = edition(tmp_path, name)
        page = found.entry("index.md").markdown
        assert re.search("(?s)It is so:.*And on.", page)
        assert "The next count, $n_{t+1} = n_t + 1$." in page
        assert "return number + STEP" in visible_text(page)
        assert "class Counter" not in visible_text(page)
        # Addresses are seen from the page that it stands on.
        way = "counting/counter/#Counter.count"
        assert f'<a class="lit-link" href="{way}"' in page
        assert f'<a class="lit-link" href="{way}.2"' in page
        assert 'href="#' not in page
        assert [*found.faults] == []
    for name in ("cnt.next", "nothing", "counting.nothing.at.all"):
        page = edition(tmp_path, name).entry("index.md").markdown
        assert "lit-block" not in page
        assert ("{{" in page) == (name != "cnt.next")


def test_prose_next_to_an_excerpt_keeps_its_classes(tmp_path: Path) -> None:
    text = '<div class="lit-hero" markdown="1">\n\n# Home\n\n</div>\n\n{{ %s }}\n'
    files = {"docs/index.md": text % "Counter.count"}
    page = edition(tmp_path, "Counter.count", **files).entry("index.md").markdown
    html = render(page)
    assert '<div class="lit-hero">' in html
    assert '<div class="lit-excerpt"' in html
    assert "\ufdd2" not in html


def test_long_data_on_a_page_of_prose_is_not_highlighted(tmp_path: Path) -> None:
    code = {
        "short": "x = 1",
        "long": f"x = '{'y' * 2_000}'",
        "large": "x = 1\n" * 9_000,
    }
    for name, text in code.items():
        page = f"# Home\n\n```python\n{text}\n```\n\n    {text[:9]}\n"
        found = edition(tmp_path, "", **{"docs/index.md": page}).entry("index.md")
        fence = "```python\n" if name == "short" else "```\n"
        assert f"\n\n{fence}{text}\n```\n\n    x" in found.markdown, name


NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec: {display_name: Python 3, name: python3}
# ---

# %% [markdown]
# # Count by hand

# %%
1 + 1
"""


def test_a_tutorial_links_to_colab_if_its_repository_is_on_github(
    tmp_path: Path,
) -> None:
    file = "notebooks/by_hand.py"
    result = write_tutorial(parse(Source(file, NOTEBOOK)))
    notebooks = {file: NOTEBOOK, "notebooks/by_hand.ipynb": result}
    settings = {"pyproject.toml": '[project]\nname = "counting"\n'}
    prose = {"docs/index.md": HOME % "notebooks.by_hand"}
    write(tmp_path, FILES, notebooks, settings, prose)
    whole = "https%3A%2F%2Fme.example%2Fcounting%2Fnotebooks%2Fby_hand.ipynb"
    address = f"https://colab.research.google.com/#fileId={whole}"
    for host in ("github.com", "gitlab.com"):
        project = Project(
            tmp_path,
            notebooks=("notebooks",),
            prose=("index.md",),
            repository=Repository(f"https://{host}/me/counting"),
            url="https://me.example/counting/",
        )
        found, there = annotate(project), host == "github.com"
        page = found.entry("index.md").markdown
        text = str(dict(files_of(found))["index.md"])
        assert "{{" not in page + text
        assert (f'<a href="{address}">Open in Colab</a>' in page) == there
        assert (f"[Open in Colab]({address})" in text) == there


def test_names_in_an_excerpt_show_recorded_values(tmp_path: Path) -> None:
    file = "src/counting/counter.py"
    run = Run("a count", "numbers", 1, 1)
    held = Value("Counter.count", "number", 0, "", "int64", (), 1.0, 1.0, 1.0, 0.0)
    record = Record(file, hash_code(str(FILES[file])), run, (held,))
    told = {"docs/observations/counter.json": to_json(record)}
    page = edition(tmp_path, "Counter.count", **told).entry("index.md").markdown
    head, _, body = page.partition("# Home")
    assert head == '---\nobserved: "counting/counter"\n---\n'
    opening = (
        f'<div class="{mark_class("lit-excerpt")}" data-observed="counting/counter"'
    )
    assert opening in body
    assert 'data-o="0"' in body
    # What leads to a value stands on the page of the module.
    assert 'id="o0"' not in body
