"""# Export

`txl export` writes annotated modules as notebooks or as Markdown, or the whole site.

```sh
txl export labml_txl/models/memory.py --to ipynb
txl export labml_txl/models --to md --out texts
```
"""

import posixpath
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.extras import how_to_install
from labml_txl.literate.cli import open_site, settings_of, site_settings, write_files
from labml_txl.literate.export.notebooks.notebook import notebook
from labml_txl.literate.export.text import change_extension, text
from labml_txl.literate.render.page import Page
from labml_txl.literate.sources.syntax import parse
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of `txl export`."""

    modules: tuple[str, ...] = argument(
        "a file, a folder or a dotted name (default: all annotated modules)",
        default=(),
        metavar="MODULE",
    )
    to: str = argument(
        "notebooks, Markdown with line numbers, the whole site, or a page that runs a "
        "model (see txl export --to web --help)",
        positional=False,
        choices=("ipynb", "md", "site", "web"),
    )
    host: str = option(
        "mkdocs", "the site generator", choices=("mkdocs", "zensical"), metavar="NAME"
    )
    strict: bool = option(
        False, "with `--to site`: keep the old site if there are warnings"
    )
    out: Path = option(
        Path(), "where to write", metavar="FOLDER", shown="here; site for a site"
    )
    config: Path = site_settings()


def run(options: Options) -> int:
    """Write the pages of the modules, and print the paths of the files.

    If an error occurs, no file is written.
    """
    config = settings_of(options.config)
    if options.to == "site":
        return publish(options)
    if options.strict:
        raise UsageError(
            "--strict is only for --to site: other formats are always strict"
        )
    localized = open_site(config)
    site, texts = localized.site, dict[str, str]()
    for page in select_pages(options.modules, localized.pages, config):
        parse(page.source)  # raises an error if the module is not valid Python
        texts[change_extension(page.path, options.to)] = (
            text(page, site)
            if options.to == "md"
            else notebook(page, site, localized.content.install)
        )
    # The folder that all of these paths have in common is left out.
    shared = posixpath.commonpath([posixpath.dirname(path) for path in texts]) or "."
    files = {
        options.out / posixpath.relpath(path, shared): texts[path] for path in texts
    }
    write_files(files)
    for path in files:
        print(path)
    return 0


def publish(options: Options) -> int:
    """Build the site in all languages, and replace the old one atomically.

    Returns the exit status. Raises `UsageError` if the output folder is neither empty
    nor a site, or if options do not fit together.
    """
    goal = Path("site") if options.out == Path() else options.out
    if options.modules:
        raise UsageError("--to site exports all modules: leave out the module names")
    # A build deletes the folder, so we only accept a site or an empty folder.
    there = [*goal.iterdir()] if goal.is_dir() else goal.exists()
    if there and not (goal / "404.html").is_file():
        taken = f"{goal} exists and is not a built site"
        raise UsageError(f"{taken}: choose another folder with --out")
    if options.host == "mkdocs":
        command = [sys.executable, "-P", "-m", "mkdocs", "build"]
        strict = ["--strict"] if options.strict else []
        config, into = str(options.config), str(goal.resolve())
        return subprocess.run([*command, "-f", config, "-d", into, *strict]).returncode
    try:
        from labml_txl.literate.zensical import zensical
    except ModuleNotFoundError as error:
        missing = f"{error.name} is missing: {how_to_install('zensical')}"
        raise UsageError(missing) from None
    print(zensical.publish(options.config, goal, strict=options.strict))
    return 0


def select_pages(
    given: Sequence[str], pages: Sequence[Page], config: Path
) -> tuple[Page, ...]:
    """The pages of the modules that the command line names, in reading order.

    Each argument is a file, a folder or a dotted name; without any, all pages are
    returned. Raises `UsageError` for an argument that matches no page.
    """
    if not pages:
        raise UsageError(f"no modules are configured: list some in {config}")
    root = config.resolve().parent
    paths: set[str] = set()
    for words in given:
        place = Path(words).resolve()
        of_these = {
            page.path
            for page in pages
            if f"{page.module}.".startswith(f"{words}.")
            or (root / page.source.path).is_relative_to(place)
        }
        if not of_these:
            raise UsageError(f"no annotated module matches {words}")
        paths |= of_these
    return tuple(page for page in pages if page.path in paths or not given)
