r"""# What a rebuild leaves as it is

While somebody writes, a save changes a page or two. The next build asks the last one
what it knew of the other pages, does not read them again, and leaves their files in
their place.

A page of a module is left if nothing that it was made of has changed, if the settings
are the same, and if the site around it says the same. Other pages are few, and each
build makes them. Nothing here knows which program builds: `files` and pages are its
own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from labml_txl.literate.build.cache import Cache
from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.modules.observed import same_files
from labml_txl.literate.export.text import beside


class Remembered:
    """What the next build may take over, a file or a page.

    `asked` are the digests of what it was made of, and `LASTING` the names of what else
    is taken over. A file is the `same` if the site has it already.
    """

    LASTING: tuple[str, ...] = ()
    kept: Cache
    asked: set[str]
    same = False

    def take_over(self, before: Any) -> None:
        """Be what the last build made."""
        for name in ("asked", *self.LASTING):
            setattr(self, name, getattr(before, name))
        self.same = True
        self.kept.hold(self.asked)


class Built(NamedTuple):
    """What a build knew, for the next one.

    - `files`: its files by their paths; those of pages know their `page`;
    - `settings`: a name for what a page depends on as it becomes HTML;
    - `frame`: a name for all that stands around the pages of the site.
    """

    edition: Edition
    files: Mapping[str, Any]
    settings: str
    frame: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether every file of it was written."""
        return not any(getattr(file, "same", False) for file in self.files.values())

    def take_over(self, before: Built | None) -> None:
        """Leave the pages of modules that did not change since."""
        if before is None or before.settings != self.settings:
            return
        for path in self.edition.unchanged_since(before.edition):
            file, old = self.files[path], before.files[path]
            file.take_over(old)
            file.page.take_over(old.page)

    def take_over_forms(self, forms: Mapping[str, Any], before: Built | None) -> None:
        """Leave the other forms of these pages, by the paths of the forms.

        What was observed is left too, if it is the same.
        """
        pages = [p for p, file in self.files.items() if getattr(file, "same", False)]
        if before is None or not pages:
            return
        left = [beside(page, ending) for page in pages for ending in ("md", "ipynb")]
        for form in (*left, *same_files(self.edition, before.edition)):
            if form in forms and (old := before.files.get(forms[form].src_uri)):
                forms[form].take_over(old)

    def within(self, frame: str, before: Built | None) -> Built:
        """The same in its frame; in another one than before, all is written anew."""
        for file in self.files.values() if before and before.frame != frame else ():
            file.same = False
        return self._replace(frame=frame)


def all_read(files: Iterable[Any]) -> list[dict[str, Any]]:
    """What an index reads of all pages, in their order: a build may read but a few."""
    pages = (file.page for file in files if file.page)
    return [entry for page in pages for entry in getattr(page, "read", ())]
