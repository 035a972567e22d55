r"""# The MkDocs plugin

The only file of the engine that knows MkDocs. It tells the other modules which files
there are, hands their Markdown to MkDocs, and sets the formulas in what comes back.
Whoever builds the site with another program replaces this file and no other.

A build that fails changes nothing: pages are written beside the site, and take its
place only when all of them are whole.
"""

from __future__ import annotations

import logging
import posixpath
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin

from jinja2 import Environment
from mkdocs.config import config_options as option
from mkdocs.config import load_config
from mkdocs.config.base import Config
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, ConfigurationError, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as MkDocsPage

from labml_txl.literate.blocks import Block
from labml_txl.literate.build import Annotated, Project, annotate, import_folders
from labml_txl.literate.equations import Citation, Symbol, citations
from labml_txl.literate.inventory import Texts
from labml_txl.literate.links import Document, check_links
from labml_txl.literate.math import MathError, Typesetter, formulas, set_math
from labml_txl.literate.node import NodeError, package
from labml_txl.literate.notebook import Distribution, distribution, notebook
from labml_txl.literate.resolve import Site, resolve
from labml_txl.literate.source import LiterateError, Source, read
from labml_txl.literate.text import (
    Entry,
    beside,
    contents,
    equations_text,
    prose,
    text,
)
from labml_txl.literate.tutorial import Tutorial, document, tutorials
from labml_txl.literate.tutorial_page import page_markdown, plain_markdown

ASSETS = Path(__file__).parent / "assets"

# What the Markdown of the engine is made of.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "md_in_html": {},
    "tables": {},
    "pymdownx.superfences": {},
    "pymdownx.arithmatex": {"generic": True, "smart_dollar": True},
}


# What MkDocs takes for `edit_uri` where nobody set it. The branch may be another.
_GUESS = "edit/master/docs/"

# Opens a notebook in Colab, by its address.
_COLAB = "https://colab.research.google.com/#fileId="

# What holds the rows of a page together, and the links that are no words of it.
_BOXES = re.compile(r'</?(?:div|section)\b[^>]*>|<a class="lit-(?:link|source)".*?</a>')


class LiterateConfig(Config):
    """The settings of the plugin, all relative to the folder of `mkdocs.yml`.

    - `modules`: the folders and files that become annotated pages;
    - `equations`: the registries, TOML files or folders of them;
    - `tests`: the folder whose tests may prove an equation;
    - `notebooks`: the tutorials, Python files with a notebook beside each, or folders
      of them;
    - `revision`: the version, branch or commit of the repository that its notebooks
      install; else the branch that `edit_uri` names, or the repository's first.
    """

    modules = option.ListOfItems(option.Type(str), default=[])
    equations = option.ListOfItems(option.Type(str), default=[])
    tests = option.Type(str, default="tests")
    notebooks = option.ListOfItems(option.Type(str), default=[])
    revision = option.Type(str, default="")


class _Warnings(logging.Handler):
    """Counts the warnings of a build: with `--strict` one of them spoils it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


class _KeptPage(MkDocsPage):
    """A page that is made HTML anew only if something of it has changed.

    Of all that happens after a save, this takes the longest. What a page becomes
    depends on its Markdown and, for its links, on which files there are.
    """

    def __init__(self, file: File, config: MkDocsConfig, kept: dict[str, Any]) -> None:
        super().__init__(None, file, config)
        self._kept = kept

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown, or take what came of the same Markdown before."""
        made_of = (self.markdown, frozenset(files.src_uris))
        before, result = self._kept.get(self.file.src_uri, (None, {}))
        if before != made_of:
            super().render(config, files)
            result = {name: getattr(self, name) for name in self._RESULT}
            self._kept[self.file.src_uri] = (made_of, result)
        for name, value in result.items():
            setattr(self, name, value)

    _RESULT = (
        "content",
        "toc",
        "_title_from_render",
        "present_anchor_ids",
        "links_to_anchors",
    )


