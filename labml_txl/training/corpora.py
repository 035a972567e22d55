"""# Corpora and their parts

Each text is stored as a file of tokens and divided into a training, a validation and a
test part. The file is mapped into memory instead of loaded, so that only the tokens in
use take RAM.

| name | text | parts |
|---|---|---|
| `tiny-shakespeare` | a million characters of plays | the first 90 % and the last 10 %, as in nanoGPT |
| `scenes` | Tiny Shakespeare with invented names and repeated lines (`labml_txl.training.scenes`) | three files, made of 90, 5 and 5 % of it |
| `enwik8` | the first $10^8$ bytes of a dump of Wikipedia | 90, 5 and 5 million, as in the paper on the Compressive Transformer |
| `text8` | $10^8$ letters and spaces made from such a dump | 90, 5 and 5 million |
| `wikitext-103` | articles of Wikipedia | three files, as published |

Any other name is the path of a UTF-8 file, of a folder, whose files are read in the
order of their names, a pattern such as `texts/*.txt`, or several of these with commas
between them. The text is divided into 90, 5 and 5 %. Files that end in `.gz` are
decompressed.

With `--vocabulary words`, the tokens of WikiText-103 are those of the code of
Transformer-XL: 267,735 words, which include the end of a line, in the published parts.
"""  # noqa: E501, a row of a table is one line

import glob
import hashlib
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from labml_txl.cache_folder import cache_folder
from labml_txl.training.scenes import write_scenes
from labml_txl.training.text.files import (
    BLOCK,
    PRIVATE,
    Report,
    SettingError,
    TrainingError,
    checksum_of,
    compute_checksum,
    fetch,
    is_cached,
    read_blocks,
    replace_file,
    report_nothing,
    report_progress,
    write_cached,
    write_checksum,
)
from labml_txl.training.text.tiny_shakespeare import tiny_shakespeare
from labml_txl.training.text.vocabulary import (
    UNKNOWN,
    Bytes,
    Characters,
    Subwords,
    Vocabulary,
    Words,
    compute_digest,
    read_text_blocks,
    read_vocabulary,
    split_before_words,
)


class Corpus(NamedTuple):
    """A text as tokens: `[n_tokens]` for each part and all of them.

    `test` may be empty. `digest` is a checksum of the files of the text. `documents`
    contains, by the name of a part, where its documents begin, `[n_documents]`. It is
    empty if the text is not divided into documents.
    """

    name: str
    vocabulary: Vocabulary
    train: Tensor
    validation: Tensor
    test: Tensor
    all: Tensor
    digest: str
    documents: Mapping[str, Tensor]


class Archive(NamedTuple):
    """A published archive: its address, an MD5 checksum, and the names of its files.

    The checksums are those of the publishers, or for WikiText-103 that of `torchtext`.
    They detect incomplete and damaged downloads.
    """

    address: str
    md5: str
    members: tuple[str, ...]


# For enwik8 and text8, the MD5 is that of the text, for WikiText-103 that of the
# archive.
ARCHIVES = {
    "enwik8": Archive(
        "https://mattmahoney.net/dc/enwik8.zip",
        "a1fa5ffddb56f4953e226637dabbb36a",
        ("enwik8",),
    ),
    "text8": Archive(
        "https://mattmahoney.net/dc/text8.zip",
        "3bea1919949baf155f99411df5fada7e",
        ("text8",),
    ),
    "wikitext-103": Archive(
        "https://wikitext.smerity.com/wikitext-103-v1.zip",
        "9ddaacaf6af0710eda8c456decff7832",
        tuple(
            f"wikitext-103/wiki.{part}.tokens" for part in ("train", "valid", "test")
        ),
    ),
}
WIKI = tuple(f"wiki.{part}.tokens" for part in ("train", "valid", "test"))
NAMES = ("tiny-shakespeare", "scenes", *ARCHIVES)


