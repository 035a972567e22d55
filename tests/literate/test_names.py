"""What a name in the code stands for, found without running the code."""

from textwrap import dedent

import pytest

from labml_txl.literate.names import index_modules, module
from labml_txl.literate.source import Source


def targets(text: str, name: str = "pkg.sub.mod") -> dict[tuple[int, str], str]:
    """What each name of a module stands for, by its line and spelling."""
    path = name.replace(".", "/") + ".py"
    uses = module(name, Source(path, dedent(text).lstrip())).uses
    return {(use.line, use.text): use.target for use in uses if not use.defined}


@pytest.mark.parametrize(
    ("statement", "name", "target"),
    [
        ("import torch", "torch", "torch"),
        ("import torch.nn.functional as F", "F", "torch.nn.functional"),
        ("import torch.nn", "torch", "torch"),
        ("from torch import nn", "nn", "torch.nn"),
        ("from torch import nn as layers", "layers", "torch.nn"),
        ("from .near import A", "A", "pkg.sub.near.A"),
        ("from . import near", "near", "pkg.sub.near"),
        ("from .. import top", "top", "pkg.top"),
        ("from ..top import A", "A", "pkg.top.A"),
        ("if x:\n    from .near import A", "A", "pkg.sub.near.A"),
    ],
)
def test_an_import_says_what_a_name_stands_for(
    statement: str, name: str, target: str
) -> None:
    last = statement.count("\n") + 2
    assert targets(f"{statement}\n{name}\n")[last, name] == target


def test_a_package_imports_from_itself() -> None:
    found = module("pkg", Source("pkg/__init__.py", "from .near import A\n"))
    assert found.imports == {"A": "pkg.near.A"}


def test_an_attribute_of_an_import_is_known() -> None:
    found = targets("import torch.nn.functional as F\ny = F.pad(x)\n")
    assert found[2, "pad"] == "torch.nn.functional.pad"


def test_a_name_of_the_module_itself_is_known() -> None:
    found = targets("def f(): pass\nclass A: pass\nf()\nA()\n")
    assert (found[3, "f"], found[4, "A"]) == ("pkg.sub.mod.f", "pkg.sub.mod.A")


def test_a_parameter_hides_an_import() -> None:
    found = targets("""
        import json
        def f(json, *args, **kwargs):
            return json.loads
        json.dumps
    """)
    assert (found[3, "json"], found[3, "loads"]) == ("", "")
    assert found[4, "dumps"] == "json.dumps"


def test_a_local_name_hides_an_import() -> None:
    found = targets("""
        import json
        def f():
            json = 1
            return json
        def g():
            for json in []:
                pass
            return lambda: json
        def h():
            global json
            json = 2
            return json
    """)
    assert found[4, "json"] == ""
    assert found[8, "json"] == ""
    assert found[12, "json"] == "json"


def test_a_name_of_self_is_a_method_of_the_class_around_it() -> None:
    found = targets("""
        class A:
            def f(self):
                return self.g() + self.unknown
            def g(self):
                return 1
        class B:
            def f(self):
                return self.g()
    """)
    assert found[3, "g"] == "pkg.sub.mod.A.g"
    assert found[3, "unknown"] == ""
    assert found[8, "g"] == ""


def test_a_column_counts_characters() -> None:
    (first, second) = module("m", Source("m.py", "λλ = 'ñ' + x\n")).uses
    assert (first.text, first.column) == ("λλ", 0)
    assert (second.text, second.column) == ("x", 11)


def test_a_definition_is_marked_where_its_name_stands() -> None:
    text = "class Class:\n    async def def_(self): pass\n"
    found = [use for use in module("m", Source("m.py", text)).uses if use.defined]
    assert [(u.line, u.column, u.target) for u in found] == [
        (1, 6, "m.Class"),
        (2, 14, "m.Class.def_"),
    ]


# The names of several modules

INDEX = index_modules(
    [
        ("pkg", Source("pkg/__init__.py", "from .a import A\nfrom .b import f as g\n")),
        (
            "pkg.a",
            Source(
                "pkg/a.py", "class A:\n    def run(self): pass\n    def f(self): pass\n"
            ),
        ),
        (
            "pkg.b",
            Source("pkg/b.py", "def f(): pass\nclass B:\n    def run(self): pass\n"),
        ),
        ("pkg.c", Source("pkg/c.py", "from .d import X\n")),
        ("pkg.d", Source("pkg/d.py", "from .c import X\n")),
    ]
)


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("pkg.a.A", ("pkg.a", "A")),
        ("pkg.a.A.run", ("pkg.a", "A.run")),
        ("pkg.a", ("pkg.a", "")),
        ("pkg.A", ("pkg.a", "A")),
        ("pkg.A.run", ("pkg.a", "A.run")),
        ("pkg.g", ("pkg.b", "f")),
        ("pkg.a.missing", None),
        ("other.A", None),
        ("pkg.c.X", None),
    ],
)
def test_a_name_that_a_package_passes_on_is_followed(
    target: str, place: tuple[str, str] | None
) -> None:
    assert INDEX.place(target) == place


@pytest.mark.parametrize(
    ("words", "near", "place"),
    [
        ("A", "pkg.b", ("pkg.a", "A")),
        ("A.run", "pkg.b", ("pkg.a", "A.run")),
        ("B.run", "pkg.b", ("pkg.b", "B.run")),
        ("pkg.b.f", "pkg.a", ("pkg.b", "f")),
        ("run", "pkg.a", None),
        ("a", "pkg", ("pkg.a", "")),
        ("f(x)", "pkg.b", None),
        ("nothing", "pkg.a", None),
    ],
)
def test_the_words_of_a_note_mean_one_name_or_none(
    words: str, near: str, place: tuple[str, str] | None
) -> None:
    assert INDEX.find(words, near) == place


def test_words_that_two_modules_define_mean_the_near_one_only() -> None:
    modules = [(f"p.{n}", Source(f"p/{n}.py", "def f(): pass\n")) for n in "ab"]
    index = index_modules([*modules, ("p.c", Source("p/c.py", ""))])
    assert index.find("f", "p.a") == ("p.a", "f")
    assert index.find("f", "p.c") is None
