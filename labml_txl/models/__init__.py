"""# Models

Each of these pages explains one idea of Transformer-XL or the Compressive Transformer,
next to the code that implements it. They are listed in the order in which we suggest to
read them.

Transformer-XL keeps the states of earlier segments as a memory, and needs positions
that remain valid for them:

- [Segment-level memory](memory.md): which states are kept, and how a layer gets them.
- [Relative multi-head attention](relative_attention.md): the four terms of a score.
- [The relative shift](relative_shift.md): from scores by distance to scores by key.
- [The encoding of distances](distances.md): what two of the four terms need.
- [Transformer-XL](transformer_xl.md): a layer, and the stack of layers.
- [Language model](language_model.md): from tokens to predictions and to new text.

It has these parts in common with other Transformers:

- [Position-wise feed-forward network](feed_forward.md): the second half of a layer.
- [Dropout in 16 bits](dropout.md): fewer random bits for each element.
- [Masks](masking.md): which keys a query may attend to.
- [Embeddings and positions](embeddings.md): vectors for tokens and for distances.
- [Checks of arguments](arguments.md): the errors for wrong shapes and values.

If the vocabulary is large, rare words get narrower vectors than frequent ones:

- [Large vocabularies](adaptive/index.md): clusters, adaptive input, adaptive softmax.

The Compressive Transformer compresses old states instead of dropping them:

- [Compression functions](compression.md): how several states become one.
- [Compressive Transformer](compressive.md): a layer with a second memory.
- [Losses for the compression](reconstruction.md): how these functions are trained.

After these pages you can [watch a trained model use its memory](../live.md), run the
[notebooks](../notebooks/index.md), or read
[how such a model is trained](../training/index.md). An appendix explains
[how the models are made fast](fast/index.md).

The first axis of a tensor is time, as in `[seq_len, batch, d_model]`. A comment at the
end of a line is the shape of the tensor that the line computes; the tests run the code
and compare both.
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
from labml_txl.models.language_model import (
    LanguageModel,
    Reader,
    choose,
    cross_entropy,
)
from labml_txl.models.feed_forward import FeedForward
from labml_txl.models.dropout import Dropout
from labml_txl.models.masking import causal_mask, pad_left, text_positions
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
    "Reader",
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
    "pad_left",
    "rel_shift",
    "relative_positions",
    "reset_memory",
    "shift_view",
    "sinusoids",
    "text_positions",
    "update_memory",
]

# The cache imports the language model, which therefore cannot import the cache. So its
# fast reader is set here.
LanguageModel.fast_reader = Cache
