"""The variants of the models, by the names that settings, help and tests use.

Each name belongs to a class of `labml_txl.models`. To add a variant, write its class in
the module that is named here, and add a line. This module imports nothing, so that the
help works without PyTorch.
"""

# How distances are encoded: `labml_txl.models.distances`.
ENCODINGS = {"sinusoidal": "SinusoidalDistances", "learned": "LearnedDistances"}

# How memories are compressed: `labml_txl.models.compression`.
COMPRESSIONS = {
    "max_pooling": "MaxPooling",
    "mean_pooling": "MeanPooling",
    "conv1d": "Conv1dCompression",
    "dilated_conv": "DilatedConvCompression",
    "most_used": "MostUsedCompression",
}

# How a compression is trained: `labml_txl.models.reconstruction`.
LOSSES = {
    "attention": "AttentionReconstructionLoss",
    "auto_encoding": "AutoEncodingLoss",
    "none": "NoReconstructionLoss",
}
