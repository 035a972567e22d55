"""# Other formats of a page

Exports a page as plain Markdown for readers outside the site, with absolute links and
line numbers, and as a notebook (`notebooks`). Also writes the script of an interactive
figure as browsers load it, and drawings as stand-alone pictures.

The modules: `text`, `picture`, `script`.
"""
