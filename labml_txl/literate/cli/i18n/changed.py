"""# Changed

`txl i18n changed BASE` lists the messages whose translation has changed since a commit,
as Markdown. With `--kind`, it prints which kind of files has changed: `translations`
only, `prose` (pages that are written by hand, and perhaps translations) or `code`.

```sh
txl i18n changed origin/main
txl i18n changed origin/main --kind
```
"""

import re
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import polib

from labml_txl.errors import UsageError
from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.i18n.catalog import apart
from labml_txl.literate.i18n.po import read_po
from labml_txl.literate.i18n.update import nearest
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl i18n changed`."""

    base: str = argument("the commit or branch to compare with", metavar="BASE")
    kind: bool = option(False, "print only the kind of change, in one word")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Compare the working tree with the merge base of `HEAD` and `options.base`."""
    localized = open_site(options.config)
    root, locale = localized.root, localized.project.locale
    base = _git(root, "merge-base", "HEAD", "--end-of-options", options.base).strip()
    words = ("--name-only", "-z", "--no-renames", "--relative")
    paths = _git(root, "diff", *words, base).split("\0")[:-1] if base else []
    if options.kind:
        project = localized.project
        prose = {f"{project.docs}/{path}" for path in project.prose}
        print(kind_of(paths, locale, prose))
        return 0
    if not base:
        given = f"{options.base} has no common ancestor with HEAD"
        raise UsageError(f"{given}: give another branch or commit")
    repository = localized.project.repository.url
    commit = _git(root, "rev-parse", "HEAD").strip()
    lines: list[str] = []
    for path in paths:
        if not (path.startswith(f"{locale}/") and path.endswith(".po")):
            continue
        old_text = _git(root, "show", f"{base}:./{path}")
        before = {e.msgid: shown(e) for e in polib.pofile(old_text) if not e.obsolete}
        file = root / path
        entries = read_po(file, root) if file.is_file() else []
        gone = before.keys() - {e.msgid for e in entries if not e.obsolete}
        by_words = {apart(message)[0]: message for message in gone}
        for entry in entries:
            old, now = before.get(entry.msgid, ""), shown(entry)
            if entry.obsolete or now == old:
                continue
            if entry.msgid not in before:
                # The English has changed too, perhaps only in its formulas.
                similar = by_words.get(apart(entry.msgid)[0])
                old = before.get(similar or nearest(entry.msgid, gone), "")
            place = f"{path}:{entry.linenum}"
            address = f"{repository}/blob/{commit}/{path}#L{entry.linenum}"
            lines += ["", f"- [{place}]({address})" if repository else f"- {place}"]
            for name, text in (("English", entry.msgid), ("was", old), ("is", now)):
                lines.append(f"    - {name}: {_code(text) if text else 'nothing'}")
    print(f"Changed translations: {lines.count('')}", *lines, sep="\n")
    return 0


def kind_of(paths: Collection[str], locale: str, prose: Collection[str]) -> str:
    """Classify a change of the files `paths`: `translations`, `prose` or `code`.

    PO files and `language.toml` in the folder `locale` are translations, and `prose`
    lists the pages that are written by hand. An empty list counts as `code`, because we
    then do not know what has changed.
    """
    words = {*prose, "CHANGELOG.md", ".github/CODEOWNERS", f"{locale}/glossary.toml"}
    others = {
        path
        for path in map(PurePosixPath, paths)
        if PurePosixPath(locale) not in path.parents
        or not (path.suffix == ".po" or path.name == "language.toml")
    }
    if not paths or not {path.as_posix() for path in others} <= words:
        return "code"
    return "prose" if others else "translations"


def shown(entry: polib.POEntry) -> str:
    """The translation that pages show, which is that of an entry that is not fuzzy."""
    return "" if entry.fuzzy else str(entry.msgstr)


def _code(text: str) -> str:
    """A text as inline code in Markdown, whatever characters it contains."""
    line = " ".join(text.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}"


def _git(root: Path, *words: str) -> str:
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
