r"""# Sweeps

The loss of one model on one text, with memories of several lengths: what memory is
worth. The length can be changed after training, since the parameters do not depend on
it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.runs.evaluation import evaluate, with_memory
from labml_txl.training.text.vocabulary import Vocabulary


class Row(NamedTuple):
    r"""One measurement: the lengths, and the mean loss over `tokens` predictions."""

    seq_len: int  # tokens
    mem_len: int  # tokens
    c_mem_len: int  # compressed memories
    nats: float  # a token
    bits: float  # a token
    perplexity: float
    tokens: int
    tokens_per_second: float
    bits_per_byte: float | None = None  # where they are not bits a token


def sweep(
    model: LanguageModel,
    tokens: Tensor,
    seq_len: int,
    batch: int,
    lengths: Iterable[tuple[int | None, int | None]],
    words: Vocabulary | None = None,
) -> list[Row]:
    r"""The loss on a text, `[n_tokens]`, for each pair of lengths.

    A pair is the memory and the compressed memory of each layer; `None` is as trained.
    With `words`, the vocabulary of the tokens, bits a byte are known.
    """
    rows = []
    for mem_len, c_mem_len in lengths:
        other = with_memory(model, mem_len, c_mem_len)
        score = evaluate(other, tokens, seq_len, batch, words)
        rows.append(
            Row(
                seq_len,
                other.lengths.mem_len,
                other.lengths.c_mem_len,
                score.nats,
                score.bits,
                score.perplexity,
                score.tokens,
                score.tokens / score.seconds,
                score.bits_per_byte,
            )
        )
    return rows


def table(rows: Sequence[Row]) -> str:
    r"""The measurements for people, a line each."""
    head = (
        "segment  memory  compressed    nats    bits  perplexity     tokens  tokens/s"
    )
    in_bytes = any(row.bits_per_byte is not None for row in rows)
    lines = (
        f"{row.seq_len:>7} {row.mem_len:>7} {row.c_mem_len:>11} "
        f"{row.nats:>7.4f} {row.bits:>7.4f} {row.perplexity:>11.3f} "
        f"{row.tokens:>10,} {row.tokens_per_second:>9,.0f}"
        + (f" {row.bits_per_byte:>10.4f}" if in_bytes else "")
        for row in rows
    )
    return "\n".join([f"{head}  bits/byte" if in_bytes else head, *lines])
