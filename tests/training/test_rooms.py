"""The five rooms of training: what each may import, and how much one may hold."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TRAINING = Path(__file__).parents[2] / "labml_txl" / "training"

# A room imports from itself and from those before it.
ROOMS = ("text", "runs", "published", "measures", "commands")


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in the file that stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by dots"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["labml_txl", "training"] else ""


def test_there_is_nothing_beside_the_rooms() -> None:
    there = {path.name for path in TRAINING.iterdir() if path.name != "__pycache__"}
    assert there == {"__init__.py", *ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_itself_and_from_those_before_it(room: str) -> None:
    allowed = {"", *ROOMS[: ROOMS.index(room) + 1]}
    files = sorted(TRAINING.joinpath(room).rglob("*.py"))
    assert len(files) > 1
    strays = [
        f"{file.relative_to(TRAINING)} imports {module}"
        for file in files
        for module in imports(file)
        if room_of(module) not in allowed
    ]
    assert strays == []


@pytest.mark.parametrize("room", [*ROOMS, "runs/learning", "runs/logs", "runs/storage"])
def test_a_room_says_what_lives_there_and_holds_at_most_eight_files(room: str) -> None:
    files = [*TRAINING.joinpath(room).glob("*.py")]
    assert len(files) <= 8, sorted(file.name for file in files)
    words = ast.get_docstring(
        ast.parse(TRAINING.joinpath(room, "__init__.py").read_text(encoding="utf-8"))
    )
    assert words is not None
    for file in files:
        if file.stem != "__init__":
            assert f"`{file.stem}`" in words
