r"""# Sources

A file becomes a text with a path, and the text of a Python module becomes blocks: a
note and the code beside it. The names in the code are found by Python's own parser.
Nothing here runs what it reads, and nothing knows how it will be shown.

The modules: `source`, `syntax`, `docstrings`, `blocks`, `names`, `imports`,
`repository`, `cells`.
"""
