"""The navigation of a flat package: a page of a thousand does not name them all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from labml_txl.literate.theme.navigation import expand_folders
from labml_txl.literate.theme.templates import THEME


@dataclass
class Entry:
    """A page or a section, as a host tells templates of it."""

    title: str
    url: str = ""
    active: bool = False
    children: Sequence["Entry"] = ()


def nav(at: int, *, nested: bool) -> str:
    """The navigation around one of a thousand pages."""
    pages = [Entry(f"M {n}", f"m{n}/", n == at) for n in range(1_000)]
    items = [Entry("Home", "home/"), Entry("Package", "", True, pages)]
    here: Any = {
        "nav": SimpleNamespace(items=items if nested else pages),
        "features": [],
        "lang": SimpleNamespace(t=str),
        "config": SimpleNamespace(site_name="Flat"),
    }
    env = Environment(loader=FileSystemLoader(THEME), autoescape=True)
    env.filters["url"] = str
    return env.get_template("partials/nav.html").render(here)


@pytest.mark.parametrize("nested", [True, False], ids=["a section", "the top"])
@pytest.mark.parametrize("at", [1, 20, 22, 500, 978, 979, 999])
def test_a_page_lists_its_neighbours_and_the_ends_and_counts_the_rest(
    at: int, nested: bool
) -> None:
    html = nav(at, nested=nested)
    found = re.findall(r'<a [^>]*href="([^"]*)"[^>]*>([^<]*)</a>', html)[nested:]
    named = [words for _, words in found if "…" not in words]
    assert len({*named}) == len(named) <= 43
    assert {"M 0", f"M {at - 1}", f"M {at}", "M 999"} <= {*named}
    assert all(url == f"m{words[2:]}/" for url, words in found if "…" not in words)
    gaps = (re.search(r"… \((\d+)\)$", words) for _, words in found)
    assert sum(int(gap[1]) for gap in gaps if gap) == 1_000 - len(named)
    assert re.findall(r'<a [^>]*aria-current="page">([^<]*)<', html) == [f"M {at}"]
    names = re.findall(r' id="([^"]*)"', html)
    assert len({*names}) == len(names)


def test_a_folder_in_the_navigation_is_replaced_by_its_pages() -> None:
    nav = [{"Code": ["a/", {"Below": "a/b/"}]}, "index.md", {"Empty": "c/"}]
    assert expand_folders(nav, ["a/x.md", "a/b/y.md"]) == [
        {"Code": ["a/x.md", {"Below": ["a/b/y.md"]}]},
        "index.md",
        {"Empty": []},
    ]