class LiteratePlugin(BasePlugin[LiterateConfig]):
    """Annotated source files as pages of a MkDocs site."""

    def __init__(self) -> None:
        self._typesetter = Typesetter()
        self._annotated = Annotated()
        self._symbols: dict[str, tuple[Symbol, ...]] = {}
        self._warnings = _Warnings()
        self._kept: dict[str, Any] = {}
        self._site_dir = ""
        self._content = ""
        self._prose: dict[str, str] = {}
        self._install: Distribution | None = None
        self._tutorials: dict[str, Tutorial] = {}

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Tell MkDocs to keep this object from build to build.

        KaTeX is then started once for all builds of `mkdocs serve`, and no formula is
        set twice.
        """

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add what the pages need: extensions, templates, style sheets, scripts."""
        if config.theme.name != "material":
            given = f"theme {config.theme.name}: the pages are made for `material`"
            raise PluginError(f"{given}: set `theme: material` in mkdocs.yml")
        for name, options in EXTENSIONS.items():
            if name not in config.markdown_extensions:
                config.markdown_extensions.append(name)
            config.mdx_configs[name] = {**options, **config.mdx_configs.get(name, {})}
        config.theme.dirs.insert(bool(config.theme.custom_dir), str(ASSETS / "theme"))
        config.extra_css[:0] = ["assets/katex/katex.min.css", "assets/literate.css"]
        script = ExtraScriptValue("assets/literate.js")
        script.defer = True
        config.extra_javascript.append(script)
        config.site_url = _site_url(config)
        # Links are checked here, with the line that they stand in.
        config.validation.links.not_found = logging.DEBUG
        config.validation.links.anchors = logging.DEBUG
        root = _root(config)
        config.watch += [str(root / m) for m in self._paths() if (root / m).exists()]
        self._begin(config)
        return config

    def _paths(self) -> list[str]:
        given = self.config
        return [*given.modules, *given.equations, *given.notebooks]

    def _begin(self, config: MkDocsConfig) -> None:
        """Build beside the site, so that a build that fails leaves it as it was."""
        self._warnings.count = 0
        logging.getLogger("mkdocs").addHandler(self._warnings)
        self._site_dir = config.site_dir
        config.site_dir = f"{config.site_dir}.partial"

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Every page is whole: put the new site in the place of the old."""
        partial, config.site_dir = config.site_dir, self._site_dir
        logging.getLogger("mkdocs").removeHandler(self._warnings)
        if not (config.strict and self._warnings.count):
            shutil.rmtree(config.site_dir, ignore_errors=True)
            Path(partial).rename(config.site_dir)
        shutil.rmtree(partial, ignore_errors=True)

    def on_build_error(self, *, error: Exception) -> None:
        """Leave no half of a site."""
        logging.getLogger("mkdocs").removeHandler(self._warnings)
        shutil.rmtree(f"{self._site_dir}.partial", ignore_errors=True)

    def on_shutdown(self) -> None:
        """End KaTeX."""
        self._typesetter.close()

    def project(self, config: MkDocsConfig) -> Project:
        """What the settings tell the engine."""
        return Project(
            root=_root(config),
            modules=tuple(self.config.modules),
            equations=tuple(self.config.equations),
            tests=self.config.tests,
        )

    def annotated(self, config: MkDocsConfig) -> Annotated:
        """The pages of the project, with the addresses that they have in the site."""
        site = Site(
            figures=Path(config.docs_dir),
            source=_source_url(config.repo_url or "", config.edit_uri or ""),
            address=lambda start, goal: _address(start, goal, config),
            url=_site_url(config),
        )
        return annotate(self.project(config), site)

    def distribution(self, config: MkDocsConfig) -> Distribution | None:
        """What the notebooks of the project install."""
        edit_uri = config.edit_uri or ""
        named = "" if edit_uri == _GUESS else _branch(edit_uri)
        revision = self.config.revision or named
        return distribution(_root(config), config.repo_url or "", revision)

    def tutorials(self, config: MkDocsConfig) -> dict[str, Tutorial]:
        """The notebooks of the project, by the paths of their pages."""
        found = tutorials(_root(config), self.config.notebooks)
        return {tutorial.path: tutorial for tutorial in found}

    def _tutorial_pages(self) -> dict[str, str]:
        site = self._annotated.site
        return {p: page_markdown(t, site) for p, t in self._tutorials.items()}

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages that are written from source files, and KaTeX's own files."""
        with _told():
            self._annotated = self.annotated(config)
            self._install = self.distribution(config)
            self._tutorials = self.tutorials(config)
            katex = package("katex") / "dist"
            pages = {**self._annotated.markdown, **self._tutorial_pages()}
        sources = {page.path: page.source.path for page in self._annotated.pages}
        sources |= {path: t.source.path for path, t in self._tutorials.items()}
        for path, markdown in pages.items():
            if other := files.get_file_from_path(path):
                given = sources.get(path, "the registry of equations")
                message = f"{other.src_uri} and {given} make the same page: rename one"
                raise PluginError(message)
            file = File.generated(config, path, content=markdown)
            files.append(file)
            if path in sources:
                _KeptPage(file, config, self._kept)
        for file in _katex_files(katex, config):
            files.append(file)
        config.nav = self._nav(config.nav)
        return files

    def _nav(self, nav: Any) -> Any:
        """A folder in the navigation stands for its annotated modules, in order."""
        if isinstance(nav, dict):
            return {title: self._nav(item) for title, item in nav.items()}
        if isinstance(nav, list):
            return [page for item in nav for page in self._pages_of(item)]
        return self._pages_of(nav) if _is_folder(nav) else nav

    def _pages_of(self, item: Any) -> list[Any]:
        if _is_folder(item):
            modules = (page.path for page in self._annotated.pages)
            paths = [*modules, *self._tutorials]
            return [path for path in paths if path.startswith(item)]
        return [self._nav(item)]

    def on_page_read_source(self, *, page: MkDocsPage, config: MkDocsConfig) -> None:
        """Refuse prose that is not UTF-8 with its line; MkDocs reads the rest."""
        if page.file.generated_by is None and page.file.abs_src_path:
            with _told():
                read(Path(page.file.abs_src_path), _root(config))

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """A fault saved while somebody writes is told; the last good page stays."""
        build = server.builder

        def build_or_tell(*arguments: Any) -> None:
            try:
                build(*arguments)
            except Abort as error:
                logging.getLogger("mkdocs").error("%s", error)

        server.builder = build_or_tell
        return server

    def on_page_markdown(
        self, markdown: str, *, page: MkDocsPage, config: MkDocsConfig, files: Files
    ) -> str:
        """Resolve the links of the pages that are written by hand."""
        annotated, path = self._annotated, page.file.src_uri
        registry = annotated.site.registry
        if tutorial := self._tutorials.get(path):
            words = [
                Block(cell.text, (), range(cell.line, cell.line + 1))
                for cell in tutorial.cells
                if cell.kind == "markdown"
            ]
            found = [c.key for c in citations(tutorial.source.path, words, registry)]
            self._symbols[path] = registry.symbols_of(found)
            page.meta.update(self._downloads(path, config))
            return markdown
        if path in annotated.markdown:
            cited = [c.key for c in annotated.cited if _is_page(c, path, annotated)]
            everything = (
                [*registry.equations] if path == annotated.site.equations else []
            )
            self._symbols[path] = registry.symbols_of([*cited, *everything])
            if path != annotated.site.equations:
                page.meta.update(self._downloads(path, config))
            return markdown
        self._prose[path] = markdown
        text = page.file.content_string.replace("\r\n", "\n")
        line = text.count("\n") - markdown.count("\n") + 1
        name = _repository_path(page.file, config)
        block = Block(markdown, (), range(line, line + 1))
        with _told():
            found = [c.key for c in citations(name, [block], registry)]
            self._symbols[path] = registry.symbols_of(found)
            return resolve(
                markdown, path, annotated.site, near="", path=name, line=line
            )

    def _downloads(self, path: str, config: MkDocsConfig) -> dict[str, str]:
        """Where the other forms of a page stand, for its template."""
        forms = {
            "notebook_url": beside(path, "ipynb"),
            "markdown_url": beside(path, "md"),
        }
        whole = urljoin(_site_url(config), forms["notebook_url"])
        on_github = (config.repo_url or "").startswith("https://github.com/")
        if self._install and on_github and whole.startswith("https://"):
            forms["colab_url"] = f"{_COLAB}{quote(whole, safe='')}"
        return forms

    def _before_search(
        self, context: Any, *, page: MkDocsPage, config: MkDocsConfig, nav: Any
    ) -> Any:
        """Show the search index a page without its boxes.

        The index ends a section where the box of its heading ends. Without boxes, a
        heading holds all the notes and code down to the next.
        """
        self._content = page.content or ""
        if page.file.src_uri in self._annotated.markdown:
            page.content = _BOXES.sub("", self._content)
        return context

    def _after_search(
        self, context: Any, *, page: MkDocsPage, config: MkDocsConfig, nav: Any
    ) -> Any:
        """Put the page back, and lead its edit link to the module."""
        page.content = self._content
        sources = {made.path: made.source for made in self._annotated.pages}
        sources |= {path: made.source for path, made in self._tutorials.items()}
        source = sources.get(page.file.src_uri)
        if source and config.repo_url:
            address = _source_url(config.repo_url, config.edit_uri or "")
            edit = address.partition("#")[0].replace("/blob/", "/edit/", 1)
            page.edit_url = edit.format(path=source.path)
        return context

    on_page_context = CombinedEvent(
        event_priority(100)(_before_search), event_priority(-100)(_after_search)
    )

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """All pages are HTML now and none is written: set formulas, check links."""
        for path, content in self._forms(files, config).items():
            # A file that the author wrote is better.
            if not files.get_file_from_path(path) or path.endswith(".md"):
                files.append(_verbatim(path, content, config))
        documents = [_document(file, config) for file in files.documentation_pages()]
        static = {unquote(f.url) for f in files if not f.is_documentation_page()}
        with _told():
            for file in files.documentation_pages():
                self._set_formulas(file, config)
            check_links((replace(d, source=self._source(d)) for d in documents), static)
        return env

    def _forms(self, files: Files, config: MkDocsConfig) -> dict[str, str]:
        """The pages as Markdown and as notebooks, and the list of them all."""
        site, forms = self._annotated.site, dict[str, str]()
        parts: dict[str, list[Entry]] = {}

        def add(path: str, part: str, content: str) -> None:
            forms[beside(path, "md")] = content
            page = files.src_uris[path].page
            title, words = (page.title, page.meta) if page else ("", {})
            address = urljoin(site.url, beside(path, "md"))
            entry = Entry(str(title), words.get("description", ""), address)
            parts.setdefault(part, []).append(entry)

        for path, markdown in self._prose.items():
            add(path, "Pages", prose(markdown, path, site))
        if site.registry.papers:
            add(site.equations, "Pages", equations_text(site.registry, site))
        titles = {page.path: page.title for page in self._annotated.pages}
        for module in self._annotated.pages:
            folder = module.path.partition("/")[0]
            part = titles.get(f"{folder}/index.md", folder)
            add(module.path, part, text(module, site))
            forms[beside(module.path, "ipynb")] = notebook(module, site, self._install)
        for path, tutorial in self._tutorials.items():
            add(path, "Notebooks", plain_markdown(tutorial, site))
            forms[beside(path, "ipynb")] = document(tutorial, site, self._install)
        name, words = config.site_name, config.site_description or ""
        forms["llms.txt"] = contents(name, words, parts)
        return forms

    def _source(self, document: Document) -> Source:
        """What a page was made of: errors name the module, not the page."""
        sources = {page.path: page.source for page in self._annotated.pages}
        sources |= {path: t.source for path, t in self._tutorials.items()}
        return sources.get(document.source.path, document.source)

    def _set_formulas(self, file: File, config: MkDocsConfig) -> None:
        document = _document(file, config)
        wanted = formulas(document.html, self._symbols.get(file.src_uri, ()))
        try:
            self._typesetter.set(wanted)
        except MathError as error:
            sources = (self._source(document), *self._annotated.registries)
            if document.source.path == self._annotated.site.equations:
                sources = self._annotated.registries
            raise _located(error, sources) from None

    @event_priority(-100)
    def on_post_page(
        self, output: str, *, page: MkDocsPage, config: MkDocsConfig
    ) -> str:
        """Put the formulas in, after the search index was made of their TeX."""
        symbols = self._symbols.get(page.file.src_uri, ())
        return set_math(output, symbols, self._typesetter)


