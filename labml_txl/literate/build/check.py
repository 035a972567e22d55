r"""# Checking a project

`txl check` looks at everything that the engine can know without building the site: are
all sources readable, do all citations lead to an equation, is every equation cited by
code and tested, and can all formulas be set.
"""

from __future__ import annotations

from collections.abc import Iterator

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.equations.math import Formula, Typesetter
from labml_txl.literate.sources.source import LiterateError


def check(project: LocalizedProject) -> tuple[str, ...]:
    """What is wrong with a project, a line each; empty if nothing is."""
    try:
        faults = [(fault.path, fault.line, str(fault)) for fault in project.faults]
    except LiterateError as error:
        return (str(error),)
    words = (words for _, _, words in sorted(faults))
    return (*words, *unfinished(project), *bad_formulas(project))


def unfinished(project: LocalizedProject) -> Iterator[str]:
    """The equations that no code implements or no test names."""
    cited = {citation.key for citation in project.content.cited}
    proved = {proof.key for proof in project.content.proved}
    for key in project.content.registry.equations:
        if key not in cited:
            yield f"{key}: no note cites it: cite it above the lines that compute it"
        if key not in proved:
            yield f'{key}: no test has the mark equation("{key}")'


def bad_formulas(project: LocalizedProject) -> Iterator[str]:
    """The equations of the registry that KaTeX cannot set."""
    typesetter = Typesetter()
    for equation in project.content.registry.equations.values():
        typesetter.shown([Formula(equation.latex, display=True)])
        yield from (f"{equation.key}: {fault}" for fault in typesetter.faults)
        typesetter.faults.clear()
    typesetter.close()
