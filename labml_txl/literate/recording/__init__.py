r"""# Observations

What a run of the annotated code shows: which values the names in it held, as data that
pages read. The shapes in the comments are held to the shapes that came out. Only this
package may import torch, and only in a function that runs something.

The modules: `bindings`, `records`, `tracing`, `shapes`, `recording`.
"""
