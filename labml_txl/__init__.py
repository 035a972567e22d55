"""Transformer-XL and the Compressive Transformer, read beside their running code.

`labml_txl.models` contains the models, `labml_txl.literate` the engine that renders
them as pages, and `labml_txl.equations` the equations of the papers.
"""

__version__ = "0.1.0"
