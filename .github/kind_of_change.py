"""Say what a change consists of: `python kind_of_change.py BASE`.

Prints `translations`, `prose` (pages that are written by hand, and perhaps
translations) or `code`. Only `code` is tested in full, so a change is something else
only if it surely contains nothing but words: in ordinary files, in known places, and
with the same HTML as before. The tests run this file as it is on the main branch, so a
pull request cannot decide about itself.
"""

import re
import subprocess
import sys
from pathlib import PurePosixPath

# What a change of words may not touch: HTML and entities, attributes, code, which tests
# may run, files that are included, and scripts as addresses.
_MARKUP = re.compile(
    r"^[ >]*(?:```|~~~).*?(?:^[ >]*(?:```|~~~)|\Z)|`+[^`]+`+"
    r"|<[A-Za-z/!?][^<>]*>?|&#?\w+;|\{.*?\}|-{1,}8<-{1,}[^\n]*|(?:javascript|data):",
    re.I | re.M | re.S,
)
# The settings of a page, such as its template, can only be before the first heading.
_HEAD = re.compile(r"\A(?:(?!# ).*\n)*")
_WORDS = re.compile(r"^(?:title|description|summary):.*\n(?:  .*\n)*", re.M)


def git(*words: str) -> str:
    """The output of a Git command."""
    done = subprocess.run(["git", *words], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def changes(base: str) -> list[tuple[str, str, str]]:
    """The old mode, the new mode and the path of each file that has changed."""
    found = git("diff", "--raw", "-z", "--no-renames", f"{base}...HEAD").split("\0")
    heads, paths = found[:-1:2], found[1::2]
    return [
        (*head.lstrip(":").split()[:2], path)
        for head, path in zip(heads, paths, strict=True)
    ]


def is_translation(path: str) -> bool:
    """Whether a file is a catalog or the settings of a language."""
    place = PurePosixPath(path)
    below = place.is_relative_to("docs/locale") and len(place.parts) > 3
    return below and (place.suffix == ".po" or place.name == "language.toml")


def is_prose(path: str) -> bool:
    """Whether a file is a page that is written by hand, or the glossary."""
    place = PurePosixPath(path)
    if path in {"CHANGELOG.md", "docs/locale/glossary.toml"}:
        return True
    within = place.is_relative_to("docs") and not place.is_relative_to("docs/locale")
    return within and place.suffix == ".md"


def markup(text: str) -> list[str]:
    """Everything in a page that is more than words."""
    head = _HEAD.match(text)
    return [_WORDS.sub("", head[0]) if head else "", *_MARKUP.findall(text)]


def kind_of(base: str) -> str:
    """The kind of the change from the merge base with `base` to `HEAD`."""
    files, kinds = changes(base), set[str]()
    start = git("merge-base", base, "HEAD").strip()
    for old, new, path in files:
        # A page that is new or has gone changes the navigation; 120000 is a link.
        if is_translation(path) and {old, new} <= {"000000", "100644"}:
            kinds.add("translations")
        elif (
            is_prose(path)
            and old == new == "100644"
            and markup(git("show", f"{start}:{path}"))
            == markup(git("show", f"HEAD:{path}"))
        ):
            kinds.add("prose")
        else:
            return "code"
    return "prose" if "prose" in kinds else next(iter(kinds), "code")


if __name__ == "__main__":
    try:
        print(kind_of(sys.argv[1]))
    except (subprocess.CalledProcessError, ValueError):
        print("code")  # without a common commit, everything is tested
