"""# A project in one language

Makes the pages of one language from the contents of a project:

    settings ─ project ─► Project ─ content ─► modules, equations, tutorials, …
             ─ localized ─► the Markdown of each page ─ files ─► the files beside them

A page is rendered once. As long as none of its inputs changes, it is then taken from
the cache. `LocalizedProject._entry` lists the inputs of each kind of page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from labml_txl.literate.equations.extension import with_symbols
from labml_txl.literate.equations.registry import Symbol, citations
from labml_txl.literate.export.notebooks.notebook import notebook, shows_something
from labml_txl.literate.export.notebooks.tutorial import document
from labml_txl.literate.export.notebooks.tutorial_page import (
    page_markdown,
    plain_markdown,
)
from labml_txl.literate.export.text import (
    beside,
    equations_text,
    excerpt_text,
    portable,
    text,
)
from labml_txl.literate.i18n.catalog import Catalog
from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.i18n.languages import ENGLISH, Language, languages
from labml_txl.literate.i18n.pages import (
    Tally,
    Translation,
    address,
    anchored,
    sentences,
)
from labml_txl.literate.i18n.pages import share as share_of
from labml_txl.literate.i18n.pages import tally as tally_of
from labml_txl.literate.i18n.po import file_of, load_catalog
from labml_txl.literate.markdown.front_matter import divided, with_fields
from labml_txl.literate.markdown.headings import title_of
from labml_txl.literate.markdown.inline import plain
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.project.cache import Cache, hash_of
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.inventory import (
    EQUATIONS,
    SITE,
    in_order_of_use,
    inventory,
)
from labml_txl.literate.project.pages import excerpt, with_excerpts
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render.observed import card_data, observed
from labml_txl.literate.render.overview import equations_page
from labml_txl.literate.render.page import Page
from labml_txl.literate.render.progress import PATH as TRANSLATIONS
from labml_txl.literate.render.progress import Progress, progress_page, translators
from labml_txl.literate.render.render import observed_on, render_page
from labml_txl.literate.render.resolve import Site, published, resolve
from labml_txl.literate.sources.blocks import Block
from labml_txl.literate.sources.repository import relative_to
from labml_txl.literate.sources.source import LiterateError, Source, files_below

# The URL that opens a notebook in Colab is this, followed by the URL of the notebook.
_COLAB = "https://colab.research.google.com/#fileId="
# The link to a tutorial in Colab: in plain Markdown, and on a page of the site.
_AS_LINK = "[{words}]({address})"
_AS_PARAGRAPH = '<p class="lit-launch"><a href="{address}">{words}</a></p>'


@dataclass(frozen=True)
class PageEntry:
    """A page in one language in all its formats, as the cache stores it.

    - `markdown`: the input of the host, and `text`: plain Markdown for other readers;
    - `notebook`: the notebook as JSON, or an empty string;
    - `title`, `description`: plain text;
    - `share`: the percentage of its messages that are translated;
    - `sentences`: JSON with the place at which each translated sentence is edited;
    - `faults`: the file, the line and the message of each fault.
    """

    markdown: str
    title: str
    description: str = ""
    text: str = ""
    notebook: str = ""
    share: int = 100
    faults: Sequence[tuple[str, int, str]] = ()
    sentences: str = "{}"


@dataclass(frozen=True)
class LocalizedProject:
    """A project in one language. Its properties are computed lazily and cached."""

    content: Content
    language: Language = ENGLISH

    @property
    def project(self) -> Project:
        """The settings of the project."""
        return self.content.project

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self.project.root

    @property
    def locale(self) -> Path:
        """The folder with a subfolder for each language."""
        return self.root / self.project.locale

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """The languages of the project, English first."""
        return (ENGLISH, *languages(self.locale, self.root))

    def into(self, language: Language) -> LocalizedProject:
        """The same project in another language."""
        return self if language == self.language else replace(self, language=language)

    # Addresses

    @cached_property
    def url(self) -> str:
        """The URL that the language is published at, or empty."""
        start = self.project.url or self.project.repository.pages
        return urljoin(start, self.language.folder) if start else ""

    @property
    def home(self) -> str:
        """The path of the language's front page on the server; `/` if unknown."""
        start = urlsplit(self.into(ENGLISH).url).path or "/"
        return urljoin(start, self.language.folder)

    def edit(self, path: str, line: int = 0) -> str:
        """The URL at which a file can be edited; empty if it does not exist."""
        there = (self.root / path).is_file()
        return self.project.repository.edit(path, line) if there else ""

    def edit_url(self, path: str, given: str) -> str:
        """The URL at which a page can be edited: its source, or its catalog.

        `given` is the host's edit URL, which we use for pages that are written by hand.
        The result is empty if no repository is configured.
        """
        repository, source = self.project.repository, self.source(path)
        known = source and repository.edit(source.path)
        address = known or given.replace(path, quote(path))
        file = self.catalog_file(path)
        if address and self.language != ENGLISH and file.is_file():
            return repository.edit(relative_to(file, self.root))
        return address

    def links(self, path: str) -> dict[str, str]:
        """The URLs of the other formats of a page, for its template.

        They are those of the Markdown, and where they exist, of the notebook and of
        Colab.
        """
        found = {"markdown_url": quote(beside(path, "md"))}
        module = self.content.by_path.get(path)
        runs = module and module.facts.readable and shows_something(module.exercises)
        if not runs and path not in self.content.tutorials:
            return found
        notebook_url = found["notebook_url"] = quote(beside(path, "ipynb"))
        whole = urljoin(self.url, notebook_url)
        in_colab = self.content.install and self.project.repository.in_colab
        if in_colab and whole.startswith("https://"):
            found["colab_url"] = f"{_COLAB}{quote(whole, safe='')}"
        return found

    def source(self, path: str) -> Source | None:
        """The file that a page is made from; None for one that is written by hand."""
        content = self.content
        if path == EQUATIONS:
            return next(iter(content.registries), None)
        made = content.by_path.get(path) or content.tutorials.get(path)
        return made.source if made else None

    def sources(self, path: str) -> tuple[Source, ...]:
        """The files that the formulas of a page may come from, to locate an error."""
        content, module = self.content, self.content.by_path.get(path)
        prose = content.prose(path) if path in self.project.prose else None
        exercises = module.exercises if module else None
        own = (self.source(path), exercises, prose)
        return tuple(dict.fromkeys(filter(None, (*own, *content.registries))))

    # Translation

    @cached_property
    def translation(self) -> Translation:
        """The translation into the language, which loads catalogs lazily."""
        if self.language == ENGLISH:
            return Translation()
        root, code, locale = self.root, self.language.code, self.locale

        @cache
        def catalog(page: str) -> Catalog:
            return load_catalog(locale, code, page, root)

        return Translation(self.language, catalog, self.edit, Labels(catalog("site")))

    def catalog_file(self, path: str) -> Path:
        """The path of the catalog of a page, which need not exist."""
        return file_of(self.locale, self.language.code, path)

    def _catalog_hash(self, path: str) -> str:
        file = self.catalog_file(path)
        if self.language == ENGLISH or not file.is_file():
            return ""
        edit = self.edit(relative_to(file, self.root))
        return hash_of(file.read_bytes(), edit)

    @property
    def names(self) -> tuple[str, str]:
        """The name and the description of the site, translated."""
        given = (*self.project.names, "", "")[:2]
        name, about = (self.translation.words(words, "site") for words in given)
        return name, about

    def nav_title(self, path: str) -> str | None:
        """The title that the navigation gives a page, translated, or None."""
        given = dict(self.project.titles).get(path)
        return self.translation.words(given, "site") if given else None

    def tally(self, path: str) -> Tally:
        """How many messages of a page are in which state."""
        messages = inventory(self.content).get(path.removesuffix(".md"), ())
        return tally_of((one.text for one in messages), self.translation.of(path))

    # Pages

    @cached_property
    def site(self) -> Site:
        """What rendering a page needs to know about the rest of the site."""
        content, project, translation = self.content, self.project, self.translation
        drawings = {name: f.drawing for name, f in content.figures.items()}
        return Site(
            index=content.index,
            pages={module.name: module.path for module in content.modules},
            rows={module.name: module.facts.rows for module in content.modules},
            registry=translation.registry(content.registry, EQUATIONS),
            equations=EQUATIONS,
            figures=project.root / project.docs,
            drawings=drawings,
            source=project.repository.source,
            address=partial(published, directory_urls=project.directory_urls),
            url=self.url,
            references=content.references,
            tag=self.language.tag,
            labels=translation.labels,
            drawing=translation.drawing,
            files_in_html=project.files_in_html,
        )

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all generated pages: modules first, in reading order.

        Raises `LiterateError` if a page written by hand has the path of a generated
        one.
        """
        content, project = self.content, self.project
        paths = [module.path for module in content.modules]
        paths += [EQUATIONS] if content.registry.papers else []
        paths += content.tutorials
        paths += [TRANSLATIONS] if len(self.languages) > 1 else []
        for path in {*paths} & {*project.prose}:
            message = "the engine makes this page: rename yours"
            raise LiterateError(f"{project.docs}/{path}", 1, message)
        return tuple(paths)

    @cached_property
    def entry(self) -> Callable[[str], PageEntry]:
        """A function from the path of a page to its `PageEntry`.

        It is memoized in addition to the cache, because a build calls it about six
        times for each page: for its Markdown, its other formats, its title and so on.
        """
        return lru_cache(maxsize=200)(self._entry)

    def _entry(self, path: str) -> PageEntry:
        content = self.content
        given: list[object] = [self._around, self._catalog_hash(path)]
        if module := content.by_path.get(path):
            record = content.records.get(module.source.path)
            seen = (record.digest, card_data(record)) if record else ()
            given += [module.source, module.exercises, seen]
            make: Callable[[], PageEntry] = partial(self._module_entry, path)
        elif tutorial := content.tutorials.get(path):
            given += [tutorial]
            make = partial(self._tutorial_entry, path)
        elif path in self.project.prose:
            source = content.prose(path)
            # A page with excerpts may depend on any module.
            given += [source, self._everything if "{{" in source.text else ""]
            make = partial(self._prose_entry, path)
        elif path == EQUATIONS:
            given += [self._everything]
            make = self._equations_entry
        else:
            given += [self._everything, *self._catalogs]
            make = self._translations_entry
        key = hash_of("page", path, self.language, *given)
        return content.cache.made(
            key, PageEntry, lambda: self._with_translation(path, make())
        )

    def _with_translation(self, path: str, entry: PageEntry) -> PageEntry:
        """Add the state of the translation to the entry of a page."""
        if self.language == ENGLISH:
            return entry
        messages = inventory(self.content).get(path.removesuffix(".md"), ())
        words, catalog = [one.text for one in messages], self.translation.of(path)
        return replace(
            entry,
            share=share_of(tally_of(words, catalog)),
            sentences=sentences(path, words, self.translation) or "{}",
            faults=[*entry.faults, *map(_as_tuple, catalog.faults)],
        )

    @cached_property
    def _around(self) -> str:
        """A hash of everything that any page may depend on, apart from its own files.

        From other modules, it only includes their names and anchors, so that editing
        the notes of a module does not invalidate all pages.
        """
        site = self.site
        labels = (self._catalog_hash(f"figures/{name}") for name in site.drawings)
        # The drawings in `docs`.
        figures = files_below(self.root / self.project.docs, {".svg"})
        return hash_of(
            json.dumps([(m.name, m.path, m.facts.seen) for m in self.content.modules]),
            (site.registry, site.references),
            (site.source, site.labels, self.language, self.project, self.url),
            self.content.install,
            (site.drawings, *labels),
            *(part for file in figures for part in (str(file), file.read_bytes())),
        )

    @cached_property
    def _everything(self) -> str:
        """A hash of the contents of all pages, for a page that may depend on any."""
        content, project = self.content, self.project
        modules = [(m.source, m.exercises) for m in content.modules]
        prose = [content.prose(path) for path in project.prose]
        given = (content.registries, content.proved, content.recorded_words)
        titles = [self._catalog_hash(module.path) for module in content.modules]
        return hash_of(modules, prose, *given, titles, *content.tutorials.values())

    @cached_property
    def _catalogs(self) -> tuple[bytes, ...]:
        """The contents of the catalogs and settings of all languages."""
        files = files_below(self.locale, {".po", ".toml"})
        return tuple(file.read_bytes() for file in files)

    @cached_property
    def page(self) -> Callable[[str], Page]:
        """A memoized function from a path to the translated page of a module."""
        return lru_cache(maxsize=200)(self._page)

    def _page(self, path: str) -> Page:
        module, translation = self.content.by_path[path], self.translation
        blocks = translation.blocks(module.blocks, path)
        page = module.page.with_blocks(blocks, translation.labels)
        record = self.content.records.get(module.source.path)
        if record is None or not module.facts.readable:
            return page
        return replace(page, observed=observed(module.source, record))

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages of all modules, in reading order."""
        return tuple(self.page(module.path) for module in self.content.modules)

    def _module_entry(self, path: str) -> PageEntry:
        module, faults = self.content.by_path[path], list[LiterateError]()
        page, english = self.page(path), module.page
        # Untranslated text is marked as English, and each heading gets its anchor from
        # the English text, so that anchors are the same in all languages. The anchors
        # of the rows are reserved first.
        taken = {section.anchor for section in english.sections}
        anchor = address(english.heading or english.title, taken)
        anchors = []
        for block in module.blocks:
            head, body = divided(block.note)
            within = block.opens != "module"
            body = anchored(body.lstrip("\n") if head else body, taken, first=within)
            anchors.append(block.with_note(head + body))
        marked = english.with_blocks(
            self.translation.blocks(tuple(anchors), path, marked=True)
        )
        heading = marked.heading or marked.title
        shown = replace(page, sections=marked.sections, heading=heading, anchor=anchor)
        markdown = render_page(shown, self.site, tell=faults.append)
        links = self.links(path)
        markdown = with_fields(markdown, links)
        cited = module.cited(self.content.registry)
        symbols = self.site.registry.symbols_of(citation.key for citation in cited)
        return PageEntry(
            with_symbols(markdown, symbols),
            page.title,
            page.description,
            text(page, self.site),
            notebook(page, self.site, self.content.install)
            if "notebook_url" in links
            else "",
            faults=[*map(_as_tuple, faults)],
        )

    def _tutorial_entry(self, path: str) -> PageEntry:
        written, translation = self.content.tutorials[path], self.translation
        output, taken = partial(translation.output, path=path), set[str]()

        def marked(words: str) -> str:
            return translation.markdown(anchored(words, taken), path, marked=True)

        plain_tutorial = written.translated(
            partial(translation.markdown, path=path), output
        )
        page = page_markdown(
            written.translated(marked, output), self.site, plain_tutorial
        )
        words = (
            Block(cell.text, (), range(cell.line, cell.line + 1))
            for cell in written.cells
            if cell.kind == "markdown"
        )
        symbols = self._symbols(written.source.path, words)
        return PageEntry(
            with_symbols(with_fields(page, self.links(path)), symbols),
            plain_tutorial.title,
            plain_tutorial.description,
            plain_markdown(plain_tutorial, self.site),
            document(plain_tutorial, self.site, self.content.install),
        )

    def _prose_entry(self, path: str) -> PageEntry:
        source, faults = self.content.prose(path), list[LiterateError]()
        translation, site = self.translation, self.site
        head, body = divided(source.text)
        line = head.count("\n") + 1
        resolved = resolve(
            translation.markdown(anchored(body, set()), path, marked=True),
            path,
            site,
            near="",
            path=source.path,
            line=line,
            tell=faults.append,
        )
        blocks = [Block(body, (), range(line, line + 1))]
        observed_pages: list[Page] = []

        def show(part: Page) -> str:
            blocks.extend(section.block for section in part.sections)
            # Faults in an excerpt are reported for the page of its module.
            shown = excerpt(self._marked(part), site, path, lambda fault: None)
            if "data-observed=" in shown:
                observed_pages.append(part)
            return shown

        links = self._colab_links(_AS_PARAGRAPH)
        markdown = translation.markdown(head, path)
        markdown += with_excerpts(resolved, self.page, site, show, links)
        markdown = with_symbols(markdown, self._symbols(source.path, blocks))
        if observed_pages:
            markdown = with_fields(
                markdown, {"observed": observed_on(observed_pages[0])}
            )
        words = portable(translation.markdown(body, path), path, site).strip() + "\n"
        as_text, links = partial(excerpt_text, site=site), self._colab_links(_AS_LINK)
        fields = {
            part.kind: translation.words(part.message, path)
            for part in cut(head)
            if part.message
        }
        heading = title_of(body.lstrip())[0]
        title = plain(translation.words(heading, path)) if heading else path
        return PageEntry(
            markdown,
            fields.get("title", title),
            fields.get("description", ""),
            with_excerpts(words, self.page, site, as_text, links),
            faults=[*map(_as_tuple, faults)],
        )

    def _marked(self, part: Page) -> Page:
        """Mark untranslated text in a part of a page as English."""
        written = {b.lines.start: b for b in self.content.by_path[part.path].blocks}
        blocks = tuple(written[section.block.lines.start] for section in part.sections)
        marked = self.translation.blocks(blocks, part.path, marked=True)
        sections = zip(part.sections, marked, strict=True)
        return replace(part, sections=tuple(replace(s, block=b) for s, b in sections))

    def _symbols(self, path: str, blocks: Iterable[Block]) -> tuple[Symbol, ...]:
        """The symbols of the equations that a text cites."""
        registry = self.site.registry
        found = citations(path, blocks, registry, lambda fault: None)
        return registry.symbols_of(citation.key for citation in found)

    def _colab_links(self, form: str) -> dict[str, str]:
        """The link that opens each tutorial in Colab, by the tutorial's dotted path.

        `form` is a template with the fields `words` and `address`. The link is empty if
        the tutorial cannot be opened in Colab.
        """
        words, found = self.site.labels("colab"), dict[str, str]()
        for path in self.content.tutorials:
            address = self.links(path).get("colab_url", "")
            name = path.removesuffix(".md").replace("/", ".")
            found[name] = form.format(words=words, address=address) if address else ""
        return found

    def _equations_entry(self) -> PageEntry:
        content, site = self.content, self.site
        marked = self.translation.registry(content.registry, EQUATIONS, marked=True)
        pages = [self.page(m.path) for m in content.modules if m.facts.cites]
        markdown = equations_page(marked, pages, content.cited, content.proved, site)
        return PageEntry(
            with_symbols(markdown, site.registry.symbols_of(site.registry.equations)),
            site.labels("equations_title"),
            site.labels("equations_description"),
            equations_text(site),
        )

    def _translations_entry(self) -> PageEntry:
        labels, messages = self.translation.labels, inventory(self.content)
        known = {*self.paths, *self.project.prose}
        titles = {
            page: self.entry(f"{page}.md").title
            for page in messages
            if f"{page}.md" in known
        }
        found = []
        for language in self.languages[1:]:
            other = self.into(language)
            files = {page: other.catalog_file(page) for page in messages}
            heads = [f.read_bytes()[:2_000] for f in files.values() if f.is_file()]
            found.append(
                Progress(
                    language,
                    {page: other.tally(page) for page in in_order_of_use(messages)},
                    {
                        page: self.edit(relative_to(file, self.root))
                        for page, file in files.items()
                    },
                    translators(head.decode("utf-8", "replace") for head in heads),
                )
            )
        help_page = "translate.md" if "translate.md" in known else ""
        title, about = labels("progress_title"), labels("progress_description")
        return PageEntry(progress_page(found, titles, labels, help_page), title, about)

    # Faults

    @property
    def faults(self) -> tuple[LiterateError, ...]:
        """All faults for authors and translators, without duplicates.

        Broken links to anchors and formulas that KaTeX rejects are not among them,
        since they are only found when the host makes HTML.
        """
        pages = [*self.paths, *self.project.prose]
        found = [*self.content.faults]
        for path in pages:
            found += [LiterateError(*fault) for fault in self.entry(path).faults]
        # The catalogs of labels and of interactive figures belong to no page.
        for page in (SITE, *(f"figures/{name}" for name in self.content.figures)):
            found += self.translation.of(page).faults
        return tuple({str(fault): fault for fault in found}.values())


def _as_tuple(fault: LiterateError) -> tuple[str, int, str]:
    return fault.path, fault.line, fault.message


def annotate(
    project: Project, language: Language = ENGLISH, cache: Cache | None = None
) -> LocalizedProject:
    """Open a project in a language, and read its modules.

    `cache` has the results of earlier builds. Raises `LiterateError` if the settings or
    a registry are not valid.
    """
    found = LocalizedProject(Content(project, cache), language)
    found.content.modules  # noqa: B018
    return found
