r"""# Export

`txl export` writes annotated modules as notebooks or as Markdown, or the whole site.

```sh
txl export labml_txl/models/memory.py --to ipynb
txl export labml_txl/models --to md --out texts
```
"""

import posixpath
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.extras import how_to_install
from labml_txl.literate.cli import settings_of, site_settings, write_texts
from labml_txl.literate.render.page import Page
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl export` can be told."""

    modules: tuple[str, ...] = argument(
        "a file, a folder or a dotted name (default: all that are annotated)",
        default=(),
        metavar="MODULE",
    )
    to: str = argument(
        "notebooks that run, Markdown with line numbers, the Markdown that a site is "
        "made of, the site, or a page that runs a model: txl export --to web --help",
        positional=False,
        choices=("ipynb", "md", "pages", "site", "web"),
    )
    host: str = option(
        "mkdocs", "what makes the site", choices=("mkdocs", "zensical"), metavar="NAME"
    )
    strict: bool = option(
        False, "leave the old site where there is a fault; with `--to site`"
    )
    out: Path = option(
        Path(), "where to write", metavar="FOLDER", shown="here; site for a site"
    )
    config: Path = site_settings()


def run(options: Options) -> int:
    """Write the pages of the modules, all or none, and name the files."""
    config = settings_of(options.config)
    if options.to == "site":
        return publish(options, config)
    from labml_txl.literate.export.notebooks.notebook import notebook
    from labml_txl.literate.export.text import beside, text
    from labml_txl.literate.mkdocs.settings import open_project
    from labml_txl.literate.sources.syntax import parse

    localized = open_project(config)
    if options.strict:
        raise UsageError("--strict goes with --to site: other forms are always strict")
    site, texts = localized.site, dict[str, str]()
    for page in chosen(options.modules, localized.pages, config):
        parse(page.source)  # of code that is no Python nothing is written
        if options.to == "ipynb":
            texts[beside(page.path, "ipynb")] = notebook(
                page, site, localized.content.install
            )
        elif options.to == "md":
            texts[beside(page.path, "md")] = text(page, site)
        else:
            texts[page.path] = localized.entry(page.path).markdown
    if options.to == "pages" and not options.modules:
        texts |= {path: localized.entry(path).markdown for path in localized.paths}
    for path in write_texts(from_common_folder(texts), options.out):
        print(path)
    return 0


def publish(options: Options, config: Path) -> int:
    """Build the site in all its languages, whole or not at all."""
    goal = Path("site") if options.out == Path() else options.out
    if options.modules:
        raise UsageError("a site shows all modules: name none with --to site")
    if goal.exists() and not is_site(goal):
        raise UsageError(
            f"{goal} is there and holds no site: choose another with --out"
        )
    if options.host == "mkdocs":
        command = [sys.executable, "-P", "-m", "mkdocs", "build", "-f", str(config)]
        strict = ["--strict"] if options.strict else []
        into = ["-d", str(goal.resolve())]
        return subprocess.run([*command, *into, *strict]).returncode
    try:
        from labml_txl.literate.zensical import zensical
    except ModuleNotFoundError as error:
        missing = f"{error.name} is missing: {how_to_install('zensical')}"
        raise UsageError(missing) from None
    print(zensical.publish(config, goal, strict=options.strict))
    return 0


def is_site(folder: Path) -> bool:
    """Whether a build may take the place of a folder: a site, or nothing."""
    return folder.is_dir() and ((folder / "404.html").is_file() or is_empty(folder))


def is_empty(folder: Path) -> bool:
    """Whether a folder holds nothing."""
    return next(folder.iterdir(), None) is None


def chosen(
    given: Sequence[str], pages: Sequence[Page], config: Path
) -> tuple[Page, ...]:
    """The pages that the words of a command line mean, in reading order."""
    if not pages:
        raise UsageError(f"no module is annotated: name some in {config}")
    root = config.resolve().parent
    chosen: set[str] = set()
    for words in given:
        place = Path(words).resolve()
        found = {
            page.path
            for page in pages
            if f"{page.module}.".startswith(f"{words}.")
            or (root / page.source.path).is_relative_to(place)
        }
        if not found:
            raise UsageError(f"{words} is no annotated module and holds none")
        chosen |= found
    return tuple(page for page in pages if page.path in chosen or not given)


def from_common_folder(texts: Mapping[str, str]) -> dict[str, str]:
    """The same texts, their paths without the folders that all of them share."""
    shared = posixpath.commonpath([posixpath.dirname(path) for path in texts])
    return {posixpath.relpath(path, shared or "."): texts[path] for path in texts}
