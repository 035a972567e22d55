import math

import pytest
import torch
from torch import Tensor

from labml_txl.models import (
    AbsolutePositions,
    TokenEmbedding,
    relative_positions,
    sinusoids,
)
from tests.models.reference import sinusoid_row


def rows(farthest: int, nearest: int, d_model: int) -> Tensor:
    return relative_positions(
        farthest, nearest, d_model, torch.float64, torch.device("cpu")
    )


@pytest.mark.equation("txl.embedding")
def test_first_states_are_the_rows_of_the_tokens_and_carry_no_position() -> None:
    embed = TokenEmbedding(n_vocab=7, d_model=10).double()
    tokens = torch.tensor([[3, 1], [3, 6], [0, 3]])
    states = embed(tokens)
    for i in range(3):
        for b in range(2):
            expected = math.sqrt(10) * embed.table.weight[tokens[i, b]]
            torch.testing.assert_close(states[i, b], expected)
    assert torch.equal(states[0, 0], states[1, 0])


def test_sinusoids_match_their_definition_number_by_number() -> None:
    positions = torch.tensor([0, 1, 5, -3, 70_001])
    encoded = sinusoids(positions, 14)
    for row, position in zip(encoded, positions.tolist(), strict=True):
        torch.testing.assert_close(row, sinusoid_row(position, 14), rtol=0, atol=1e-9)


def test_relative_rows_run_from_the_farthest_to_the_nearest() -> None:
    R = rows(5, -2, 6)
    assert R.shape == (8, 6)
    for row, distance in zip(R, range(5, -3, -1), strict=True):
        torch.testing.assert_close(row, sinusoid_row(distance, 6))


@pytest.mark.equation("txl.absolute_states")
def test_every_segment_counts_its_absolute_positions_from_one() -> None:
    add_positions = AbsolutePositions(8)
    E = torch.randn(10, 3, 8, dtype=torch.float64)
    first, second = add_positions(E[:5]), add_positions(E[5:])
    for i in range(5):
        U_i = sinusoid_row(i + 1, 8)
        torch.testing.assert_close(first[i], E[i] + U_i)
        torch.testing.assert_close(second[i], E[5 + i] + U_i)


@pytest.mark.equation("txl.absolute_scores")
def test_absolute_scores_have_four_terms_that_cannot_tell_two_segments_apart() -> None:
    d = 6
    E = torch.randn(4, 1, d, dtype=torch.float64)
    W_q, W_k = torch.randn(2, d, d, dtype=torch.float64)
    x = AbsolutePositions(d)(E)[:, 0]
    scores = (x @ W_q.T) @ (x @ W_k.T).T
    for i in range(4):
        for j in range(4):
            U_i, U_j = sinusoid_row(i + 1, d), sinusoid_row(j + 1, d)
            a = E[i, 0] @ W_q.T @ W_k @ E[j, 0]
            b = E[i, 0] @ W_q.T @ W_k @ U_j
            c = U_i @ W_q.T @ W_k @ E[j, 0]
            e = U_i @ W_q.T @ W_k @ U_j
            torch.testing.assert_close(scores[i, j], a + b + c + e)

    # The third token of the segment before, used again as memory, is also the third
    # token of this segment: every query gives both the same score.
    before = torch.randn(4, 1, d, dtype=torch.float64)
    before[2] = E[2]
    memory = AbsolutePositions(d)(before)[:, 0]
    of_memory = (x @ W_q.T) @ (memory @ W_k.T).T
    torch.testing.assert_close(of_memory[:, 2], scores[:, 2])
