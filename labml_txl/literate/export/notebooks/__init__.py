r"""# Notebooks

An annotated module as a notebook, and tutorials: notebooks that somebody wrote, with
what their cells gave. Their words are those of a page outside the site, so this room
builds on `pages` and `exports`.

The modules: `first_cell`, `notebook`, `tutorial`, `claims`, `execution`,
`tutorial_page`.
"""
