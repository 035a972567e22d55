r"""# The commands of translators

`txl i18n` and what follows it: `update`, `stats`, `new`, `lint`, `changed`. One file a
command.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from labml_txl.errors import UsageError
from labml_txl.literate.i18n.languages import languages
from labml_txl.options import argument


def only_languages() -> Any:
    """The languages that a command is meant for: all of them, if none is given."""
    return argument("only these languages", default=(), metavar="LANG")


def chosen(locale: Path, root: Path, given: Collection[str]) -> list[str]:
    """The codes of the languages that a command is meant for."""
    codes = [language.code for language in languages(locale, root)]
    for code in given:
        if code not in codes:
            known = f"there are {', '.join(codes)}" if codes else "there is none yet"
            message = f"no language {code}: {known}; txl i18n new {code} makes it"
            raise UsageError(message)
    return [*dict.fromkeys(given)] or codes


def shown(path: Path, root: Path) -> Path:
    """A path as it is printed: from the root of the project, if it lies there."""
    return path.relative_to(root) if path.is_relative_to(root) else path
