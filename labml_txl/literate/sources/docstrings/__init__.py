r"""# Docstrings

What people write into docstrings, and Python or Markdown would read in another way:
formulas without an `r` or in the way of Sphinx, examples, lists of arguments.

The modules: `escapes`, `roles`, `formulas`, `examples`, `sections`.
"""
