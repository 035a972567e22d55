r"""# Pages

A page as a value, and its Markdown: notes with their links, code with its colours, the
page of equations, the page that tells how much is translated. Nothing here reads or
writes a file, and nothing knows which program makes the site.

The modules: `figures`, `observed`, `page`, `references`, `resolve`,
`highlight`, `render`, `overview`, `progress`, `html`.
"""
