r"""# Models

Transformer-XL and the Compressive Transformer, one idea a page, each read beside the
code that does it. The order is that of reading.

Transformer-XL keeps the states of earlier segments as a memory:

- [Segment-level memory](memory.md): what is remembered of the states before.
- [Relative multi-head attention](relative_attention.md): the four terms.
- [The relative shift](relative_shift.md): from scores by distance to scores by key.
- [Distances](distances.md): what attention knows about them.
- [Transformer-XL](transformer_xl.md): the layer, and the stack of layers.
- [Language model](language_model.md): tokens in, predictions and text out.

Every Transformer has these parts:

- [Position-wise feed-forward network](feed_forward.md): every token by itself.
- [Masks](masking.md): no query sees the future.
- [Embeddings and positions](embeddings.md): tokens become vectors, distances sinusoids.
- [The arguments of attention](arguments.md): what it accepts.

The Compressive Transformer keeps old states in a compressed form:

- [Compression functions](compression.md): many memories into few.
- [Losses for the compression](reconstruction.md): how it learns what to keep.
- [Compressive Transformer](compressive.md): a second, coarser memory.

With many words, frequent and rare ones are treated differently:

- [Large vocabularies](adaptive/index.md): clusters, adaptive input, adaptive softmax.

After these pages you can [watch a trained model use its memory](../live.md).
[How it is made fast](fast/index.md) is an appendix.

Shapes put time first: `[seq_len, batch, d_model]`. A shape at the end of a line is what
came out of that line; the tests run the code and compare.
"""

from labml_txl.models.memory import (  # noqa: I001, the order of reading
    MemoryLengths,
    extend_context,
    reset_memory,
    update_memory,
)
from labml_txl.models.relative_attention import RelativeAttention
from labml_txl.models.relative_shift import rel_shift
from labml_txl.models.distances import (
    DistanceKeys,
    LearnedDistances,
    SinusoidalDistances,
)
from labml_txl.models.transformer_xl import TransformerXL, TransformerXLLayer
from labml_txl.models.language_model import LanguageModel, choose, cross_entropy
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.masking import causal_mask
from labml_txl.models.embeddings import (
    AbsolutePositions,
    TokenEmbedding,
    relative_positions,
    sinusoids,
)
from labml_txl.models.adaptive.clusters import Clusters
from labml_txl.models.adaptive.embedding import AdaptiveEmbedding
from labml_txl.models.adaptive.softmax import AdaptiveSoftmax
from labml_txl.models.compression import (
    COMPRESSIONS,
    Conv1dCompression,
    DilatedConvCompression,
    MaxPooling,
    MeanPooling,
    MostUsedCompression,
)
from labml_txl.models.reconstruction import (
    LOSSES,
    AttentionReconstructionLoss,
    AutoEncodingLoss,
    NoReconstructionLoss,
)
from labml_txl.models.compressive import (
    CompressiveMemory,
    CompressiveTransformer,
    CompressiveTransformerLayer,
)
from labml_txl.models.fast.attention import RelativeMultiHeadAttention
from labml_txl.models.fast.shift import shift_view
from labml_txl.models.fast.dropout import Dropout
from labml_txl.models.fast.cache import Cache

__all__ = [
    "COMPRESSIONS",
    "LOSSES",
    "AbsolutePositions",
    "AdaptiveEmbedding",
    "AdaptiveSoftmax",
    "AttentionReconstructionLoss",
    "AutoEncodingLoss",
    "Cache",
    "Clusters",
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
    "RelativeAttention",
    "RelativeMultiHeadAttention",
    "SinusoidalDistances",
    "TokenEmbedding",
    "TransformerXL",
    "TransformerXLLayer",
    "causal_mask",
    "choose",
    "cross_entropy",
    "extend_context",
    "rel_shift",
    "relative_positions",
    "reset_memory",
    "shift_view",
    "sinusoids",
    "update_memory",
]