def find_text_files(
    name: str, report: Report = report_nothing, archives: dict[str, Archive] = ARCHIVES
) -> list[Path]:
    """The file or the three files of a text, which are downloaded if necessary."""
    if name == "tiny-shakespeare":
        return [tiny_shakespeare(report=report)]
    if name == "scenes":
        return write_scenes(tiny_shakespeare(report=report))
    if name in archives:
        return _unpacked(name, archives[name], report)
    path = Path(name)
    if path.is_dir():
        files = [path / file for file in WIKI]
        if all(file.is_file() for file in files):
            return files
    return find_own_files(name)


def find_own_files(name: str) -> list[Path]:
    """The files that a user has named: see the beginning of this module."""
    path = Path(name)
    if path.is_file():
        return [path]
    if path.is_dir():
        inside = (file for file in path.rglob("*") if file.is_file())
        found = [
            f for f in inside if not f.relative_to(path).as_posix().startswith(".")
        ]
    elif "," in name:
        return [file for one in name.split(",") for file in find_own_files(one)]
    else:
        matches = glob.glob(name, recursive=True) if glob.has_magic(name) else []
        found = [Path(match) for match in matches if Path(match).is_file()]
    if not found:
        raise TrainingError(
            f"{name} is neither a file nor one of {', '.join(NAMES)}, and there are no "
            "files in a folder of this name or with this pattern"
        )
    return sorted(found)


def are_parts(files: list[Path], name: str) -> bool:
    """Whether the files of a text are its parts, so that it is not to be divided."""
    published = name in ARCHIVES or name == "scenes" or files[0].name == WIKI[0]
    return published and len(files) == 3


def choose_text(named: str, given: str | None) -> str:
    """The text to read: the one `given`, or the corpus that a checkpoint has `named`.

    A checkpoint can come from an untrusted source, so we do not open a file only
    because the checkpoint names its path. Raises `TrainingError` if it does so and
    `given` is `None`.
    """
    if given is None and named not in NAMES:
        raise TrainingError(
            f"the checkpoint was trained on {named!r}, which is not a corpus: give the "
            "file with --text"
        )
    return named if given is None else given


def _unpacked(name: str, archive: Archive, report: Report) -> list[Path]:
    folder = cache_folder() / name
    files = [folder / Path(member).name for member in archive.members]
    if all(_is_whole(file, archive, report) for file in files):
        return files
    try:
        with tempfile.TemporaryDirectory() as place:
            packed = Path(place) / f"{name}.zip"
            fetch(archive.address, packed, report)
            _unpack(packed, archive, files, report)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        names = ", ".join(file.name for file in files)
        raise TrainingError(
            f"{name} could not be downloaded: {error}. Put {names} into {folder}"
        ) from None
    return files


def _is_whole(file: Path, archive: Archive, report: Report) -> bool:
    if not file.is_file() or len(archive.members) == 1:
        return file.is_file() and compute_checksum(file, "md5", report) == archive.md5
    # The publisher gives no checksums of the single files, so we store ours on first
    # use and check that the files have not changed since.
    if not checksum_of(file).is_file():
        write_checksum(file, report)
    return is_cached(file, report)


def _unpack(packed: Path, archive: Archive, files: list[Path], report: Report) -> None:
    if len(files) > 1:
        _check(packed, archive, report)
    try:
        with zipfile.ZipFile(packed) as members:
            for member, file in zip(archive.members, files, strict=True):
                with (
                    members.open(member) as source,
                    replace_file(file, PRIVATE) as goal,
                ):
                    blocks = iter(partial(source.read, BLOCK), b"")
                    total = members.getinfo(member).file_size
                    what = f"{file.name}, unpacked"
                    for block in report_progress(blocks, total, what, report, len):
                        goal.write(block)
                checksum_of(file).unlink(missing_ok=True)
        if len(files) == 1:
            _check(files[0], archive, report)
    except BaseException:
        # Remove all files if one is incomplete or is not the expected text.
        for file in files:
            file.unlink(missing_ok=True)
        raise


