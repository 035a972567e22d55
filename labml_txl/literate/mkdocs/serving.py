r"""# The server of MkDocs

It builds at every save and answers readers. Here both are handed to the preview, which
knows the languages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.commands import build, serve
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer

from labml_txl.literate.build.edition import Edition
from labml_txl.literate.build.publishing.site import Publication
from labml_txl.literate.mkdocs.preview import Preview


def build_changed(config: MkDocsConfig, serve_url: str, **given: Any) -> None:
    """Build what has changed: MkDocs calls that dirty, and warns of it in vain."""
    logging.getLogger(build.__name__).addFilter(_is_needed)
    build.build(config, serve_url=serve_url, dirty=True)


def _is_needed(said: logging.LogRecord) -> bool:
    return "dirty" not in str(said.msg)


def previewed(
    server: LiveReloadServer,
    config: MkDocsConfig,
    edition: Callable[[], Edition],
    site: Publication,
) -> LiveReloadServer:
    """The server, which keeps the site as it is saved.

    A fault is told, and the last good page stays.
    """
    again: Any = serve
    again.build = build_changed
    builds = server.builder

    def english(*arguments: Any) -> None:
        try:
            builds(*arguments)
        except Abort as error:
            logging.getLogger("mkdocs").error("%s", error)

    answers = server.serve_request, server.mount_path, Path(server.root)
    watched = map(Path, {config.docs_dir, *config.watch})
    preview = Preview(edition, site, english, *answers, watched)
    server.builder = preview.build
    server.set_app(preview.answer)
    return server
