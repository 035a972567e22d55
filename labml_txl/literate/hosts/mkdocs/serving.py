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

from labml_txl.literate.edition.edition import Edition
from labml_txl.literate.edition.publishing.site import Publication
from labml_txl.literate.hosts.preview import Preview


def previewed(
    server: LiveReloadServer,
    config: MkDocsConfig,
    edition: Callable[[], Edition],
    site: Publication,
) -> LiveReloadServer:
    """The server, which keeps the site as it is saved.

    A fault is told, and the last good page stays. A build that MkDocs calls dirty asks
    each file whether it has changed.
    """
    only = {"dirty": True}
    again: Any = serve
    again.build = lambda config, **given: build.build(config, **{**given, **only})
    # It warns that such a build is not accurate: this one is.
    logging.getLogger(build.__name__).addFilter(
        lambda said: "dirty" not in str(said.msg)
    )
    builds = server.builder

    def english(*arguments: Any) -> None:
        try:
            builds(*arguments)
        except Abort as error:
            logging.getLogger("mkdocs").error("%s", error)

    preview = Preview(
        edition=edition,
        site=site,
        english=english,
        serve=server.serve_request,
        mount=server.mount_path,
        folder=Path(server.root),
        watched=map(Path, {config.docs_dir, *config.watch}),
    )
    server.builder = preview.build
    server.set_app(preview.answer)
    return server
