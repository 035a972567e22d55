"""A name in words leads to what it means, or nowhere."""

import re
from pathlib import Path

from labml_txl.literate.mkdocs.settings import open_project
from labml_txl.literate.sources.names import Index
from labml_txl.literate.sources.source import Source
from tests.literate.small import index_modules

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
    site = open_project(ROOT / "mkdocs.yml")
    modules = site.content.index.modules
    names = {module.path: modules[module.name] for module in site.content.modules}
    every = frozenset().union(*(module.local for module in modules.values()))
    links, wrong = 0, []
    for path in (*site.paths, *site.project.prose):
        text = site.entry(path).markdown
        module = names.get(path)
        local = module.local - {*module.imports} if module else every
        for name, goal in LINK.findall(text):
            links += 1
            if name in local and not goal.startswith("#") and ".md#" in goal:
                wrong.append(f"{path}: {name} leads to {goal}")
    assert wrong == []
    assert links > 100
