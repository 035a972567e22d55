r"""# The MkDocs plugin

The only file of the engine that knows MkDocs. It tells the other modules which files
there are, hands their Markdown to MkDocs, and sets the formulas in what comes back.
Whoever builds the site with another program replaces this file and no other.

A site has many languages, and each is a build of its own from the same source. The
build of English starts the others, each in a process of its own, and waits for them.

A build that fails changes nothing: pages are written beside the site, and take its
place only when all of them, in all languages, are whole.
"""

from __future__ import annotations

import logging
import posixpath
import re
import shutil
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

import nh3
from jinja2 import Environment, FileSystemBytecodeCache
from markupsafe import Markup
from mkdocs.commands.build import build
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
from mkdocs.structure.toc import AnchorLink
from mkdocs.utils import get_relative_url, is_error_template

from labml_txl.literate.edition.build import (
    Annotated,
    Project,
    annotate,
    fingerprint,
    import_folders,
    with_host,
    without_host,
)
from labml_txl.literate.edition.cache import Cache, digest
from labml_txl.literate.edition.links import Document, check_links, ends
from labml_txl.literate.edition.wall import Place, strangers
from labml_txl.literate.edition.workers import Answer, Request, Workers, serve
from labml_txl.literate.equations.math import (
    MathError,
    Typesetter,
    count,
    formulas,
    put_math,
    set_math,
)
from labml_txl.literate.equations.node import NodeError, package
from labml_txl.literate.equations.registry import (
    Citation,
    Symbol,
    citations,
    load_registry,
)
from labml_txl.literate.exports.text import (
    Entry,
    beside,
    contents,
    equations_text,
    prose,
    text,
)
from labml_txl.literate.hosts.mkdocs.words import chinese_words
from labml_txl.literate.hosts.policy import secured, with_last_script
from labml_txl.literate.notebooks.notebook import Distribution, distribution, notebook
from labml_txl.literate.notebooks.tutorial import Tutorial, document, tutorials
from labml_txl.literate.notebooks.tutorial_page import page_markdown, plain_markdown
from labml_txl.literate.pages.progress import PATH as PROGRESS
from labml_txl.literate.pages.progress import Progress, progress_page, translators
from labml_txl.literate.pages.references import references
from labml_txl.literate.pages.resolve import Site, resolve
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.source import LiterateError, Source, read
from labml_txl.literate.translation.catalog import Catalog
from labml_txl.literate.translation.inventory import Inventory, Texts, inventory
from labml_txl.literate.translation.labels import LABELS, Labels
from labml_txl.literate.translation.languages import (
    ENGLISH,
    SETTINGS,
    Language,
    languages,
)
from labml_txl.literate.translation.pages import (
    Translation,
    anchored,
    say_marks,
    share,
    tally,
)
from labml_txl.literate.translation.po import file_of, load_catalog

THEME = Path(__file__).parents[1] / "theme"

# What the Markdown of the engine is made of.
EXTENSIONS: dict[str, dict[str, Any]] = {
    "attr_list": {},
    "md_in_html": {},
    "tables": {},
    "pymdownx.superfences": {},
    "pymdownx.arithmatex": {"generic": True, "smart_dollar": True},
}


# Stands for the translations of all pages.
_EVERY_PAGE = "*"

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
    - `tests`: the folder whose tests may name an equation;
    - `notebooks`: the tutorials, Python files with a notebook beside each, or folders
      of them;
    - `inventories`: where other projects document their names: the address of the
      documentation, and the file with its inventory;
    - `locale`: the folder of the translations, with a folder for each language;
    - `trusted`: other hosts that pages may ask for pictures, scripts and the like;
    - `revision`: the version, branch or commit of the repository that its notebooks
      install; else the branch that `edit_uri` names, or the repository's first.
    """

    modules = option.ListOfItems(option.Type(str), default=[])
    equations = option.ListOfItems(option.Type(str), default=[])
    tests = option.Type(str, default="tests")
    notebooks = option.ListOfItems(option.Type(str), default=[])
    inventories = option.DictOfItems(option.Type(str), default={})
    locale = option.Type(str, default="docs/locale")
    trusted = option.ListOfItems(option.Type(str), default=[])
    revision = option.Type(str, default="")


class _Said(logging.Handler):
    """Collects the warnings and errors of a build, with their levels.

    With `--strict` one of them spoils it.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append((record.levelno, record.getMessage()))


