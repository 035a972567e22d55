import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.training.streams import Streams
from labml_txl.training.text.files import TrainingError

SIZES = st.tuples(st.integers(10, 40), st.integers(1, 6), st.integers(1, 7))


@given(SIZES, st.integers(0, 100), st.integers(1, 12))
def test_each_reader_reads_the_true_text_without_a_gap(
    sizes: tuple[int, int, int], position: int, segments: int
) -> None:
    n_tokens, batch, seq_len = sizes
    streams = Streams(torch.arange(n_tokens, dtype=torch.uint8), batch, seq_len)
    assert streams.epoch == n_tokens / batch
    read = [streams.segment(position + seq_len * i) for i in range(segments)]
    tokens = torch.cat([x for x, _ in read])
    targets = torch.cat([y for _, y in read])
    # Token by token: the next one of the ring, over segments and epochs.
    for reader in range(batch):
        start = reader * n_tokens // batch + position
        for t in range(seq_len * segments):
            assert tokens[t, reader] == (start + t) % n_tokens
            assert targets[t, reader] == (start + t + 1) % n_tokens


def test_streams_refuse_sizes_that_do_not_fit() -> None:
    text = torch.arange(100)
    with pytest.raises(TrainingError, match="100 tokens is too short for batch=100"):
        Streams(text, 100, 8)
