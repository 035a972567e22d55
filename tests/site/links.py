"""Every address that a built site holds, and whether it leads somewhere.

Nothing is asked of a network. A site is a folder and the address that it is published
at, so each address in it is either a file of the folder, a file of the project's own
repository, or another host's affair. Read are pages, style sheets, site maps, indexes
of the search, `llms.txt`, and the downloads: Markdown and notebooks.
"""

import json
import posixpath
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

NOT_FOUND = "404.html"

# Attributes that hold an address, whatever their element is.
_ATTRIBUTES = ("href", "src", "poster", "action", "formaction", "data", "xlink:href")
# Properties of `<meta>` that hold a whole address.
_PROPERTIES = {"og:url", "og:image", "twitter:image"}
# What a program reads that does not know the page: it needs the whole address.
_WHOLE = {"canonical", "alternate", *_PROPERTIES, "loc", "colab"}
_COLAB = "https://colab.research.google.com/#fileId="


class Link(NamedTuple):
    """An address as it is written, and what it is there for."""

    kind: str
    goal: str


@dataclass
class Ends:
    """Where links may lead to in a file, and where its own links lead."""

    anchors: set[str] = field(default_factory=set)
    links: list[Link] = field(default_factory=list)
    languages: dict[str, str] = field(default_factory=dict)  # the menu, by tag


