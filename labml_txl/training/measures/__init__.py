r"""# Measures

What is asked of a trained model: what its memory is worth, how far back it looks, how
fast it reads, and how it continues a text. Nothing here trains the model that it
measures; `recall` trains two small ones of its own.

In the order of reading:

- `sweeps`: the loss with a memory of one length or of several.
- `speed`: what memory saves at evaluation.
- `context`: how much of the past a model uses to its profit.
- `generation`: a prompt, continued.
- `figures`: a plot in the colours of the page.
- `web`: a model for a page, with what its heads look at.
- `recall`: a task whose answer lies a chosen number of tokens back.
"""
