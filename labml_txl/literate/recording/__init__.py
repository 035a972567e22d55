"""# Observations

The values that the names in annotated code had in a run, as data for the pages. Shape
comments are compared with the shapes of the run. Only this package may import torch,
and only in a function that runs something.

The modules: `bindings`, `records`, `tracing`, `shapes`, `recording`.
"""
