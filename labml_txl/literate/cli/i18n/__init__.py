"""# The commands for translators

`txl i18n update`, `stats`, `new`, `lint` and `changed`. Each command has a file.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from labml_txl.errors import UsageError
from labml_txl.literate.i18n.languages import is_code
from labml_txl.literate.i18n.po import file_of
from labml_txl.literate.project.inventory import SITE
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
