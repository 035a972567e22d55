"""What we write, a translator's program writes again as it is."""

import random
import shutil
import subprocess
from pathlib import Path

import polib
import pytest

from labml_txl.literate.i18n.po import read_po, written
from labml_txl.literate.i18n.wrapping import known, wrapped
from tests.literate.small import ROOT

# Written by `msgcat` of GNU gettext 0.21: texts in several scripts, escapes, formulas.
GNU = Path(__file__).with_name("wrapped.po")
OURS = sorted((ROOT / "docs" / "locale").rglob("*.po"))


def strings(file: Path) -> dict[tuple[str, str, str], list[str]]:
    return dict(known(file.read_text(encoding="utf-8").split("\n")))


def test_lines_end_where_gettext_ends_them() -> None:
    found = strings(GNU)
    assert len(found) > 50
    assert {prefix for _, _, prefix in found} == {"", "#~ ", "#| "}
    for key, lines in found.items():
        assert wrapped(*key) == lines


def test_our_own_files_are_wrapped_so() -> None:
    for file in random.Random(0).sample(OURS, 20):
        found = strings(file)
        for key in random.Random(1).sample(sorted(found), min(8, len(found))):
            assert wrapped(*key) == found[key], file


def test_the_strings_of_a_file_are_those_that_its_reader_finds() -> None:
    found = strings(GNU)
    for entry in polib.pofile(str(GNU)):
        prefix = "#~ " if entry.obsolete else ""
        assert ("msgid", entry.msgid, prefix) in found
        assert ("msgstr", entry.msgstr, prefix) in found
        if entry.previous_msgid:
            assert ("msgid", entry.previous_msgid, "#| ") in found


def test_a_changed_entry_changes_its_own_lines_only(tmp_path: Path) -> None:
    # Somebody's program has put each string on a line of its own.
    text = str(polib.pofile(str(GNU), wrapwidth=0))
    long = max(text.split("\n"), key=len)
    assert len(long) > 100
    file = tmp_path / "a.po"
    file.write_text(text, encoding="utf-8")
    catalog = read_po(file, tmp_path)
    catalog[1].msgstr = (
        "Another text, which is so long that it stands on two lines. " * 2
    )
    after = written(catalog, known(text.split("\n"))).split("\n")
    lines = [line for line in after if line not in text.split("\n")]
    assert lines == wrapped("msgstr", catalog[1].msgstr)[1:]
    assert long in after


@pytest.mark.skipif(
    not shutil.which("msgcat"),
    reason="GNU gettext is not installed; what it wrote is held above",
)
def test_gettext_changes_no_byte_of_our_files(tmp_path: Path) -> None:
    for file in OURS:
        out = tmp_path / "out.po"
        subprocess.run(["msgcat", str(file), "-o", str(out)], check=True)
        assert out.read_bytes() == file.read_bytes(), file
