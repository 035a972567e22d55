"""# Sources

A file becomes a text with a path, and the text of a Python module becomes blocks, each
with a note and the code beside it. The names in the code are found by Python's own
parser. This package does not run the code, and does not depend on how it is rendered.

The modules: `source`, `header`, `syntax`, `docstrings`, `blocks`, `names`, `imports`,
`repository`, `cells`.
"""
