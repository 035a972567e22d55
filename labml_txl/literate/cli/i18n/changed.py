r"""# Changed

`txl i18n changed BASE` lists the sentences whose translation has changed since a
commit, as Markdown. With `--kind`, it says what has changed: `translations` alone,
`prose` (pages that are written by hand, comments and docstrings of annotated modules,
and translations) or `code`.

```sh
txl i18n changed origin/main
txl i18n changed origin/main --kind
```
"""

import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from labml_txl.errors import UsageError
from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.cli.i18n import before_in, git, split_off
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n changed` can be told."""

    base: str = argument("the commit or branch to compare with", metavar="BASE")
    kind: bool = option(False, "say only what has changed, in one word")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Compare the files with those of the last commit that both sides share."""
    from labml_txl.literate.i18n.changes import (
        Sentence,
        changed,
        kind_of,
        same_code,
    )
    from labml_txl.literate.mkdocs.settings import open_project
    from labml_txl.literate.sources.source import read

    edition = open_project(settings_of(options.config))
    root, locale = edition.root, edition.project.locale
    base = split_off(root, options.base)
    if options.kind:
        paths = _paths(root, base) if base else []
        prose = {source.path for source in edition.texts.prose.values()}
        for path in {one.path for one in edition.texts.modules.values()} & {*paths}:
            now = read(root / path, root).text
            if same_code(git(root, "show", f"{base}:./{path}"), now):
                prose.add(path)
        print(kind_of(paths, locale, prose))
        return 0
    if not base:
        given = f"{options.base} shares no commit with this one"
        raise UsageError(f"{given}: name a branch or a commit that git knows")
    blob = edition.project.repository.url and git(root, "rev-parse", "HEAD").strip()
    with TemporaryDirectory() as folder:
        before = Path(folder, "before.po")
        sentences: list[Sentence] = []
        for path in _paths(root, base):
            if not (path.startswith(f"{locale}/") and path.endswith(".po")):
                continue
            before_in(before, root, base, path)
            language = path.removeprefix(f"{locale}/").partition("/")[0]
            sentences += changed(path, language, before, root / path)
    print(f"Translations that have changed: {len(sentences)}")
    for one in sentences:
        place = f"{one.path}:{one.line}"
        where = f"{edition.project.repository.url}/blob/{blob}/{one.path}#L{one.line}"
        print(f"\n- {f'[{place}]({where})' if blob else place}")
        for name, words in (
            ("English", one.english),
            ("was", one.was),
            ("is", one.now),
        ):
            print(
                f"    - {name}: {_code(words)}" if words else f"    - {name}: nothing"
            )
    return 0


def _code(words: str) -> str:
    """The words as Markdown shows them sign by sign, whatever they are."""
    line = " ".join(words.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {line} {fence}"


def _paths(root: Path, base: str) -> list[str]:
    """The files below the root that are not what they were."""
    words = ("--name-only", "-z", "--no-renames", "--relative")
    return [*filter(None, git(root, "diff", *words, base).split("\0"))]
