"""Byte pairs are held to plain loops, and to the part that they may be learned from."""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.measures.sweeps import table
from labml_txl.training.runs.evaluation import Score
from labml_txl.training.runs.storage.checkpoint import load_checkpoint
from labml_txl.training.text.byte_pairs import BYTES, BytePairs, before_words
from labml_txl.training.text.cache import SettingError, TrainingError
from labml_txl.training.text.corpora import open_corpus
from labml_txl.training.text.parts import at_character
from labml_txl.training.text.vocabulary import (
    Bytes,
    Characters,
    Words,
    bytes_in,
    vocabulary,
)
from tests.training.commands.test_commands import SIZES, txl
from tests.training.small import small, small_text

PLAIN = (
    "the king and the queen, the thing and the ring; the end.\n"
    "Then they went there: there the other brother saw them.\n"
) * 3
LETTER = {byte: letter for letter, byte in BYTES.items()}


def in_letters(text: str) -> str:
    """Each byte of a text as the letter that it is written with."""
    return "".join(LETTER[byte] for byte in text.encode())


def plain_words(text: str) -> Iterator[list[str]]:
    """Words with the one blank before them, as the letters of their bytes."""
    # For texts of letters, single blanks, and single ends of lines.
    for word in re.findall(r"\n| ?[a-zA-Zäß]+| ?[^a-zA-Zäß \n]+", text):
        yield [*in_letters(word)]


def joined(word: list[str], pair: tuple[str, str]) -> list[str]:
    """A word in which a pair is one token wherever it stands, from the left."""
    result: list[str] = []
    for token in word:
        if result and (result[-1], token) == pair:
            result[-1] += token
        else:
            result.append(token)
    return result


def pairs_of(words: BytePairs) -> list[tuple[str, str]]:
    pairs = [line.split(" ") for line in words.symbols.split("\n")]
    return [(first, second) for first, second in pairs]


def test_each_pair_is_one_that_stands_most_often_side_by_side() -> None:
    words = BytePairs.of([PLAIN], 290)
    assert len(words) == 290
    text = [*plain_words(PLAIN)]
    for pair in pairs_of(words):
        counts = Counter(
            (word[n], word[n + 1]) for word in text for n in range(len(word) - 1)
        )
        assert counts[pair] == max(counts.values()), pair
        text = [joined(word, pair) for word in text]
    # What is left is what the vocabulary makes of the text.
    names = [words.names[token] for token in words.encode(PLAIN)]
    assert names == [token for word in text for token in word]


SENTENCES = st.lists(
    st.sampled_from(["the", "then", "these", "other", "äß", "queen,", "ring;", "x"]),
    min_size=1,
).map(" ".join)


@given(SENTENCES)
def test_a_text_is_encoded_as_by_joining_pair_after_pair(text: str) -> None:
    words = vocabulary("bpe", PAIRS.symbols)
    assert isinstance(words, BytePairs)
    wanted = []
    for word in plain_words(text):
        for pair in pairs_of(words):
            word = joined(word, pair)
        wanted += word
    assert [words.names[token] for token in words.encode(text)] == wanted


PAIRS = BytePairs.of([PLAIN], 320)

# Here blanks and ends of lines have become pairs too.
BLANKS = BytePairs.of(["to   be,    or\n\n\nnot\n\n\n\nto     be"] * 9, 290)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back(text: str) -> None:
    tokens = PAIRS.encode(text)
    assert PAIRS.decode(tokens.tolist()) == text
    assert "".join(PAIRS.stream(tokens.tolist())) == text
    assert bytes_in(PAIRS, tokens) == len(text.encode())


@given(
    st.lists(st.sampled_from(["to", "be,", " ", "  ", "\n", "\n\n", "é", "'s", "7"])),
    st.integers(1, 9),
)
def test_pieces_have_the_tokens_of_the_whole(parts: list[str], size: int) -> None:
    text = "".join(parts)
    blocks = [text[n : n + size] for n in range(0, len(text), size)]
    pieces = [*before_words(blocks)]
    assert "".join(pieces) == text
    tokens = [n for piece in pieces for n in BLANKS.encode(piece).tolist()]
    assert tokens == BLANKS.encode(text).tolist()


def test_bytes_that_are_no_text_are_read_as_such() -> None:
    given = b"the \xff end".decode(errors="surrogateescape")
    assert PAIRS.decode(PAIRS.encode(given).tolist()) == "the � end"
    # A character that is cut in two waits for its other half.
    halves = [PAIRS.names.index(LETTER[byte]) for byte in "é".encode()]
    assert [*PAIRS.stream(halves)] == ["é"]
    assert [*PAIRS.stream(halves[:1])] == ["�"]


@pytest.mark.parametrize("symbols", ["t h\nq", "t h\nth e\nxy z", "t h e"])
def test_pairs_of_tokens_that_are_not_known_are_one_line(symbols: str) -> None:
    with pytest.raises(TrainingError, match="is no pair of known tokens") as caught:
        vocabulary("bpe", symbols)
    assert "\n" not in str(caught.value)


def test_a_pair_that_occurs_twice_is_enough() -> None:
    assert BytePairs.of(["ab", "cd", "ab"], 300).symbols == "a b"


def test_two_ways_to_one_token_are_one_token() -> None:
    words = BytePairs("a b\nb c\na bc\nab c")
    assert len(words) == 256 + 3
    assert words.decode(words.encode("abc").tolist()) == "abc"


# The parts of a text


def written(folder: Path, first: str, last: str) -> Path:
    path = folder / "text"
    path.write_text(first * 90 + last * 10, encoding="utf-8", newline="")
    return path


