r"""The variants of the models: the names that settings, help and tests know.

Each name stands for a class of `labml_txl.models`. To add a variant, write its class in
the module that is named here, and give both a line. Nothing is imported, so that help
can be shown without PyTorch.
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

# What a compression is trained by: `labml_txl.models.reconstruction`.
LOSSES = {
    "attention": "AttentionReconstructionLoss",
    "auto_encoding": "AutoEncodingLoss",
    "none": "NoReconstructionLoss",
}
