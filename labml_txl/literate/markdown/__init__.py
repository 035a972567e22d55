"""# Markdown

The grammar of notes and prose. A text is parsed once and becomes a `Note`: its blocks,
and the pieces of each block: text, code, formulas, links. Joined, the pieces are
identical to the text. This package does not depend on equations, languages or pages.

The modules: `front_matter`, `inline`, `blocks`, `message`, `host`, `note`.
"""
