"""The folder of a run, and the device on which it runs.

The modules: `machine`, `processes`, `checkpoint`, `lock`, `curve`, `plots`,
`trackers`, `eight_bits`, `web`.
"""
