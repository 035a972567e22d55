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

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from labml_txl.literate.sources.source import LiterateError, read

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

    @property
    def folder(self) -> str:
        """Where its pages start below the address of the site: English at the root."""
        return "" if self == ENGLISH else f"{self.code}/"


ENGLISH = Language("en", "English", "English", "en", "en", "en_US")


def languages(locale: Path, root: Path) -> tuple[Language, ...]:
    """The languages that have a folder in `locale`, by the names of the folders.

    Raises `LiterateError` for settings that are wrong.
    """
    files = sorted(locale.glob(f"*/{SETTINGS}"))
    return tuple(language(file, root) for file in files)


def refuse_links(path: Path, root: Path) -> None:
    """Raise `LiterateError` for a file that is a symbolic link, or lies behind one.

    A contributed link could lead to any file of the machine that builds.
    """
    for part in (path, *path.parents):
        if part == root or not part.is_relative_to(root):
            return
        if part.is_symlink():
            message = "a symbolic link: put the file itself there"
            raise LiterateError(path.relative_to(root).as_posix(), 1, message)


def language(file: Path, root: Path) -> Language:
    """The language that a file `language.toml` describes.

    Raises `LiterateError` for a field that nobody reads, and for a value that is no
    plain text: all of it reaches readers and browsers.
    """
    refuse_links(file, root)
    source = read(file, root)
    try:
        given = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise LiterateError(source.path, 1, f"not valid TOML: {error}") from None
    search = given.pop("search", {})
    if not isinstance(search, dict):
        message = f"search = {search!r}: write a table, [search]"
        raise LiterateError(source.path, 1, message)
    given = {**given, **search, "the folder": file.parent.name}
    for name, value in given.items():
        if name not in _FIELDS:
            message = f"there is no field {name}: write {', '.join(sorted(_FIELDS))}"
            raise LiterateError(source.path, 1, message)
        fits, wanted = _FIELDS[name]
        listed = name == "languages" and isinstance(value, list)
        for one in value if listed else [value]:
            if not isinstance(one, str) or not fits(one):
                starts = (line.startswith(name) for line in source.lines)
                number = next((n for n, here in enumerate(starts, 1) if here), 1)
                message = f"{name} = {str(one)[:40]!r}: write {wanted}"
                raise LiterateError(source.path, number, message)
    if "name" not in given:
        message = "the field `name` is missing: write how the language calls itself"
        raise LiterateError(source.path, 1, message)
    code = given["the folder"]
    tag = given.get("tag", code)
    return Language(
        code=code,
        name=given["name"],
        english=given.get("english", given["name"]),
        tag=tag,
        theme=given.get("theme", code),
        locale=given.get("locale", tag.replace("-", "_")),
        direction=given.get("direction", "ltr"),
        search=tuple(given.get("languages", ())),
        separator=given.get("separator", ""),
    )


def is_name(text: str) -> bool:
    """Whether a text can be the name of a language or of a person, and nothing more."""
    # Letters, and the signs above and below them; a dot ends a word.
    signs = re.sub(r"[ (),’'·-]|\.(?!\S)", "", text)
    kinds = {unicodedata.category(sign)[0] for sign in signs}
    return text[:1].isalpha() and len(text) <= 60 and kinds <= {"L", "M", "N"}


def _is_pattern(text: str) -> bool:
    with suppress(re.error):
        return bool(re.compile(text)) and len(text) <= 400 and "\n" not in text
    return False


# What a field may hold, and how to say it.
_is_code = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*").fullmatch
_CODE = (_is_code, "the code of a language, as in `pt-BR`")
_NAME = (is_name, "a name: letters, blanks and ( ) . , ' -")
_FIELDS: Mapping[str, tuple[Callable[[str], object], str]] = {
    "the folder": _CODE,
    "name": _NAME,
    "english": _NAME,
    "tag": _CODE,
    "theme": _CODE,
    "locale": (
        re.compile(r"[A-Za-z]{2,3}(?:_[A-Za-z0-9]{2,8})*").fullmatch,
        "a locale, as in `pt_BR`",
    ),
    "direction": (re.compile("ltr|rtl").fullmatch, '"ltr" or "rtl"'),
    "languages": (_is_code, "a list of codes of languages"),
    "separator": (_is_pattern, "a regular expression"),
}
