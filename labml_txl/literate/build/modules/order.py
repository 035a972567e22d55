r"""# The order of reading

The docstring of a package names its modules in the order in which they are to be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from labml_txl.literate.build.modules.files import Known
from labml_txl.literate.markdown.inline import scan


def in_reading_order(modules: Iterable[Known]) -> list[Known]:
    """The order in which the docstrings of the packages name their modules.

    A package comes before its modules. Those that it does not name come last, by name.
    """
    modules = tuple(modules)
    packages = {m.name: _mentions(m) for m in modules if m.source.stem == "__init__"}

    def place(module: Known) -> list[tuple[int, str]]:
        steps: list[tuple[int, str]] = []
        package, _, stem = module.name.rpartition(".")
        while package in packages:
            named = packages[package]
            place = named.index(stem) if stem in named else len(named)
            steps.insert(0, (place, stem))
            package, _, stem = package.rpartition(".")
        return steps

    given = {m.path.partition("/")[0]: i for i, m in reversed([*enumerate(modules)])}
    return sorted(modules, key=lambda m: (given[m.path.partition("/")[0]], place(m)))


def _mentions(package: Known) -> list[str]:
    """The modules that a package names, in its order."""
    note = package.blocks[0].note if package.blocks else ""
    return [
        piece.body if piece.kind == "code" else PurePosixPath(piece.target).stem
        for piece in scan(note)
        if piece.kind in {"code", "link"}
    ]
