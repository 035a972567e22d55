r"""Weights that the authors of Transformer-XL published, as a run.

Hugging Face's library `transformers` carried them on until its version 5. Nothing that
a file holds is executed. The modules: `vocabulary`, `folder`, `names`, `load`.
"""
