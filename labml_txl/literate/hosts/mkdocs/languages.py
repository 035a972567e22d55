r"""# A build for each language

A site has many languages, and each is a build of its own from the same source. The
build of English starts the others, each in a process of its own, and waits for them.

A build that fails changes nothing: pages are written beside the site, and take its
place only when all of them, in all languages, are whole.
"""

from __future__ import annotations

import logging
import shutil
import traceback
from concurrent.futures import Future
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError

from labml_txl.literate.edition.workers import Answer, Request, Workers, serve
from labml_txl.literate.hosts.mkdocs.settings import load, root_of, told
from labml_txl.literate.sources.source import LiterateError
from labml_txl.literate.translation.languages import Language, languages

# The Python that a process runs to build languages when it is asked to.
_WORKER = f"from {__name__} import build_languages; build_languages()"
_LOG = logging.getLogger("mkdocs")


class Said(logging.Handler):
    """Collects the warnings and errors of a build, with their levels.

    With `--strict` one of them spoils it.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[tuple[int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append((record.levelno, record.getMessage()))


class Site:
    """The site in all its languages: built beside the old one, and put in its place."""

    def __init__(self) -> None:
        self.serving = False
        self._workers = Workers(_WORKER)
        self._building: dict[str, Future[Answer]] = {}
        self._said = Said()
        self._goal = ""

    def begin(self, config: MkDocsConfig) -> None:
        """Build beside the site, so that a build that fails leaves it as it was."""
        self._said.messages.clear()
        _LOG.addHandler(self._said)
        self._goal = config.site_dir
        config.site_dir = f"{config.site_dir}.partial"

    def start_all(
        self, config: MkDocsConfig, base: str, others: tuple[Language, ...]
    ) -> None:
        """Start the builds of the other languages, into folders of the new site."""
        if not self.serving:
            for language in others:
                target = Path(config.site_dir, language.code)
                self._building[language.code] = self.start(
                    config, base, language, target
                )

    def start(
        self, config: MkDocsConfig, base: str, language: Language, target: Path
    ) -> Future[Answer]:
        """Start the build of a language into a folder."""
        request = {
            "settings": config.config_file_path,
            "language": language.code,
            "site_dir": str(target),
            "base": base,
            "use_directory_urls": config.use_directory_urls,
            "serving": self.serving,
        }
        return self._workers.ask(language.code, request)

    def finish(self, config: MkDocsConfig, others: tuple[Language, ...]) -> None:
        """Every page is whole: put the new site in the place of the old."""
        building, self._building = self._building, {}
        for code, future in building.items():
            say(code, answer := future.result())
            if answer.error:
                raise PluginError(answer.error)
        partial, config.site_dir = config.site_dir, self._goal
        _LOG.removeHandler(self._said)
        if not (config.strict and self._said.messages):
            for language in others if self.serving else ():
                # While somebody writes, a language is built when it is looked at.
                if (old := Path(config.site_dir, language.code)).is_dir():
                    old.rename(Path(partial, language.code))
            shutil.rmtree(config.site_dir, ignore_errors=True)
            Path(partial).rename(config.site_dir)
        shutil.rmtree(partial, ignore_errors=True)
        if not self.serving:
            self.end()

    def fail(self) -> None:
        """Leave no half of a site."""
        self._building.clear()
        if not self.serving:
            self.end()
        _LOG.removeHandler(self._said)
        shutil.rmtree(f"{self._goal}.partial", ignore_errors=True)

    def end(self) -> None:
        """End the builds of other languages."""
        self._workers.end()


def say(code: str, answer: Answer) -> None:
    """Tell what was told in the build of a language."""
    for level, message in answer.messages:
        _LOG.log(level, "%s: %s", code, message)


def build_languages() -> None:
    """Build a language, as often as the build of English asks: what a process runs."""
    _LOG.propagate = False
    logging.getLogger("jieba").setLevel(logging.WARNING)
    serve(_answer)


def _answer(request: Request) -> Answer:
    said = Said()
    _LOG.addHandler(said)
    error = ""
    try:
        _build_language(request)
    except (Abort, LiterateError, PluginError) as fault:
        # MkDocs has told the fault and then says that it stops.
        errors = [text for level, text in said.messages if level >= logging.ERROR]
        error = errors[-1] if errors else str(fault)
    except Exception:
        error = traceback.format_exc()
    _LOG.removeHandler(said)
    messages = tuple(m for m in said.messages if m[1] != error)
    return Answer(messages, error)


def _build_language(request: Request) -> None:
    plugin, config = load(Path(request["settings"]))
    root = root_of(config)
    with told():
        found = {
            lang.code: lang for lang in languages(root / plugin.config.locale, root)
        }
    plugin.language = language = found[request["language"]]
    plugin.base = request["base"]
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