def project_of(settings: Path) -> Project:
    """The project that a `mkdocs.yml` describes.

    Raises `LiterateError` if its settings are wrong or leave out the plugin.
    """
    plugin, config = _settings(settings)
    return plugin.project(config)


@dataclass(frozen=True)
class Notebooks:
    """What a project's tutorials need, to be run and to be stored.

    - `given`: the files and folders that its settings name;
    - `install`: the package at the branch of the repository, since a stored notebook
      cannot name the commit that it becomes a part of;
    - `folders`: where its own modules are imported from.
    """

    given: tuple[str, ...]
    site: Site
    install: Distribution | None
    folders: tuple[Path, ...]


def notebooks_of(settings: Path) -> Notebooks:
    """The tutorials that a `mkdocs.yml` describes."""
    plugin, config = _settings(settings)
    project, site = plugin.project(config), plugin.annotated(config).site
    plugin.config.revision = ""
    return Notebooks(
        given=tuple(plugin.config.notebooks),
        site=site,
        install=plugin.distribution(config),
        folders=import_folders(project),
    )


def pages_of(settings: Path) -> tuple[Annotated, Distribution | None]:
    """The pages of the project, and what their notebooks install."""
    plugin, config = _settings(settings)
    return plugin.annotated(config), plugin.distribution(config)


