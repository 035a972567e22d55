import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import (
    Bytes,
    Characters,
    Words,
    read_text_blocks,
    read_vocabulary,
    split_before_words,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXT.filter(bool), st.data())
def test_decoding_characters_inverts_encoding(
    symbols: str, data: st.DataObject
) -> None:
    words = Characters(symbols)
    text = data.draw(st.text(st.sampled_from(symbols)))
    tokens = words.encode(text)
    assert tokens.shape == (len(text),)
    assert words.decode(tokens.tolist()) == text
    assert "".join(words.stream(tokens.tolist())) == text
    assert Characters(words.symbols).symbols == words.symbols


@given(TEXT)
def test_decoding_bytes_inverts_encoding(text: str) -> None:
    tokens = Bytes().encode(text).tolist()
    assert tokens == list(text.encode())
    assert Bytes().decode(tokens) == text
    assert "".join(Bytes().stream(tokens)) == text


def test_unknown_characters_are_named() -> None:
    with pytest.raises(TrainingError) as caught:
        Characters("abc").encode("a→b\tc→")
    assert str(caught.value) == (
        r"not in the vocabulary of the model: '\t' (U+0009), '→' (U+2192)"
    )
    with pytest.raises(TrainingError, match=r"and 18 more$"):
        Characters("?").encode("abcdefghijklmnopqrstuvwxyz")
    with pytest.raises(TrainingError, match="'letters' is not a vocabulary"):
        read_vocabulary("letters", "")


@pytest.mark.parametrize("block", [3, 1 << 20])
def test_invalid_utf8_is_reported_with_its_offset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("labml_txl.training.text.files.BLOCK", block)
    path = tmp_path / "text"
    path.write_bytes("ä€".encode() + b"abc\xff")
    with pytest.raises(TrainingError, match="not UTF-8 at byte 8"):
        list(read_text_blocks(path))
    path.write_bytes("abä€".encode()[:-1])
    with pytest.raises(TrainingError, match="not UTF-8 at byte 4"):
        list(read_text_blocks(path))


@pytest.mark.parametrize("block", [1 << 20, 3])
def test_a_byte_order_mark_is_not_part_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("labml_txl.training.text.files.BLOCK", block)
    path = tmp_path / "text"
    # Only the first one is left out: another is a space of no width.
    path.write_text("king \ufeff", encoding="utf-8-sig")
    assert "".join(read_text_blocks(path)) == "king \ufeff"
    assert Characters.of(path).symbols == " gikn\ufeff"
    assert Words.of(path).unknown("king queen") == ["queen"]


WORD = st.text(st.sampled_from("abä,."), min_size=1, max_size=3)
LINES = st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=5)


@given(LINES)
def test_decoding_words_inverts_encoding(lines: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "text")
        # Each line with its end, as in the files of WikiText-103.
        text = "".join(" ".join(line) + " \n" for line in lines)
        path.write_text(text, encoding="utf-8", newline="")
        words = Words.of(path)
    tokens = words.encode(text).tolist()
    assert words.decode(tokens) == text
    assert "".join(words.stream(tokens)) == text
    again = read_vocabulary("words", words.symbols)
    assert again.encode(text).tolist() == tokens
    assert {*words.names} == {"<eos>", "<unk>", *(w for line in lines for w in line)}

    # The more frequent a word, the lower its number.
    counts = [tokens.count(n) for n in range(len(words))]
    assert counts == sorted(counts, reverse=True)


def test_words_outside_the_vocabulary_are_unknown() -> None:
    words = Words("<eos>\n<unk>\nking")
    assert words.encode("king Lear\nking").tolist() == [2, 1, 0, 2]
    assert words.decode([2, 1, 0, 2]) == "king <unk> \nking "
    assert words.unknown("king Lear and\nking Lear") == ["Lear", "and"]
    assert words.encode("").shape == (0,)
    for broken in ("", "<eos>\nking", "<eos>\n<unk>\n<unk>"):
        with pytest.raises(TrainingError, match="the words of a vocabulary must"):
            Words(broken)


def test_blocks_end_between_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labml_txl.training.text.files.BLOCK", 3)
    path = tmp_path / "text"
    path.write_text("one line\n\nanother one\nand no end", newline="")
    pieces = list(split_before_words(read_text_blocks(path)))
    assert len(pieces) > 3
    for before, after in itertools.pairwise(pieces):
        assert not before[-1].isspace()
        assert after[0].isspace()
    words = Words.of(path)
    joined = [n for piece in pieces for n in words.encode(piece).tolist()]
    assert words.encode(path.read_text()).tolist() == joined
