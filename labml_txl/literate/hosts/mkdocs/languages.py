r"""# A build for each language

Each language is a build of its own from the same source. The build of English asks for
the others, each in a process of its own.
"""

from __future__ import annotations

import logging
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.exceptions import Abort, PluginError

from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.edition.publishing.site import Publication, answered
from labml_txl.literate.edition.publishing.workers import Request, serve
from labml_txl.literate.hosts.mkdocs.settings import load, project, told
from labml_txl.literate.sources.source import LiterateError

_LOG = logging.getLogger("mkdocs")


def publication() -> Publication:
    """A site of MkDocs, until it is whole."""
    return Publication(f"from {__name__} import build_languages as b; b()", _LOG)


def build_languages() -> None:
    """Build a language, as often as the build of English asks: what a process runs."""
    _LOG.propagate = False
    faults = (Abort, LiterateError, PluginError)
    serve(lambda asked: answered(lambda: _build_language(asked), _LOG, faults))


def _build_language(request: Request) -> None:
    plugin, config = load(Path(request["settings"]))
    with told():
        known = Edition(project(plugin.config, config)).languages
    language = next(one for one in known if one.code == request["language"])
    plugin.language = language
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
    build(config, serve_url=request["served"])
