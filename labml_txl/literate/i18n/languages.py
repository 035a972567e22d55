r"""# The languages of a site

A language is a folder of `docs/locale` with a file `language.toml`, which contains the
names of the language and the settings of the search:

```toml
name = "日本語"        # in the language itself, for the menu
english = "Japanese"   # in English
tag = "ja"             # for browsers; by default the name of the folder
theme = "ja"           # for the theme; by default the name of the folder
direction = "ltr"      # or "rtl"

[search]
languages = ["ja"]     # for the stemmer; by default that of the theme
separator = '[\s]+'    # matches what separates words; by default that of the theme
```

The separator is a regular expression for a browser, on each text of the search. So it
has no groups but lookarounds, and only the last character class of an alternative may
be optional or repeated: otherwise it could take exponential time. It divides `two
words` into these two, since nothing could be found otherwise.

The language in which the pages are written is that of the theme, `theme.language` in
`mkdocs.yml`, by default English. It needs no folder, because CLDR knows the rest.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from babel import Locale, UnknownLocaleError

from labml_txl.literate.security.foreign import find_hidden
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import LiterateError, Source, read

SETTINGS = "language.toml"


@dataclass(frozen=True)
class Language:
    """A language of the site.

    - `code`: the name of its folder, which is part of the URL of each page;
    - `name`, `english`: its name in the language itself, and in English;
    - `tag`: its code for browsers and search engines;
    - `theme`: its code for the theme, which has texts of its own;
    - `direction`: `"ltr"` or `"rtl"`;
    - `search`: the languages of the search;
    - `separator`: a regular expression for what separates words in the search;
    - `source`: whether the pages are written in it.
    """

    code: str
    name: str
    english: str
    tag: str
    theme: str
    direction: str = "ltr"
    search: tuple[str, ...] = ()
    separator: str = ""
    source: bool = False

    @property
    def folder(self) -> str:
        """The folder of its pages in the site; empty for those that are written."""
        return "" if self.source else f"{self.code}/"


ENGLISH = Language("en", "English", "English", "en", "en", source=True)


def read_languages(locale: Path, root: Path, source: str) -> tuple[Language, ...]:
    """Read the languages that have a folder in `locale`, sorted by its name.

    That of `source`, the code of the language of the pages, is left out. Raises
    `LiterateError` for settings that are not valid, and for two folders that are one
    where the file system ignores case.
    """
    files = sorted(locale.glob(f"*/{SETTINGS}"))
    folders = {source.casefold(): source}
    for file in files:
        name = file.parent.name
        if (other := folders.setdefault(name.casefold(), name)) != name:
            message = f"the same language as {other}: delete one of the two folders"
            raise LiterateError(relative_to(file, root), 1, message)
    return tuple(
        read_language(file, root) for file in files if file.parent.name != source
    )


def source_language(code: str, locale: Path, root: Path) -> Language:
    """The language in which the pages are written.

    Without settings of its own, it is as CLDR and the search of the theme know it.
    """
    file = locale / code / SETTINGS
    if file.is_file():
        return replace(read_language(file, root), source=True)
    if code == ENGLISH.code:
        return ENGLISH
    text = write_settings(code if is_code(code) else ENGLISH.code)
    return replace(parse_language(Source("mkdocs.yml", text), code), source=True)


def refuse_links(path: Path, root: Path) -> None:
    """Raise `LiterateError` if a file or a folder above it is a symbolic link.

    A contributed link could point to any file of the machine that runs the build.
    """
    for part in (path, *path.parents):
        if part == root or not part.is_relative_to(root):
            return
        if part.is_symlink():
            message = "a symbolic link: replace it with the file itself"
            raise LiterateError(path.relative_to(root).as_posix(), 1, message)


def read_language(file: Path, root: Path) -> Language:
    """Read a file `language.toml`.

    Raises `LiterateError` for an unknown field and for a value of another form, because
    the values become part of the pages.
    """
    refuse_links(file, root)
    return parse_language(read(file, root), file.parent.name)


def parse_language(source: Source, code: str) -> Language:
    """The language of a file `language.toml` in a folder with this name."""
    try:
        given = tomllib.loads(source.text)
    except (ValueError, RecursionError) as error:  # also for numbers that are too long
        raise LiterateError(source.path, 1, f"not valid TOML: {error}") from None
    search = given.pop("search", {})
    if not isinstance(search, dict):
        message = f"search = {search!r:.40}: write a table, [search]"
        raise LiterateError(source.path, 1, message)
    given = {**given, **search, "the folder": code}
    for name, value in given.items():
        if name not in _FIELDS:
            message = f"unknown field {name}: use {', '.join(sorted(_FIELDS))}"
            raise LiterateError(source.path, 1, message)
        fits, wanted = _FIELDS[name]
        listed = name == "languages"
        values = value if listed and isinstance(value, list) else [value]
        whole = isinstance(value, list) == listed
        if not whole or not all(isinstance(v, str) and fits(v) for v in values):
            starts = (line.startswith(name) for line in source.lines)
            number = next((n for n, here in enumerate(starts, 1) if here), 1)
            message = f"{name} = {value!r:.40}: write {wanted}"
            raise LiterateError(source.path, number, message)
    if "name" not in given:
        message = (
            "the field `name` is missing: add the name of the language in the language"
        )
        raise LiterateError(source.path, 1, message)
    return Language(
        code=code,
        name=given["name"],
        english=given.get("english", given["name"]),
        tag=given.get("tag", code),
        theme=given.get("theme", code),
        direction=given.get("direction", "ltr"),
        search=tuple(dict.fromkeys(given.get("languages", ()))),
        separator=given.get("separator", ""),
    )


def is_name(text: str) -> bool:
    """Whether a text can only be the name of a language or of a person."""
    if find_hidden(text):
        return False
    # Letters and combining characters; a dot is only allowed at the end of a word.
    signs = re.sub(r"[ (),’'·-]|\.(?!\S)", "", text)
    kinds = {unicodedata.category(sign)[0] for sign in signs}
    return text[:1].isalpha() and len(text) <= 60 and kinds <= {"L", "M", "N"}


# A class of characters, or a character, which may be escaped as in JavaScript.
_ONE = (
    r"(?:\[(?:\\[^\n]|[^]\\\n])+\]|\\(?:[sSdDwWbB]|u[0-9A-Fa-f]{4}|[^\w\n])"
    r"|[^]\\()[*+?{}|\n])"
)
_ITEM = rf"(?:\(\?<?[=!]{_ONE}*\)|{_ONE})"
# Nothing follows what is optional or repeated, so the browser never tries twice.
_ALTERNATIVE = rf"{_ITEM}*(?:{_ONE}[*+?])?"
_SEPARATOR = re.compile(rf"{_ALTERNATIVE}(?:\|{_ALTERNATIVE})*")


def _is_separator(text: str) -> bool:
    """Whether a text is a regular expression that divides words, and not for long."""
    if not text or len(text) > 400 or not _SEPARATOR.fullmatch(text):
        return not text
    with suppress(re.error, FutureWarning), warnings.catch_warnings():
        warnings.simplefilter("error")  # `[a&&b]`, which not everybody reads alike
        return [*filter(None, re.split(text, "two words"))] == ["two", "words"]
    return False


# For each field, whether a value is allowed, and the form that an error demands.
is_code = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*").fullmatch
_CODE = (is_code, "the code of a language, as in `pt-BR`")
_NAME = (is_name, "a name: letters, blanks and ( ) . , ' -")
_FIELDS: Mapping[str, tuple[Callable[[str], object], str]] = {
    "the folder": _CODE,
    "name": _NAME,
    "english": _NAME,
    "tag": _CODE,
    "theme": _CODE,
    "direction": (re.compile("ltr|rtl").fullmatch, '"ltr" or "rtl"'),
    "languages": (is_code, "a list of codes of languages"),
    "separator": (_is_separator, "character classes, each repeated once: '[\\s-]+'"),
}


# What CLDR knows of a language


def find_locale(code: str) -> Locale | None:
    """The entry of a language in CLDR, or `None`."""
    try:
        return Locale.parse(code, sep="-")
    except (UnknownLocaleError, ValueError):
        return None


def write_settings(code: str, name: str = "") -> str:
    """The text of a file `language.toml`."""
    found = find_locale(code)
    own = (found.get_display_name() if found else "") or ""
    english = (found.english_name if found else "") or ""
    # In CLDR, some languages have no name in themselves, or one that is a sentence.
    names = (name, own[:1].upper() + own[1:], english, code)
    fields = {
        "name": next(filter(is_name, names)),
        "english": next(filter(is_name, (english, name, code))),
        "tag": _TAGS.get(code, code),
        "direction": "rtl" if found and found.text_direction == "rtl" else "ltr",
    }
    lines = [
        f"{key} = {json.dumps(v, ensure_ascii=False)}" for key, v in fields.items()
    ]
    return "\n".join(lines) + f"\n{_SEARCH.get(code.partition('-')[0], '')}"


_TAGS = {"zh": "zh-Hans", "zh-TW": "zh-Hant"}

# What separates words in the search: besides spaces and punctuation, a change of script
# in Japanese, and in Chinese the character that the build inserts between words.
_SIGNS = r"""\s\-.,:;=()\[\]{}"'/、。，．：；！？（）「」『』《》・…—"""
_SCRIPTS = ("ァ-ヶー", "一-龠々")
_BORDERS = "|".join(f"(?<=[{s}])(?![{s}])|(?<![{s}])(?=[{s}])" for s in _SCRIPTS)
_SEARCH = {
    "zh": f"""
[search]
languages = ["zh"]
separator = '''[{_SIGNS}\\u200b]+'''
""",
    "ja": f"""
[search]
languages = ["ja"]
separator = '''[{_SIGNS}]+|{_BORDERS}'''
""",
}
