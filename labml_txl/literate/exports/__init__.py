r"""# Pages elsewhere

A page as plain Markdown, for readers who are not on the site. Its links are whole
addresses, and its code has line numbers.

The module: `text`.
"""
