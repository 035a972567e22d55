"""A name in words leads to what it means, or nowhere."""

import re
from pathlib import Path

from labml_txl.literate.build.edition import Edition

from labml_txl.literate.mkdocs.settings import project_of
from labml_txl.literate.sources.names import Index, index_modules
from labml_txl.literate.sources.source import Source

ROOT = Path(__file__).parents[3]
LINK = re.compile(r"\[`(\w+)`\]\(([^()]+)\)")


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


def test_on_all_pages_no_such_name_leads_to_another_page() -> None:
    edition = Edition(project_of(ROOT / "mkdocs.yml"))
    modules = edition.site.index.modules
    names = {path: modules[name] for name, path in edition.site.pages.items()}
    every = frozenset().union(*(module.local for module in modules.values()))
    prose = {path: edition.prose(path) or "" for path in edition.project.prose}
    links, wrong = 0, []
    for path, text in {**edition.pages(), **prose}.items():
        module = names.get(path)
        local = module.local - {*module.imports} if module else every
        for name, goal in LINK.findall(text):
            links += 1
            if name in local and not goal.startswith("#") and ".md#" in goal:
                wrong.append(f"{path}: {name} leads to {goal}")
    assert wrong == []
    assert links > 100
