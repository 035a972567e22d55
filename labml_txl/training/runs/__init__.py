r"""The folder of a run, and where it runs.

The modules: `machine`, `checkpoint`, `lock`, `curve`, `plots`, `segments`,
`eight_bits`, `web`.
"""
