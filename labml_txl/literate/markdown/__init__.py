r"""# Markdown

The grammar of notes and prose, and the only one. A text is cut into the messages that
a translator sees, and a message into its pieces: words, code, formulas, links. What was
cut can be put together again, byte by byte. Nothing here knows of equations, languages
or pages.

The modules: `inline`, `headings`, `front_matter`, `elements`, `blocks`, `messages`,
`svg`, `trusted`.
"""
