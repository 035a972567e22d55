r"""# How it is made fast

The models compute what the pages before these ones say, in less time. Here stands how:
an idea a page, what it gains, where it gains nothing, and the test that holds it equal
to the short form.

- [Attention in two products](attention.md): the default attention of the models.
- [The shift as a view](shift.md): no score moves.
- [Batches that fit the cache](batches.md): a few sequences at a time.
- [Dropout in 16 bits](dropout.md): fewer random bits for each element.
- [Gradients that a compiler fuses](fusion.md): attention in training, on a GPU.
- [Reading with a cache](cache.md): keys and values are computed once.
- [One token at a time](one_token.md): weights as main memory is read fastest.

Every page measures a whole step of the model, without its idea and with it, at the
sizes of [the measurements](../../measured.md). The time is that of the processor.
`python -m tests.benchmarks.fast` measures anew and writes the tables. A gain of 1.00 is
no gain, and a smaller one is slower. An idea has its page if it saves at least 5% of a
step, 25% of the time to generate, or 10% on a GPU.

| measured on | value |
| --- | --- |
| processor | `AMD EPYC` |
| threads | `1` |
| Python | `3.11.7` |
| PyTorch | `2.13.0+cpu` |
| turns | `5` |

All but the fused gradients is measured on a CPU, in single precision, while the machine
did other work too: the ratios are what to read.
"""
