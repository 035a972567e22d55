"""# Changed

`txl i18n changed BASE` lists, as Markdown, the messages whose translation has changed
since a commit, and the settings of languages that have changed.

```sh
txl i18n changed origin/main
```
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import polib

from labml_txl.errors import UsageError
from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.i18n.languages import SETTINGS
from labml_txl.literate.i18n.po import SHIPPED, read_po, texts_of
from labml_txl.literate.i18n.update import find_nearest
from labml_txl.literate.markdown.message import read_message
from labml_txl.literate.render.translations import find_translators
from labml_txl.options import argument


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n changed`."""

    base: str = argument("the commit or branch to compare with", metavar="BASE")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Compare the working tree with the merge base of `HEAD` and `options.base`."""
    localized = open_site(options.config)
    root = localized.root
    folders = (localized.locale, SHIPPED)
    base = _run_git(
        root, "merge-base", "HEAD", "--end-of-options", options.base
    ).strip()
    if not base:
        given = f"{options.base} has no common ancestor with HEAD"
        raise UsageError(f"{given}: give another branch or commit")
    repository = localized.project.repository.url
    commit = _run_git(root, "rev-parse", "HEAD").strip()
    words = ("--name-only", "-z", "--no-renames", "--relative")
    lines: list[str] = []
    for path in _run_git(root, "diff", *words, base).split("\0")[:-1]:
        place = PurePosixPath(path)
        if not any((root / place).is_relative_to(folder) for folder in folders):
            continue
        old_text = _run_git(root, "show", f"{base}:./{path}")
        if place.suffix == ".po":
            file = root / path
            new_text = file.read_text("utf-8", "replace") if file.is_file() else ""
            found = [*_read_translations(old_text, file, root)]
            was, now = (
                ", ".join(find_translators([text])) for text in (old_text, new_text)
            )
            if was != now:
                found.insert(0, (1, {"was": was, "is": now}))
        elif place.name == SETTINGS:
            file = root / path
            new = file.read_text("utf-8", "replace") if file.is_file() else ""
            found = [(1, {"was": old_text, "is": new})]
        else:
            continue
        for line, texts in found:
            name = _code(f"{path}:{line}")
            address = f"{repository}/blob/{commit}/{quote(path)}#L{line}"
            lines += ["", f"- [{name}]({address})" if repository else f"- {name}"]
            for kind, text in texts.items():
                lines.append(f"    - {kind}: {_code(text) if text else 'nothing'}")
    print(f"Changed translations: {lines.count('')}", *lines, sep="\n")
    return 0


def _read_translations(
    old_text: str, file: Path, root: Path
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the line and the texts of each message whose translation has changed."""
    before = {e.msgid: shown_text(e) for e in polib.pofile(old_text) if not e.obsolete}
    entries = read_po(file, root) if file.is_file() else []
    gone = before.keys() - {e.msgid for e in entries if not e.obsolete}
    by_words = {read_message(message).formulas.texts: message for message in gone}
    changed = set[str]()
    for entry in entries:
        old, now = before.get(entry.msgid, ""), shown_text(entry)
        if entry.obsolete or now == old:
            continue
        if entry.msgid not in before:
            # The English has changed too, perhaps only in its formulas.
            similar = by_words.get(read_message(entry.msgid).formulas.texts)
            similar = similar or find_nearest(entry.msgid, gone)
            old = before.get(similar, "")
            changed.add(similar)
        yield entry.linenum, {"English": entry.msgid, "was": old, "is": now}
    for message in sorted(gone - changed):
        if before[message]:
            yield 1, {"English": message, "was": before[message], "is": ""}


def shown_text(entry: polib.POEntry) -> str:
    """The translation that pages show, which is that of an entry that is not fuzzy."""
    return "" if entry.fuzzy else " / ".join(text for _, text in texts_of(entry))


def _code(text: str) -> str:
    """A text as inline code in Markdown, whatever characters it contains.

    Those that are invisible, or turn the direction of writing, are written as codes.
    """
    line = " ".join(text.split())
    line = "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in line)
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}"


def _run_git(root: Path, *words: str) -> str:
    """The output of a Git command; empty if it fails.

    Raises `UsageError` if Git is not installed.
    """
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError:
        raise UsageError("git is missing: install it") from None
    return done.stdout if done.returncode == 0 else ""
