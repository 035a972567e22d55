"""# Checking a project

`txl check` reports everything that the engine can find without building the site:
sources that cannot be read, citations of unknown equations, equations that no code
cites or no test covers, and equations that KaTeX cannot render.
"""

from __future__ import annotations

from collections.abc import Iterator

from labml_txl.literate.equations.math import Formula, Typesetter
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.sources.source import LiterateError


def check(project: LocalizedProject) -> tuple[str, ...]:
    """Return the problems of a project, one line each; empty if there are none."""
    try:
        faults = [(fault.path, fault.line, str(fault)) for fault in project.faults]
    except LiterateError as error:
        return (str(error),)
    words = (words for _, _, words in sorted(faults))
    return (*words, *unfinished(project), *find_bad_formulas(project))


def unfinished(project: LocalizedProject) -> Iterator[str]:
    """Yield a message for each equation that is not cited or not tested."""
    cited = {citation.key for citation in project.content.cited}
    proved = {proof.key for proof in project.content.proved}
    for key in project.content.registry.equations:
        if key not in cited:
            yield f"{key}: cited by no note: cite it above the lines that compute it"
        if key not in proved:
            yield f'{key}: covered by no test: mark one with equation("{key}")'


def find_bad_formulas(project: LocalizedProject) -> Iterator[str]:
    """Yield a message for each error of KaTeX in an equation of the registry."""
    typesetter = Typesetter(dict(project.project.macros))
    for equation in project.content.registry.equations.values():
        typesetter.typeset([Formula(equation.latex, display=True)])
        yield from (f"{equation.key}: {fault}" for fault in typesetter.faults)
        typesetter.faults.clear()
    typesetter.close()