def texts_of(settings: Path) -> Texts:
    """All that the site says in English, to be translated."""
    plugin, config = _settings(settings)
    root, docs = _root(config), Path(config.docs_dir)
    folders = [root / given for given in plugin.config.get("notebooks", ())]
    files = [
        f for g in folders for f in ([g] if g.is_file() else sorted(g.glob("*.py")))
    ]
    return Texts(
        root=root,
        annotated=plugin.annotated(config),
        prose={
            file.relative_to(docs).as_posix(): read(file, root)
            for file in sorted(docs.rglob("*.md"))
        },
        notebooks={f"{f.parent.name}/{f.stem}.md": read(f, root) for f in files},
        names=tuple(dict.fromkeys(_names(config))),
        settings=_shortest(settings, root),
        docs=docs,
    )


def _names(config: MkDocsConfig) -> Iterator[str]:
    """What the settings themselves say to a reader."""
    yield config.site_name
    yield config.site_description or ""
    yield from _titles(config.nav)
    for palette in config.theme.get("palette") or ():
        yield palette.get("toggle", {}).get("name", "")


def _titles(nav: Any) -> Iterator[str]:
    """The titles in a navigation, in their order."""
    for item in nav or ():
        if isinstance(item, dict):
            for title, below in item.items():
                yield title
                yield from _titles(below if isinstance(below, list) else ())