def test_only_the_part_to_learn_from_is_learned_from(tmp_path: Path) -> None:
    path = written(tmp_path, "the king and he\n", "xyzxyzxyzxyzxyz\n")
    corpus = open_corpus(str(path), "bpe", size=300)
    assert not any("xy" in name for name in corpus.vocabulary.names)  # type: ignore[union-attr]
    path = written(tmp_path, "the king and he\n", "completely else\n")
    again = open_corpus(str(path), "bpe", size=300)
    assert again.vocabulary.symbols == corpus.vocabulary.symbols

    # A vocabulary that exists already is kept, whatever the text.
    other = open_corpus(str(path), "bpe", corpus.vocabulary.symbols)
    assert torch.equal(other.train, again.train)


def test_the_parts_are_those_of_the_bytes_but_for_a_cut_character(
    tmp_path: Path,
) -> None:
    for text in ("the king and he\n", "ä€😀", "éa"):
        path = written(tmp_path, text, text)
        pairs, raw = (
            open_corpus(str(path), kind, size=260) for kind in ("bpe", "bytes")
        )
        whole = path.read_bytes()
        read = b""
        for mine, theirs in zip(pairs[2:5], raw[2:5], strict=True):
            part = pairs.vocabulary.decode(mine.tolist()).encode()
            assert abs(len(part) - len(theirs)) <= 3
            assert bytes_in(pairs.vocabulary, mine) == len(part)
            read += part
        assert read == whole


def test_a_character_is_never_cut(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("aé€😀", encoding="utf-8")
    assert [at_character(path, n) for n in range(11)] == [
        *(0, 1, 3, 3, 6, 6, 6),
        *(10, 10, 10, 10),
    ]


def test_a_text_with_few_pairs_has_fewer_tokens_and_one_without_is_refused(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, "ababab ", "ababab ")
    said: list[str] = []
    corpus = open_corpus(str(path), "bpe", report=said.append, size=500)
    assert said == [
        f"{len(corpus.vocabulary)} tokens, not 500: no other pair occurs twice"
    ]
    path.write_text("".join(map(chr, range(40, 120))))
    with pytest.raises(
        TrainingError, match="too short for byte pairs: none occurs twi"
    ):
        open_corpus(str(path), "bpe")


def test_without_the_package_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(
        TrainingError, match=r"need the package .*pip install .*\[bpe\]"
    ):
        BytePairs.of([PLAIN], 300)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"vocabulary_size": 300},
            "vocabulary_size = 300 has no effect with the vocab",
        ),
        ({"vocabulary": "bpe", "vocabulary_size": 256}, "= 256 must be above 256: bpe"),
    ],
)
def test_a_size_that_makes_no_sense_is_refused(
    settings: dict[str, object], said: str
) -> None:
    with pytest.raises(SettingError) as caught:
        small(**settings)
    assert said in str(caught.value)


# Losses that can be compared


def test_bits_a_byte_are_all_bits_over_all_bytes() -> None:
    score = Score(nats=2 * math.log(2), tokens=30, seconds=1.0, n_bytes=80)
    assert score.bits_per_byte == pytest.approx(2 * 30 / 80)
    # They are not told where they are bits a token, or are not known.
    assert Score(1.0, 30, 1.0, 30).bits_per_byte is None
    assert Score(1.0, 30, 1.0).bits_per_byte is None


def test_the_bytes_of_tokens_are_those_of_their_text() -> None:
    text = "aé€ the 😀 king\n"
    for words in (Characters(text), Bytes(), PAIRS):
        assert bytes_in(words, words.encode(text)) == len(text.encode())
    unknown = Words("<eos>\n<unk>\nking")
    assert bytes_in(unknown, unknown.encode(text)) == 0


def test_a_model_of_byte_pairs_trains_measures_and_writes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run, text = tmp_path / "run", small_text(tmp_path)
    words = [f"--text={text}", f"--out={run}", "--vocabulary=bpe", "--sample=9"]
    size = "--vocabulary-size=270"
    assert txl("train", "xl", *SIZES, *words, size, "--steps=4") == 0
    said = capfd.readouterr()
    assert re.search(r"validation \d.* bits a token, \d\.\d{4} a byte  ", said.err)
    assert re.search(r"bits a token, \d\.\d{4} bits a byte, perplexity", said.out)
    assert len(load_checkpoint(run).words) == 270
    assert load_checkpoint(run).words.symbols.count("\n") == 270 - 256 - 1
    assert txl("train", "xl", "--resume", "--steps=6", f"--out={run}") == 0
    capfd.readouterr()

    assert txl("evaluate", str(run), "--json") == 0
    row = json.loads(capfd.readouterr().out)
    corpus = open_corpus(str(text), "bpe", load_checkpoint(run).words.symbols)
    assert row["tokens"] == len(corpus.validation) - 1
    length = len(corpus.vocabulary.decode(corpus.validation[1:].tolist()).encode())
    assert row["bits_per_byte"] == pytest.approx(row["bits"] * row["tokens"] / length)
    assert txl("evaluate", str(run), "--sweep-memory=0,4") == 0
    head, *rows = capfd.readouterr().out.splitlines()
    assert head.split()[-1] == "bits/byte"
    assert all(0 < float(row.split()[-1]) < float(row.split()[4]) for row in rows)

    assert txl("generate", str(run), "--prompt=to be or Hamlet", "--length=3") == 0
    assert capfd.readouterr().out.startswith("to be or Hamlet")
    assert txl("data", str(text), "--vocabulary=bpe", size) == 0
    assert "270 bpe" in capfd.readouterr().out
    assert txl("data", str(text), size) == 2
    assert "has no effect with the vocabulary characters" in capfd.readouterr().err


def test_a_table_of_characters_has_no_column_for_bytes() -> None:
    assert "bits/byte" not in table([])
