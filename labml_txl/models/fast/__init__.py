r"""# How it is made fast

The models compute what the pages before these ones say, in less time. Here stands how:
an idea a page, what it gains, where it gains nothing, and the test that holds it equal
to the short form.

- [Attention in two products](attention.md): the default attention of the models.
- [Scores in two products](products.md): terms (a) and (c) together, (b) and (d)
  together.
- [The shift as a view](shift.md): no score moves.
- [Hiding keys with a sum](hiding.md): only the square of the segment is touched.
- [Batches that fit the cache](batches.md): a few sequences at a time.
- [Fused attention in evaluation](fused.md): scores that never reach main memory.
- [Long memories, head by head](long.md): attention as linear layers.
- [Dropout in 16 bits](dropout.md): fewer random bits for each element.
- [Linear layers by oneDNN](linear.md): the bias and the ReLU within the product.
- [Memory without a gradient](folding.md): nothing is multiplied in vain.
- [Gradients by hand](gradients.md): attention with one backward pass.
- [Gradients that a compiler fuses](fusion.md): the same for `torch.compile` and a GPU.
- [Reading with a cache](cache.md): keys and values are computed once.
- [One token at a time](one_token.md): weights as main memory is read fastest.

Every page measures its idea alone, without it and with it, at the sizes of
[the measurements](../../measured.md). The time is that of the processor, for the
attention of one layer or the part of it that the idea changes.
`python -m tests.benchmarks.fast` measures anew and writes the tables. A gain of 1.0 is
no gain, and a smaller one is slower.

| measured on | value |
| --- | --- |
| processor | `AMD EPYC` |
| threads | `1` |
| Python | `3.11.7` |
| PyTorch | `2.13.0+cpu` |
| turns | `15` |

All but the fused gradients is measured on a CPU, in single precision, while the machine
did other work too: the ratios are what to read.
"""
