import hashlib
import io
import os
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from labml_txl.training.corpora import (
    ARCHIVES,
    Archive,
    find_ends_of_parts,
    find_text_files,
    open_corpus,
)
from labml_txl.training.text.files import TrainingError
from labml_txl.training.text.vocabulary import Bytes
from tests.training.conftest import Serve
from tests.training.small import small_text


def packed(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_file_becomes_tokens_and_back(tmp_path: Path) -> None:
    path = tmp_path / "text"
    text = "".join(chr(200 + i % 300) for i in range(2000))
    path.write_text(text, encoding="utf-8")
    corpus = open_corpus(str(path))
    tokens = torch.cat((corpus.train, corpus.validation, corpus.test))
    assert corpus.vocabulary.decode(tokens.tolist()) == text
    assert torch.equal(corpus.all, tokens)
    assert [len(part) for part in corpus[2:5]] == [1800, 100, 100]
    assert corpus.train.dtype == torch.int32

    again = open_corpus(str(path), symbols=corpus.vocabulary.symbols)
    assert torch.equal(again.validation, corpus.validation)

    raw = open_corpus(str(path), "bytes")
    assert bytes(raw.train.tolist()) == path.read_bytes()[: len(raw.train)]
    assert isinstance(raw.vocabulary, Bytes)


def test_files_of_the_cache_are_private_and_read_as_they_were_written(
    tmp_path: Path, cache: Path
) -> None:
    before = os.umask(0)
    try:
        first = open_corpus(str(small_text(tmp_path)))
    finally:
        os.umask(before)
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    (tokens,) = cache.rglob("*.bin")
    wanted = first.train.clone()
    del first
    tokens.write_bytes(bytes(tokens.stat().st_size))
    assert torch.equal(open_corpus(str(tmp_path / "text.txt")).train, wanted)


def test_the_parts_are_those_of_the_papers_and_of_nanogpt() -> None:
    for name, sizes in (
        ("enwik8", [90_000_000, 5_000_000, 5_000_000]),
        ("tiny-shakespeare", [1_003_854, 111_540, 0]),
    ):
        ends = [0, *find_ends_of_parts(sum(sizes), name), sum(sizes)]
        assert [end - first for first, end in pairwise(ends)] == sizes


def test_a_large_text_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "text"
    with path.open("wb") as file:
        file.truncate(1 << 28)
    code = (
        "import resource, sys\n"
        "from labml_txl.training.corpora import open_corpus, cut_part\n"
        "from labml_txl.training.streams import Streams\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "corpus = open_corpus(sys.argv[1], 'bytes')\n"
        "Streams(corpus.train, 8, 64).segment(10**8)\n"
        "cut_part(corpus, 'all')[:9]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=True
    )
    kilobytes = int(done.stdout)
    assert kilobytes < 100_000


def test_an_archive_is_fetched_checked_and_unpacked_once(
    cache: Path, serve: Serve
) -> None:
    text = b"some text of a hundred million letters"
    address = serve(packed(enwik8=text))
    good = Archive(address, hashlib.md5(text).hexdigest(), ("enwik8",))
    for _ in range(2):
        files = find_text_files("enwik8", archives={"enwik8": good})
        assert files == [cache / "enwik8" / "enwik8"]
        assert files[0].read_bytes() == text
        good = good._replace(address="http://127.0.0.1:9/nowhere")


def test_an_archive_of_three_parts_keeps_them(cache: Path, serve: Serve) -> None:
    members = ARCHIVES["wikitext-103"].members
    content = packed(**{name: f"{name} says this".encode() for name in members})
    good = Archive(serve(content), hashlib.md5(content).hexdigest(), members)
    find_text_files("wikitext-103", archives={"wikitext-103": good})
    corpus = open_corpus("wikitext-103")
    texts = [corpus.vocabulary.decode(part.tolist()) for part in corpus[2:5]]
    assert texts == [f"{name} says this" for name in members]
    by_path = open_corpus(str(cache / "wikitext-103"), documents="files")
    assert torch.equal(by_path.train, corpus.train)
    sizes = [len(part) for part in corpus[2:5]]
    assert by_path.documents["test"].tolist() == [0]
    assert by_path.documents["all"].tolist() == [0, sizes[0], sum(sizes[:2])]


def test_words_are_those_of_the_part_to_learn_from(cache: Path) -> None:
    parts = {"train": "a b a \n", "valid": "b c \n", "test": " \n a \n"}
    for part, text in parts.items():
        (cache / f"wiki.{part}.tokens").parent.mkdir(parents=True, exist_ok=True)
        (cache / f"wiki.{part}.tokens").write_text(text)
    corpus = open_corpus(str(cache), "words")
    decoded = [corpus.vocabulary.decode(part.tolist()) for part in corpus[2:5]]
    assert decoded == ["a b a \n", "b <unk> \n", "\na \n"]
    # A vocabulary that exists already is kept.
    again = open_corpus(str(cache), "words", corpus.vocabulary.symbols)
    assert torch.equal(again.test, corpus.test)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (packed(enwik8=b"another text"), "checksum mismatch"),
        (packed(other=b"text"), "enwik8"),
        (b"<html>no archive</html>", "not a zip file"),
    ],
)
def test_an_invalid_archive_is_an_error_of_one_line_and_leaves_no_file(
    cache: Path, serve: Serve, content: bytes, reason: str
) -> None:
    archive = Archive(serve(content), "0" * 32, ("enwik8",))
    with pytest.raises(TrainingError, match=reason) as caught:
        find_text_files("enwik8", archives={"enwik8": archive})
    line = str(caught.value)
    assert "\n" not in line
    assert line.endswith(f"Put enwik8 into {cache / 'enwik8'}")
    assert [path for path in cache.rglob("*") if path.is_file()] == []


def test_an_unusable_text_is_an_error_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "text"
    for text, words, said in (
        ("", ("bytes", ""), "is empty: give a text to train"),
        ("", ("characters", ""), "is empty: give a text to train"),
        ("abcdef", ("characters", ""), "too short"),
        ("abcdef", ("characters", "acdef"), "vocabulary of the model: 'b'"),
    ):
        path.write_text(text)
        with pytest.raises(TrainingError, match=said):
            open_corpus(str(path), *words)