class _KeptPage(MkDocsPage):
    """A page that is made HTML anew only if something of it has changed.

    Of all that happens in a build, this takes the longest. What a page becomes depends
    on its Markdown, on the settings and, for its links, on which files there are.
    """

    def __init__(
        self, title: str | None, file: File, config: MkDocsConfig, kept: Cache
    ) -> None:
        super().__init__(title, file, config)
        self._kept = kept

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Convert the Markdown, or take what came of the same Markdown before.

        Titles come as HTML; what templates are given is their words.
        """
        settings = (config.markdown_extensions, config.mdx_configs)
        around = (config.use_directory_urls, sorted(files.src_uris))
        key = digest("page", self.file.src_uri, self.markdown, settings, around)
        result = self._kept.get(key)
        if result is None:
            super().render(config, files)
            if self._title_from_render:
                self._title_from_render = unescape(self._title_from_render)
            _say_plainly(self.toc)
            result = {name: getattr(self, name) for name in self._RESULT}
            self._kept.keep(key, result)
        for name, value in result.items():
            setattr(self, name, value)

    _RESULT = (
        "content",
        "toc",
        "_title_from_render",
        "present_anchor_ids",
    )


def _say_plainly(entries: Iterable[AnchorLink]) -> None:
    """Give the entries of a table of contents their words, which come as HTML."""
    for entry in entries:
        entry.title = unescape(entry.title)
        _say_plainly(entry.children)


# The Python that a process runs to build languages when it is asked to.
_WORKER = f"from {__name__} import build_languages; build_languages()"


class LiteratePlugin(BasePlugin[LiterateConfig]):
    """Annotated source files as pages of a MkDocs site."""

    def __init__(self) -> None:
        self.language = ENGLISH
        self.base = ""
        self.untranslated: frozenset[str] = frozenset()
        self._sources: dict[str, str] = {}
        self._faults: set[str] = set()
        self._languages: tuple[Language, ...] = ()
        self._translation = Translation()
        self._workers = Workers(_WORKER)
        self._building: dict[str, Future[Answer]] = {}
        self._serving = False
        self._typesetter = Typesetter()
        self._annotated = Annotated()
        self._symbols: dict[str, tuple[Symbol, ...]] = {}
        self._said = _Said()
        self._kept = Cache(Path())
        self._inventory: Inventory = {}
        self._names: tuple[str, ...] = ()
        self._labels: dict[str, Labels] = {}
        self._site_dir = ""
        self._content = ""
        self._made_of = ""
        self._set: dict[str, list[str]] = {}
        self._unsearched: tuple[str, int] | None = None
        self._excluded: Any = None
        self._prose: dict[str, str] = {}
        self._install: Distribution | None = None
        self._tutorials: dict[str, Tutorial] = {}

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Tell MkDocs to keep this object from build to build.

        KaTeX is then started once for all builds of `mkdocs serve`, and no formula is
        set twice.
        """
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add what the pages need: extensions, templates, style sheets, scripts."""
        if config.theme.name != "material":
            given = f"theme {config.theme.name}: the pages are made for `material`"
            raise PluginError(f"{given}: set `theme: material` in mkdocs.yml")
        for name, options in EXTENSIONS.items():
            if name not in config.markdown_extensions:
                config.markdown_extensions.append(name)
            config.mdx_configs[name] = {**options, **config.mdx_configs.get(name, {})}
        config.theme.dirs.insert(bool(config.theme.custom_dir), str(THEME))
        config.extra_css[:0] = ["assets/katex/katex.min.css", "assets/literate.css"]
        script = ExtraScriptValue("assets/literate.js")
        script.defer = True
        config.extra_javascript.append(script)
        config.site_url = _site_url(config)
        if not config.repo_url and not urlsplit(config.edit_uri or "").scheme:
            # An edit link starts at the address of the repository.
            config.edit_uri = None
        with _told():
            self._translate(config)
        self._prepare_search(config)
        # Links are checked here, with the line that they stand in.
        config.validation.links.not_found = logging.DEBUG
        config.validation.links.anchors = logging.DEBUG
        root = _root(config)
        config.watch += [str(root / m) for m in self._paths() if (root / m).exists()]
        self._begin(config)
        return config

    def _paths(self) -> list[str]:
        given = self.config
        named = (*given.modules, *given.equations, *given.notebooks)
        return [*named, *given.inventories.values()]

    def _translate(self, config: MkDocsConfig) -> None:
        """Find the languages, and put the settings into that of this build."""
        root = _root(config)
        self._faults.clear()
        self._languages = (ENGLISH, *languages(root / self.config.locale, root))
        for language in self._languages[1:]:
            _check_theme(language, Path(self.config.locale), config.theme.dirs)
        if not self._kept.file.name:
            name = f"{self.language.code}.pickle"
            self._kept = Cache(_cache_folder(config) / name)
        self._labels = {
            language.code: Labels()
            if language is ENGLISH
            else self._translation_into(language, config).labels
            for language in self._languages
        }
        if self.language is ENGLISH:
            self.base = config.site_url or ""
            self._translation = Translation()
            return
        self._translation = self._translation_into(self.language, config)
        folder = self.language.folder
        config.site_url = urljoin(self.base, folder) if self.base else ""
        self._put_settings(config)

    @property
    def equations(self) -> str:
        """The path of the page of equations, where the project has one."""
        return self._annotated.site.equations

    @property
    def translation(self) -> Translation:
        """The language of this build, and its catalogs."""
        return self._translation

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages of the site, English first."""
        return self._languages

    def home_of(self, language: Language) -> str:
        """Where a language starts, from the root of the host; `/` if nobody said."""
        return urljoin(urlsplit(self.base).path or "/", language.folder)

    @property
    def locale(self) -> str:
        """The folder of the translations."""
        return self.config.locale

    def labels_of(self, language: Language) -> Labels:
        """The words of the site in one of its languages."""
        return self._labels[language.code]

    def share_of(self, path: str) -> int:
        """How many of a hundred messages of a page are translated."""
        said = self._inventory.get(path.removesuffix(".md"), ())
        catalog = self._translation.of(path)
        return share(tally((one.message for one in said), catalog))

    def _translation_into(
        self, language: Language, config: MkDocsConfig
    ) -> Translation:
        root = _root(config)
        locale = root / self.config.locale

        def catalog(page: str) -> Catalog:
            file = file_of(locale, language.code, page)
            data = file.read_bytes() if file.is_file() else b""
            key = digest("catalog", language.code, page, str(root), data)
            found = self._kept.made(
                key, lambda: load_catalog(locale, language.code, page, root)
            )
            if language == self.language:
                for fault in found.faults:
                    if fault not in self._faults:
                        self._faults.add(fault)
                        logging.getLogger("mkdocs").warning("%s", fault)
                if {page, _EVERY_PAGE} & self.untranslated:
                    return found.without_translations()
            return found

        return Translation(
            language,
            lru_cache(maxsize=None)(catalog),
            edit=lambda path, line: _edit_url(config, path, line, there=root),
            labels=Labels(catalog("site")),
        )

    def _prepare_search(self, config: MkDocsConfig) -> None:
        """Let the search divide into words only those languages that want it.

        Material divides every run of Han letters into Chinese words as soon as it
        finds a dictionary. In Japanese, that hides words; in other languages nobody
        types them.
        """
        with suppress(ImportError):
            from material.plugins.search import plugin as search

            search.jieba = chinese_words() if "zh" in self.language.search else None

    def _put_settings(self, config: MkDocsConfig) -> None:
        """The name of the site, its navigation and its theme in the language."""
        theme = config.theme
        self._names = tuple(dict.fromkeys(_names(config)))
        config.site_name = self._words(config.site_name)
        config.site_description = self._words(config.site_description or "")
        config.nav = self._titles(config.nav)
        theme["language"] = self.language.theme
        theme["direction"] = self.language.direction
        theme["palette"] = deepcopy(theme.get("palette"))
        for palette in theme["palette"] if isinstance(theme["palette"], list) else ():
            if "toggle" in palette:
                palette["toggle"]["name"] = self._words(palette["toggle"]["name"])

    def _words(self, words: str) -> str:
        """Words of the settings in the language."""
        return self._translation.words(words, "site")

    def _titles(self, nav: Any) -> Any:
        if isinstance(nav, dict):
            return {self._words(t): self._titles(item) for t, item in nav.items()}
        return [self._titles(item) for item in nav] if isinstance(nav, list) else nav

    def _begin(self, config: MkDocsConfig) -> None:
        """Build beside the site, so that a build that fails leaves it as it was."""
        if self.language is not ENGLISH:
            return
        self._said.messages.clear()
        logging.getLogger("mkdocs").addHandler(self._said)
        self._site_dir = config.site_dir
        config.site_dir = f"{config.site_dir}.partial"

    def _start_languages(self, config: MkDocsConfig) -> None:
        """Start the builds of the other languages, into folders of the new site."""
        if self.language is ENGLISH and not self._serving:
            for language in self._languages[1:]:
                target = Path(config.site_dir, language.code)
                self._building[language.code] = self.start(config, language, target)

    def start(
        self,
        config: MkDocsConfig,
        language: Language,
        target: Path,
        untranslated: Iterable[str] = (),
    ) -> Future[Answer]:
        """Start the build of a language into a folder, some of its pages in English."""
        request = {
            "settings": config.config_file_path,
            "language": language.code,
            "site_dir": str(target),
            "base": self.base,
            "use_directory_urls": config.use_directory_urls,
            "serving": self._serving,
            "untranslated": [*untranslated],
        }
        return self._workers.ask(language.code, request)

    def checked(
        self, config: MkDocsConfig, language: Language, target: Path, answer: Answer
    ) -> Answer:
        """What came of a build, after a look at its pages beside the English ones.

        A page that holds more than the English one is made again without translations.
        """
        site = Path(config.site_dir)
        if answer.error or not (
            found := self._strangers(config, site, target, language)
        ):
            return answer
        locale = _root(config) / self.config.locale
        pages = {path: self._sources.get(path, "site") for path in found}
        files = {
            path: _shortest(file_of(locale, language.code, page), _root(config))
            for path, page in pages.items()
        }
        why = "its page is shown in English"
        said = [
            (logging.WARNING, f"{files[path]}:1: {what}: {why}")
            for path, what in found.items()
        ]
        # Where it is not the page's own translations, none at all are shown.
        names = sorted({page.removesuffix(".md") for page in pages.values()})
        for untranslated in (names, [_EVERY_PAGE]):
            again = self.start(config, language, target, untranslated).result()
            left = self._strangers(config, site, target, language)
            if again.error or not left:
                break
        error = again.error or next(
            (f"{language.code}/{path}: {what}" for path, what in left.items()), ""
        )
        return Answer((*answer.messages, *said), error)

    def _strangers(
        self, config: MkDocsConfig, site: Path, target: Path, language: Language
    ) -> dict[str, str]:
        locale = _shortest(_root(config) / self.config.locale, _root(config))
        edit = _edit_url(config, f"{locale}/{language.code}/")
        place = Place(language.code, self.base, edit)

        def beyond(english: str, page: str, path: str) -> str:
            key = digest("wall", place, path, english, page)
            return self._kept.made(key, lambda: place.beyond(english, page, path))

        return dict(strangers(site, target, beyond))

    def _finish_languages(self, config: MkDocsConfig) -> None:
        """Wait for the other languages, and say what was said there."""
        building, self._building = self._building, {}
        log = logging.getLogger("mkdocs")
        found = {language.code: language for language in self._languages}
        for language, future in building.items():
            target = Path(config.site_dir, language)
            answer = self.checked(config, found[language], target, future.result())
            for level, message in answer.messages:
                log.log(level, "%s: %s", language, message)
            if answer.error:
                raise PluginError(answer.error)

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Every page is whole: put the new site in the place of the old."""
        try:
            self._finish_languages(config)
        finally:
            self._kept.save(write=not self._serving)
        if self.language is not ENGLISH:
            return
        partial, config.site_dir = config.site_dir, self._site_dir
        logging.getLogger("mkdocs").removeHandler(self._said)
        if not (config.strict and self._said.messages):
            if self._serving:
                self._keep_languages(Path(config.site_dir), Path(partial))
            shutil.rmtree(config.site_dir, ignore_errors=True)
            Path(partial).rename(config.site_dir)
        shutil.rmtree(partial, ignore_errors=True)
        if not self._serving:
            self._workers.end()

    def _keep_languages(self, old: Path, new: Path) -> None:
        """While somebody writes, a language is built again when it is looked at."""
        for language in self._languages[1:]:
            if (old / language.code).is_dir():
                (old / language.code).rename(new / language.code)

    def on_build_error(self, *, error: Exception) -> None:
        """Leave no half of a site."""
        if self.language is not ENGLISH:
            return
        self._building.clear()
        if not self._serving:
            self._workers.end()
        logging.getLogger("mkdocs").removeHandler(self._said)
        shutil.rmtree(f"{self._site_dir}.partial", ignore_errors=True)

    def on_shutdown(self) -> None:
        """End KaTeX and the builds of other languages."""
        self._typesetter.close()
        self._workers.end()

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
            references=references(self.inventories(config), _root(config)),
        )
        project, translation = self.project(config), self._translation
        locale = project.root / self.config.locale / self.language.code
        settings = (site.source, config.use_directory_urls, sorted(self.untranslated))
        others = sorted(site.references.items())
        made_of = fingerprint(project, site.figures, locale)
        self._made_of = key = digest("annotated", made_of, settings, others)
        found: Annotated = self._kept.made(
            key, lambda: without_host(annotate(project, site, translation))
        )
        return replace(found, site=with_host(found.site, site, translation))

    def inventories(self, config: MkDocsConfig) -> dict[str, Path]:
        """The file of each inventory that the settings name, by its address."""
        found = {}
        for address, file in self.config.inventories.items():
            if not address.startswith(("https://", "http://")):
                given = f"inventories: {address} is no address of a documentation"
                raise LiterateError(_settings_file(config), 1, f"{given}: https://…")
            found[address] = _root(config) / file
        return found

    def distribution(self, config: MkDocsConfig) -> Distribution | None:
        """What the notebooks of the project install."""
        edit_uri = config.edit_uri or ""
        named = "" if edit_uri == _GUESS else _branch(edit_uri)
        revision = self.config.revision or named
        return distribution(_root(config), config.repo_url or "", revision)

    def texts(self, config: MkDocsConfig, annotated: Annotated) -> Texts:
        """All that the site says in English, to be translated."""
        root, docs = _root(config), Path(config.docs_dir)
        folders = [root / given for given in self.config.notebooks]
        files = [
            f for g in folders for f in ([g] if g.is_file() else sorted(g.glob("*.py")))
        ]
        return Texts(
            root=root,
            annotated=annotated,
            prose={
                file.relative_to(docs).as_posix(): read(file, root)
                for file in sorted(docs.rglob("*.md"))
            },
            notebooks={f"{f.parent.name}/{f.stem}.md": read(f, root) for f in files},
            names=self._names or tuple(dict.fromkeys(_names(config))),
            settings=_settings_file(config),
            docs=docs,
            locale=root / self.config.locale,
        )

    def _texts(self, config: MkDocsConfig) -> Texts:
        """The texts of this build, with the equations in English."""
        english = load_registry(self._annotated.registries)
        site = replace(self._annotated.site, registry=english)
        return self.texts(config, replace(self._annotated, site=site))

    def tutorials(self, config: MkDocsConfig) -> dict[str, Tutorial]:
        """The notebooks of the project, by the paths of their pages."""
        found = tutorials(_root(config), self.config.notebooks)
        return {tutorial.path: tutorial for tutorial in found}

    def _tutorial_pages(self, config: MkDocsConfig) -> dict[str, str]:
        site, translation = self._annotated.site, self._translation

        def shown(path: str, tutorial: Tutorial) -> Tutorial:
            taken = set[str]()
            return tutorial.translated(
                lambda text: translation.markdown(
                    anchored(text, taken), path, marked=True
                )
            )

        kept = self._keep_around(config)
        found = ((path, shown(path, t)) for path, t in self._tutorials.items())
        return {
            path: kept("page", path, tutorial, partial(page_markdown, tutorial, site))
            for path, tutorial in found
        }

    def _progress_page(
        self, files: Files, made: Iterable[str], config: MkDocsConfig
    ) -> str:
        root = _root(config)
        locale = root / self.config.locale

        def progress(language: Language) -> Progress:
            translation = self._translation_into(language, config)
            paths = {p: file_of(locale, language.code, p) for p in self._inventory}
            heads = [p.read_bytes()[:2_000] for p in paths.values() if p.is_file()]
            return Progress(
                language,
                {
                    page: tally((one.message for one in said), translation.of(page))
                    for page, said in self._inventory.items()
                },
                {
                    page: _edit_url(config, _shortest(path, root), there=root)
                    for page, path in paths.items()
                },
                translators(head.decode("utf-8", "replace") for head in heads),
            )

        known = {file.src_uri for file in files} | {*made}
        pages = {
            page: self._translation.words(self._title(page), _catalog_of(page))
            for page in self._inventory
            if f"{page}.md" in known
        }
        found = [progress(language) for language in self._languages[1:]]
        help_page = "translate.md" if "translate.md" in known else ""
        return progress_page(found, pages, self._translation.labels, help_page)

    def _title(self, page: str) -> str:
        """The English title of a page: its first message that is one."""
        if page == self._annotated.site.equations.removesuffix(".md"):
            return LABELS["equations_title"]
        said = self._inventory[page]
        return next((s.message for s in said if s.kind in ("title", "heading")), page)

    def _told_elsewhere(self) -> dict[str, Tutorial]:
        """The tutorials in the language, as they leave the site."""
        return {
            path: tutorial.translated(partial(self._translation.markdown, path=path))
            for path, tutorial in self._tutorials.items()
        }

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages that are written from source files, and KaTeX's own files."""
        self._start_languages(config)
        self._leave_out_translations(files, config)
        _mend_search(files)
        with _told():
            self._annotated = self.annotated(config)
            for warning in self._annotated.warnings if self.language is ENGLISH else ():
                logging.getLogger("mkdocs").warning(warning)
            if len(self._languages) > 1:
                self._inventory = self._kept.made(
                    digest("inventory", self._made_of, self._texts(config).prose),
                    lambda: inventory(self._texts(config)),
                )
            self._install = self.distribution(config)
            self._tutorials = self.tutorials(config)
            katex = package("katex") / "dist"
            pages = {**self._annotated.markdown, **self._tutorial_pages(config)}
            if len(self._languages) > 1:
                pages[PROGRESS] = self._progress_page(files, pages, config)
        sources = {page.path: page.source.path for page in self._annotated.pages}
        sources |= {path: t.source.path for path, t in self._tutorials.items()}
        for path, markdown in pages.items():
            if other := files.get_file_from_path(path):
                given = sources.get(path, "the registry of equations")
                message = f"{other.src_uri} and {given} make the same page: rename one"
                raise PluginError(message)
            file = File.generated(config, path, content=markdown)
            files.append(file)
        config.nav = self._nav(config.nav)
        titles = dict(_named(config.nav))
        for file in files:
            if file.src_uri.endswith(".md"):
                title = titles.get(file.src_uri)
                _KeptPage(title, file, config, self._kept)
        for file in _katex_files(katex, config):
            files.append(file)
        return files

    def _leave_out_translations(self, files: Files, config: MkDocsConfig) -> None:
        """Translations are read, not published."""
        locale = _root(config) / self.config.locale
        for file in [*files]:
            if file.abs_src_path and locale in Path(file.abs_src_path).parents:
                files.remove(file)

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
        """Keep the site as it is saved.

        A fault is told, and the last good page stays. A language is built when somebody
        looks at it, so that nobody waits for one that nobody reads.
        """
        preview = _Preview(self, server, config)
        server.builder = preview.build
        server.set_app(preview.answer)
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
            told = tutorial.translated(partial(self._translation.markdown, path=path))
            page.meta.update(title=told.title, description=told.description)
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
        if path == PROGRESS:
            return markdown
        translation = self._translation
        self._prose[path] = translation.markdown(markdown, path)
        for field in {"title", "description"} & page.meta.keys():
            page.meta[field] = translation.words(str(page.meta[field]), path)
        text = page.file.content_string.replace("\r\n", "\n")
        line = text.count("\n") - markdown.count("\n") + 1
        name = _repository_path(page.file, config)
        block = Block(markdown, (), range(line, line + 1))
        with _told():
            found = [c.key for c in citations(name, [block], registry)]
            self._symbols[path] = registry.symbols_of(found)
            shown = translation.markdown(anchored(markdown, set()), path, marked=True)
            return resolve(shown, path, annotated.site, near="", path=name, line=line)

    def _downloads(self, path: str, config: MkDocsConfig) -> dict[str, str]:
        """Where the other forms of a page stand, for its template."""
        forms = {
            "notebook_url": quote(beside(path, "ipynb")),
            "markdown_url": quote(beside(path, "md")),
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
        self._recall_search(page, config)
        return context

    def _recall_search(self, page: MkDocsPage, config: MkDocsConfig) -> None:
        """Give the index what it made of the same page before.

        Without that, it reads the page, and what it finds is kept.
        """
        index = _search_index(config)
        if index is None:
            return
        meta = {name: page.meta.get(name) for name in ("search", "tags")}
        # They say whether Chinese is divided into words.
        settings = dict(config.plugins["material/search"].config)
        made_of = (page.url, str(page.title), page.content, meta, settings)
        key = digest("search", *made_of)
        if (found := self._kept.get(key)) is None:
            self._unsearched = (key, len(index))
        else:
            index.extend(found)
            self._excluded = page.meta.get("search")
            page.meta["search"] = {"exclude": True}

    def _keep_search(self, page: MkDocsPage, config: MkDocsConfig) -> None:
        index = _search_index(config)
        if index is None:
            return
        if self._unsearched:
            (key, before), self._unsearched = self._unsearched, None
            for entry in index[before:]:
                # A search shows it as HTML, and it may have come as words.
                entry["title"] = nh3.clean(entry["title"], tags=_SHOWN, attributes={})
            self._kept.keep(key, index[before:])
        elif self._excluded is None:
            page.meta.pop("search", None)
        else:
            page.meta["search"] = self._excluded

    def _after_search(
        self, context: Any, *, page: MkDocsPage, config: MkDocsConfig, nav: Any
    ) -> Any:
        """Put the page back, and lead its edit link to the module."""
        # The host has made it of Markdown: it is the one HTML that a template is given.
        page.content = Markup(self._content)
        self._keep_search(page, config)
        sources = {made.path: made.source for made in self._annotated.pages}
        sources |= {path: made.source for path, made in self._tutorials.items()}
        source = sources.get(page.file.src_uri)
        if source and config.repo_url:
            page.edit_url = _edit_url(config, source.path)
        elif page.edit_url:
            path = page.file.src_uri
            page.edit_url = page.edit_url.replace(path, quote(path))
        if self.language is not ENGLISH and page.edit_url:
            root = _root(config)
            locale = root / self.config.locale
            file = file_of(locale, self.language.code, page.file.src_uri)
            if file.is_file():
                page.edit_url = _edit_url(config, _shortest(file, root))
        return context

    on_page_context = CombinedEvent(
        event_priority(100)(_before_search), event_priority(-100)(_after_search)
    )

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """All pages are HTML now and none is written: set formulas, check links."""
        self._sources = {f.dest_uri: f.src_uri for f in files.documentation_pages()}
        for path, content in self._forms(files, config).items():
            # A file that the author wrote is better.
            if not files.get_file_from_path(path) or path.endswith(".md"):
                files.append(_verbatim(path, content, config))
        env.globals["lit"] = _Words(self, files)
        env.autoescape = _escapes
        env.bytecode_cache = self._bytecode(config)
        documents = [_document(file, config) for file in files.documentation_pages()]
        static = {unquote(f.url) for f in files if not f.is_documentation_page()}
        with _told():
            for file in files.documentation_pages():
                self._set_formulas(file, config)
            check_links(
                (replace(d, source=self._source(d)) for d in documents),
                static,
                lambda html: self._kept.made(digest("links", html), lambda: ends(html)),
            )
        return env

    def _bytecode(self, config: MkDocsConfig) -> FileSystemBytecodeCache | None:
        """Where the compiled templates are kept, if they can be."""
        folder = _cache_folder(config) / "escaped"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return None
        return FileSystemBytecodeCache(str(folder))

    def _keep_around(
        self, config: MkDocsConfig
    ) -> Callable[[str, str, object, Callable[[], str]], str]:
        """Keeps what is made of one page, as long as what it names stays the same."""
        site, install = self._annotated.site, self._install
        names = [
            (name, module.defines, sorted(module.imports.items()))
            for name, module in site.index.modules.items()
        ]
        extras = {e: sorted(p) for e, p in install.extras.items()} if install else {}
        address = (install.name, install.address) if install else ()
        place = (site.url, site.source, config.use_directory_urls, site.pages)
        labels = sorted(site.labels.catalog.entries.items())
        drawings = [file.read_bytes() for file in sorted(site.figures.rglob("*.svg"))]
        about = (extras, address, place, labels)
        around = digest(names, site.registry, drawings, about)

        def kept(kind: str, path: str, of: object, make: Callable[[], str]) -> str:
            return self._kept.made(digest(kind, path, around, of), make)

        return kept

    def _forms(self, files: Files, config: MkDocsConfig) -> dict[str, str]:
        """The pages as Markdown and as notebooks, and the list of them all."""
        site, forms = self._annotated.site, dict[str, str]()
        install, kept = self._install, self._keep_around(config)
        parts: dict[str, list[Entry]] = {}

        def add(path: str, part: str, content: str) -> None:
            forms[beside(path, "md")] = content
            page = files.src_uris[path].page
            title, words = (page.title, page.meta) if page else ("", {})
            address = urljoin(site.url, quote(beside(path, "md")))
            entry = Entry(str(title), words.get("description", ""), address)
            parts.setdefault(part, []).append(entry)

        for path, markdown in self._prose.items():
            text_of = partial(prose, markdown, path, site)
            add(path, site.labels("pages"), kept("prose", path, markdown, text_of))
        if site.registry.papers:
            equations = equations_text(site.registry, site)
            add(site.equations, site.labels("pages"), equations)
        titles = {page.path: page.title for page in self._annotated.pages}
        for module in self._annotated.pages:
            folder = module.path.partition("/")[0]
            part = titles.get(f"{folder}/index.md", folder)
            notes = [section.block.note for section in module.sections]
            of = (module.source.text, module.title, notes)
            words = kept("text", module.path, of, partial(text, module, site))
            add(module.path, part, words)
            forms[beside(module.path, "ipynb")] = kept(
                "notebook", module.path, of, partial(notebook, module, site, install)
            )
        for path, tutorial in self._told_elsewhere().items():
            plain = partial(plain_markdown, tutorial, site)
            add(path, site.labels("notebooks"), kept("plain", path, tutorial, plain))
            forms[beside(path, "ipynb")] = kept(
                "document", path, tutorial, partial(document, tutorial, site, install)
            )
        name, about = config.site_name, config.site_description or ""
        forms["llms.txt"] = contents(name, about, parts)
        return forms

    def _source(self, document: Document) -> Source:
        """What a page was made of: errors name the module, not the page."""
        sources = {page.path: page.source for page in self._annotated.pages}
        sources |= {path: t.source for path, t in self._tutorials.items()}
        return sources.get(document.source.path, document.source)

    def _set_formulas(self, file: File, config: MkDocsConfig) -> None:
        document = _document(file, config)
        symbols = self._symbols.get(file.src_uri, ())

        def answers() -> list[str]:
            return self._typesetter.set(formulas(document.html, symbols))

        try:
            key = digest("math", document.html, symbols)
            self._set[file.src_uri] = self._kept.made(key, answers)
        except MathError as error:
            sources = (self._source(document), *self._annotated.registries)
            if document.source.path == self._annotated.site.equations:
                sources = self._annotated.registries
            raise _located(error, sources) from None

    @event_priority(-100)
    def on_post_page(
        self, output: str, *, page: MkDocsPage, config: MkDocsConfig
    ) -> str:
        """Put in what is no text to be searched: formulas, and words in marks.

        The search index was made of the TeX.
        """
        symbols = self._symbols.get(page.file.src_uri, ())
        answers = self._set.get(page.file.src_uri, [])
        frame = squeezed(output.replace(page.content or "", "", 1))
        if len(answers) == count(output):
            output = put_math(output, answers)
        else:
            output = set_math(output, symbols, self._typesetter)
        whole = squeezed(self._named(say_marks(output, self._translation.labels)))
        return secured(whole, frame, squeezed(self._english(page)), self.config.trusted)

    def _english(self, page: MkDocsPage) -> str:
        """What a page says in English, as it is written: the scripts in it may run."""
        path = page.file.src_uri
        if tutorial := self._tutorials.get(path):
            return "\n".join(cell.text for cell in tutorial.cells)
        if notes := self._annotated.english.get(path):
            return "\n".join(notes)
        return page.file.content_string if page.file.generated_by is None else ""

    def on_template_context(
        self, context: Any, *, template_name: str, config: MkDocsConfig
    ) -> Any:
        """Lead lost readers home, wherever they are: from the root of the host."""
        if is_error_template(template_name):
            context["base_url"] = self.home_of(self.language)
        return context

    def on_post_template(
        self, output: str, *, template_name: str, config: MkDocsConfig
    ) -> str:
        """Say which language the page for lost readers is in."""
        if not template_name.endswith(".html"):
            return output
        return secured(self._named(output), output, trusted=self.config.trusted)

    def _named(self, page: str) -> str:
        """The theme names its own language; readers of the page need its tag."""
        return re.sub(
            r'<html lang="[^"]*"', f'<html lang="{self.language.tag}"', page, count=1
        )


class _Words:
    """What the templates ask for: labels, languages, and how much is translated."""

    def __init__(self, plugin: LiteratePlugin, files: Files) -> None:
        self._plugin = plugin
        help_page = files.get_file_from_path("translate.md")
        self.help = help_page.url if help_page else ""
        equations = files.get_file_from_path(plugin.equations)
        self.equations = equations.url if equations else ""
        self.label = plugin.translation.labels
        self.language = plugin.language
        self.script = {
            name: self.label.pattern(name) for name in LABELS if name in _SCRIPT
        }

    def share(self, page: MkDocsPage) -> int:
        """How many of a hundred messages of a page are translated."""
        return self._plugin.share_of(page.file.src_uri)

    def languages(self, page: MkDocsPage | None) -> list[dict[str, Any]]:
        """The page in each language: seen from itself, and as a whole address."""
        return [self._place(language, page) for language in self._plugin.languages]

    def _place(self, language: Language, page: MkDocsPage | None) -> dict[str, Any]:
        link, whole, base = self._plugin.home_of(language), "", self._plugin.base
        if page is not None:
            path = page.url.removeprefix("./")
            there, here = (f"{lang.folder}{path}" for lang in (language, self.language))
            link = get_relative_url(there or "./", here)
            whole = urljoin(base, there) if base else ""
        return {
            "language": language,
            "current": language == self.language,
            "link": link,
            "whole": whole,
            "offer": self._plugin.labels_of(language)("offer", language=language.name),
        }


class _Preview:
    """The site while somebody writes.

    English is built at every save. Another language is built when one of its files is
    saved, or when one of its pages is asked for and is not up to date.
    """

    def __init__(
        self, plugin: LiteratePlugin, server: LiveReloadServer, config: MkDocsConfig
    ) -> None:
        self._plugin, self._server, self._config = plugin, server, config
        self._build_english = server.builder
        self._answer = server.serve_request
        self._lock = threading.RLock()
        self._seen = self._translations()
        self._stale = {language.code for language in plugin.languages[1:]}

    def build(self, *arguments: Any) -> None:
        """Build what a save has changed."""
        with self._lock:
            before, self._seen = self._seen, self._translations()
            changed = {
                code
                for code in {*before, *self._seen} - {""}
                if before.get(code) != self._seen.get(code)
            }
            if changed and before.get("") == self._seen.get(""):
                # The page that tells how much is translated is English too.
                self._stale |= {*changed, ENGLISH.code}
                for code in changed:
                    self._freshen(code)
                return
            self._stale = {language.code for language in self._plugin.languages[1:]}
            self._english(*arguments)

    def answer(self, environ: Any, start_response: Any) -> Any:
        """Answer a request, after the language that it asks for is up to date."""
        path = environ["PATH_INFO"].removeprefix(self._server.mount_path)
        code = path.partition("/")[0]
        codes = {language.code for language in self._plugin.languages}
        page = path.endswith(("/", ".html", ".json")) or not path
        if not page or environ["PATH_INFO"].startswith("/livereload/"):
            return self._answer(environ, start_response)
        with self._lock:
            self._freshen(code if code in codes else ENGLISH.code)
        return _with_reload(self._answer, environ, start_response)

    def _freshen(self, code: str) -> None:
        if code in self._stale:
            self._stale.discard(code)
            if code == ENGLISH.code:
                self._english()
            else:
                self._language(code)

    def _english(self, *arguments: Any) -> None:
        self._stale.discard(ENGLISH.code)
        try:
            self._build_english(*arguments)
        except Abort as error:
            logging.getLogger("mkdocs").error("%s", error)

    def _language(self, code: str) -> None:
        plugin, log = self._plugin, logging.getLogger("mkdocs")
        found = {language.code: language for language in plugin.languages}
        target = Path(self._server.root, code)
        partial = target.with_name(f"{code}.partial")
        answer = plugin.start(self._config, found[code], partial).result()
        answer = plugin.checked(self._config, found[code], partial, answer)
        for level, message in answer.messages:
            log.log(level, "%s: %s", code, message)
        if answer.error:
            log.error("%s", answer.error)
        else:
            shutil.rmtree(target, ignore_errors=True)
            partial.rename(target)
        shutil.rmtree(partial, ignore_errors=True)

    def _translations(self) -> dict[str, list[tuple[str, int]]]:
        """When each file was saved, by language; those of no language below `""`."""
        locale = _root(self._config) / self._plugin.locale
        found: dict[str, list[tuple[str, int]]] = {}
        for start in {self._config.docs_dir, *self._config.watch, str(locale)}:
            folder = Path(start)
            files = [folder] if folder.is_file() else folder.rglob("*")
            for file in sorted(files):
                inside = locale in file.parents and file.suffix == ".po"
                code = file.relative_to(locale).parts[0] if inside else ""
                with suppress(OSError):
                    saved = (str(file), file.stat().st_mtime_ns)
                    found.setdefault(code, []).append(saved)
        return found


def _with_reload(answer: Any, environ: Any, start_response: Any) -> list[bytes]:
    """The answer of the server, which puts a script of its own into each page."""
    said: list[Any] = []
    body = b"".join(answer(environ, lambda *given: said.append(given)))
    (status, headers, *rest) = said[-1]
    if dict(headers).get("Content-Type", "").startswith("text/html"):
        body = with_last_script(body.decode("utf-8", "replace")).encode()
        headers = [(k, v) for k, v in headers if k != "Content-Length"]
        headers.append(("Content-Length", str(len(body))))
    start_response(status, headers, *rest)
    return [body]


# The labels that the script of a page says.
_SCRIPT = frozenset(
    {
        *("copy", "copied", "enlarge", "close", "formula", "one_use", "uses"),
        *("defined", "definition", "documentation", "choose_symbol"),
        *("names_of_symbol", "unnamed", "equations_of_symbol", "language"),
    }
)


def build_languages() -> None:
    """Build a language, as often as the build of English asks: what a process runs."""
    logging.getLogger("mkdocs").propagate = False
    serve(_answer)


def _answer(request: Request) -> Answer:
    said = _Said()
    log = logging.getLogger("mkdocs")
    log.addHandler(said)
    error = ""
    try:
        _build_language(request)
    except (Abort, LiterateError, PluginError) as fault:
        # MkDocs has told the fault and then says that it stops.
        errors = [text for level, text in said.messages if level >= logging.ERROR]
        error = errors[-1] if errors else str(fault)
    except Exception:
        error = traceback.format_exc()
    log.removeHandler(said)
    messages = tuple(m for m in said.messages if m[1] != error)
    return Answer(messages, error)


def _build_language(request: Request) -> None:
    plugin, config = _settings(Path(request["settings"]))
    root = _root(config)
    with _told():
        found = {lang.code: lang for lang in languages(root / plugin.locale, root)}
    plugin.language = language = found[request["language"]]
    plugin.base = request["base"]
    plugin.untranslated = frozenset(request["untranslated"])
    config.site_url = request["base"]
    config.site_dir = request["site_dir"]
    config.use_directory_urls = request["use_directory_urls"]
    config.strict = False
    for name in ("material/search", "search"):
        if search := config.plugins.get(name):
            search.config.lang = [*language.search] or None
            search.config.separator = language.separator or None
            search.config.pipeline = None
    serving = request["base"] if request["serving"] else None
    build(config, serve_url=serving)


def squeezed(page: str) -> str:
    """HTML without the empty lines and the indentation that templates leave.

    What stands in `<pre>` is shown as it is written, and so it stays.
    """
    parts = re.split(r"(<pre\b.*?</pre>)", page, flags=re.DOTALL)
    parts[::2] = (re.sub(r"\s*\n\s*", "\n", part) for part in parts[::2])
    return "".join(parts)


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


def inventories_of(settings: Path) -> tuple[dict[str, Path], Path]:
    """The inventories that a `mkdocs.yml` names, and the folder that it stands in."""
    plugin, config = _settings(settings)
    return plugin.inventories(config), _root(config)


def pages_of(settings: Path) -> tuple[Annotated, Distribution | None]:
    """The pages of the project, and what their notebooks install."""
    plugin, config = _settings(settings)
    return plugin.annotated(config), plugin.distribution(config)


def texts_of(settings: Path) -> Texts:
    """All that the site says in English, to be translated."""
    plugin, config = _settings(settings)
    return plugin.texts(config, plugin.annotated(config))


def _names(config: MkDocsConfig) -> Iterator[str]:
    """What the settings themselves say to a reader."""
    yield config.site_name
    yield config.site_description or ""
    yield from _titles(config.nav)
    given = config.theme.get("palette") or []
    for palette in given if isinstance(given, list) else [given]:
        yield (palette.get("toggle") or {}).get("name", "")


def _named(nav: Any) -> Iterator[tuple[str, str]]:
    """The pages of a navigation that have a title there, and the title."""
    for item in nav if isinstance(nav, list) else ():
        for title, below in item.items() if isinstance(item, dict) else ():
            if isinstance(below, str):
                yield below, title
            yield from _named(below)


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
    except ModuleNotFoundError as error:
        # Only a site with notebooks asks for what shows them.
        missing = f"{error.name} is missing: pip install 'labml_txl[site]'"
        raise PluginError(missing) from None


def _search_index(config: MkDocsConfig) -> list[dict[str, Any]] | None:
    """The entries of the search index of Material, where it is used."""
    search = config.plugins.get("material/search")
    entries = getattr(getattr(search, "search_index", None), "entries", None)
    return entries if isinstance(entries, list) else None


# What a search shows of the elements of a title.
_SHOWN = {"code", "sub", "sup"}


def _mend_search(files: Files) -> None:
    """Let the search take what is typed in Chinese characters to its end.

    Material divides it into the words that the index knows, and leaves out the last
    character: who types 注意力 gets what is found for 注意.
    """
    for file in files:
        if _SEARCH_WORKER.fullmatch(file.src_uri):
            file.content_string = file.content_string.replace(*_TO_THE_END)


_SEARCH_WORKER = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
_TO_THE_END = (
    "for(let o=s+1;o<t.length;o++)t.slice(s,o)in e",
    "for(let o=s+1;o<=t.length;o++)t.slice(s,o)in e",
)


# Templates of the theme for what the owner of a site has written as HTML, or the theme.
_OWN = re.compile(
    r"blog|fragments/|redirect|\.icons/|partials/"
    r"(?:languages?[/.]|icons|post|tags|consent|copyright|feedback|integrations/)"
)


def _escapes(template: str | None) -> bool:
    """Whether a template writes what it is given as words, not as HTML."""
    return not (template and _OWN.match(template))


def _check_theme(language: Language, locale: Path, folders: Iterable[str]) -> None:
    """Refuse a language for which the theme has no words of its own."""
    name = f"partials/languages/{language.theme}.html"
    if any(Path(folder, name).is_file() for folder in folders):
        return
    path = (locale / language.code / SETTINGS).as_posix()
    given = f"theme = {language.theme!r} is no language of Material's"
    way = 'write the code of one that is, or theme = "en"'
    raise LiterateError(path, 1, f"{given}: {way}")


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


def _settings_file(config: MkDocsConfig) -> str:
    """The file of the settings, as messages name it."""
    return _shortest(Path(config.config_file_path or "mkdocs.yml"), _root(config))


def _catalog_of(page: str) -> str:
    """The catalog that has the title of a page."""
    return "site" if page == "equations" else page


def _cache_folder(config: MkDocsConfig) -> Path:
    """What is kept between builds, and can be deleted at any time."""
    return _root(config) / ".cache" / "literate"


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


def _edit_url(
    config: MkDocsConfig, path: str, line: int = 0, *, there: Path | None = None
) -> str:
    """Where a file can be edited; empty if nobody said where the repository is.

    With a folder, it is also empty if the file is not there.
    """
    if there and not (there / path).is_file():
        return ""
    pattern = _source_url(config.repo_url or "", config.edit_uri or "")
    address = pattern.partition("#")[0].replace("/blob/", "/edit/", 1)
    return address.format(path=quote(path)) + (f"#L{line}" if line and address else "")


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
