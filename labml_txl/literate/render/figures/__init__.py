r"""# Figures

What a project draws, and what a reader can do with it.

The module: `touched`.
"""
