"""Any file is read as PO or refused, whatever is in it."""

from pathlib import Path

import polib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labml_txl.literate.i18n.po import load_catalog, read_po, write_po
from labml_txl.literate.sources.source import LiterateError

# Pieces that the syntax is made of, and any other text.
PIECES = st.sampled_from(
    (
        'msgid "', 'msgstr "', 'msgid_plural "', 'msgstr[0] "', 'msgstr[1] "', '"',
        'msgctxt "', "#, fuzzy\n", "#~ ", "#| ", "#: a.py:1\n", '"\n', "\n\n", "\\n",
        '\\"', "\\", "a", "{count}", "Plural-Forms: nplurals=2;", "\u3042",
    )
)  # fmt: skip
FILES = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)


@given(FILES)
@settings(
    max_examples=300,
    deadline=2000,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_po_file_is_read_or_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "de" / "a.po"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace", newline="")
    try:
        file, why = read_po(path, tmp_path), ""
        load_catalog(tmp_path, "de", "a", tmp_path)
    except LiterateError as error:
        file, why = polib.POFile(), str(error)
    assert "\n" not in why
    # What was read is read again after it was written.
    path.write_text(write_po("de", "a", [*file], file), encoding="utf-8")
    again = read_po(path, tmp_path)
    assert [(e.msgid, e.msgstr) for e in again] == [(e.msgid, e.msgstr) for e in file]
