"""The laws of the split and of the cut, on Python's standard library."""

import re
import sysconfig
from pathlib import Path

import pytest

from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import LiterateError, read
from labml_txl.literate.sources.syntax import parse
from tests.literate.sources.splitting import holds, is_python

LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = sorted(
    path
    for path in LIBRARY.rglob("*.py")
    # A link out of the folder is refused: Debian has one, for the site's own settings.
    if not path.is_symlink()
    and not {"site-packages", "dist-packages"} & set(path.parts)
)
SHARDS = 8
# Some systems ship Python without Python's own tests, two thirds of the files.
WHOLE = LIBRARY.joinpath("test", "test_grammar.py").is_file()


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_line_is_in_exactly_one_block_in_order(shard: int) -> None:
    assert len(FILES) > (1_500 if WHOLE else 500)
    passed, refused = 0, 0
    for path in FILES[shard::SHARDS]:
        if is_python(path.read_bytes()):
            source = read(path, LIBRARY)
            blocks = split(source)
            holds(source, blocks)
            passed += 1
        else:
            name = re.escape(path.relative_to(LIBRARY).as_posix())
            with pytest.raises(LiterateError, match=rf"^{name}:[1-9]\d*: [^\n]+$"):
                parse(read(path, LIBRARY))
            refused += 1
    assert passed > 20 * refused
