"""What a page says that heads look at."""

import torch

from labml_txl.training.runs.web import FAR, kinds


def test_kinds_of_keys_are_those_of_their_definitions() -> None:
    """In three loops; the first keys are slots of a compressed memory."""
    torch.manual_seed(0)
    n_slots, n_tokens, seq_len = 3, 50, 7
    past = torch.randint(4, (n_tokens, 2))
    k_len = n_slots + n_tokens
    found = [one.expand(2, 1, seq_len, k_len) for one in kinds(past, seq_len, k_len)]
    for b in range(2):
        for i in range(n_tokens - seq_len, n_tokens):
            for key in range(k_len):
                j, token = key - n_slots, int(past[i, b])
                expected = (
                    0 < j < i and int(past[j - 1, b]) == token,
                    j == i - 1,
                    0 <= j < i and int(past[j, b]) == token,
                    i - j > FAR,
                )
                place = (b, 0, i - (n_tokens - seq_len), key)
                assert tuple(bool(one[place]) for one in found) == expected
