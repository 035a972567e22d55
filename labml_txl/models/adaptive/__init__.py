# ---
# keywords: [big vocabulary]
# ---
"""# Large vocabularies

WikiText-103, a corpus of Wikipedia articles, has 267,735 different words. A table with
a vector of 1,024 elements for each of them has more parameters than all layers of the
Transformer-XL that the authors trained on it, and each prediction needs a score for
each of them. But most of these words are rare. Therefore the vocabulary is divided into
clusters by frequency. Rare words get narrower vectors, and in training, the predictions
within their clusters are computed only for those tokens that need them.

- [Clusters of words](clusters.md): how the vocabulary is divided.
- [Adaptive input](embedding.md): an embedding with clusters.
- [Adaptive softmax](softmax.md): a prediction with clusters.

The softmax is that of Grave et al. (2017), *Efficient softmax approximation for GPUs*,
and the input that of Baevski and Auli (2019), *Adaptive Input Representations for
Neural Language Modeling*. The authors of Transformer-XL use both for WikiText-103, and
these pages follow their code. To use both in [the language
model](../language_model.md), pass it `clusters`.
"""
