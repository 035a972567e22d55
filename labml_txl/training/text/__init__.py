r"""# Text

What a model learns from: a text is fetched once, becomes a file of tokens, and is read
by a batch of readers that never jump. Nothing here knows of models or of runs.

In the order of reading:

- `cache`: files that are whole or not there.
- `tiny_shakespeare`: a million characters, bit for bit.
- `vocabulary`: characters, words or bytes become numbers.
- `corpora`: corpora, and the parts that they are cut into.
- `streams`: readers that never jump, so that memory is the true past.
"""
