r"""# Import

`txl i18n import` takes over the translations of a JSON catalog, all of them fuzzy.

```sh
txl i18n import catalog.json --lang ja
txl i18n import catalog.json --lang ja --json
```
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.literate.cli import settings_of, site_settings
from labml_txl.literate.cli.i18n import chosen
from labml_txl.options import argument, option


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `txl i18n import` can be told."""

    catalog: Path = argument("the file of the other system", metavar="CATALOG.json")
    lang: str = argument("its language", positional=False, metavar="LANG")
    page: str | None = option(None, "only into this page", metavar="PAGE")
    json: bool = option(False, "the report as JSON")
    config: Path = site_settings()


def run(options: Options) -> int:
    """Write what fits into the files, and tell what became of every entry."""
    from labml_txl.literate.i18n.files.po import file_of, write_whole
    from labml_txl.literate.i18n.importing import align, load_json, put
    from labml_txl.literate.i18n.inventory import inventory
    from labml_txl.literate.i18n.lint.glossary import project_glossary
    from labml_txl.literate.i18n.update import update
    from labml_txl.literate.mkdocs.project import edition_of

    catalog = load_json(options.catalog)
    texts = edition_of(settings_of(options.config)).texts
    (code,) = chosen(texts.locale, texts.root, options.lang)
    found = inventory(texts)
    page = options.page.removesuffix(".md") if options.page else None
    if page is not None and page not in found:
        raise UsageError(f"no page {page}: txl i18n extract lists the pages")
    messages = [
        (name, one.message)
        for name, said in found.items()
        for one in said
        if page in (None, name)
    ]
    glossary = project_glossary(texts.locale)
    entries = align(catalog, messages, code, glossary)
    files = update(found, texts.locale, code, texts.root)
    taken: set[int] = set()
    changed: dict[Path, str] = {}
    for name in found:
        new = [
            block
            for entry in entries
            for block in entry.blocks
            if block.state == "imported" and block.page == name
        ]
        path = file_of(texts.locale, code, name)
        text = files.get(path)
        if new and text is not None:
            changed[path], left = put(text, new)
            taken |= {id(block) for block in left}
    full = "our message has a translation already"
    entries = [
        dataclasses.replace(
            entry,
            blocks=tuple(
                dataclasses.replace(block, state="kept", reason=full)
                if id(block) in taken
                else block
                for block in entry.blocks
            ),
        )
        for entry in entries
    ]
    write_whole(changed)
    if options.json:
        report = [entry.json() for entry in entries]
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return 0
    for entry in entries:
        print(f"{_first(entry.source)}")
        for one in entry.findings:
            print(f"  {one.severity} {one.code} {one.message}")
        for block in entry.blocks:
            said = f": {block.reason}" if block.reason else f" into {block.page}"
            print(f"  {block.state}{said}: {_first(block.source)}")
    return 0


def _first(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) < 61 else f"{line[:60]}…"
