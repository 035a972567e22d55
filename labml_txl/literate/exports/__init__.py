r"""# Pages elsewhere

A page as plain Markdown, for readers who are not on the site. Its links are whole
addresses, and its code has line numbers. The script of a figure that one can touch, as
browsers load it. And the whole site as a book, for paper.

The modules: `text`, `script`, `book`, `paper`.
"""
