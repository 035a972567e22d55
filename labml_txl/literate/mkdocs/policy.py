r"""# What a page may load and run

Every page carries a rule that the browser keeps (a *Content Security Policy*): it runs
the scripts of the site itself and those that the templates hold, and no other. It asks
no other host for anything, sends no form, and shows no page within the page. Should a
script of a stranger ever come into a page, it stays text.

A script within a page is known by the digest of its text. Only the templates and the
English prose are asked for such scripts: a translation, an annotated module or a
notebook brings none.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from labml_txl.literate.build.localized import LocalizedProject

_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_LOADED = re.compile(
    r"<(?:script\b[^>]*?\bsrc|link\b(?=[^>]*\brel=\"?(?:stylesheet|preconnect|preload))"
    r"[^>]*?\bhref)=\"((?:https?:)?//[^\"]*)\"",
    re.IGNORECASE,
)
_CHARSET = re.compile(r"<meta charset=[^>]*>|<head[^>]*>", re.IGNORECASE)


def secured(
    page: str,
    frame: str,
    english: str = "",
    trusted: Iterable[str] = (),
    models: Iterable[str] = (),
    *,
    preview: bool = False,
) -> str:
    """A page with its rule, which stands before all that it rules.

    `frame` is what the templates gave, without the content of the page; `english` is
    the English content. `trusted` names other hosts that a page may ask. A page with a
    model that runs in it, `<txl-model>`, may fetch it from the hosts of `models` too.
    In a `preview`, MkDocs adds a script to each page that it serves.
    """
    hosts = dict.fromkeys([*map(_origin, _LOADED.findall(frame)), *trusted])
    scripts = dict.fromkeys([*inline_scripts(frame), *inline_scripts(english)])
    fetched = models if "<txl-model" in english else ()
    digests = ["'unsafe-inline'"] if preview else map(digest, scripts)
    rule = policy(digests, hosts, fetched)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(rule)}">'
    meta = meta.replace("&#x27;", "'")
    return _CHARSET.sub(lambda match: f"{match[0]}\n{meta}", page, count=1)


def sealed(
    page: str,
    frame: str,
    localized: LocalizedProject,
    path: str,
    *,
    preview: bool = False,
) -> str:
    """A page after its last step, with its rule; `path` is that of its Markdown.

    Only English prose may run something: no module, no notebook, no translation.
    """
    # A page with a model only, which is no site, needs the rule without all this.
    from labml_txl.literate.render.html import finished

    project, whole = localized.project, finished(page, localized.translation)
    english, hosts = (
        localized.english_prose(path),
        (project.trusted, project.model_hosts),
    )
    return secured(whole, frame, english, *hosts, preview=preview)


def policy(
    digests: Iterable[str], hosts: Iterable[str] = (), fetched: Iterable[str] = ()
) -> str:
    """The rule itself. Formulas need the `style` of elements."""
    own = " ".join(["'self'", *hosts])
    frames = " ".join(hosts) or "'none'"
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join([own, *digests])}",
            "script-src-attr 'none'",
            f"style-src {own} 'unsafe-inline'",
            f"img-src {own} data:",
            f"font-src {own}",
            f"media-src {own}",
            f"connect-src {' '.join([own, *fetched])}",
            "worker-src 'self'",
            "manifest-src 'self'",
            f"frame-src {frames}",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def digest(script: str) -> str:
    """The name of a script within a page, for the rule."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def inline_scripts(html: str) -> Iterator[str]:
    """The texts of the scripts that stand in HTML itself; data is no script."""
    for attributes, text in _SCRIPT.findall(html):
        if not re.search(r"\bsrc\s*=|\bapplication/(?:ld\+)?json\b", attributes):
            yield text


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme or 'https'}://{parts.netloc}"