class _Page(HTMLParser):
    """Reads the addresses of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ends = Ends()
        self._data = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = {name: value or "" for name, value in attrs}
        ends, rel = self.ends, fields.get("rel", "").strip()
        ends.anchors |= {fields.get("id", ""), fields.get("name", "")} - {""}
        if tag == "script":
            self._data = fields.get("id", "")
        if tag == "meta" and fields.get("property", fields.get("name")) in _PROPERTIES:
            kind = fields.get("property") or fields["name"]
            ends.links.append(Link(kind, fields.get("content", "")))
        for name in _ATTRIBUTES:
            if name in fields:
                kind = rel if tag == "link" else tag
                ends.links.append(Link(kind, fields[name]))
        for part in fields.get("srcset", "").split(","):
            if part.strip():
                ends.links.append(Link("srcset", part.split()[0]))
        if fields.get("href", "").startswith(_COLAB):
            whole = unquote(fields["href"].removeprefix(_COLAB))
            ends.links.append(Link("colab", whole))
        if "data-language" in fields:
            ends.languages[fields["hreflang"]] = fields["href"]

    def handle_data(self, data: str) -> None:
        # What the script of the theme is told: where the site starts.
        if self._data == "__config":
            config = json.loads(data)
            index = f"{config['base'].rstrip('/')}/search/search_index.json"
            found = [Link("search", config["search"]), Link("index", index)]
            self.ends.links += found
        # What the script of the engine is told: where the equations are.
        if self._data == "__labels" and (goal := json.loads(data).get("equations")):
            self.ends.links.append(Link("equations", goal))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._data = ""


def _sheet(css: str) -> Iterator[Link]:
    for goal in re.findall(r"""url\(["']?([^"')]+)""", css):
        yield Link("url()", goal)


def _map(xml: str) -> Iterator[Link]:
    for element in ElementTree.fromstring(xml).iter():
        if element.tag.endswith("}loc"):
            yield Link("loc", element.text or "")
        elif element.tag.endswith("}link"):
            yield Link("alternate", element.get("href", ""))


def _index(text: str) -> Iterator[Link]:
    # Seen from the first page of the language, which is one folder up.
    for entry in json.loads(text)["docs"]:
        yield Link("result", f"../{entry['location']}")


def _markdown(text: str) -> Iterator[Link]:
    text = re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(`+).+?\1", "", text, flags=re.DOTALL)
    for goal in re.findall(r"\]\(<?([^()\s>]+(?:\([^()\s]*\)[^()\s>]*)*)", text):
        yield Link("markdown", goal)
    for goal in re.findall(r"<(https?://[^>\s]+)>", text):
        yield Link("markdown", goal)


def _notebook(text: str) -> Iterator[Link]:
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from _markdown("".join(cell["source"]))


def read(path: Path) -> Ends:
    """What a file holds of addresses; nothing if it is of no kind that has some."""
    if path.suffix == ".html":
        return _Page(path.read_text(encoding="utf-8")).ends
    readers = {
        **{".css": _sheet, ".md": _markdown, ".txt": _markdown, ".ipynb": _notebook},
        **{"sitemap.xml": _map, "search_index.json": _index},
    }
    reader = readers.get(path.name) or readers.get(path.suffix)
    text = path.read_text(encoding="utf-8") if reader else ""
    return Ends(links=[*reader(text)] if reader else [])


@dataclass(frozen=True)
class Published:
    """A built site, the address that it is read at, and the repository of its source.

    `repository` is the address before the branch and the path of a file, `root` the
    folder that those paths start from.
    """

    folder: Path
    address: str
    repository: str = ""
    root: Path = Path()

    @cached_property
    def files(self) -> dict[str, Ends]:
        """The files of the site by their addresses below its own."""
        return {
            path.relative_to(self.folder).as_posix(): read(path)
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def at(self, address: str) -> "Published":
        """The same files, read at another address."""
        other = Published(self.folder, address, self.repository, self.root)
        other.__dict__["files"] = self.files
        return other

    def links(self, files: Iterable[str] | None = None) -> Iterator[tuple[str, Link]]:
        """Every address in these files, or in all, with the file that it stands in."""
        for file in self.files if files is None else files:
            for link in self.files[file].links:
                yield file, link

    def broken(self, files: Iterable[str] | None = None) -> list[str]:
        """What is wrong, a line each: the file, the address, the fault."""
        found = (
            (file, link, self._fault(file, link)) for file, link in self.links(files)
        )
        return [
            f"{file}: {link.kind} {link.goal!r} {fault}"
            for file, link, fault in found
            if fault
        ]

    def whole(self, file: str, goal: str) -> str:
        """The whole address of what stands in a file."""
        return urljoin(self.address + page_of(file), goal)

    def _fault(self, file: str, link: Link) -> str:
        if link.kind in _WHOLE and not urlsplit(link.goal).netloc:
            return "is not a whole address"
        whole, anchor = urldefrag(self.whole(file, link.goal))
        if urlsplit(whole).scheme not in ("http", "https", "file"):
            return ""
        if self.repository and whole.startswith(f"{self.repository}/"):
            return self._fault_in_repository(whole, anchor)
        origin = urljoin(self.address, "/")
        if not whole.startswith(origin):
            return "" if urlsplit(whole).hostname else "has no host"
        if not whole.startswith(self.address):
            return "leaves the site"
        path = whole.removeprefix(self.address).partition("?")[0]
        if path != quote(unquote(path)):
            return "is not quoted"
        goal = unquote(path)
        goal = posixpath.join(goal, "index.html") if goal[-1:] in ("", "/") else goal
        if goal not in self.files:
            return "leads nowhere"
        if anchor and goal.endswith(".html"):
            known = unquote(anchor) in self.files[goal].anchors
            return "" if known else "leads to no anchor"
        return ""

    def _fault_in_repository(self, whole: str, anchor: str) -> str:
        """Whether the file is in the repository, and has these lines."""
        way = unquote(whole.removeprefix(self.repository)).split("/", 3)
        if len(way) < 4 or way[1] not in ("blob", "edit", "raw"):
            return ""
        lines = _lines(self.root / way[3])
        last = max((int(n) for n in re.findall(r"\d+", anchor)), default=1)
        if lines < 0:
            return "names no file"
        return "" if last <= lines else f"names line {last} of {lines}"


@cache
def _lines(path: Path) -> int:
    """How many lines a file has; less than none if it is not there."""
    return len(path.read_bytes().splitlines()) if path.is_file() else -1


def page_of(file: str) -> str:
    """The address of a file below that of its site: a folder stands for its index."""
    folder, _, name = quote(file).rpartition("/")
    return f"{folder}/".removeprefix("/") if name == "index.html" else quote(file)
