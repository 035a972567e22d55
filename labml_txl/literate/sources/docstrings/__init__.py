r"""# Docstrings

What people write into docstrings, and Python or Markdown would read in another way:
formulas without an `r`, examples, lists of arguments.

The modules: `escapes`, `examples`, `sections`.
"""
