"""Numbers of things: each language has the plural forms that it needs."""

from collections.abc import Sequence
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import polib
import pytest

from labml_txl.literate.i18n.catalog import State
from labml_txl.literate.i18n.labels import LABELS, PLURALS, Labels
from labml_txl.literate.i18n.po import load_catalog, read_po
from labml_txl.literate.i18n.update import Message, update

ONE, OTHER = LABELS["progress_left"], PLURALS["progress_left"]
MESSAGES = {"site": (Message(ONE, "label", "labels.py", plural=OTHER),)}

RUSSIAN = (
    "{count} сообщение не переведено.",
    "{count} сообщения не переведены.",
    "{count} сообщений не переведено.",
)
# Arabic has forms for none, one and two, which need no number.
ARABIC = (
    "لا رسائل بلا ترجمة.",
    "رسالة واحدة بلا ترجمة.",
    "رسالتان بلا ترجمة.",
    "{count} رسائل بلا ترجمة.",
    "{count} من الرسائل بلا ترجمة.",
    "{count} رسالة بلا ترجمة.",
)
JAPANESE = ("{count}件のメッセージが未翻訳です。",)


def write_catalog(folder: Path, language: str, forms: Sequence[str] = ()) -> Path:
    """The catalog that an update writes, with these forms filled in."""
    path = folder / language / "site.po"
    path.parent.mkdir(exist_ok=True)
    path.write_text(update(MESSAGES, folder, language, folder)[path] or "")
    file = polib.pofile(str(path))
    (entry,) = file
    entry.msgstr_plural |= dict(enumerate(forms))
    path.write_text(str(file))
    return path


@pytest.mark.parametrize(
    ("language", "forms", "chosen"),
    [
        ("ru", RUSSIAN, {1: 0, 2: 1, 5: 2, 11: 2, 21: 0, 22: 1, 112: 2, 101: 0}),
        ("ar", ARABIC, {0: 0, 1: 1, 2: 2, 3: 3, 10: 3, 11: 5, 99: 5, 100: 4, 103: 3}),
        ("ja", JAPANESE, {1: 0, 2: 0, 100: 0}),
    ],
)
def test_a_number_selects_the_plural_form_of_its_language(
    language: str, forms: Sequence[str], chosen: dict[int, int], tmp_path: Path
) -> None:
    path = write_catalog(tmp_path, language, forms)
    labels = Labels(load_catalog(tmp_path, language, "site", tmp_path))
    for count, index in chosen.items():
        assert labels.count("progress_left", count) == forms[index].format(count=count)
    # Programs of gettext choose the same forms by the header of the file.
    gettext = GNUTranslations(BytesIO(polib.pofile(str(path)).to_binary()))
    for count in range(250):
        assert labels.count("progress_left", count) == (
            gettext.ngettext(ONE, OTHER, count).format(count=count)
        )


def test_english_is_shown_if_a_plural_form_is_missing_or_wrong(tmp_path: Path) -> None:
    for forms, state in (
        (RUSSIAN[:2], State.MISSING),
        ((*RUSSIAN[:2], "<b>{count}</b> сообщений."), State.FAULTY),
        ((*RUSSIAN[:2], "{0} сообщений не переведено."), State.FAULTY),
    ):
        write_catalog(tmp_path, "ru", forms)
        catalog = load_catalog(tmp_path, "ru", "site", tmp_path)
        assert catalog.look_up(ONE).state is state
        shown = [Labels(catalog).count("progress_left", count) for count in (1, 5)]
        assert shown == [ONE.format(count=1), OTHER.format(count=5)]


def test_an_update_keeps_plural_forms_and_changes_nothing_else(tmp_path: Path) -> None:
    path = write_catalog(tmp_path, "ru", RUSSIAN)
    first = update(MESSAGES, tmp_path, "ru", tmp_path)[path]
    assert first
    path.write_text(first)
    assert update(MESSAGES, tmp_path, "ru", tmp_path)[path] == first
    (entry,) = read_po(path, tmp_path)
    assert (*entry.msgstr_plural.values(),) == RUSSIAN
    # A message that is gone is kept, and has its forms when it comes back.
    gone = update({"site": ()}, tmp_path, "ru", tmp_path)
    path.write_text(gone[path] or "")
    assert update(MESSAGES, tmp_path, "ru", tmp_path)[path] == first
