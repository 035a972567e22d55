r"""# The folder of a run

Where a run is kept: one process writes to it at a time, and what it writes is whole at
any time and can be checked.

In the order of reading:

- `tensors`: a run under names, and back.
- `checkpoint`: a run on disk, whole at any time.
- `kept`: the best states of a run, under names of their own.
- `lock`: one process a folder.
- `eight_bits`: a model in a quarter of the bytes, to be published.
"""
