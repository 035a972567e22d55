r"""# Byte pairs

A vocabulary between bytes and words: it begins with the 256 bytes, and again and again
the pair of tokens that stands most often side by side becomes a token of its own. So
frequent words are one token, rare ones a few, and any text can be encoded.

```sh
pip install -e '.[bpe]'
txl train xl --vocabulary bpe --vocabulary-size 512
```

The pairs are counted in the training part of the text, never in the others, and
belong to the checkpoint. A text is first cut into words, each with the blank before it,
so no token goes from one word into the next. Counting and encoding are the work of
[`tokenizers`](https://github.com/huggingface/tokenizers), which gives the same pairs
each time. The idea is that of Sennrich and others
([arXiv:1508.07909](https://arxiv.org/abs/1508.07909)). It begins with bytes,
as GPT-2 does.

Such a model predicts fewer tokens, and harder ones. Its loss a token cannot be compared
with that of characters. Its **bits a byte** can, and are printed beside it. Where a
character is a byte, as in Tiny Shakespeare, they are bits per character.
"""

import codecs
import json
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import Tensor

from labml_txl.extras import how_to_install
from labml_txl.training.text.cache import TrainingError

# How bytes are written in tokens: those that print as themselves, the others, blanks
# among them, as the letters from U+0100 on. So a token has neither blank nor line end.
PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
HIDDEN = [byte for byte in range(256) if byte not in PRINTED]
BYTES = {chr(byte): byte for byte in PRINTED} | {
    chr(256 + number): byte for number, byte in enumerate(HIDDEN)
}


class BytePairs:
    r"""The bytes, and the pairs that were made one: a line each, most frequent first.

    A pair is written as its two tokens with a blank between them.
    """

    kind = "bpe"
    opening = "\n"
    gap = ""

    def __init__(self, symbols: str) -> None:
        self.symbols = symbols
        pairs = [tuple(line.split(" ")) for line in symbols.split("\n") if line]
        self.names = sorted(BYTES)
        known = set(self.names)
        for pair in pairs:
            if len(pair) != 2 or not known.issuperset(pair):
                raise TrainingError(f"{' '.join(pair)!r} is no pair of known tokens")
            # Two pairs may give the same token: a with bc, and ab with c.
            if (name := "".join(pair)) not in known:
                self.names.append(name)
                known.add(name)
        self.sizes = torch.tensor([len(name) for name in self.names])
        self.coder = _coder(self.names, pairs)

    @classmethod
    def of(cls, pieces: Iterable[str], size: int) -> "BytePairs":
        r"""The vocabulary of a text in pieces, with `size` tokens if there are so many.

        A pair that occurs once only is never made one. Raises `TrainingError` if there
        is no other.
        """
        library = _library()
        coder = _coder(sorted(BYTES), [])
        trainer = library.trainers.BpeTrainer(
            vocab_size=size,
            min_frequency=2,
            initial_alphabet=sorted(BYTES),
            show_progress=False,
        )
        coder.train_from_iterator(pieces, trainer)
        pairs = json.loads(coder.to_str())["model"]["merges"]
        if not pairs:
            raise TrainingError(
                "the text is too short for byte pairs: none occurs twice, --vocabulary "
                "bytes reads it"
            )
        return cls("\n".join(" ".join(pair) for pair in pairs))

    def __len__(self) -> int:
        return len(self.names)

    def encode(self, text: str) -> Tensor:
        r"""The tokens of `text`. Bytes that are no UTF-8 are read as `�`."""
        whole = text.encode(errors="surrogateescape").decode(errors="replace")
        return torch.tensor(self.coder.encode(whole).ids, dtype=torch.long)

    def decode(self, tokens: Iterable[int]) -> str:
        r"""The text of `tokens`; bytes that are no UTF-8 become `�`."""
        return "".join(self.stream(tokens))

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        r"""The text of `tokens` as they come: a character when its last byte has."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for token in tokens:
            read = bytes(BYTES[letter] for letter in self.names[token])
            if piece := decoder.decode(read):
                yield piece
        if rest := decoder.decode(b"", final=True):
            yield rest


def before_words(blocks: Iterable[str]) -> Iterator[str]:
    r"""The same text in pieces that begin where a word does, with the blank before it.

    So the pieces have the same tokens as the whole. A text without blanks is one piece.
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


def _coder(names: list[str], pairs: list[Any]) -> Any:
    r"""What encodes with these tokens and pairs."""
    library = _library()
    numbers = {name: number for number, name in enumerate(names)}
    coder = library.Tokenizer(library.models.BPE(numbers, pairs))
    coder.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return coder


def _library() -> Any:
    r"""The package `tokenizers`; raises `TrainingError` if it is missing."""
    try:
        import tokenizers
        import tokenizers.models
        import tokenizers.pre_tokenizers
        import tokenizers.trainers
    except ImportError:
        raise TrainingError(
            f"byte pairs need the package tokenizers: {how_to_install('bpe')}"
        ) from None
    return tokenizers
