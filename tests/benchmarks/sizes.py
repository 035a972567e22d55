"""The sizes at which models are compared, and the work that a training step takes."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Size:
    """A model and what it reads in one step; lengths in tokens."""

    name: str
    d_model: int
    heads: int
    d_ff: int
    n_layers: int
    n_vocab: int
    batch: int
    seq_len: int
    mem_len: int
    c_mem_len: int = 0
    compression_rate: int = 4
    dropout: float = 0.1

    def words(self) -> str:
        """The size in words, for the page."""
        compressed = (
            f", compressed memory {self.c_mem_len} at rate {self.compression_rate}"
            if self.c_mem_len
            else ""
        )
        return (
            f"d_model {self.d_model}, {self.heads} heads, d_ff {self.d_ff}, "
            f"{self.n_layers} layers, {self.n_vocab} symbols, batch {self.batch}, "
            f"segment {self.seq_len}, memory {self.mem_len}{compressed}"
        )


M = Size("M", 256, 8, 1024, 6, 256, batch=8, seq_len=128, mem_len=128)
L = Size("L", 512, 8, 2048, 6, 256, batch=2, seq_len=256, mem_len=512)
C = replace(M, name="C", c_mem_len=128)


def step_flops(size: Size) -> int:
    """Floating point operations of the matrix products of one training step.

    Forward once, and backward twice that: a product has two factors, each with a
    gradient. Two operations a multiplication: it and its sum. Counted is what
    Transformer-XL needs, whatever a program does beyond it.
    """
    d, tokens = size.d_model, size.batch * size.seq_len
    keys = size.mem_len + size.seq_len
    # Queries, output, keys and values, the feed-forward network, the projected
    # distances; then content, positions and values.
    layer = (
        2 * 2 * tokens * d * d
        + 2 * 2 * size.batch * keys * d * d
        + 2 * 2 * tokens * d * size.d_ff
        + 2 * keys * d * d
        + 3 * 2 * tokens * keys * d
    )
    return 3 * (size.n_layers * layer + 2 * tokens * d * size.n_vocab)
