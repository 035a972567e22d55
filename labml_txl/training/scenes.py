"""# Scenes with invented names and repeated lines

In Tiny Shakespeare, nearly everything that helps a small model to predict a character
is in the preceding line. A model that is trained on it therefore uses its memory mostly
for the first characters of each segment, whose preceding line is in the previous
segment. We changed the text so that a model with memory has a much lower loss, because
it can often copy the next characters from its memory:

- The text is divided into scenes of 500 to 1,500 characters. In each scene, every
  proper name is replaced, wherever it occurs, by a random sequence of syllables. The
  names are different in each scene, so a model cannot learn them during training, but
  from the second occurrence on it can copy them.
- After every spoken line, this line or one of the few lines before it is repeated. We
  added this because names are too rare: in a trial, of which no record was kept, a
  model learned to copy only if whole lines were repeated as well.

On average, two of five scenes remain unchanged, so that the model is trained on the
original text as well. The models of the [live page](../live.md) were trained on this
text, and there you can watch them copy the names.

The training, validation and test parts of Tiny Shakespeare are changed separately, so
that no line of one part is repeated in another. The result depends only on a seed.
"""

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

from labml_txl.cache_folder import cache_folder
from labml_txl.training.text.files import is_cached, write_cached
from labml_txl.training.text.tiny_shakespeare import tiny_shakespeare

# How often the training part is repeated, with other names each time.
PASSES = 3
# Where the parts of Tiny Shakespeare begin and end.
PARTS = (0, 0.9, 0.95, 1)
SEED = 1901
PLAIN = 0.4
SHORTEST, LONGEST = 500, 1500  # characters of a scene

# A repeated line is chosen from the last `NEAR` lines or, with the probability
# `SHARE_FAR`, from the last `FAR`. The last `FAR` lines do not all fit into a memory
# without compression.
NEAR, FAR, SHARE_FAR = 3, 8, 0.2

STARTS = (
    *("b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n"),
    *("p", "pr", "qu", "r", "s", "st", "t", "th", "tr", "v", "w", "z"),
)
VOWELS = ("a", "e", "i", "o", "u", "ae", "ia", "ei", "ou")
ENDS = ("", "", "l", "m", "n", "nd", "r", "rd", "s", "st", "th", "x")

WORD = re.compile(r"[A-Za-z]+")


def make_scenes(text: str, *, passes: int = 1, seed: int = SEED) -> str:
    """Change a play as described above.

    The play is repeated `passes` times, with other names each time. Because lines are
    repeated as well, the result is longer than `passes` times the play.
    """
    source = random.Random(seed)
    names = find_proper_names(text)
    speeches = text.strip("\n").split("\n\n")
    made = (
        scene if source.random() < PLAIN else change_scene(scene, names, source)
        for _ in range(passes)
        for scene in cut(speeches, source)
    )
    return "\n\n".join(made) + "\n"


def write_scenes(play: Path) -> list[Path]:
    """The files of the training, validation and test parts, made from a play's file.

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
            made = make_scenes(part, passes=1 if index else PASSES, seed=SEED + index)
            with write_cached(file) as goal:
                goal.write(made.encode())
    return files


def extract_held_out() -> str:
    """The held-out part of Tiny Shakespeare, unchanged: validation and test part."""
    text = tiny_shakespeare().read_text(encoding="utf-8")
    return text[int(len(text) * PARTS[1]) :]


def find_proper_names(text: str) -> frozenset[str]:
    """The words of four letters or more that are always capitalised, in lower case."""
    words = set(WORD.findall(text))
    return frozenset(
        word.lower()
        for word in words
        if len(word) > 3 and word[0].isupper() and word.lower() not in words
    )


def cut(speeches: list[str], source: random.Random) -> Iterator[str]:
    """Group speeches into scenes.

    A scene ends with the first speech that brings it to a random length, so no speech
    is divided.
    """
    scene: list[str] = []
    wanted = source.randint(SHORTEST, LONGEST)
    for speech in speeches:
        scene.append(speech)
        if sum(map(len, scene)) >= wanted:
            yield "\n\n".join(scene)
            scene, wanted = [], source.randint(SHORTEST, LONGEST)
    if scene:
        yield "\n\n".join(scene)


def change_scene(scene: str, names: frozenset[str], source: random.Random) -> str:
    """A scene with other names and with repeated lines."""
    return repeat_lines(replace_names(scene, names, source), source)


def replace_names(scene: str, names: frozenset[str], source: random.Random) -> str:
    """A scene in which every proper name is replaced wherever it occurs."""
    new: dict[str, str] = {}

    def replaced(word: re.Match[str]) -> str:
        old = word[0].lower()
        if old not in names:
            return word[0]
        if old not in new:
            new[old] = make_name(source)
        return new[old].upper() if word[0].isupper() else new[old].capitalize()

    return WORD.sub(replaced, scene)


def make_name(source: random.Random) -> str:
    """A random name of two or three syllables, in lower case."""
    syllables = (
        source.choice(STARTS) + source.choice(VOWELS) + source.choice(ENDS)
        for _ in range(source.randint(2, 3))
    )
    return "".join(syllables)


def repeat_lines(scene: str, source: random.Random) -> str:
    """A scene in which every line is followed by a copy of it or of an earlier one.

    Empty lines and lines with the speaker's name are not repeated.
    """
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
