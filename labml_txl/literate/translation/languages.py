r"""# The languages of a site

A language is a folder of `docs/locale` with a file `language.toml`. The file says what
a site must know before a word is translated: how the language calls itself, what the
browser and the theme call it, and how its words are found in a text without spaces.

```toml
name = "日本語"        # in the language itself, for the menu
english = "Japanese"   # for those who do not read it
tag = "ja"             # what browsers call it; else the name of the folder
theme = "ja"           # what the theme calls it; else the name of the folder
locale = "ja_JP"       # for previews of shared links; else the tag
direction = "ltr"      # or "rtl"

[search]
languages = ["ja"]     # whose words the search knows; else that of the theme
separator = '[\s]+'    # what stands between two words; else that of the theme
```

English needs no folder: the pages are written in it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labml_txl.literate.sources.source import LiterateError, Source, read

SETTINGS = "language.toml"


@dataclass(frozen=True)
class Language:
    """A language of the site.

    - `code`: the name of its folder, which is part of the address of each page;
    - `name`, `english`: its name in the language itself, and in English;
    - `tag`: its name for browsers and search engines;
    - `theme`: its name for the theme, which brings texts of its own;
    - `locale`: its name where links are shared;
    - `direction`: `"ltr"` or `"rtl"`;
    - `search`: the languages whose words the search knows;
    - `separator`: the pattern of what stands between two words of a search.
    """

    code: str
    name: str
    english: str
    tag: str
    theme: str
    locale: str
    direction: str = "ltr"
    search: tuple[str, ...] = ()
    separator: str = ""


ENGLISH = Language("en", "English", "English", "en", "en", "en_US")


def languages(locale: Path, root: Path) -> tuple[Language, ...]:
    """The languages that have a folder in `locale`, by the names of the folders.

    Raises `LiterateError` for settings that are wrong.
    """
    files = sorted(locale.glob(f"*/{SETTINGS}"))
    return tuple(language(file, root) for file in files)


def language(file: Path, root: Path) -> Language:
    """The language that a file `language.toml` describes."""
    source = read(file, root)
    try:
        settings = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise LiterateError(source.path, 1, f"not valid TOML: {error}") from None
    code = file.parent.name
    search = settings.pop("search", {})
    _refuse(source, {"the file": settings, "[search]": search})
    if "name" not in settings:
        message = "the field `name` is missing: write how the language calls itself"
        raise LiterateError(source.path, 1, message)
    tag = settings.get("tag", code)
    return Language(
        code=code,
        name=settings["name"],
        english=settings.get("english", settings["name"]),
        tag=tag,
        theme=settings.get("theme", code),
        locale=settings.get("locale", tag.replace("-", "_")),
        direction=settings.get("direction", "ltr"),
        search=tuple(search.get("languages", ())),
        separator=search.get("separator", ""),
    )


_FIELDS = {
    "the file": {"name", "english", "tag", "theme", "locale", "direction"},
    "[search]": {"languages", "separator"},
}


def _refuse(source: Source, parts: dict[str, dict[str, Any]]) -> None:
    """A field that nobody reads is a slip of the pen."""
    for part, fields in parts.items():
        for name in fields:
            if name not in _FIELDS[part]:
                known = ", ".join(sorted(_FIELDS[part]))
                message = f"{part} has no field {name}: it knows {known}"
                raise LiterateError(source.path, 1, message)


def saved(folders: Iterable[Path], locale: Path) -> Mapping[str, object]:
    """When each file was saved, by language; those of no language below `""`."""
    found: dict[str, list[tuple[str, int]]] = {}
    for folder in folders:
        files = [folder] if folder.is_file() else folder.rglob("*")
        for file in sorted(files):
            inside = locale in file.parents and file.suffix == ".po"
            code = file.relative_to(locale).parts[0] if inside else ""
            with suppress(OSError):
                state = (str(file), file.stat().st_mtime_ns)
                found.setdefault(code, []).append(state)
    return found
