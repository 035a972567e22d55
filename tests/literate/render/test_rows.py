"""A link that the engine makes leads to a row that is there, and to what it means."""

import posixpath
import re
import sysconfig
from pathlib import Path
from urllib.parse import urljoin

import pytest

from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.render import UNEVEN, place_parts
from labml_txl.literate.render.resolve import relative_url
from labml_txl.literate.sources.names import Index
from labml_txl.literate.sources.source import Source
from tests.literate.small import ROOT, index_modules, write

LINK = re.compile(r"\[`(\w+)`\]\(([^()]+)\)")
LIBRARY = Path(sysconfig.get_path("stdlib"))

MODULE = '''\
"""# A lock

A lock is opened with `Lock.__enter__`, and `close` closes it.
"""


class Lock:
    """Is open or closed."""

    def __enter__(self):
        # Nobody else may come in.
        return self.open()

    def __exit__(self, *given):
        self.close()

    def open(self):
        """Open it."""
        return self.__enter__()

    def close(self):
        """Close it."""

    __hash__ = open


def lock():
    return Lock().__enter__
'''


def anchors(markdown: str) -> set[str]:
    return {*re.findall(r'\bid="([^"]+)"', markdown)}


def dead(annotated: LocalizedProject) -> list[str]:
    """The links of the pages to other rows, if there is no such row."""
    pages = {path: annotated.entry(path).markdown for path in annotated.paths}
    found = []
    rows = {path: anchors(markdown) for path, markdown in pages.items()}
    places = {f"/{relative_url('index.md', path)}": path for path in pages}
    for path, markdown in pages.items():
        in_code = re.findall(r'<a class="n" href="([^":]*)"', markdown)
        in_notes = re.findall(r"`\]\(([^):]*)\)", markdown)
        for link in in_code + in_notes:
            goal, _, anchor = link.partition("#")
            page = posixpath.normpath(posixpath.join(posixpath.dirname(path), goal))
            if goal and not goal.endswith(".md"):
                address = urljoin(f"/{relative_url('index.md', path)}", goal)
                page = places.get(address, address)
            there = rows.get(page if goal else path)
            if there is None or (anchor and anchor not in there):
                found.append(f"{path}: {link}")
    return found


def test_a_name_without_a_row_leads_to_the_row_that_shows_it(tmp_path: Path) -> None:
    write(tmp_path, {"lock.py": MODULE})
    annotated = annotate(Project(tmp_path, ("lock.py",)))
    page = annotated.entry("lock.md").markdown
    assert dead(annotated) == []
    row = re.search(
        r'id="([^"]+)"(?:(?!id=").)*<span class="n d">__enter__', page, re.S
    )
    assert row is not None
    assert f'href="#{row[1]}">__enter__</a>' in page
    assert f"[`Lock.__enter__`](#{row[1]})" in page
    assert '<a class="n" href="#Lock.close">close</a>' in page


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_every_link_within_foreign_code_leads_to_a_row() -> None:
    names = ("json", "concurrent", "wsgiref", "heapq.py", "dataclasses.py")
    annotated = annotate(Project(LIBRARY, names))
    assert len(annotated.paths) > 15
    assert dead(annotated) == []


def index(**texts: str) -> Index:
    return index_modules((n, Source(f"{n}.py", text)) for n, text in texts.items())


def test_a_parameter_or_local_name_is_never_linked_by_its_spelling() -> None:
    found = index(
        a="def nearest(): pass\ndef other(): pass\ndef third(): pass\n",
        b="def f(nearest):\n    other = 1\n    return [third for third in nearest]\n",
        c="def g():\n    from a import other\n    return other\n",
    )
    assert [found.find(n, "b") for n in ("nearest", "other", "third")] == [None] * 3
    assert found.find("nearest", "a") == ("a", "nearest")
    assert found.find("other", "c") == ("a", "other")
    # On a page of no module it may be that of any.
    assert found.find("nearest", "") is None
    assert found.find("a.nearest", "") == ("a", "nearest")


def test_no_parameter_or_local_name_links_to_another_page() -> None:
    site = open_project(ROOT / "mkdocs.yml")
    modules = site.content.index.modules
    names = {module.path: modules[module.name] for module in site.content.modules}
    every = frozenset().union(*(module.all_local for module in modules.values()))
    links, wrong = 0, []
    for path in (*site.paths, *site.project.prose):
        text = site.entry(path).markdown
        module = names.get(path)
        local = module.all_local - {*module.imports} if module else every
        for name, goal in LINK.findall(text):
            links += 1
            if name in local and not goal.startswith("#") and ".md#" in goal:
                wrong.append(f"{path}: {name} leads to {goal}")
    assert wrong == []
    assert links > 100


def test_a_table_needs_more_than_one_line_of_code_beside_it() -> None:
    table = "| a | b |\n|---|---|\n| c | d |\n| e | f |"
    assert place_parts("One line.", "", "", 1, headed=False)[2] <= UNEVEN
    assert place_parts(f"One line.\n\n{table}", "", "", 1, headed=False)[2] > UNEVEN


@pytest.mark.parametrize(
    "drawing",
    [
        "![A square.](square.svg)",
        # One that is in the page, whose labels are no text of the note.
        "\ufdd0<figure><svg><text>1</text></svg></figure>\ufdd1",
    ],
)
def test_a_drawing_is_not_beside_a_single_line(drawing: str) -> None:
    assert place_parts(f"One line.\n\n{drawing}", "", "", 1, headed=False)[2] > UNEVEN
