"""What imports what, what the text promises, and what is pinned."""

import ast
import importlib.metadata
import re
import subprocess
import tomllib
from collections.abc import Iterable
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from labml_txl.literate.equations.registry import load_registry
from labml_txl.literate.sources.source import Source

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "labml_txl"


def tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / name for name in listing.stdout.split("\0") if name)
    return [path for path in paths if path.is_file()]


# What imports what


def imported(path: Path) -> set[str]:
    """The full names of what a file imports, wherever in the file that stands."""
    names = set()
    package = list(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


# What each part of the package never imports: the pages of the models are read beside
# the papers, and who reads a site or annotates code needs no torch.
NEVER = {
    "models": {"labml_txl.literate", "labml_txl.training", "mkdocs", "numpy"},
    "training": {"labml_txl.literate", "mkdocs"},
    "literate": {"labml_txl.models", "labml_txl.training", "torch"},
}


def test_no_part_imports_what_it_must_not() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for part, never in NEVER.items()
        for path in sorted(PACKAGE.joinpath(part).rglob("*.py"))
        for name in sorted(imported(path))
        if any(name == one or name.startswith(f"{one}.") for one in never)
    ]
    assert found == []


def test_only_the_package_of_the_models_imports_their_fast_versions() -> None:
    """A page of a model shows its shortest form, which must not need a faster one."""
    fast, package = "labml_txl.models.fast", PACKAGE / "models"
    users = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if not path.is_relative_to(package / "fast")
        and any(f"{name}.".startswith(f"{fast}.") for name in imported(path))
    }
    assert users == {"__init__.py"}


def test_noncharacters_are_in_two_modules() -> None:
    """These say why a text needs them, and for how long."""
    code = re.compile(r"\\ufd[de][\da-f]|[\ufdd0-\ufdef]", re.IGNORECASE)
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if code.search(path.read_text(encoding="utf-8"))
    }
    # The first refuses all that a translation has.
    assert users == {
        "literate/security/foreign.py",
        "literate/security/trusted.py",
        "literate/markdown/host.py",
    }


def test_no_docstring_is_raw_without_need() -> None:
    found = []
    for path in tracked():
        if path.suffix != ".py":
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                words = ast.get_docstring(node)
                line = lines[node.body[0].lineno - 1].lstrip() if words else ""
                if words and "\\" not in words and line.startswith("r"):
                    found.append(f"{path.relative_to(ROOT)}: {line}")
    assert found == []


def test_no_files_import_each_other_in_a_circle() -> None:
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in PACKAGE.rglob("*.py")
    }
    files = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    graph = {}
    for file, path in files.items():
        parts = [name.split(".") for name in imported(path)]
        above = {".".join(one[:n]) for one in parts for n in (len(one), len(one) - 1)}
        graph[file] = above & {*files} - {file}
    assert len(graph) > 150
    # It raises an error that names the circle.
    TopologicalSorter(graph).prepare()


# What is not said


MACHINES = re.compile(
    r"(?<![\w.~-])/(?:work|farm|root|home|Users|opt|tmp)/[a-z]"
    r"|pypi\.org|pythonhosted\.org|download\.pytorch\.org"
    r"|npmjs\.(?:org|com)|deb\.debian\.org|find-link[s]"
)


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if (match := MACHINES.search(path.read_text("utf-8", errors="ignore")))
    ]
    assert found == []


# What the text promises


def example(page: str, language: str) -> str:
    """The longest block of code of that language on a page."""
    text = ROOT.joinpath(page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(max(blocks, key=len))


def test_the_example_of_the_readme_runs() -> None:
    names: dict[str, Any] = {}
    exec(example("README.md", "python"), names)
    memory = names["memory"]
    assert [layer.shape for layer in memory] == [names["states"].shape] * len(memory)


def test_both_shifts_on_their_page_give_the_same_scores() -> None:
    code = example("docs/papers/left_or_right.md", "python")
    assert "assert" in code
    exec(code, {})


def test_the_example_of_a_registry_is_valid() -> None:
    source = Source("abc.toml", example("docs/annotate.md", "toml"))
    registry = load_registry([source])
    assert list(registry.equations) == ["abc.scores"]


# What is pinned


def pins(name: str = "constraints.txt") -> dict[str, str]:
    """The version of each package that a file pins here."""
    lines = ROOT.joinpath(name).read_text(encoding="utf-8").splitlines()
    pinned: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith(("#", " ")):
            requirement = Requirement(line.removesuffix("\\"))
            (only,) = requirement.specifier
            assert only.operator == "==", line
            if requirement.marker and not requirement.marker.evaluate():
                continue
            name = canonicalize_name(requirement.name)
            assert name not in pinned, f"{name} is pinned twice"
            pinned[name] = only.version
    return pinned


def required(own: Iterable[str], *extras: str) -> set[str]:
    """The packages that these lines of our own ask for, over any depth."""
    own = [*own]
    waiting = [(Requirement(line), {"", *extras}) for line in own]
    seen = set()
    while waiting:
        one, wanted = waiting.pop()
        key = (canonicalize_name(one.name), frozenset(one.extras))
        unasked = one.marker and not any(
            one.marker.evaluate({"extra": extra}) for extra in wanted
        )
        if unasked or key in seen:
            continue
        seen.add(key)
        ours = key[0] == "labml-txl"
        lines = own if ours else importlib.metadata.requires(key[0]) or []
        waiting += [(Requirement(line), {"", *one.extras}) for line in lines]
    return {str(name) for name, _ in seen} - {"labml-txl"}


def test_exactly_the_installed_packages_are_pinned() -> None:
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    lines = [*project["project"]["dependencies"], *chain(*extras.values())]
    needed = required([*lines, *project["build-system"]["requires"]])
    assert needed - {*pins()} == set()
    # Some builds of torch bring along what is for graphics cards, and others do not.
    assert {name for name in {*pins()} - needed if not GRAPHICS.match(name)} == set()
    version = importlib.metadata.version
    installed = {name: version(name).partition("+")[0] for name in needed}
    assert installed == {name: pins()[name] for name in needed}


GRAPHICS = re.compile(r"(cuda|nvidia)-|triton$")


def test_make_installs_packages_by_hash_except_torch() -> None:
    lists = [f"requirements/{name}.txt" for name in ("site", "dev")]
    hashed = [item for name in lists for item in pins(name).items()]
    others = {name for name in pins() if GRAPHICS.match(name)} | {"torch"}
    assert sorted(hashed) == sorted(i for i in pins().items() if i[0] not in others)
    for name in lists:
        for entry in re.split(r"\n(?=\S)", ROOT.joinpath(name).read_text("utf-8")):
            first, *hashes = entry.rstrip().split(" \\\n")
            assert hashes, first
            for line in hashes:
                assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}", line), first
