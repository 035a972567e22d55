"""# How it is made fast

The other pages on the models show each computation in its shortest form. The models
compute the same results in less time. Each of these pages explains one optimization: in
which cases it saves time, how much, and which test compares it with the short form.

- [Attention in two products](attention.md): the default attention of the models.
- [The shift as a view](shift.md): shifting scores without copying them.
- [Batches that fit the cache](batches.md): a few sequences at a time.
- [Dropout in 16 bits](../dropout.md): fewer random bits for each element.
- [Gradients that a compiler fuses](fusion.md): attention in training, on a GPU.
- [Keys and values in a cache](cache.md): each of them is computed once only.
- [One token at a time](one_token.md): products with a single row.

Each page compares the time of a whole step of the model without the optimization and
with it, at the sizes of [the benchmarks](../../measured.md). The gain is the ratio of
both, so 1.00 means no gain, and a smaller number means that the step takes longer. The
tables are measured and written by `python -m tests.benchmarks.fast`. An optimization is
kept if it saves at least 5% of a step of training or evaluation, 25% of the time to
generate a token, or 10% of a step on a GPU.

| measured on | value |
| --- | --- |
| processor | `AMD EPYC` |
| threads | `1` |
| Python | `3.11.7` |
| PyTorch | `2.13.0+cpu` |
| measurements for each median | `5` |

All optimizations but the fused gradients were measured on a CPU, in single precision.
The times are CPU times. Other programs were running on the machine, so the ratios are
more reliable than the times.
"""
