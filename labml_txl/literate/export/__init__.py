r"""# Pages elsewhere

A page as plain Markdown, for readers who are not on the site. Its links are whole
addresses, and its code has line numbers. And the script of a figure that one can
touch, as browsers load it, and its picture.

The modules: `text`, `picture`, `script`.
"""
