"""Names in other documentation: read from inventories, and linked only if they hold."""

import importlib
import zlib
from pathlib import Path
from typing import Any

import pytest
import sphobjinv

from labml_txl.literate.render.references import (
    read_inventory,
    read_references,
)
from labml_txl.literate.sources.source import LiterateError
from tests.literate.small import CONFIG, FILES, ROOT, STEPS, build, must_build, write

TORCH = "https://docs.pytorch.org/docs/stable/"
HEAD = (
    b"# Sphinx inventory version 2\n"
    b"# Project: Others\n"
    b"# Version: 1.0\n"
    b"# The remainder of this file is compressed using zlib.\n"
)
NAMES = (
    b"others.Thing py:class 1 api.html#$ -\n"
    b"others.make py:function 1 api/make.html#others.make make\n"
    b"a label std:label -1 guide.html#a-label A guide, in words\n"
)
PLACES = {
    "others.Thing": "api.html#others.Thing",
    "others.make": "api/make.html#others.make",
}


def test_compressed_and_plain_inventories_are_read() -> None:
    for body in (NAMES, zlib.compress(NAMES, 0), zlib.compress(NAMES, 9)):
        assert read_inventory(HEAD + body, "o.inv") == PLACES
    theirs = sphobjinv.Inventory()
    theirs.project, theirs.version = "Others", "1.0"
    given = {"name": "others.Thing", "uri": "api.html#$", "role": "class"}
    theirs.objects.append(
        sphobjinv.DataObjStr(**given, domain="py", priority="1", dispname="-")
    )
    packed = sphobjinv.compress(theirs.data_file())
    assert read_inventory(packed, "o.inv") == {"others.Thing": PLACES["others.Thing"]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "o.inv:1: not a Sphinx inventory of version 2"),
        (b"<html>no such page</html>", "o.inv:1: not a Sphinx inventory"),
        (HEAD[:40], "o.inv:1: not a Sphinx inventory"),
        (HEAD + zlib.compress(NAMES)[:-9], "o.inv:5: the inventory is damaged"),
        (HEAD + b"\xff\xfe", "o.inv:5: the inventory is damaged"),
    ],
)
def test_an_invalid_inventory_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(LiterateError) as caught:
        read_inventory(data, "o.inv")
    assert str(caught.value).startswith(said)


def thing(name: str) -> Any:
    """What a dotted name stands for in Python."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:size]))
        except ImportError:
            continue
        for part in parts[size:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def test_linked_names_of_torch_match_their_addresses() -> None:
    found = read_references({}, ROOT)
    # A name leads to its own page, or to one of many.
    einsum = "generated/torch.einsum.html#torch.einsum"
    assert found["torch.einsum"] == TORCH + einsum
    assert found["torch.nn.functional"] == TORCH + "nn.functional.html"
    names = [name for name in found if name.partition(".")[0] == "torch"]
    # PyTorch cannot import this module where TensorBoard is not installed.
    names = [name for name in names if "tensorboard" not in name]
    assert len(names) > 100
    for name in names:
        goal = found[name].partition("#")[2].removeprefix("module-")
        assert thing(name) is thing(goal or name), name


def with_inventory(line: str, **files: bytes) -> dict[str, str | bytes]:
    """The small project, which uses a name of others, with a line of settings."""
    steps = STEPS.replace("STEP = 1", "import others\n\nSTEP = others.make(others.no)")
    settings = f"{CONFIG}      inventories: {line}\n"
    given = {"mkdocs.yml": settings, "src/counting/steps.py": steps}
    return {**FILES, **given, **{f"docs/{n}.inv": data for n, data in files.items()}}


def test_a_project_names_its_own_inventory(tmp_path: Path) -> None:
    line = "{https://others.example/: docs/others.inv}"
    write(tmp_path, with_inventory(line, others=HEAD + zlib.compress(NAMES)))
    must_build(tmp_path, "--strict")
    page = tmp_path.joinpath("site/counting/steps/index.html").read_text()
    address = "https://others.example/api/make.html#others.make"
    assert f'<a class="n" href="{address}">make</a>' in page
    assert '<span class="n">no</span>' in page
    # Another inventory makes other links, whatever was kept of the build before.
    write(tmp_path, {"docs/others.inv": HEAD + NAMES.replace(b"/make.", b"/new.")})
    assert build(tmp_path, "--strict").returncode == 0
    page = tmp_path.joinpath("site/counting/steps/index.html").read_text()
    assert "https://others.example/api/new.html#others.make" in page


def test_a_faulty_setting_stops_the_build_with_one_line(tmp_path: Path) -> None:
    for line, said in (
        (
            "{https://others.example/: docs/no.inv}",
            "docs/no.inv:1: the inventory is miss",
        ),
        ("{others: docs/o.inv}", "mkdocs.yml:1: inventories: others is not an address"),
    ):
        write(tmp_path, with_inventory(line))
        done = build(tmp_path)
        assert done.returncode == 1
        assert said in done.stderr
        assert "Traceback" not in done.stderr
