"""# Vocabularies

The input of a model is a sequence of integers. A vocabulary assigns an integer to each
character or word, or uses the bytes in which the text is stored.

A vocabulary of characters or words is made from a text and stored in the checkpoint,
because the integers cannot be decoded without it. Bytes need no table and can represent
any text, but a character outside of ASCII takes two to four of them.

Subwords are parts of words: the library `tokenizers` learns the frequent ones from a
text, or reads the vocabulary of another model from its `tokenizer.json`.

Losses per token can only be compared between models with the same vocabulary.
"""

import codecs
import hashlib
import itertools
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from labml_txl.extras import how_to_install
from labml_txl.training.text.files import (
    Report,
    TrainingError,
    read_blocks,
    report_nothing,
)

# The byte order mark, with which some programs begin a text.
MARK = "\ufeff"


class Characters:
    """An integer for each character that occurs in a text, in the order of Unicode."""

    kind = "characters"
    gap = ""

    def __init__(self, symbols: str) -> None:
        self.symbols = "".join(sorted(set(symbols)))
        if not self.symbols:
            raise TrainingError("a vocabulary needs at least one character")

        # A table from code points to tokens encodes a block of text in a single lookup.
        # Characters outside of the vocabulary are marked with $-1$.
        self.table = torch.full((sys.maxunicode + 1,), -1, dtype=torch.int32)
        self.table[encode_code_points(self.symbols)] = torch.arange(
            len(self.symbols), dtype=torch.int32
        )

    @classmethod
    def of(cls, *paths: Path, report: Report = report_nothing) -> "Characters":
        """The vocabulary of UTF-8 files, which are read block by block."""
        seen = torch.zeros(sys.maxunicode + 1, dtype=torch.bool)
        blocks = (read_text_blocks(path, "characters", report) for path in paths)
        for block in itertools.chain.from_iterable(blocks):
            seen[encode_code_points(block)] = True
        return cls("".join(map(chr, seen.nonzero().flatten().tolist())))

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def opening(self) -> str:
        """The token with which a sample begins: the end of a line, if there is one."""
        return "\n" if "\n" in self.symbols else self.symbols[0]

    def encode(self, text: str) -> Tensor:
        """The tokens of `text`, `[len(text)]`. Unknown characters raise an error."""
        tokens = self.table[encode_code_points(text)]
        unknown = sorted({text[i] for i in (tokens < 0).nonzero().flatten().tolist()})
        if unknown:
            named = ", ".join(f"{c!r} (U+{ord(c):04X})" for c in unknown[:8])
            more = f" and {len(unknown) - 8} more" if len(unknown) > 8 else ""
            raise TrainingError(f"not in the vocabulary of the model: {named}{more}")
        return tokens.long()

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of `tokens`."""
        return "".join(self.symbols[token] for token in tokens)

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of `tokens`, piece by piece."""
        return (self.symbols[token] for token in tokens)


