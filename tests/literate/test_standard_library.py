"""The law of the split, on every file of Python's standard library."""

import ast
import re
import sysconfig
from pathlib import Path

import pytest

from labml_txl.literate.blocks import split
from labml_txl.literate.source import LiterateError, read
from tests.literate.law import holds

LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = sorted(
    path
    for path in LIBRARY.rglob("*.py")
    if not {"site-packages", "dist-packages"} & set(path.parts)
)
SHARDS = 8
# Some systems ship Python without Python's own tests, two thirds of the files.
WHOLE = LIBRARY.joinpath("test", "test_grammar.py").is_file()


def is_python(path: Path) -> bool:
    """Whether a file is UTF-8 and valid, by Python's own word."""
    try:
        ast.parse(path.read_bytes().decode("utf-8-sig"))
    except (UnicodeDecodeError, SyntaxError, ValueError):
        return False
    return True


def test_the_library_is_large_enough_to_show_something() -> None:
    assert len(FILES) > (1_500 if WHOLE else 500)


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_line_stands_in_exactly_one_block_in_order(shard: int) -> None:
    passed, refused = 0, 0
    for path in FILES[shard::SHARDS]:
        try:
            source = read(path, LIBRARY)
            blocks = split(source)
        except LiterateError as error:
            assert not is_python(path), error
            name = re.escape(path.relative_to(LIBRARY).as_posix())
            assert re.fullmatch(rf"{name}:[1-9]\d*: [^\n]+", str(error))
            refused += 1
            continue
        holds(source, blocks)
        passed += 1
    assert passed > 20 * refused
