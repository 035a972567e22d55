r"""# Scenes with names and lines that return

Tiny Shakespeare, changed so that a model with memory has a much lower loss. In the
original text, nearly everything that helps a small model to predict a character is in
the line before it, so the model learns to use its memory for little else than the
beginning of a segment. In the changed text, it can often copy what is to come from its
memory:

- The text is divided into scenes of 500 to 1,500 characters. In each scene, every
  proper name is replaced, wherever it occurs, by a random sequence of syllables. The
  names are different in each scene, so a model cannot learn them during training, but
  from the second occurrence on it can copy them.
- After every line, one of the last few lines of the scene is repeated. We added this
  because names are too rare: only when whole lines return does copying lower the loss
  enough for the model to learn it.

Two of five scenes remain unchanged, so that the model also learns the original text.
The training, validation and test parts of Tiny Shakespeare are changed separately, so
that no line of one part is repeated in another. The result depends only on a seed.
"""

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

from labml_txl.training.text.files import cache_folder, cached, is_cached
from labml_txl.training.text.tiny_shakespeare import tiny_shakespeare

# How often the training part is repeated, with other names each time.
PASSES = 3
# Where the parts of Tiny Shakespeare begin and end.
PARTS = (0, 0.9, 0.95, 1)
SEED = 1901
PLAIN = 0.4
SHORTEST, LONGEST = 500, 1500  # characters of a scene

# From how many of the last lines a repeated line is chosen. Most of the time they are
# few; sometimes they are so many that only a compressed memory reaches all of them.
NEAR, FAR, SHARE_FAR = 3, 8, 0.2

STARTS = (
    *("b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n"),
    *("p", "pr", "qu", "r", "s", "st", "t", "th", "tr", "v", "w", "z"),
)
VOWELS = ("a", "e", "i", "o", "u", "ae", "ia", "ei", "ou")
ENDS = ("", "", "l", "m", "n", "nd", "r", "rd", "s", "st", "th", "x")

WORD = re.compile(r"[A-Za-z]+")


def scenes(text: str, *, passes: int = 1, seed: int = SEED) -> str:
    r"""Change a play as described above.

    The play is repeated `passes` times, with other names each time. The
    repeated lines make the result longer than that.
    """
    source = random.Random(seed)
    names = proper_names(text)
    speeches = text.strip("\n").split("\n\n")
    made = (
        scene if source.random() < PLAIN else changed(scene, names, source)
        for _ in range(passes)
        for scene in cut(speeches, source)
    )
    return "\n\n".join(made) + "\n"


def scenes_of(play: Path) -> list[Path]:
    r"""The files of the training, validation and test parts, made from a play's file.

    They are stored in a folder of the cache whose name is a hash of the play and of
    this module, so that they are made again if either changes.
    """
    sources = play.read_bytes() + Path(__file__).read_bytes()
    folder = cache_folder() / f"scenes-{hashlib.sha256(sources).hexdigest()[:12]}"
    files = [folder / f"{part}.txt" for part in ("train", "validation", "test")]
    if not all(map(is_cached, files)):
        text = play.read_text(encoding="utf-8")
        for index, file in enumerate(files):
            part = text[
                int(len(text) * PARTS[index]) : int(len(text) * PARTS[index + 1])
            ]
            made = scenes(part, passes=1 if index else PASSES, seed=SEED + index)
            with cached(file) as goal:
                goal.write(made.encode())
    return files


def held_out() -> str:
    r"""The part of Tiny Shakespeare that no scene of the training part is made of."""
    text = tiny_shakespeare().read_text(encoding="utf-8")
    return text[int(len(text) * PARTS[1]) :]


def proper_names(text: str) -> frozenset[str]:
    r"""The words that are always capitalised in the text, in lower case."""
    words = set(WORD.findall(text))
    return frozenset(
        word.lower()
        for word in words
        if len(word) > 3 and word[0].isupper() and word.lower() not in words
    )


def cut(speeches: list[str], source: random.Random) -> Iterator[str]:
    r"""Divide speeches into scenes of a random length, without cutting a speech."""
    scene: list[str] = []
    wanted = source.randint(SHORTEST, LONGEST)
    for speech in speeches:
        scene.append(speech)
        if sum(map(len, scene)) >= wanted:
            yield "\n\n".join(scene)
            scene, wanted = [], source.randint(SHORTEST, LONGEST)
    if scene:
        yield "\n\n".join(scene)


def changed(scene: str, names: frozenset[str], source: random.Random) -> str:
    r"""A scene with other names and with repeated lines."""
    return repeated(renamed(scene, names, source), source)


def renamed(scene: str, names: frozenset[str], source: random.Random) -> str:
    r"""A scene in which every proper name is replaced wherever it occurs."""
    new: dict[str, str] = {}

    def replaced(word: re.Match[str]) -> str:
        old = word[0].lower()
        if old not in names:
            return word[0]
        if old not in new:
            new[old] = made_up(source)
        return new[old].upper() if word[0].isupper() else new[old].capitalize()

    return WORD.sub(replaced, scene)


def made_up(source: random.Random) -> str:
    r"""A random name of two or three syllables, in lower case."""
    syllables = (
        source.choice(STARTS) + source.choice(VOWELS) + source.choice(ENDS)
        for _ in range(source.randint(2, 3))
    )
    return "".join(syllables)


def repeated(scene: str, source: random.Random) -> str:
    r"""A scene in which every line is followed by itself or by an earlier one."""
    lines: list[str] = []
    spoken: list[str] = []
    for line in scene.split("\n"):
        lines.append(line)
        if not line or line.endswith(":"):
            continue
        spoken.append(line)
        reach = FAR if source.random() < SHARE_FAR else NEAR
        lines.append(source.choice(spoken[-reach:]))
    return "\n".join(lines)
