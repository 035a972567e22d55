r"""# The commands of translators

`txl i18n` and what follows it: `update`, `stats`, `new`, `lint`, `changed`. One file a
command.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from labml_txl.errors import UsageError
from labml_txl.options import argument

if TYPE_CHECKING:
    from labml_txl.literate.build.localized import LocalizedProject


def only_languages() -> Any:
    """The languages that a command is meant for: all of them, if none is given."""
    return argument("only these languages", default=(), metavar="LANG")


def chosen(site: "LocalizedProject", given: Collection[str]) -> list[str]:
    """The codes of the languages that a command is meant for."""
    codes = [language.code for language in site.languages[1:]]
    for code in given:
        if code not in codes:
            known = f"there are {', '.join(codes)}" if codes else "there is none yet"
            message = f"no language {code}: {known}; txl i18n new {code} makes it"
            raise UsageError(message)
    return [*dict.fromkeys(given)] or codes
