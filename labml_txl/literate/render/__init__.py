"""# Pages

Assembles a `Page` from the blocks of a module and renders it as Markdown: the notes
with their links resolved, the code with syntax highlighting. Also renders the page of
equations and the page of translation progress. Only figures, inventories and the style
sheet are read from files here, nothing is written, and nothing depends on the host
(MkDocs or Zensical) that makes HTML of the Markdown.

The modules: `figures`, `observed`, `page`, `references`, `resolve`,
`highlight`, `render`, `equations`, `translations`, `tables`, `html`.
"""
