r"""# Pages elsewhere

A page as plain Markdown, for readers who are not on the site. Its links are whole
addresses, and its code has line numbers. And the script of a figure that one can
touch, as browsers load it, and its picture. And the whole site as a book, for paper.

The modules: `text`, `picture`, `script`, `book`, `paper`.
"""
