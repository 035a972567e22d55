r"""# The parts of a text

Where a text is cut into a training, a validation and a test part.

Characters, words and bytes are cut as tokens. Byte pairs are learned from the training
part, so the text is cut before there are tokens: at the same bytes, and never within a
character. So losses in bits a byte are of the same text, whatever the tokens are.
"""

from pathlib import Path
from typing import NamedTuple

from torch import Tensor


def split(tokens: Tensor, name: str) -> list[Tensor]:
    r"""The training, the validation and the test part."""
    first, second = ends(len(tokens), name)
    return [tokens[:first], tokens[first:second], tokens[second:]]


def ends(length: int, name: str) -> tuple[int, int]:
    r"""Where the training part ends, and where the validation part does."""
    shares = {"tiny-shakespeare": (0.9, 0.1)}.get(name, (0.9, 0.05))
    first = int(length * shares[0])
    return first, length if sum(shares) == 1 else first + int(length * shares[1])


class Piece(NamedTuple):
    r"""A file, its checksum if that is known, and from which byte to which it is read.

    `None` is the end of the file.
    """

    path: Path
    digest: str = ""
    start: int = 0
    end: int | None = None


def cut(whole: Piece, name: str) -> list[Piece]:
    r"""The three parts of a file, cut where its bytes would be, between characters."""
    first, second = (
        at_character(whole.path, place)
        for place in ends(whole.path.stat().st_size, name)
    )
    return [
        whole._replace(end=first),
        whole._replace(start=first, end=second),
        whole._replace(start=second),
    ]


def at_character(path: Path, place: int) -> int:
    r"""The same place in a UTF-8 file, or the one where the next character begins."""
    with path.open("rb") as file:
        file.seek(place)
        following = file.read(4)
    # All bytes of a character but the first are 10 and six more bits.
    first = (n for n, byte in enumerate(following) if byte >> 6 != 0b10)
    return place + next(first, len(following))
