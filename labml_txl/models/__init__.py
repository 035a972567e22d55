r"""# Models

Transformer-XL and the Compressive Transformer, one idea a page, each read beside the
code that does it. The order is that of reading: a page uses only those above it.

- [Embeddings and positions](embeddings.md): tokens become vectors, distances sinusoids.
- [Dropout](dropout.md): sixteen random bits a number.
- [Position-wise feed-forward network](feed_forward.md): every token by itself.
- [The relative shift](relative_shift.md): from scores by distance to scores by key.
- [Distances](distances.md): what attention knows about them.
- [Hiding keys](masking.md): nobody sees the future.
- [A few texts at a time](few_texts.md): what a processor's cache can hold.
- [Relative multi-head attention](relative_attention.md): the four terms together.
- [Segment-level memory](memory.md): what is remembered of what was read.
- [Transformer-XL](transformer_xl.md): the layer, and the stack of layers.
- [Compression functions](compression.md): many memories into few.
- [Compressive Transformer](compressive.md): a second, coarser memory.
- [Losses for the compression](reconstruction.md): how it learns what to keep.
- [Language model](language_model.md): tokens in, predictions and texts out.

Shapes put time first: `[seq_len, batch, d_model]`. A shape at the end of a line is what
came out of that line; the tests run the code and compare.
"""

from labml_txl.models.embeddings import (  # noqa: I001, the order of reading
    AbsolutePositions,
    TokenEmbedding,
    relative_positions,
    sinusoids,
)
from labml_txl.models.dropout import Dropout
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.relative_shift import rel_shift
from labml_txl.models.distances import (
    DistanceKeys,
    LearnedDistances,
    SinusoidalDistances,
)
from labml_txl.models.relative_attention import RelativeMultiHeadAttention
from labml_txl.models.memory import (
    MemoryLengths,
    causal_mask,
    extend_context,
    reset_memory,
    update_memory,
)
from labml_txl.models.transformer_xl import TransformerXL, TransformerXLLayer
from labml_txl.models.compression import (
    COMPRESSIONS,
    Conv1dCompression,
    DilatedConvCompression,
    MaxPooling,
    MeanPooling,
    MostUsedCompression,
)
from labml_txl.models.compressive import (
    CompressiveMemory,
    CompressiveTransformer,
    CompressiveTransformerLayer,
)
from labml_txl.models.reconstruction import (
    LOSSES,
    AttentionReconstructionLoss,
    AutoEncodingLoss,
    NoReconstructionLoss,
)
from labml_txl.models.language_model import LanguageModel, choose

__all__ = [
    "COMPRESSIONS",
    "LOSSES",
    "AbsolutePositions",
    "AttentionReconstructionLoss",
    "AutoEncodingLoss",
    "CompressiveMemory",
    "CompressiveTransformer",
    "CompressiveTransformerLayer",
    "Conv1dCompression",
    "DilatedConvCompression",
    "DistanceKeys",
    "Dropout",
    "FeedForward",
    "LanguageModel",
    "LearnedDistances",
    "MaxPooling",
    "MeanPooling",
    "MemoryLengths",
    "MostUsedCompression",
    "NoReconstructionLoss",
    "RelativeMultiHeadAttention",
    "SinusoidalDistances",
    "TokenEmbedding",
    "TransformerXL",
    "TransformerXLLayer",
    "causal_mask",
    "choose",
    "extend_context",
    "rel_shift",
    "relative_positions",
    "reset_memory",
    "sinusoids",
    "update_memory",
]
