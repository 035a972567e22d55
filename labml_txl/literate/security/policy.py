"""# What a page may load and run

Every page contains a *Content Security Policy*, which the browser enforces. It allows
the script files of the site and the inline scripts of the templates, and no others. It
forbids requests to hosts that are not configured, forms and frames. If somebody managed
to inject a script into a page, the browser would not run it.

The policy lists inline scripts by their hash. Only scripts in the templates and in the
English prose are listed, since a translation, an annotated module or a notebook
contains none.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from urllib.parse import urlsplit

_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_LOADED = re.compile(
    r"<(?:script\b[^>]*?\bsrc|link\b(?=[^>]*\brel=\"?(?:stylesheet|preconnect|preload))"
    r"[^>]*?\bhref)=\"((?:https?:)?//[^\"]*)\"",
    re.IGNORECASE,
)
_CHARSET = re.compile(r"<meta charset=[^>]*>|<head[^>]*>", re.IGNORECASE)


def add_policy(
    page: str,
    frame: str,
    english: str = "",
    trusted: Iterable[str] = (),
    requested: Iterable[str] = (),
    *,
    preview: bool = False,
) -> str:
    """Insert the policy into the `<head>` of a page, before everything it applies to.

    `frame` is the output of the templates without the content of the page, and
    `english` the English source of the content; their inline scripts are allowed.
    `trusted` names other hosts that pages may load from, and `requested` those that the
    scripts of this page may request data from. In a `preview`, all inline scripts are
    allowed, because MkDocs adds one to each page that it serves.
    """
    hosts = dict.fromkeys([*map(_origin, _LOADED.findall(frame)), *trusted])
    scripts = dict.fromkeys([*inline_scripts(frame), *inline_scripts(english)])
    digests = ["'unsafe-inline'"] if preview else map(hash_script, scripts)
    rule = write_policy(digests, hosts, requested)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(rule)}">'
    meta = meta.replace("&#x27;", "'")
    return _CHARSET.sub(lambda match: f"{match[0]}\n{meta}", page, count=1)


def write_policy(
    digests: Iterable[str], hosts: Iterable[str] = (), requested: Iterable[str] = ()
) -> str:
    """The text of the policy. Inline styles are allowed, since formulas need them.

    `digests` allow scripts, `hosts` are allowed for all kinds of files, and
    `requested` only for requests of scripts.
    """
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
            f"connect-src {' '.join([own, *requested])}",
            "worker-src 'self'",
            "manifest-src 'self'",
            f"frame-src {frames}",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def hash_script(script: str) -> str:
    """The hash by which the policy allows an inline script."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def inline_scripts(html: str) -> Iterator[str]:
    """Yield the inline scripts in some HTML, without those that only contain JSON."""
    for attributes, text in _SCRIPT.findall(html):
        if not re.search(r"\bsrc\s*=|\bapplication/(?:ld\+)?json\b", attributes):
            yield text


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme or 'https'}://{parts.netloc}"
