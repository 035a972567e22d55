r"""# Assembling a page

A page is what a source becomes for the reader: a title, a description, and the blocks
with an address each. Which HTML or Markdown it turns into is decided later.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.markdown.front_matter import divided
from labml_txl.literate.markdown.headings import title_of
from labml_txl.literate.markdown.inline import plain
from labml_txl.literate.markdown.messages import cut
from labml_txl.literate.render.observed import Observed
from labml_txl.literate.sources.blocks import Block, Line, heading_of
from labml_txl.literate.sources.imports import fold
from labml_txl.literate.sources.names import Module
from labml_txl.literate.sources.source import Source


@dataclass(frozen=True, slots=True)
class Section:
    """A block with its address on the page and the heading above it, if it has one.

    The heading is a name in the code, or the words that the note itself begins with.
    """

    anchor: str
    block: Block
    heading: str = ""
    level: int = 0


@dataclass(frozen=True)
class Page:
    """An annotated module as a reader sees it.

    - `source`: the file that it shows;
    - `module`: the dotted name of the module;
    - `path`: where the page stands in the site, for example `models/memory.md`;
    - `description`: one or two sentences for search engines, without markup;
    - `heading`: the title as the page shows it, if that is another;
    - `anchor`: the address of the title, if it has one of its own;
    - `observed`: what it shows of a run;
    - `exercises`: the file with the exercises at its end, if it has any;
    - `folded`: the imports that it begins with, and the code of its first block behind
      them.
    """

    source: Source
    module: str
    path: str
    title: str
    description: str
    sections: tuple[Section, ...]
    heading: str = ""
    anchor: str = ""
    observed: Observed = field(default_factory=Observed)
    exercises: Source | None = None
    folded: tuple[tuple[Line, ...], tuple[Line, ...]] = ((), ())

    def with_blocks(
        self, blocks: tuple[Block, ...], labels: Labels | None = None
    ) -> Page:
        """The same page with its notes in other words, the title still in the first.

        The first note may begin with a head, as a page of Markdown does. What that says
        of the title and the description counts, and the page does not show it.
        """
        first = blocks[0].note if blocks and blocks[0].opens == "module" else ""
        head, text = divided(first)
        given = {part.kind: part.message for part in cut(head) if part.message}
        heading, rest = title_of(text.lstrip("\n"))
        if heading or head:
            above = first.removesuffix(rest).count("\n")
            begins = blocks[0].note_line + above
            blocks = (replace(blocks[0], note=rest, begins=begins), *blocks[1:])
        is_package = self.source.stem == "__init__"
        name = self.module.rpartition(".")[2] if is_package else self.source.stem
        words = name.replace("_", " ").strip().capitalize() or self.module
        title = given.get("title") or plain(heading) or words
        about = given.get("description") or given.get("summary")
        sections = zip(self.sections, blocks, strict=True)
        return replace(
            self,
            title=title,
            heading=heading if heading != title else "",
            description=about
            or description_of(rest or text, self.module, labels or Labels()),
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
    """Make a page of blocks: find its title, its description and its addresses."""
    sections = tuple(_sections(source, blocks))
    folded = fold(source, blocks[0].shown if blocks else ())
    made = Page(source, module, path, "", "", sections, folded=folded)
    return replace(made, exercises=exercises).with_blocks(blocks)


def description_of(note: str, module: str, labels: Labels) -> str:
    """The first paragraph, cut at the end of a sentence or word near 155 letters."""
    paragraphs = (plain(part.raw) for part in cut(note) if part.message)
    text = next(filter(None, paragraphs), labels("no_description", module=module))
    if len(text) <= 160:
        return text
    sentences = re.match(r".{61,154}(?:\.(?= )|。)", text)
    return sentences[0] if sentences else f"{text[:154].rpartition(' ')[0]} …"


def _sections(source: Source, blocks: tuple[Block, ...]) -> list[Section]:
    """Number the blocks of a scope: `Memory.update`, `Memory.update.2`, …

    An address holds no line number, so a link to it outlives the lines above it.
    """
    seen: Counter[str] = Counter()
    sections = []
    for block in blocks:
        base = block.scope or source.stem.strip("_")
        base += ".exercises" * (block.opens == "exercises")
        seen[base] += 1
        anchor = base if seen[base] == 1 else f"{base}.{seen[base]}"
        heading, level = heading_of(block)
        sections.append(Section(anchor, block, heading, level))
    return sections


def rows(page: Page, module: Module) -> Mapping[str, str]:
    """The address on a page of each class, function and method of its module.

    Not each has a row of its own: a method such as `__enter__` may stand in that of
    its class. The address is that of the row which shows the definition.
    """
    shown = {n: s.anchor for s in page.sections for n in s.block.lines}
    found: dict[str, str] = {}
    for name in module.uses:
        if name.defined and name.line in shown:
            qualified = name.target.removeprefix(f"{module.name}.")
            found.setdefault(qualified, shown[name.line])
    return found
