r"""# Published weights

The authors of Transformer-XL published what they had trained, and Hugging Face's
library `transformers` carried it on until its version 5. Here such weights become a run
like any other, for `txl evaluate` and `txl generate`. Nothing here executes what a
file holds.

In the order of reading:

- `pickles`: a pickle, read as data.
- `words`: the vocabulary of such a folder.
- `folder`: its configuration and its tensors.
- `names`: from their names to ours.
- `load`: the model of a folder, and a run of it.
"""
