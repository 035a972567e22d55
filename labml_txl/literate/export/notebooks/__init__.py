"""# Notebooks

Exports an annotated module as a notebook. Reads, runs and renders tutorials, which are
notebooks written by hand, stored together with the outputs of their cells.

The modules: `first_cell`, `notebook`, `tutorial`, `execution`, `tutorial_page`.
"""
