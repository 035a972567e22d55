"""# Markdown

The grammar of notes and prose. A text is divided into the messages that translators
see, and a message into its pieces: text, code, formulas, links. Joined, the parts are
identical to the text. This package does not depend on equations, languages or pages.

The modules: `inline`, `headings`, `front_matter`, `blocks`, `messages`.
"""