def _check(file: Path, archive: Archive, report: Report) -> None:
    if compute_checksum(file, "md5", report) != archive.md5:
        raise OSError(f"checksum mismatch for {archive.address}: try again later")


def open_corpus(
    name: str,
    kind: str = "characters",
    symbols: str = "",
    report: Report = report_nothing,
    digest: str = "",
    documents: str = "",
) -> Corpus:
    """A text as tokens, with its vocabulary and its parts.

    `kind` is `"characters"`, `"words"`, `"bytes"` or the path of a `tokenizer.json`.
    `documents` says what ends a document: `"files"`, or a text that is a single token;
    without it, the whole text is one document. `symbols` are those of an existing
    vocabulary. Without them, the vocabulary is made from the text: characters from the
    whole text, words from the training part if it is a separate file. Raises
    `TrainingError` if a `digest` is given and the text has a different one.
    """
    files = find_text_files(name, report)
    if not any(file.stat().st_size for file in files):
        raise TrainingError(f"{name} is empty: give a text to train on")
    sums = [compute_checksum(file, report=report) for file in files]
    found = hashlib.sha256("".join(sums).encode()).hexdigest()
    if digest not in ("", found):
        raise TrainingError(
            f"{name} differs from the text that the run was trained on so far: restore "
            "that text, or start a new run"
        )
    divided = are_parts(files, name)
    if symbols:
        subwords = kind.endswith(".json")
        words = read_vocabulary(Subwords.kind if subwords else kind, symbols)
    else:
        # The words of Transformer-XL's code are those of the training part.
        read = files[:1] if divided and kind == Words.kind else files
        words = build_vocabulary(kind, read, report)
    tokens, begins = map_tokens(files, found, words, report)
    if symbols and isinstance(words, Words):
        report_unknown(tokens, words, name, report)
    cuts = begins[1:].tolist() if divided else find_ends_of_parts(len(tokens), name)
    train, validation, test = tokens.tensor_split(cuts)
    if len(train) < 2 or len(validation) < 2:
        raise TrainingError(f"{name} is too short to be split into parts")
    within = {}
    if documents:
        if documents != "files":
            begins = find_beginnings(tokens, end_of_document(words, documents))
        bounds = {
            "train": (0, cuts[0]),
            "validation": (cuts[0], cuts[1]),
            "test": (cuts[1], len(tokens)),
            "all": (0, len(tokens)),
        }
        within = {part: move_beginnings(begins, *ends) for part, ends in bounds.items()}
    return Corpus(name, words, train, validation, test, tokens, found, within)


def count_places(begins: Tensor, places: Tensor) -> Tensor:
    """The position of each token in its document, from its place in the text.

    `begins` says where documents begin, `[n_documents]`. The result has the shape of
    `places`.
    """
    return places - begins[torch.searchsorted(begins, places, right=True) - 1]


def end_of_document(words: Vocabulary, text: str) -> int:
    """The token that ends a document. Raises `SettingError` if it is not one token."""
    # What is typed in a shell can contain no end of a line.
    tokens = words.encode(text.replace("\\n", "\n"))
    if len(tokens) != 1:
        raise SettingError(
            f"documents = {text!r} is {len(tokens)} tokens of this vocabulary: give "
            "files, or a text that is one token"
        )
    return int(tokens)


def find_beginnings(tokens: Tensor, end: int) -> Tensor:
    """Where documents begin: at the beginning, and after each token `end`."""
    found = [torch.zeros(1, dtype=torch.long)]
    for first in range(0, len(tokens), BLOCK):
        places = (tokens[first : first + BLOCK] == end).nonzero()[:, 0]
        found.append(first + places + 1)
    begins = torch.cat(found)
    return begins[begins < max(1, len(tokens))]


