r"""# Setting formulas

Formulas are set when the site is built, by KaTeX, as HTML for the eye and MathML for
screen readers. A page needs no script to show them. An error in a formula is told while
the site is built, and the page shows the formula as it is written.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from html import escape
from pathlib import Path

from labml_txl.literate.equations.node import NodeError, node, package
from labml_txl.literate.sources.source import LiterateError, Source


@dataclass(frozen=True)
class Formula:
    """The TeX of a formula, and whether it stands on lines of its own.

    `written` is the TeX before its symbols were marked, for messages.
    """

    tex: str
    display: bool = False
    written: str = field(default="", compare=False)


class MathError(Exception):
    """KaTeX's word on a formula that it cannot set."""

    def __init__(self, formula: Formula, message: str) -> None:
        super().__init__(message)
        self.formula = formula


class Typesetter:
    """A KaTeX process that lives for a whole build and forgets no formula.

    It starts with the first formula. `close` ends it.
    """

    def __init__(self) -> None:
        self._known: dict[Formula, str | MathError] = {}
        self._process: subprocess.Popen[str] | None = None
        # A host asks for them when a page is made: they are no part of its HTML.
        self.faults: list[MathError] = []

    def shown(self, formulas: Sequence[Formula]) -> list[str]:
        """The HTML of each formula. Of one that fails, that is its TeX.

        What was wrong with it is told to `faults`.
        """
        new = [f for f in dict.fromkeys(formulas) if f not in self._known]
        for formula, answer in zip(new, self._ask(new) if new else (), strict=True):
            fault = answer.get("error")
            self._known[formula] = (
                MathError(formula, fault) if fault else answer["html"]
            )
        answers = [self._known[formula] for formula in formulas]
        self.faults += [answer for answer in answers if isinstance(answer, MathError)]
        return [
            f'<code class="lit-fault">{escape(answer.formula.written)}</code>'
            if isinstance(answer, MathError)
            else answer
            for answer in answers
        ]

    def _ask(self, formulas: list[Formula]) -> list[dict[str, str]]:
        process = self._process or self._start()
        request = json.dumps([asdict(formula) for formula in formulas])
        if process.stdin is None or process.stdout is None:
            raise NodeError("Node was started without pipes")
        with suppress(BrokenPipeError):
            print(request, file=process.stdin, flush=True)
        if line := process.stdout.readline():
            answers: list[dict[str, str]] = json.loads(line)
            return answers
        status, self._process = process.wait(), None
        raise NodeError(f"Node ended with the exit status {status}")

    def _start(self) -> subprocess.Popen[str]:
        script = Path(__file__).with_name("katex.mjs")
        folder = package("katex").parents[1]
        self._process = subprocess.Popen(
            [node(), str(script), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        return self._process

    def close(self) -> None:
        """End the process. The next formula starts another."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


@cache
def typesetter() -> Typesetter:
    """The typesetter that is shared by all that were given none."""
    return Typesetter()


def located(error: MathError, sources: tuple[Source, ...]) -> LiterateError:
    """Find the text and the line of a formula: in its page, else in a registry."""
    message = f"{error}: correct the formula"
    for source in sources:
        if line := _line_of(error.formula.written, source):
            return LiterateError(source.path, line, message)
    return LiterateError(sources[0].path, 1, message)


def _line_of(tex: str, source: Source) -> int:
    """The line of a formula, whatever comment signs and spaces stand in it, or 0."""
    text, lines = "", list[int]()
    for number, line in enumerate(source.lines, start=1):
        words = _BRACKET.sub("$", "".join(line.lstrip(" #").split()))
        text += words
        lines += [number] * len(words)
    position = text.find(_BRACKET.sub("$", "".join(tex.split())))
    return lines[position] if position >= 0 else 0


# A formula in words of a formula is written with dollars or with these.
_BRACKET = re.compile(r"\\[()]")


def assets() -> dict[str, str | bytes]:
    """KaTeX's style sheet and its fonts, in the one format that browsers need.

    They stand by the paths that pages look for them at.
    """
    folder = package("katex") / "dist"
    sheet = (folder / "katex.min.css").read_text(encoding="utf-8")
    sheet = re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)', "", sheet)
    found: dict[str, str | bytes] = {"assets/katex/katex.min.css": sheet}
    for font in sorted((folder / "fonts").glob("*.woff2")):
        found[f"assets/katex/fonts/{font.name}"] = font.read_bytes()
    return found