def _shortest(path: Path, root: Path) -> str:
    path = path.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _settings(settings: Path) -> tuple[LiteratePlugin, MkDocsConfig]:
    try:
        config = load_config(str(settings))
    except ConfigurationError as error:
        raise LiterateError(str(settings), 1, str(error)) from None
    for plugin in config.plugins.values():
        if isinstance(plugin, LiteratePlugin):
            return plugin, config
    wanted = "the plugin `literate` is not among its plugins"
    raise LiterateError(str(settings), 1, wanted)


@contextmanager
def _told() -> Iterator[None]:
    """Turn what is wrong with a text into MkDocs' own kind of error: one line."""
    try:
        yield
    except (LiterateError, NodeError) as error:
        raise PluginError(str(error)) from None


def _is_folder(item: Any) -> bool:
    return isinstance(item, str) and item.endswith("/")


def _located(error: MathError, sources: tuple[Source, ...]) -> LiterateError:
    """Find the text and the line of a formula: in its page, else in a registry."""
    message = f"{error}: correct the formula"
    for source in sources:
        for escaped in (False, True):
            if line := _line_of(error.formula.written, source, escaped):
                return LiterateError(source.path, line, message)
    return LiterateError(sources[0].path, 1, message)


def _line_of(tex: str, source: Source, escaped: bool) -> int:
    """The line of a formula, whatever comment signs and spaces stand in it, or 0.

    In a string with escapes, a backslash is written twice.
    """
    text, lines = "", list[int]()
    for number, line in enumerate(source.lines, start=1):
        words = "".join(line.lstrip(" #").split())
        text += words
        lines += [number] * len(words)
    written = "".join(tex.split())
    position = text.find(written.replace("\\", "\\\\") if escaped else written)
    return lines[position] if position >= 0 else 0


