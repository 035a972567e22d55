"""The folder of a run, and the device on which it runs.

The modules: `machine`, `checkpoint`, `lock`, `curve`, `plots`, `segments`,
`eight_bits`, `web`.
"""
