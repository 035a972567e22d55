r"""# Checking a project

`txl check` looks at everything that the engine can know without building the site: are
all sources readable, do all citations lead to an equation, is every equation cited by
code and tested, can all formulas be set, and is each text translated in the blocks that
its page shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from labml_txl.literate.build.localized import LocalizedProject
from labml_txl.literate.equations.math import Formula, MathError, Typesetter
from labml_txl.literate.i18n.inventory import Texts
from labml_txl.literate.render.finished.blocks import Render, differences
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.cells import cells_of
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
        try:
            typesetter.set([Formula(equation.latex, display=True)])
        except MathError as error:
            yield f"{equation.key}: {error}"
    typesetter.close()


def misread(texts: Texts, render: Render) -> Iterator[str]:
    """The first block of each text that its page shows as another block."""
    for path, above, text in _written(texts):
        for line, fault in differences(text, render):
            yield f"{path}:{above + line}: {fault}"


def _written(texts: Texts) -> Iterator[tuple[str, int, str]]:
    """Each text of a project: its file, how many lines stand above it, the text."""
    for source in (*texts.prose.values(), *texts.exercises.values()):
        yield source.path, 0, source.text
    for source in texts.modules.values():
        for block in split(source):
            yield source.path, block.note_line - 1, block.note
    for source in texts.notebooks.values():
        for cell in cells_of(source).words:
            yield source.path, cell.line, cell.text
