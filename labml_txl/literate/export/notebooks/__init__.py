r"""# Notebooks

An annotated module as a notebook, and tutorials: notebooks that somebody wrote, with
the outputs of their cells.

The modules: `first_cell`, `notebook`, `tutorial`, `execution`, `tutorial_page`.
"""
