"""What we write, a translator's program writes again as it is."""

import shutil
import subprocess
from pathlib import Path

import polib
import pytest

from labml_txl.literate.i18n.wrapping import read_strings, rewrap, wrap
from tests.literate.small import ROOT

# Written by `msgcat` of GNU gettext 0.21: texts in several scripts, escapes, formulas.
GNU = Path(__file__).with_name("wrapped.po")
OURS = sorted((ROOT / "docs" / "locale").rglob("*.po"))


def wrapped_otherwise(
    files: list[Path], share: float
) -> list[tuple[list[str], list[str]]]:
    """The strings, if more than a share, that we wrap otherwise than gettext did."""
    theirs: dict[tuple[str, str, str], list[str]] = {}
    for file in files:
        theirs |= read_strings(file.read_text(encoding="utf-8"))
    assert len(theirs) > 50
    pairs = ((lines, wrap(*key)) for key, lines in theirs.items())
    other = [(lines, ours) for lines, ours in pairs if lines != ours]
    return other if len(other) > len(theirs) * share else []


def test_lines_are_wrapped_as_by_gettext() -> None:
    # Of the rules of Unicode, those for quotes and for marks that join are left out.
    assert wrapped_otherwise([GNU], 1 / 20) == []
    # In English, Japanese and Chinese with formulas, they hardly matter.
    assert wrapped_otherwise(OURS, 1 / 500) == []


def test_a_changed_entry_changes_its_own_lines_only() -> None:
    # Somebody's program has put each string on a line of its own.
    text = str(polib.pofile(str(GNU), wrapwidth=0))
    long = max(text.split("\n"), key=len)
    assert len(long) > 100
    catalog = polib.pofile(text)
    catalog[1].msgstr = (
        "Another text, which is so long that it stands on two lines. " * 2
    )
    after = rewrap(str(catalog), text).split("\n")
    lines = [line for line in after if line not in text.split("\n")]
    assert lines == wrap("msgstr", catalog[1].msgstr)[1:]
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