def _document(file: File, config: MkDocsConfig) -> Document:
    content = (file.page.content if file.page else "") or ""
    # The address of the start page is empty in MkDocs, and so it is here.
    source = Source(file.src_uri, file.content_string)
    if file.generated_by is None:
        source = Source(_repository_path(file, config), file.content_string)
    return Document(source, unquote(file.url.removeprefix("./")), content)


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path or "mkdocs.yml").resolve().parent


def _repository_path(file: File, config: MkDocsConfig) -> str:
    path = Path(file.abs_src_path or file.src_uri)
    root = _root(config)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _is_page(citation: Citation, path: str, annotated: Annotated) -> bool:
    return any(
        page.path == path and page.source.path == citation.path
        for page in annotated.pages
    )


def _address(start: str, goal: str, config: MkDocsConfig) -> str:
    """The address of one page seen from another, in links that MkDocs does not read."""
    directory_urls = config.use_directory_urls
    here, there = (
        File(path, None, config.site_dir, directory_urls) for path in (start, goal)
    )
    return there.url_relative_to(here)


def _branch(edit_uri: str) -> str:
    """The branch that the site is made of."""
    branch = re.match(r"(?:-/)?(?:edit|blob|raw)/([^/]+)", edit_uri)
    return branch[1] if branch else "main"


def _source_url(repo_url: str, edit_uri: str) -> str:
    """Where lines of a file can be read in the repository, by the way of its host."""
    if not repo_url:
        return ""
    tree = _branch(edit_uri)
    base = repo_url.rstrip("/")
    if "gitlab" in base:
        return f"{base}/-/blob/{tree}/{{path}}#L{{first}}-{{last}}"
    return f"{base}/blob/{tree}/{{path}}#L{{first}}-L{{last}}"


def _site_url(config: MkDocsConfig) -> str:
    return config.site_url or _pages_url(config.repo_url or "")


def _pages_url(repo_url: str) -> str:
    """Where GitHub publishes the site of a repository; empty for other hosts."""
    match = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)/?", repo_url)
    return f"https://{match[1].lower()}.github.io/{match[2]}/" if match else ""


def _verbatim(path: str, content: str, config: MkDocsConfig) -> File:
    """A file that MkDocs publishes as it is, whatever its ending."""
    file = File.generated(config, f"{path}.txt", content=content)
    file.dest_uri = path
    return file


def _katex_files(folder: Path, config: MkDocsConfig) -> Iterator[File]:
    """KaTeX's style sheet and its fonts, in the one format that browsers need."""
    sheet = (folder / "katex.min.css").read_text(encoding="utf-8")
    sheet = re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)', "", sheet)
    yield File.generated(config, "assets/katex/katex.min.css", content=sheet)
    for font in sorted((folder / "fonts").glob("*.woff2")):
        path = posixpath.join("assets/katex/fonts", font.name)
        yield File.generated(config, path, abs_src_path=str(font))
