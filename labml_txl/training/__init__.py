r"""# Training

How a model is trained, measured and asked to write: the code behind `txl data`,
`txl train`, `txl evaluate` and `txl generate`.

In the order of reading:

- `cache`: files that are whole or not there.
- `tiny_shakespeare`: a million characters, bit for bit.
- `vocabulary`: characters or bytes become numbers.
- `corpora`: texts, and the parts that they are cut into.
- `streams`: readers that never jump, so that memory is the true past.
"""
