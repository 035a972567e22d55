"""# Macros of TeX outside of the site

The formulas of a site may use the macros of its settings. Other programs do not have
them, so an exported formula contains what they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_PARAMETER = re.compile(r"#([1-9])")
# KaTeX has a limit of 1,000 expansions in a formula too.
_MOST = 1_000


def expand(tex: str, macros: Mapping[str, str]) -> str:
    """A formula in which the macros are replaced by what they stand for.

    Of a formula in which they refer to themselves, the rest is left unchanged.
    """
    position = 0
    for _ in range(_MOST if macros else 0):
        while (found := _COMMAND.search(tex, position)) and found[0] not in macros:
            position = found.end()
        if not found:
            break
        body, end = macros[found[0]], found.end()
        given = [""]
        for _ in range(max(map(int, _PARAMETER.findall(body)), default=0)):
            argument, end = _argument(tex, end)
            given.append(argument)
        body = _PARAMETER.sub(lambda m, given=given: given[int(m[1])], body)  # type: ignore[misc]
        before, after = tex[: found.start()], tex[end:]
        if before.rstrip().endswith(("_", "^")):
            body = f"{{{body}}}"
        elif after[:1].isalpha() and body[-1:].isalpha():
            body += " "
        tex, position = before + body + after, found.start()
    return tex


def _argument(tex: str, start: int) -> tuple[str, int]:
    """The argument of a command that begins at a position, and the end of it."""
    while tex[start : start + 1].isspace():
        start += 1
    if tex[start : start + 1] != "{":
        single = _COMMAND.match(tex, start)
        end = single.end() if single else start + 1
        return tex[start:end], end
    depth = 0
    for sign in _BRACE.finditer(tex, start):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if not depth:
            return tex[start + 1 : sign.start()], sign.end()
    return tex[start + 1 :], len(tex)
