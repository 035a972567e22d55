r"""# Learning

How far a step goes, by which rule, and when enough has been learned. The trainer asks
these three at every step or every validation, and knows no more of them.

In the order of reading:

- `schedules`: the learning rate, step by step.
- `optimizers`: AdamW, or Muon for the matrices.
- `standing`: the best states, and when to stop.
"""
