r"""# Observations

What a run of the annotated code shows. The shapes in the comments are held to the
shapes that came out. Only this room may import torch, and only in a function that runs
something.

The module: `shapes`.
"""