def move_beginnings(begins: Tensor, first: int, end: int) -> Tensor:
    """Where documents begin in a part of a text, from where they begin in all of it."""
    inside = begins[(begins > first) & (begins < end)] - first
    return torch.cat((torch.zeros(1, dtype=torch.long), inside))


def report_unknown(tokens: Tensor, words: Words, name: str, report: Report) -> None:
    """Report how many words of a text are not in the vocabulary of another text."""
    unknown = words.number[UNKNOWN]
    count = sum(int((block == unknown).sum()) for block in tokens.split(BLOCK))
    if count:
        share = 100 * count / len(tokens)
        report(f"{name}: {share:.1f}% of the words are {UNKNOWN} for this model")


def build_vocabulary(
    kind: str, files: list[Path], report: Report = report_nothing
) -> Vocabulary:
    """The vocabulary of the files of a text."""
    if kind.endswith(".json"):
        return Subwords.of(Path(kind))
    if kind == Words.kind:
        return Words.of(*files, report=report)
    if kind == Characters.kind:
        return Characters.of(*files, report=report)
    return read_vocabulary(kind, "")


def find_ends_of_parts(n_tokens: int, name: str) -> list[int]:
    """Where the training and the validation part end in a text that is one file."""
    first = int(n_tokens * 0.9)
    second = first + int(n_tokens * 0.05)
    return [first, n_tokens if name == "tiny-shakespeare" else second]


def cut_part(corpus: Corpus, part: str) -> Tensor:
    """A part of a text by its name, or with `"all"` the whole text."""
    tokens: Tensor = getattr(corpus, part)
    if len(tokens) < 2:
        raise TrainingError(f"{corpus.name} has no {part} part")
    return tokens


def map_tokens(
    paths: list[Path], digest: str, words: Vocabulary, report: Report = report_nothing
) -> tuple[Tensor, Tensor]:
    """The tokens of files, and where each of these begins.

    They are mapped, so that only the tokens in use take RAM. `digest` is that of the
    files.
    """
    if isinstance(words, Bytes) and len(paths) == 1 and paths[0].suffix != ".gz":
        return map_file(paths[0], torch.uint8), torch.zeros(1, dtype=torch.long)

    # Other texts are encoded once and written to a file whose name contains
    # hashes of the text and of the vocabulary, in the smallest type that has enough
    # values.
    dtype = torch.uint8 if len(words) <= 256 else torch.int32
    goal = cache_folder() / "tokens" / f"{digest[:24]}-{compute_digest(words)[:8]}.bin"
    begins = goal.with_suffix(".begins")
    if not is_cached(goal, report) or not is_cached(begins):
        places = []
        with write_cached(goal, report) as file:
            for path in paths:
                places.append(file.tell() // dtype.itemsize)
                for tokens in read_tokens(path, words, report):
                    file.write(tokens.to(dtype).numpy().tobytes())
        with write_cached(begins) as file:
            file.write(torch.tensor(places).numpy().tobytes())
    return map_file(goal, dtype), map_file(begins, torch.long)


def read_tokens(path: Path, words: Vocabulary, report: Report) -> Iterator[Tensor]:
    """Yield the tokens of a file, block by block."""
    if isinstance(words, Bytes):
        for block in read_blocks(path, f"{path.name}, tokens", report):
            yield torch.frombuffer(bytearray(block), dtype=torch.uint8)
        return
    blocks = read_text_blocks(path, "tokens", report)
    # Blocks must not end within a word.
    for text in blocks if words.kind == "characters" else split_before_words(blocks):
        yield words.encode(text)


def map_file(path: Path, dtype: torch.dtype) -> Tensor:
    """A file, mapped as a tensor that must not be changed."""
    count = path.stat().st_size // dtype.itemsize
    if not count:
        return torch.zeros(0, dtype=dtype)
    return torch.from_file(str(path), shared=False, size=count, dtype=dtype)
