r"""# Training

How a model is trained, measured and asked to write: the code behind `txl data`,
`txl train`, `txl evaluate`, `txl generate` and `txl recall`.

Four rooms, in the order of reading. Each imports only from those above it.

- [`text`](text/index.md): corpora, vocabularies and streams of tokens.
- [`runs`](runs/index.md): one run, from its configuration to its checkpoints.
- [`measures`](measures/index.md): what is asked of a trained model.
- [`commands`](commands/index.md): what is typed.
"""
