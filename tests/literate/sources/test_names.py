"""What a name in the code stands for, found without running the code."""

from textwrap import dedent

import pytest

from labml_txl.literate.sources.names import read_names
from labml_txl.literate.sources.source import Source
from tests.literate.small import index_modules


def targets(text: str, name: str = "pkg.sub.mod") -> dict[tuple[int, str], str]:
    """What each name of a module stands for, by its line and spelling."""
    path = name.replace(".", "/") + ".py"
    uses = read_names(name, Source(path, dedent(text).lstrip())).uses
    return {(use.line, use.text): use.target for use in uses if not use.defined}


@pytest.mark.parametrize(
    ("statement", "name", "target"),
    [
        ("import torch", "torch", "torch"),
        ("import torch.nn.functional as F", "F", "torch.nn.functional"),
        ("from torch import nn as layers", "layers", "torch.nn"),
        ("from .near import A", "A", "pkg.sub.near.A"),
        ("from .. import top", "top", "pkg.top"),
        ("from ..top import A", "A", "pkg.top.A"),
        ("if x:\n    from .near import A", "A", "pkg.sub.near.A"),
    ],
)
def test_imported_names_are_resolved(statement: str, name: str, target: str) -> None:
    last = statement.count("\n") + 2
    assert targets(f"{statement}\n{name}\n")[last, name] == target


def test_a_package_imports_from_itself() -> None:
    found = read_names("pkg", Source("pkg/__init__.py", "from .near import A\n"))
    assert found.imports == {"A": "pkg.near.A"}
    # The name of an imported module leads to it unless it is dotted.
    assert targets("import torch\nimport os.path\n") == {(1, "torch"): "torch"}


@pytest.mark.parametrize(
    "line",
    [
        "f = lambda json: json.loads",
        "f = lambda *json: json.loads",
        "f = [json.loads for json in x]",
        "f = {1: json.loads for _, json in x}",
        "f = [[json.loads for _ in json.loads] for json in x]",
        "try: f()\nexcept OSError as json: json.loads",
        "with x as json: json.loads",
        "match x:\n    case int() as json: json.loads",
        "match x:\n    case {**json}: json.loads",
        "if (json := x): json.loads",
        "for json in x: json.loads",
        "json: int = 1\njson.loads",
        "json += 1\njson.loads",
        "import others as json\njson.others",
        "def g():\n    nonlocal json\n    json.loads\njson = 1",
        "class A:\n    def f(self): json.loads\njson = 1",
    ],
)
def test_a_local_name_is_not_a_name_of_the_module(
    line: str,
) -> None:
    inner = "\n".join(f"    {part}" for part in line.split("\n"))
    found = targets(f"import json\ndef f(x):\n{inner}\njson.dumps\n")
    assert {target for (_, text), target in found.items() if text == "loads"} <= {""}
    assert "json.dumps" in found.values()
    assert found.get((4, "others"), "others.others") == "others.others"


@pytest.mark.parametrize(
    "line",
    [
        "f = lambda x=json.loads: x",
        "f = [x for x in json.loads]",
        "try: f()\nexcept json.loads as error: pass",
        "class A:\n    json = 1\n    def f(self): json.loads",
        "def f(json: json.loads) -> None: pass",
        "@json.loads\ndef f(json): pass",
        "async def f(): await json.loads",
    ],
)
def test_a_name_that_is_bound_only_elsewhere_is_that_of_the_module(line: str) -> None:
    found = targets(f"import json\n{line}\n")
    assert [t for (_, text), t in found.items() if text == "loads"] == ["json.loads"]


def test_a_name_is_known_in_its_own_function_or_in_the_body_of_its_class() -> None:
    found = targets("""
        def f():
            from a import x
            return x
        def g():
            from b import x
            return [x for _ in x]
        def h():
            return x
        def run(): pass
        class A:
            def run(self): pass
            again = run
            def f(self):
                return run
            class B:
                other = run
    """)
    assert (found[3, "x"], found[6, "x"], found[8, "x"]) == ("a.x", "b.x", "")
    assert found[12, "run"] == "pkg.sub.mod.A.run"
    assert found[14, "run"] == found[16, "run"] == "pkg.sub.mod.run"


