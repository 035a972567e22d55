r"""# New

`txl i18n new LANG` adds a language, with nothing translated yet.

```sh
txl i18n new pt-BR
txl i18n new de --config docs/mkdocs.yml
```
"""

from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.literate.commands import settings_of, site_settings
from labml_txl.literate.commands.i18n import shown
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n new` can be told."""

    language: str = argument("its code: de, pt-BR, zh-TW", metavar="LANG")
    name: str = option("", "its name, in the language itself")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Make the folder of a language: its settings and the files to translate."""
    from labml_txl.literate.hosts.project import texts_of, theme_for
    from labml_txl.literate.translation.files.po import write_whole
    from labml_txl.literate.translation.inventory import inventory
    from labml_txl.literate.translation.languages import SETTINGS
    from labml_txl.literate.translation.update import is_code, known, settings, update

    code = options.language
    if code == "en" or not is_code(code):
        why = "the pages are written in it" if code == "en" else "codes look like pt-BR"
        raise UsageError(f"{code} can be no new language: {why}")
    if not known(code) and not options.name:
        raise UsageError(f"the name of {code} is not known: say it with --name")
    config = settings_of(options.config)
    texts = texts_of(config)
    file = texts.locale / code / SETTINGS
    if file.exists():
        raise UsageError(
            f"{file} is there already: txl i18n update keeps it up to date"
        )
    theme = theme_for(config, code)
    files = update(inventory(texts), texts.locale, code, texts.root)
    for path in write_whole({file: settings(code, options.name, theme), **files}):
        print(shown(path, texts.root))
    return 0
