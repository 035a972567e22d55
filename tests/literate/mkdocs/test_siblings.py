"""The navigation of a flat package: a page of a thousand does not name them all."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from labml_txl.literate.mkdocs.templates import THEME


@dataclass
class Entry:
    """A page or a section, as a host tells templates of it."""

    title: str
    url: str = ""
    active: bool = False
    children: Sequence["Entry"] = ()


def nav(count: int, at: int, *, nested: bool = True) -> str:
    """The navigation around a page of so many, or around a page elsewhere."""
    pages = [Entry(f"M {n}", f"m{n}/", n == at) for n in range(count)]
    section = Entry("Package", "", at in range(count), pages)
    here: Any = {
        "nav": SimpleNamespace(items=[Entry("Home", "home/"), section]),
        "features": [],
        "lang": SimpleNamespace(t=str),
        "config": SimpleNamespace(site_name="Flat"),
    }
    if not nested:
        here["nav"].items = pages
    env = Environment(loader=FileSystemLoader(THEME), autoescape=True)
    env.filters["url"] = str
    return env.get_template("partials/nav.html").render(here)


def links(html: str) -> list[tuple[str, str]]:
    """Where each link leads, and its words."""
    return re.findall(r'<a [^>]*href="([^"]*)"[^>]*>([^<]*)</a>', html)


@pytest.mark.parametrize("nested", [True, False], ids=["a section", "the top"])
def test_of_more_a_page_names_those_near_it_and_the_ends(nested: bool) -> None:
    first, *found = links(nav(1_000, 500, nested=nested))[nested:]
    assert first == ("m0/", "M 0")
    near = [(f"m{n}/", f"M {n}") for n in range(480, 521)]
    gaps = [("m0/", "M 0 … (479)"), ("m0/", "M 0 … (478)")]
    assert found == [gaps[0], *near, gaps[1], ("m999/", "M 999")]


@pytest.mark.parametrize("at", [1, 20, 22, 978, 979, 999])
def test_each_page_is_named_once_and_all_are_counted(at: int) -> None:
    found = links(nav(1_000, at))[1:]
    named = [words for _, words in found if "…" not in words]
    assert len({*named}) == len(named) <= 43
    assert f"M {at}" in named
    assert {"M 0", f"M {at - 1}", "M 999"} <= {*named}
    gaps = (re.search(r"… \((\d+)\)$", words) for _, words in found)
    assert sum(int(gap[1]) for gap in gaps if gap) == 1_000 - len(named)


def test_the_open_page_is_marked_and_no_address_stands_twice() -> None:
    html = nav(1_000, 500)
    (marked,) = re.findall(r'<a [^>]*aria-current="page">([^<]*)<', html)
    assert marked == "M 500"
    names = re.findall(r' id="([^"]*)"', html)
    assert len({*names}) == len(names)
