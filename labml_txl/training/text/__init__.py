r"""What a model learns from: texts are fetched once and become files of tokens.

Nothing here knows of models or of runs. The modules: `files`, `tiny_shakespeare`,
`vocabulary`, `corpora`.
"""
