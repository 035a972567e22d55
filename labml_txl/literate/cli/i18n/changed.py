r"""# Changed

`txl i18n changed BASE` lists the sentences whose translation has changed since a
commit, as Markdown. With `--kind`, it says what has changed: `translations` alone,
`prose` (pages that are written by hand, and translations) or `code`.

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
from tempfile import TemporaryDirectory

from labml_txl.errors import UsageError
from labml_txl.literate.cli import open_site, site_settings
from labml_txl.literate.i18n.po import read_po
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n changed` can be told."""

    base: str = argument("the commit or branch to compare with", metavar="BASE")
    kind: bool = option(False, "say only what has changed, in one word")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Compare the files with those of the last commit that both sides share."""
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
        given = f"{options.base} shares no commit with this one"
        raise UsageError(f"{given}: name a branch or a commit that git knows")
    repository = localized.project.repository.url
    commit = _git(root, "rev-parse", "HEAD").strip()
    lines: list[str] = []
    for path in paths:
        if not (path.startswith(f"{locale}/") and path.endswith(".po")):
            continue
        before = _before(root, base, path)
        for message, (line, now) in _translations(root / path).items():
            old = before.get(message, (0, ""))[1]
            if now == old:
                continue
            place = f"{path}:{line}"
            address = f"{repository}/blob/{commit}/{path}#L{line}"
            lines += ["", f"- [{place}]({address})" if repository else f"- {place}"]
            for name, text in (("English", message), ("was", old), ("is", now)):
                shown = _code(text) if text else "nothing"
                lines.append(f"    - {name}: {shown}")
    print(f"Translations that have changed: {lines.count('')}", *lines, sep="\n")
    return 0


def kind_of(paths: Collection[str], locale: str, prose: Collection[str]) -> str:
    """What a change of these files is: `translations`, `prose` or `code`.

    PO files and settings of languages in the folder `locale` are translations, and
    `prose` names the files that hold words only. If nothing has changed, or nobody
    knows what, anything may have.
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


def _before(root: Path, base: str, path: str) -> dict[str, tuple[int, str]]:
    """The translations that a PO file held at a commit; none if it was not there."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "before.po")
        file.write_text(_git(root, "show", f"{base}:./{path}"), encoding="utf-8")
        return _translations(file)


def _translations(file: Path) -> dict[str, tuple[int, str]]:
    """The line and the translation of each message; a fuzzy one is shown nowhere."""
    return {
        entry.msgid: (entry.linenum, "" if entry.fuzzy else entry.msgstr)
        for entry in (read_po(file, file.parent) if file.is_file() else ())
        if not entry.obsolete
    }


def _code(text: str) -> str:
    """A text as Markdown shows it sign by sign, whatever it is."""
    line = " ".join(text.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}"


def _git(root: Path, *words: str) -> str:
    """What Git answers, if it knows. Raises `UsageError` where there is no Git."""
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
