"""Vocabularies are read as data: nothing that a pickle asks for is executed."""

import collections
import contextlib
import os
import pickle
import shutil
import time
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.published import vocabulary
from labml_txl.training.published.load import import_run
from labml_txl.training.published.vocabulary import unpickled, words_of_folder
from labml_txl.training.text.files import TrainingError
from tests.training.published.test_published import MODELS, Call

HERE = MODELS / "vocabularies"
WORDS = ["<eos>", "the", ",", "<unk>", *(f"word{n}" for n in range(26))]


def folder_of(place: Path, name: str, contents: bytes) -> Path:
    place.mkdir(exist_ok=True)
    (place / name).write_bytes(contents)
    return place


def test_the_words_of_every_form_are_read(tmp_path: Path) -> None:
    for path in sorted(HERE.iterdir()):
        contents = path.read_bytes()
        folder = folder_of(tmp_path / path.name, f"vocab{path.suffix}", contents)
        words = words_of_folder(folder)
        assert words is not None, path.name
        assert words.names == WORDS, path.name


def value(contents: bytes) -> Any:
    """What the reader makes of a pickle."""
    return unpickled(BytesIO(contents), "file")


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(), inner).map(collections.OrderedDict)
        | st.dictionaries(st.text(), st.integers()).map(collections.Counter)
    ),
    max_leaves=12,
)


@given(DATA, st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_data_is_read_as_python_reads_it(data: Any, protocol: int) -> None:
    contents = pickle.dumps(data, protocol)
    # Protocols before 3 have no bytes, which no vocabulary has either.
    assert value(contents) == pickle.loads(contents) == data


@given(DATA, st.integers(0, pickle.HIGHEST_PROTOCOL), st.data())
def test_a_pickle_that_is_cut_off_or_damaged_is_refused_in_one_line(
    data: Any, protocol: int, draw: st.DataObject
) -> None:
    contents = pickle.dumps(data, protocol)
    cut = contents[: draw.draw(st.integers(0, len(contents) - 1))]
    with pytest.raises(TrainingError, match=r"file (is cut off|asks for)") as error:
        value(cut)
    assert "\n" not in str(error.value)
    at = draw.draw(st.integers(0, len(contents) - 1))
    byte = bytes([draw.draw(st.integers(0, 255))])
    with contextlib.suppress(TrainingError):
        value(contents[:at] + byte + contents[at + 1 :])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_is_no_data_is_refused_by_its_name(protocol: int, tmp_path: Path) -> None:
    written = tmp_path / "written"
    for what, name in (
        (Call(os.system, f"touch {written}"), "posix.system"),
        (Call(eval, f"open({str(written)!r}, 'w')"), "eval"),
        (Call(getattr, "a", "b"), "getattr"),
    ):
        contents = pickle.dumps({"idx2sym": what}, protocol)
        folder = folder_of(tmp_path / "folder", "vocab.pkl", contents)
        with pytest.raises(TrainingError, match=rf"pkl asks for \S*{name}, which"):
            words_of_folder(folder)
    assert not written.exists()


def doubled(times: int) -> bytes:
    """A tuple of twice a tuple of twice a tuple, as the key of a table."""
    parts = (b"h%ch%c\x86q%c" % (n, n, n + 1) for n in range(times))
    return b"})q\x00" + b"".join(parts) + b"K\x01s."


DEEP = b")" + b"\x85" * 300_000  # a tuple in a tuple in a tuple …
FAR_INTEGER = b"\x8a\x09" + bytes(8) + b"\x01"
TAKES_TOO_MUCH = {
    "a deep key": b"}" + DEEP + b"K\x01s.",
    "a deep key of a mark": b"(" + DEEP + b"K\x01d.",
    "a deep member": b"\x8f(" + DEEP + b"\x90.",
    "a key that stands in itself": doubled(60),
    "a key that is doubled": b"})" + b"2\x86" * 60 + b"K\x01s.",
    "large numbers": b"](" + FAR_INTEGER * 2000 + b"e.",
    "a far place in the memo": b"]r\xff\xff\xff\x0f.",
    "marks": b"(" * 3_000_000 + b".",
    "a word longer than any memory": b"\x8d" + bytes(5) + b"\xff\xff\x0fword.",
    "a name of somewhere else": b"\x80\x02Pwhere\n.",
    "a call": b"\x80\x02(ios\nsystem\n.",
    "bytes of a codec": pickle.dumps(b"bytes", 2),
}


@pytest.mark.parametrize("name", TAKES_TOO_MUCH)
def test_a_pickle_that_takes_python_down_is_refused_at_once(name: str) -> None:
    start = time.process_time()
    with pytest.raises(TrainingError, match=r"^file (asks for|is cut off)") as error:
        value(TAKES_TOO_MUCH[name])
    assert "\n" not in str(error.value)
    assert time.process_time() - start < 10


def test_more_than_a_vocabulary_has_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "MOST_STEPS", 1000)
    assert value(b"(" + b"N" * 900 + b"l.") == [None] * 900
    with pytest.raises(TrainingError, match="too many instructions"):
        value(b"(" + b"N" * 1100 + b"l.")
    monkeypatch.setattr(vocabulary, "MOST", 1000)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vocab/data.pkl", bytes(100_000))
    for name, contents in (
        ("vocab.bin", packed.getvalue()),
        ("vocab.txt", b"x" * 2000),
        ("vocab.pkl", b"x" * 2000),
    ):
        folder = folder_of(tmp_path / name, name, contents)
        with pytest.raises(TrainingError, match=r"holds \d+,000 bytes: 1,000 are"):
            words_of_folder(folder)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([1], "has no list idx2sym of words"),
        ({"idx2sym": ["<eos>", 3]}, "has no list idx2sym of words"),
        ({"idx2sym": ["<eos>", "a b", "<unk>"]}, "has 'a b', which is no word"),
        ({"idx2sym": ["<eos>", "", "<unk>"]}, "has '', which is no word"),
        ({"idx2sym": ["<eos>", "a"]}, "has no <unk>, which a vocabulary needs"),
        ({"idx2sym": ["<eos>", "<unk>", "a", "a"]}, "has a word twice"),
        ({"idx2sym": ["<eos>", "<unk>"], "sym2idx": {"<eos>": 1}}, "other words in"),
    ],
)
def test_a_vocabulary_that_is_none_is_refused(
    table: Any, words: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, "vocab.pkl", pickle.dumps(table))
    with pytest.raises(TrainingError, match=words):
        words_of_folder(folder)


def test_a_run_needs_the_vocabulary_of_its_model(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "one_cluster", tmp_path / "model"))
    with pytest.raises(TrainingError, match=r"has no vocabulary: vocab.pkl, vocab"):
        import_run(folder, tmp_path / "run")
    (folder / "vocab.txt").write_text("<eos>\n<unk>\nthe\n", encoding="utf-8")
    with pytest.raises(TrainingError, match="of 3 words, and a model of 30"):
        import_run(folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()
