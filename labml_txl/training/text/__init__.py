"""The texts for training: each is downloaded once and stored as a file of tokens.

Nothing here depends on models or on runs. The modules: `files`, `tiny_shakespeare`,
`vocabulary`, `corpora`.
"""