def test_attributes_of_self_are_known_within_nested_functions() -> None:
    found = targets("""
        class A:
            def g(self): pass
            def f(self):
                def inner():
                    return self.g
                return lambda: [self.g for _ in inner()]
            @classmethod
            def h(cls):
                return cls.g
        class B:
            def f(self): self.g
        def f(self):
            return self.g
        self = A()
        self.g
    """)
    own = "pkg.sub.mod.A.g"
    assert (found[5, "g"], found[6, "g"], found[9, "g"]) == (own, own, own)
    assert (found[11, "g"], found[13, "g"], found[15, "g"]) == ("", "", "")


def test_a_definition_is_marked_where_its_name_is() -> None:
    text = "class Class:\n    async def def_(self): pass\n"
    found = [use for use in read_names("m", Source("m.py", text)).uses if use.defined]
    assert [(u.line, u.column, u.target) for u in found] == [
        (1, 6, "m.Class"),
        (2, 14, "m.Class.def_"),
    ]


# The names of several modules

FILES = {
    "pkg/__init__.py": "from .a import A\nfrom .b import f as g\n",
    "pkg/a.py": "class A:\n    def run(self): pass\n    def f(self): pass\n",
    "pkg/b.py": "def f(): pass\ndef twice(): pass\nclass B:\n    def run(self): pass\n",
    "pkg/c.py": "from .d import X\ndef twice(): pass\n",
    "pkg/d.py": "from .c import X\n",
}


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


INDEX = index_modules((dotted(path), Source(path, t)) for path, t in FILES.items())


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("pkg.a.A", ("pkg.a", "A")),
        ("pkg.a.A.run", ("pkg.a", "A.run")),
        ("pkg.A", ("pkg.a", "A")),
        ("pkg.g", ("pkg.b", "f")),
        ("pkg.a.missing", None),
        ("other.A", None),
        ("pkg.c.X", None),
    ],
)
def test_re_exported_names_are_followed(
    target: str, place: tuple[str, str] | None
) -> None:
    assert INDEX.place(target) == place


@pytest.mark.parametrize(
    ("words", "near", "place"),
    [
        ("A", "pkg.b", ("pkg.a", "A")),
        ("B.run", "pkg.b", ("pkg.b", "B.run")),
        ("pkg.b.f", "pkg.a", ("pkg.b", "f")),
        ("run", "pkg.a", None),
        ("a", "pkg", ("pkg.a", "")),
        ("nothing", "pkg.a", None),
        # What two modules define means the near one only.
        ("twice", "pkg.c", ("pkg.c", "twice")),
        ("twice", "pkg.a", None),
    ],
)
def test_a_name_in_a_note_is_linked_only_if_it_is_unambiguous(
    words: str, near: str, place: tuple[str, str] | None
) -> None:
    assert INDEX.find(words, near) == place


LOCAL = index_modules(
    (name, Source(f"{name.replace('.', '/')}.py", text))
    for name, text in {
        "pkg.a": (
            "def size(): ...\ndef mask(): ...\nlimit = 3\n"
            "class A:\n    size: int\n    def __init__(self, mask): ...\n"
            "    def run(self): ...\n"
            "def f(mask): ...\ndef g(run): ...\n"
        ),
        "pkg.b": "def apart(): ...\ndef limit(): ...\ndef run(): ...\n",
    }.items()
)


@pytest.mark.parametrize(
    ("scope", "words", "place"),
    [
        ("", "size", ("pkg.a", "size")),
        ("A", "size", None),  # its field
        ("A.run", "size", None),
        ("A", "mask", None),  # a parameter of its `__init__`
        ("f", "mask", None),
        ("g", "mask", ("pkg.a", "mask")),
        ("g", "run", None),
        ("g", "A.run", ("pkg.a", "A.run")),
        ("g", "limit", None),  # a variable here, a function elsewhere
        ("g", "apart", ("pkg.b", "apart")),
    ],
)
def test_a_parameter_or_field_in_a_note_is_no_function_of_the_same_name(
    scope: str, words: str, place: tuple[str, str] | None
) -> None:
    assert LOCAL.find(words, "pkg.a", scope) == place
