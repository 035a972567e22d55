"""Every address that a built site holds, and whether it leads somewhere.

Nothing is asked of a network. A site is a folder and the address that it is published
at, so each address in it is either a file of the folder, a file of the project's own
repository, or another host's affair. Read are pages, style sheets, site maps, indexes
of the search, `llms.txt`, and the downloads: Markdown and notebooks.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

import lxml.etree
import lxml.html

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
    tree: Any = None  # the document that lxml parsed, of a page


def _page(html: str) -> Ends:
    tree = lxml.html.document_fromstring(html)
    ends = Ends(tree=tree)
    for element in tree.iter("*"):
        get = element.get
        ends.anchors |= {get("id"), get("name")} - {None, ""}
        if element.tag == "meta":
            kind = get("property") or get("name")
            if kind in _PROPERTIES:
                ends.links.append(Link(kind, get("content", "")))
        kind = get("rel", "").strip() if element.tag == "link" else element.tag
        ends.links += [Link(kind, get(one)) for one in _ATTRIBUTES if get(one, "")]
        for part in get("srcset", "").split(","):
            if part.strip():
                ends.links.append(Link("srcset", part.split()[0]))
        if get("href", "").startswith(_COLAB):
            whole = unquote(get("href").removeprefix(_COLAB))
            ends.links.append(Link("colab", whole))
        if get("data-language") is not None:
            ends.languages[get("hreflang")] = get("href")
    # What the script of the theme is told: where the site starts.
    for script in tree.xpath("//script[@id='__config']"):
        config = json.loads(script.text)
        index = f"{config['base'].rstrip('/')}/search/search_index.json"
        ends.links += [Link("search", config["search"]), Link("index", index)]
    # What the script of the engine is told: where the equations are.
    for script in tree.xpath("//script[@id='__labels']"):
        if goal := json.loads(script.text).get("equations"):
            ends.links.append(Link("equations", goal))
    return ends


def _sheet(css: str) -> Iterator[Link]:
    for goal in re.findall(r"""url\(["']?([^"')]+)""", css):
        yield Link("url()", goal)


def _map(xml: str) -> Iterator[Link]:
    for element in lxml.etree.fromstring(xml.encode()).iter():
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
    readers = {
        **{".css": _sheet, ".md": _markdown, ".txt": _markdown, ".ipynb": _notebook},
        **{"sitemap.xml": _map, "search_index.json": _index},
    }
    if path.suffix == ".html":
        return _page(path.read_text(encoding="utf-8"))
    if reader := readers.get(path.name) or readers.get(path.suffix):
        return Ends(links=[*reader(path.read_text(encoding="utf-8"))])
    return Ends()


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

    @cached_property
    def pages(self) -> dict[str, Any]:
        """The parsed pages, by their addresses below that of the site."""
        return {
            page_of(file): ends.tree
            for file, ends in self.files.items()
            if ends.tree is not None
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
        return [
            f"{file}: {link.kind} {link.goal!r} {fault}"
            for file, link in self.links(files)
            if (fault := self._fault(file, link))
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
        if not whole.startswith(urljoin(self.address, "/")):
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
