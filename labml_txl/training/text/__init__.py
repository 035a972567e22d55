r"""# Text

What a model learns from: a text is fetched once, becomes a file of tokens, and is read
by a batch of readers that never jump. Nothing here knows of models or of runs.

In the order of reading:

- `cache`: files that are whole or not there.
- `tiny_shakespeare`: a million characters, bit for bit.
- `byte_pairs`: a vocabulary between bytes and words.
- `vocabulary`: characters, words, bytes or byte pairs become numbers.
- `parts`: where a text is cut.
- `corpora`: corpora, and their parts as tokens.
- `streams`: readers that never jump, so that memory is the true past.
"""