class Bytes:
    """The 256 values of a byte."""

    kind = "bytes"
    symbols = ""
    opening = "\n"
    gap = ""

    def __len__(self) -> int:
        return 256

    def encode(self, text: str) -> Tensor:
        """The UTF-8 bytes of `text`."""
        if not text:
            return torch.zeros(0, dtype=torch.long)
        return torch.frombuffer(
            bytearray(text.encode(errors="surrogateescape")), dtype=torch.uint8
        ).long()

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of `tokens`. Bytes that are not valid UTF-8 become `�`."""
        return bytes(tokens).decode(errors="replace")

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of `tokens`, each character after its last byte."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for token in tokens:
            if piece := decoder.decode(bytes([token])):
                yield piece
        if rest := decoder.decode(b"", final=True):
            yield rest


END_OF_LINE, UNKNOWN = "<eos>", "<unk>"


class Words:
    """An integer for each word of a text, the most frequent ones first.

    Words are separated by spaces. This suits the files of WikiText-103, in which there
    are spaces around punctuation too, and rare words have been replaced by `<unk>`. The
    end of a line is a word too, `<eos>`, as in the code of Transformer-XL's authors.
    """

    kind = "words"
    opening = "\n"
    gap = " "

    def __init__(self, symbols: str) -> None:
        # Stored as one text with a word on each line, since no word contains a space.
        self.symbols = symbols
        self.names = symbols.split("\n")
        self.number = {name: n for n, name in enumerate(self.names)}
        if len(self.number) < len(self.names) or not self.number.keys() >= {
            END_OF_LINE,
            UNKNOWN,
        }:
            raise TrainingError(
                f"the words of a vocabulary must be different and include {END_OF_LINE}"
                f" and {UNKNOWN}"
            )

    @classmethod
    def of(cls, *paths: Path, report: Report = report_nothing) -> "Words":
        """The vocabulary of UTF-8 files, which are read piece by piece.

        As in the code of Transformer-XL, these are the words of the training part:
        267,735 for WikiText-103, including the end of a line.
        """
        counts: Counter[str] = Counter()
        blocks = (read_text_blocks(path, "words", report) for path in paths)
        for piece in itertools.chain.from_iterable(map(split_before_words, blocks)):
            counts.update(split_words(piece))
        for name in (END_OF_LINE, UNKNOWN):
            counts[name] += 0
        # Equally frequent words are in the order of Unicode.
        ordered = sorted(counts, key=lambda name: (-counts[name], name))
        return cls("\n".join(ordered))

    def __len__(self) -> int:
        return len(self.names)

    def unknown(self, text: str) -> list[str]:
        """The words of a text that are not in the vocabulary, each of them once."""
        return [*dict.fromkeys(w for w in split_words(text) if w not in self.number)]

    def encode(self, text: str) -> Tensor:
        """The tokens of `text`. Words outside of the vocabulary become `<unk>`."""
        unknown = self.number[UNKNOWN]
        numbers = [self.number.get(name, unknown) for name in split_words(text)]
        return torch.tensor(numbers, dtype=torch.long)

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of `tokens`."""
        return "".join(self.stream(tokens))

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of `tokens`, word by word, each with a space after it."""
        for token in tokens:
            name = self.names[token]
            yield "\n" if name == END_OF_LINE else f"{name}{self.gap}"


def split_words(text: str) -> list[str]:
    """The words of a text. The end of a line is a word."""
    return text.replace("\n", f" {END_OF_LINE} ").split()


class Subwords:
    """The vocabulary of a `tokenizer.json`, as the library `tokenizers` writes it.

    `symbols` is the content of the file, which the checkpoint contains.
    """

    kind = "subwords"
    gap = ""

    def __init__(self, symbols: str) -> None:
        self.symbols = symbols
        try:
            self.tokenizer: Any = import_tokenizers().Tokenizer.from_str(symbols)
        except TrainingError:
            raise
        # The library raises nothing more specific.
        except Exception as error:
            reason = str(error).partition("\n")[0]
            raise TrainingError(f"this is not a tokenizer.json: {reason}") from None

    @classmethod
    def of(cls, path: Path) -> "Subwords":
        """The vocabulary in a file."""
        try:
            return cls(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, TrainingError) as error:
            raise TrainingError(f"{path} cannot be used: {error}") from None

    @classmethod
    def trained(
        cls, paths: Iterable[Path], size: int, report: Report = report_nothing
    ) -> "Subwords":
        """Byte-pair encoding with `size` tokens, learned from the files of a text.

        Every byte is a token, so any text can be encoded, and decoding gives the same
        text. `<|endoftext|>` is one token, to be put between documents.
        """
        library = import_tokenizers()
        tokenizer = library.Tokenizer(library.models.BPE())
        split = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
        if size <= len(alphabet):
            raise TrainingError(
                f"size = {size} is too small: every byte and {END_OF_TEXT} are tokens, "
                f"so {len(alphabet) + 1} is the least"
            )
        tokenizer.pre_tokenizer = split
        tokenizer.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(
            vocab_size=size,
            initial_alphabet=alphabet,
            special_tokens=[END_OF_TEXT],
            show_progress=False,
        )
        blocks = (read_text_blocks(path, "subwords", report) for path in paths)
        pieces = itertools.chain.from_iterable(map(split_before_words, blocks))
        tokenizer.train_from_iterator(pieces, trainer)
        return cls(tokenizer.to_str(pretty=True))

    def __len__(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    @property
    def opening(self) -> str:
        """The text with which a sample begins."""
        return "\n" if len(self.encode("\n")) else "a"

    def encode(self, text: str) -> Tensor:
        """The tokens of `text`, without any that mark its beginning or end."""
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        return torch.tensor(ids, dtype=torch.long)

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of `tokens`."""
        return str(self.tokenizer.decode([*tokens], skip_special_tokens=False))

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yield the text of `tokens`, each character after its last token."""
        steps = import_tokenizers().decoders.DecodeStream(skip_special_tokens=False)
        for token in tokens:
            if piece := steps.step(self.tokenizer, token):
                yield piece


END_OF_TEXT = "<|endoftext|>"


def import_tokenizers() -> Any:
    """The library. Raises `TrainingError` if it is not installed."""
    try:
        import tokenizers as library
    except ImportError:
        how = how_to_install("subwords")
        raise TrainingError(f"tokenizers is not installed: {how}") from None
    return library


Vocabulary = Characters | Words | Bytes | Subwords

# The kinds of vocabulary that have a name. Subwords have the path of their file.
KINDS = (Characters.kind, Words.kind, Bytes.kind)


def read_vocabulary(kind: str, symbols: str) -> Vocabulary:
    """The vocabulary that a checkpoint names."""
    if kind == Bytes.kind:
        return Bytes()
    if kind == Characters.kind:
        return Characters(symbols)
    if kind == Words.kind:
        return Words(symbols)
    if kind == Subwords.kind:
        return Subwords(symbols)
    raise TrainingError(
        f"{kind!r} is not a vocabulary: characters, words, bytes or the path of a "
        "tokenizer.json"
    )


def compute_digest(words: Vocabulary) -> str:
    """A SHA-256 digest of a vocabulary."""
    return hashlib.sha256(words.symbols.encode("utf-8", "surrogatepass")).hexdigest()


def encode_code_points(text: str) -> Tensor:
    """The number that Unicode has for each character, `[len(text)]`."""
    if not text:
        return torch.zeros(0, dtype=torch.int64)
    utf32 = bytearray(text.encode("utf-32-le", "surrogatepass"))
    return torch.frombuffer(utf32, dtype=torch.int32).long()


def read_text_blocks(
    path: Path, what: str = "", report: Report = report_nothing
) -> Iterator[str]:
    """Yield a UTF-8 file in blocks of about a million characters.

    A byte order mark at its beginning is left out. `what` is done with the text; it is
    reported together with the progress. Raises `TrainingError` with the position of the
    first byte that is not valid UTF-8.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    read = 0
    blocks = read_blocks(path, f"{path.name}, {what}", report)
    for block in itertools.chain(blocks, [b""]):
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            place = read - pending + error.start
            raise TrainingError(
                f"{path} is not UTF-8 at byte {place}: --vocabulary bytes reads it"
            ) from None
        text = text if read else text.removeprefix(MARK)
        read += len(block)
        if text:
            yield text


def split_before_words(blocks: Iterable[str]) -> Iterator[str]:
    """The same text in pieces that begin with a word and the space before it.

    The pieces therefore have the same tokens as the whole text. A text without spaces
    is one piece.
    """
    rest: list[str] = []
    for block in blocks:
        cut = max(block.rfind(" "), block.rfind("\n"), 0)
        while cut and block[cut - 1].isspace():
            cut -= 1
        if cut:
            yield "".join((*rest, block[:cut]))
            rest = []
        rest.append(block[cut:])
    if last := "".join(rest):
        yield last
