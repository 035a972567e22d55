r"""# A build for each language

Each language is a build of its own from the same source. The build of English asks for
the others, each in a process of its own.
"""

from __future__ import annotations

import logging
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.exceptions import Abort, PluginError

from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.site import Publication, answered
from labml_txl.literate.build.publishing.workers import Request, serve
from labml_txl.literate.mkdocs.serving import build_changed
from labml_txl.literate.mkdocs.settings import load, project, told
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


def _build_language(request: Request) -> bool:
    plugin, config = load(Path(request["settings"]))
    plugin.on_startup(command="serve" if request["served"] else "build", dirty=False)
    plugin.built = plugin.built if request["again"] else None
    with told():
        known = Edition(project(plugin.config, config)).languages
    plugin.language = language = next(x for x in known if x.code == request["language"])
    config.site_url = request["base"]
    config.site_dir = request["site_dir"]
    config.use_directory_urls = request["use_directory_urls"]
    config.strict = False
    for name in ("material/search", "search"):
        if search := config.plugins.get(name):
            search.config.lang = [*language.search] or None
            search.config.separator = language.separator or None
            search.config.pipeline = None
    (build_changed if request["served"] else build)(config, serve_url=request["served"])
    return bool(plugin.building.is_whole)
