"""The engine is a tower: a room uses the rooms above it, and none below."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from labml_txl import literate

ENGINE = Path(literate.__file__).parent
NAME = "labml_txl.literate"

# From the top: each may import those before it.
ROOMS = (
    *("markdown", "sources", "equations", "lint", "translation", "observations"),
    *("pages", "exports", "notebooks", "edition", "hosts", "commands"),
)


def files() -> list[Path]:
    return [f for f in sorted(ENGINE.rglob("*.py")) if f.parent != ENGINE or is_room(f)]


def is_room(file: Path) -> bool:
    return file.stem in ROOMS


def room_of(file: Path) -> str:
    return file.relative_to(ENGINE).with_suffix("").parts[0]


def imports(file: Path) -> Iterator[tuple[str, ast.stmt, bool]]:
    """What a file imports, wherever in it, and whether a function does."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside = {
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node, node in inside
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node, node in inside


def named(file: Path, name: str) -> str:
    """The room and the module of something in the engine that a file imports."""
    parts = name.split(".")[2:]
    while parts and not any(
        ENGINE.joinpath(*parts[:-1], f"{parts[-1]}{ending}").exists()
        for ending in ("", ".py")
    ):
        parts.pop()
    return f"{file.relative_to(ENGINE).as_posix()} imports {'.'.join(parts)}"


def test_a_room_imports_only_rooms_above_it() -> None:
    wrong = []
    for file in files():
        above = ROOMS[: ROOMS.index(room_of(file)) + 1]
        for name, _, _ in imports(file):
            if name.startswith(f"{NAME}.") and name.split(".")[2] not in above:
                wrong.append(named(file, name))
    assert wrong == []


def test_few_arrows_lead_from_room_to_room() -> None:
    arrows = {
        (room_of(file), name.split(".")[2])
        for file in files()
        for name, _, _ in imports(file)
        if name.startswith(f"{NAME}.")
    }
    assert len({(here, there) for here, there in arrows if here != there}) <= 45


def test_every_folder_and_file_of_the_engine_is_in_a_room() -> None:
    found = {
        path.stem
        for path in ENGINE.iterdir()
        if path.suffix == ".py" or any(path.rglob("*.py"))
    }
    assert found - {"__init__"} == set(ROOMS)


@pytest.mark.parametrize(
    ("package", "room"),
    [
        ("mkdocs", "hosts/mkdocs"),
        ("material", "hosts/mkdocs"),
        ("zensical", "hosts/zensical.py"),
        ("torch", "observations"),
    ],
)
def test_only_one_room_knows_a_package(package: str, room: str) -> None:
    for file in files():
        for name, _, inside in imports(file):
            if name.partition(".")[0] == package:
                assert file.is_relative_to(ENGINE / room), file
                assert inside or package != "torch", file


def test_no_host_knows_another() -> None:
    """One file reads the settings for all of them."""
    hosts = ENGINE / "hosts"
    for file in files():
        for name, _, _ in imports(file):
            if room_of(file) == "hosts" and name.startswith(f"{NAME}.hosts.mkdocs"):
                inside = file.is_relative_to(hosts / "mkdocs")
                assert inside or file == hosts / "project.py", file
            if name.startswith(f"{NAME}.hosts.zensical"):
                assert room_of(file) == "commands", file


def test_the_reading_order_is_that_of_the_rooms() -> None:
    words = " ".join((literate.__doc__ or "").split())
    listed = re.search(r"in this list, .*?: (.*?)\.", words)
    assert listed is not None
    assert tuple(re.findall(r"`(\w+)`", listed[1])) == ROOMS
    for folder in (f for f in ENGINE.rglob("__init__.py") if f.parent != ENGINE):
        tree = ast.parse(folder.read_text(encoding="utf-8"))
        told = set(re.findall(r"`(\w+)`", ast.get_docstring(tree) or ""))
        held = {f.stem for f in folder.parent.glob("*.py")} - {"__init__"}
        held |= {f.parent.name for f in folder.parent.glob("*/__init__.py")}
        assert held <= told, folder


def lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def test_no_file_is_long_and_no_room_is_crowded() -> None:
    assert [f for f in files() if lines(f) > 350] == []
    for folder in {f.parent for f in files()} - {ENGINE}:
        held = [f for f in folder.glob("*.py") if f.stem != "__init__"]
        assert len(held) <= 8, folder


def test_the_plugin_only_passes_on() -> None:
    host = ENGINE / "hosts" / "mkdocs"
    assert lines(host / "plugin.py") <= 120
    assert sum(map(lines, host.glob("*.py"))) <= 700
