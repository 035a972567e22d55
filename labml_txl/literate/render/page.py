"""# Assembling a page

A page is the structure of an annotated module: a title, a description, and its blocks,
each with an anchor. It does not depend on the output format: other modules render it
as Markdown for a host, as plain Markdown or as a notebook.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.markdown.inline import plain_text
from labml_txl.literate.markdown.note import Note, Part
from labml_txl.literate.render.observed import Observed
from labml_txl.literate.sources.blocks import Block, Line, heading_of
from labml_txl.literate.sources.imports import fold
from labml_txl.literate.sources.names import Module
from labml_txl.literate.sources.source import Source


@dataclass(frozen=True, slots=True)
class Section:
    """A block with its anchor on the page and the heading above it, if it has one.

    The heading is the name of the class or function that the block begins.
    """

    anchor: str
    block: Block
    heading: str = ""
    level: int = 0

    @property
    def computes(self) -> bool:
        """Whether its code may compute an equation that its note cites.

        The first note of a module explains an equation; the imports beside it do not
        compute it.
        """
        return self.block.opens != "module" and bool(self.block.visible_code)


@dataclass(frozen=True)
class Page:
    """The page of an annotated module, independent of the output format.

    - `source`: the file of the module;
    - `module`: the dotted name of the module;
    - `path`: the path of the page in the site, for example `models/memory.md`;
    - `title`: plain text;
    - `description`: one or two sentences for search engines, without markup;
    - `heading`: the heading that the title is taken from, with its markup;
    - `anchor`: the anchor of the title, if it needs an explicit one;
    - `observed`: the observed values that the page shows;
    - `exercises`: the file with the exercises at the end of the page, if there is one;
    - `folded`: the imports at the beginning, which the page collapses, and the code
      behind them in the first block.
    """

    source: Source
    module: str
    path: str
    title: str
    description: str
    sections: tuple[Section, ...]
    heading: Part | None = None
    anchor: str = ""
    observed: Observed = field(default_factory=Observed)
    exercises: Source | None = None
    folded: tuple[tuple[Line, ...], tuple[Line, ...]] = ((), ())

    def with_blocks(
        self, blocks: tuple[Block, ...], labels: Labels | None = None
    ) -> Page:
        """A copy of the page with other notes, for example translated ones.

        The first note contains the title. It may begin with front matter, whose title
        and description then take precedence, and which the page does not show. `labels`
        are needed for the description of a module without text.
        """
        opens = blocks and blocks[0].opens == "module"
        first = blocks[0].note if opens else Note()
        given = {part.kind: part.message for part in first.head.parts if part.message}
        heading, rest = first.title, first.untitled
        for part in rest.parts:
            # The title of the front matter may be repeated below the first sentence.
            if part.kind == "heading" and part.message == given.get("title"):
                rest = rest.without(part)
                break
        if heading or first.head:
            blocks = (blocks[0].with_note(rest), *blocks[1:])
        is_package = self.source.stem == "__init__"
        name = self.module.rpartition(".")[2] if is_package else self.source.stem
        words = name.replace("_", " ").strip().capitalize() or self.module
        title = (
            given.get("title") or plain_text(heading.pieces if heading else ()) or words
        )
        about = given.get("description") or given.get("summary")
        sections = zip(self.sections, blocks, strict=True)
        return replace(
            self,
            title=title,
            heading=heading,
            description=about
            or description_of(rest or first, self.module, labels or Labels()),
            sections=tuple(
                replace(section, block=block) for section, block in sections
            ),
        )


def assemble(
    source: Source,
    blocks: tuple[Block, ...],
    *,
    module: str,
    path: str,
    exercises: Source | None = None,
) -> Page:
    """Make a page from blocks: derive its title, its description and its anchors."""
    sections = tuple(_anchor_blocks(source, blocks))
    folded = fold(source, blocks[0].visible_code if blocks else ())
    made = Page(source, module, path, "", "", sections, folded=folded)
    return replace(made, exercises=exercises).with_blocks(blocks)


def description_of(note: Note, module: str, labels: Labels) -> str:
    """The first paragraph of a note as plain text, of at most about 160 characters.

    A longer one is cut at the end of a sentence, or else of a word.
    """
    paragraphs = (plain_text(part.pieces) for part in note.parts if part.message)
    text = next(filter(None, paragraphs), labels("no_description", module=module))
    if len(text) <= 160:
        return text
    sentences = re.match(r".{61,154}(?:\.(?= )|。)", text)
    return sentences[0] if sentences else f"{text[:154].rpartition(' ')[0]} …"


def _anchor_blocks(source: Source, blocks: tuple[Block, ...]) -> list[Section]:
    """Give each block an anchor: `Memory.update`, `Memory.update.2`, …

    Anchors contain no line numbers, so that links stay valid when lines are added or
    removed above.
    """
    seen: Counter[str] = Counter()
    sections = []
    for block in blocks:
        base = block.scope or source.stem.strip("_")
        if base.startswith("__"):
            # Ids that begin like this belong to the theme.
            base = f"{source.stem.strip('_')}.{base}"
        base += ".exercises" * (block.opens == "exercises")
        seen[base] += 1
        anchor = base if seen[base] == 1 else f"{base}.{seen[base]}"
        heading, level = heading_of(block)
        sections.append(Section(anchor, block, heading, level))
    return sections


def find_rows(page: Page, module: Module) -> Mapping[str, str]:
    """The anchor of each class, function and method on the page of its module.

    It is the anchor of the row that shows the definition. Several definitions may share
    a row: a method such as `__enter__` may be in the row of its class.
    """
    shown = {n: s.anchor for s in page.sections for n in s.block.lines}
    found: dict[str, str] = {}
    for name in module.uses:
        if name.defined and name.line in shown:
            qualified = name.target.removeprefix(f"{module.name}.")
            found.setdefault(qualified, shown[name.line])
    return found
