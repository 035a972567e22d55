"""# The commands for translators

`txl i18n update`, `stats`, `new`, `lint` and `changed`. Each command has a file.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labml_txl.errors import UsageError
from labml_txl.literate.i18n.languages import is_code
from labml_txl.literate.i18n.po import LABELS, SHIPPED, file_of, file_of_shipped
from labml_txl.literate.i18n.update import update as update_files
from labml_txl.literate.project.inventory import SITE, has_engine
from labml_txl.options import argument

if TYPE_CHECKING:
    from labml_txl.literate.project.localized import LocalizedProject


def only_languages() -> Any:
    """The argument with the languages that a command processes, by default all."""
    return argument("only these languages", default=(), metavar="LANG")


def select_languages(site: "LocalizedProject", given: Collection[str]) -> list[str]:
    """The codes of the languages that a command processes: `given`, or all.

    Raises `UsageError` for a code that the site does not have.
    """
    # The labels of the engine in the language of the pages may have a catalog too.
    own = site.language.code
    codes = [own] if file_of(site.locale, own, SITE).exists() else []
    codes += [language.code for language in site.languages[1:]]
    for code in given:
        if code not in codes:
            known = f"choose from {', '.join(codes)}" if codes else "there is none yet"
            makes = f"txl i18n new {code} adds it"
            hint = makes if is_code(code) else "give the code of a language, such as ja"
            raise UsageError(f"no language {code}: {known}; {hint}")
    return [*dict.fromkeys(given)] or codes


def list_catalogs(site: "LocalizedProject", code: str) -> Iterator[tuple[str, Path]]:
    """The catalogs of a language that exist, each with the name of its page."""
    folder = site.locale / code
    for path in sorted(folder.rglob("*.po")):
        yield path.relative_to(folder).with_suffix("").as_posix(), path
    if has_engine(site.root) and (shipped := file_of_shipped(code)).is_file():
        yield LABELS, shipped


def update_catalogs(
    site: "LocalizedProject", code: str, *, shared: bool = True
) -> dict[Path, str | None]:
    """Update the catalogs of a language, as `update` does.

    The project that contains the engine translates its labels for all others.
    """
    messages = dict(site.messages_in(code))
    labels = {LABELS: messages.pop(LABELS, ())}
    files = update_files(messages, site.locale, code, site.root, shared=shared)
    if has_engine(site.root):
        files |= update_files(labels, SHIPPED, code, site.root)
    return files
