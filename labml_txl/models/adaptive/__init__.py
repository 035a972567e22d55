r"""# Large vocabularies

A table of 267,735 words, each a vector of 1,024 numbers, is larger than all the layers
of a Transformer-XL, and a softmax over so many words costs more than they do. Most of
these words are rare. So the frequent ones get wide vectors, and the rare ones get
narrow vectors and are looked at only where they are needed.

- [Clusters of words](clusters.md): which words go together, and how wide they are.
- [Adaptive input](embedding.md): the embedding.
- [Adaptive softmax](softmax.md): the prediction.

The softmax is that of Grave et al. (2017), *Efficient softmax approximation for GPUs*,
and the input that of Baevski and Auli (2019), *Adaptive Input Representations for
Neural Language Modeling*. The authors of Transformer-XL use both for WikiText-103, and
these pages follow their code. [The language model](../language_model.md) takes both
through its `clusters`.
"""
