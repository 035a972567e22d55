r"""# A translated site beside the English one

The last look at a translated page is at the page itself, as it was written. A browser
must find no element, no attribute and no address in it that the English page has not.
Whatever went wrong before: a page that does not pass is not published.

Some of a page differs for a reason. Its own address lies in the folder of the language,
its edit link leads to the file of its translations, and what is not translated is
marked. These are the engine's own doing, and are known one by one.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property, partial
from urllib.parse import quote, urlsplit

from labml_txl.literate.markdown.elements import Elements, elements, named

# An address, but for one within the page.
_ADDRESS = re.compile(r' (href|src|action|content)="(?!#)([^"]*)"')
# What the head of a page says in words, and the rule for its scripts: one of them names
# the address of the site.
_SAID = re.compile(
    r'<meta content="[^"]*" (?=(?:name="description"'
    r'|http-equiv="Content-Security-Policy"'
    r'|property="og:(?:title|description|site_name|locale|locale:alternate)")>)'
)
# In the menu of languages, another one is the current one.
_MENU = re.compile(r' (?:aria-current="true"|data-offer="[^"]*")')
# The page of translations may be older than what it tells of.
_BAR = re.compile(r'(?<=<progress aria-label max="100") value="\d+"')
# How a page says that a part of it is English, and keeps a formula with the sign of its
# language that follows it.
_MARK = re.compile(
    r'<span (?:lang="en"|class="lit-whole")>|<div lang="en">'
    r'|<p class="lit-share" data-search-exclude="">'
    r'|<a (?:class="lit-mark" )?href="EDIT(?:#L\d+)?">|<a class="lit-mark">'
    r'|<a class="lit-edit" href="EDIT" rel="edit">|<a href="/translate(?:/|\.html)">'
)


@dataclass(frozen=True)
class Place:
    """What is known of a translated site.

    - `code`: the folder of the language;
    - `base`: the address of the site, or empty;
    - `edit`: where the translations of the language can be changed, or empty.
    """

    code: str
    base: str = ""
    edit: str = ""

    @cached_property
    def _root(self) -> str:
        return urlsplit(self.base).path if self.base else "/"

    def beyond(self, english: str, page: str, path: str) -> str:
        """What a page holds that the English one does not, in words; else nothing."""
        address = quote(path)
        ours = self._at_home(english, f"/{address}")
        theirs = self._at_home(page, f"/{self.code}/{address}")
        for element in (theirs - ours).elements():
            if not _MARK.fullmatch(element):
                return f"{named(element)} is not in the English page"
        return ""

    def _at_home(self, html: str, path: str) -> Elements:
        """The elements of a page, as they would be in the English site."""
        found: Elements = Elements()
        moved = partial(self._moved, posixpath.dirname(path))
        for element, count in elements(html).items():
            if "data-language=" in element:
                element = _MENU.sub("", element)
            elif element.startswith("<meta "):
                element = _SAID.sub("<meta ", element)
            elif element.startswith("<progress "):
                element = _BAR.sub("", element)
            found[_ADDRESS.sub(moved, element)] += count
        return found

    def _moved(self, folder: str, match: re.Match[str]) -> str:
        return f' {match[1]}="{self._address(match[2], folder)}"'

    def _address(self, address: str, folder: str) -> str:
        """An address on a page of a folder, seen from the root of the English site."""
        if self.edit and address.startswith(self.edit):
            return f"EDIT{address[len(self.edit) :].partition('.po')[2]}"
        if self.base and address.startswith(self.base):
            return self._english(f"/{address[len(self.base) :]}")
        root = self._root
        # A scheme, or another host.
        if re.match(r"[\w+.-]+:|[/\\]{2}", address):
            return address.replace(f"%2F{self.code}%2F", "%2F")
        if address.startswith(root):
            return self._english(f"/{address[len(root) :]}")
        return self._english(posixpath.join(folder, address))

    def _english(self, path: str) -> str:
        end = "/" if path.endswith(("/", "/.", "/..")) else ""
        clean = posixpath.normpath(path).rstrip("/") + end
        return clean.removeprefix(f"/{self.code}") if self._is_inside(clean) else clean

    def _is_inside(self, path: str) -> bool:
        return f"{path}/".startswith(f"/{self.code}/")
