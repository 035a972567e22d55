"""Vocabularies are read as data: nothing that a pickle asks for is executed."""

import collections
import contextlib
import os
import pickle
import shutil
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.published import vocabulary
from labml_txl.training.published.load import import_run
from labml_txl.training.published.vocabulary import read_words
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
        words = read_words(folder)
        assert words is not None, path.name
        assert words.names == WORDS, path.name


def read(folder: Path, contents: bytes) -> list[str]:
    """The words of a folder whose vocabulary is this pickle."""
    words = read_words(folder_of(folder, "vocab.pkl", contents))
    assert words is not None
    return words.names


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
MORE = st.lists(st.text("ab", min_size=1), unique=True)


@given(
    around=st.tuples(DATA, DATA),
    more=MORE,
    many=st.sampled_from([0, 3, 2500]),
    shared=st.booleans(),
    protocol=st.integers(0, pickle.HIGHEST_PROTOCOL),
    cut=st.floats(0, 1, exclude_max=True),
)
def test_vocabulary_files_are_parsed_or_refused(
    around: tuple[Any, Any],
    more: list[str],
    many: int,
    shared: bool,
    protocol: int,
    cut: float,
) -> None:
    names = ["<eos>", "<unk>", *more, *(f"word{n}" for n in range(many))]
    numbers = collections.OrderedDict((name, n) for n, name in enumerate(names))
    table = {"counter": around[0], **({"sym2idx": numbers} if shared else {})}
    contents = pickle.dumps(
        {**table, "idx2sym": names, "special": ["<eos>"], "others": around[1]},
        protocol,
    )
    with tempfile.TemporaryDirectory() as place:
        assert read(Path(place), contents) == names
        with contextlib.suppress(TrainingError):
            assert read(Path(place), contents[: int(cut * len(contents))]) == names


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_no_pickle_of_a_vocabulary_is_executed(protocol: int, tmp_path: Path) -> None:
    written = tmp_path / "written"
    for what in (
        Call(os.system, f"touch {written}"),
        Call(eval, f"open({str(written)!r}, 'w')"),
    ):
        harmful = pickle.dumps({"idx2sym": what}, protocol)
        with pytest.raises(TrainingError, match="has no list idx2sym of words"):
            read(tmp_path / "folder", harmful)
        beside = pickle.dumps({"tokenizer": what, "idx2sym": WORDS}, protocol)
        assert read(tmp_path / "folder", beside) == WORDS
    assert not written.exists()


# What would take Python down, or all of its memory, if it were run.
TAKES_TOO_MUCH = {
    "a deep key": b"})" + b"\x85" * 300_000 + b"K\x01s.",
    "a key that is doubled": b"})" + b"2\x86" * 60 + b"K\x01s.",
    "large numbers": b"](" + (b"\x8a\x09" + bytes(8) + b"\x01") * 2000 + b"e.",
    "a far place in the memo": b"]r\xff\xff\xff\x0f.",
    "marks": b"(" * 3_000_000 + b".",
    "a word longer than any memory": b"\x8d" + bytes(5) + b"\xff\xff\x0fword.",
}


@pytest.mark.parametrize("name", TAKES_TOO_MUCH)
def test_a_pickle_that_crashes_python_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"has no list|is truncated") as error:
        read(tmp_path / "folder", TAKES_TOO_MUCH[name])
    assert "\n" not in str(error.value)


def test_oversized_vocabularies_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        with pytest.raises(TrainingError, match=r"has \d+,000 bytes: .* at most 1,000"):
            read_words(folder)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([1], "has no list idx2sym of words"),
        ({"idx2sym": ["<eos>", 3]}, "has no list idx2sym of words"),
        ({"idx2sym": ["<eos>", "a b", "<unk>"]}, "contains 'a b', which is not a word"),
        ({"idx2sym": ["<eos>", "", "<unk>"]}, "contains '', which is not a word"),
        ({"idx2sym": ["<eos>", "a"]}, "has no <unk>, which a vocabulary must contain"),
        ({"idx2sym": ["<eos>", "<unk>", "a", "a"]}, "contains a word twice"),
    ],
)
def test_an_invalid_vocabulary_is_refused(
    table: Any, words: str, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, "vocab.pkl", pickle.dumps(table))
    with pytest.raises(TrainingError, match=words):
        read_words(folder)


def test_a_run_needs_the_vocabulary_of_its_model(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(MODELS / "one_cluster", tmp_path / "model"))
    with pytest.raises(TrainingError, match=r"has no vocabulary: expected vocab.pkl"):
        import_run(folder, tmp_path / "run")
    (folder / "vocab.txt").write_text("<eos>\n<unk>\nthe\n", encoding="utf-8")
    with pytest.raises(TrainingError, match="of 3 words, and a model of 30"):
        import_run(folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()
