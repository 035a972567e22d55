import copy
import inspect
import itertools
import math
import re
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import (
    RelativeAttention,
    SinusoidalDistances,
    causal_mask,
    rel_shift,
    relative_shift,
)
from labml_txl.models.distances import ENCODINGS
from tests.models import reference
from tests.models.small import FORMS, Form, random_parameters, states

both_forms = pytest.mark.parametrize("form", FORMS)


def make(
    heads: int, d_model: int, encoding: str, form: Form = RelativeAttention
) -> RelativeAttention:
    attention = form(heads, d_model, 0.0, encoding).double()
    random_parameters(attention)
    return attention


def scores_of(attention: RelativeAttention, x: Tensor, context: Tensor) -> Tensor:
    """Scores of all heads for queries x and all keys, no future hidden."""
    q = attention.split_heads(attention.query(x))
    k = attention.split_heads(attention.key(context))
    return attention.scores(q, k, attention.distances(len(context) - 1, -len(x)))


# The shift


@pytest.mark.equation("txl.shifted_terms")
@settings(max_examples=40, deadline=None)
@given(
    q_len=st.integers(1, 6),
    mem_len=st.integers(0, 6),
    extra=st.integers(0, 7),
    heads=st.integers(1, 3),
    batch=st.integers(1, 3),
)
def test_rel_shift_matches_its_definition_in_four_loops(
    q_len: int, mem_len: int, extra: int, heads: int, batch: int
) -> None:
    k_len = mem_len + q_len
    by_distance = torch.randn(batch, heads, q_len, k_len + extra)
    by_key = rel_shift(by_distance, k_len)
    assert by_key.shape == (batch, heads, q_len, k_len)
    for b in range(batch):
        for h in range(heads):
            for i in range(q_len):
                for j in range(k_len):
                    column = j + q_len - 1 - i
                    if column < k_len + extra:
                        assert by_key[b, h, i, j] == by_distance[b, h, i, column]


@pytest.mark.equation("txl.position_terms")
def test_the_authors_pad_and_reshape_equals_the_shift() -> None:
    """The code on the page; the steps of its figure are tested with the figures."""
    page = inspect.getdoc(relative_shift)
    assert page
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for L, M in itertools.product(range(1, 6), range(6)):
        K = M + L
        scores = torch.randn(L, K)
        names: dict[str, Any] = {"F": F, "scores": scores, "L": L, "K": K}
        exec(code, names)
        seen = causal_mask(L, M)[..., 0]
        expected = rel_shift(scores[None, None], K)[0, 0]
        assert names["by_key"][seen].equal(expected[seen]), (L, K)


# Appendix B


@pytest.mark.equation("txl.distance_keys")
@pytest.mark.equation("txl.position_bias_terms")
def test_terms_b_and_d_of_all_pairs_are_one_product_and_one_row_shifted() -> None:
    """Every distance is projected once, the farthest first."""
    heads, M, L = 3, 3, 4
    attention = make(heads, 6, "sinusoidal")
    assert isinstance(attention.distances, SinusoidalDistances)
    W, v = attention.distances.projection.weight, attention.distances.position_bias
    Q, bias = attention.distances(M + L - 1, -1)
    assert (Q.shape, bias.shape) == ((heads, 2, M + L + 1), (heads, 1, M + L + 1))
    for h, k in itertools.product(range(heads), range(M + L)):
        R = reference.sinusoid_row(M + L - 1 - k, 6)
        torch.testing.assert_close(Q[h, :, k], reference.head(W, h, heads) @ R)
    q = torch.randn(1, heads, L, 2, dtype=torch.float64)
    B = rel_shift(q @ Q, M + L)
    D = rel_shift(bias.expand(1, heads, L, -1).contiguous(), M + L)
    for h, i in itertools.product(range(heads), range(L)):
        for j in range(M + i + 1):
            R = reference.distance_key(attention, h, i + M - j)
            torch.testing.assert_close(B[0, h, i, j], q[0, h, i] @ R)
            torch.testing.assert_close(D[0, h, i, j], v[h] @ R)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_every_encoding_of_distances_has_the_required_interface(
    encoding: str, dtype: torch.dtype
) -> None:
    heads, d_model, farthest, nearest = 3, 6, 7, -4
    limited, free = (ENCODINGS[encoding](heads, d_model, n).to(dtype) for n in (3, 0))
    free.load_state_dict(limited.state_dict())
    for described in (limited, free):
        keys, bias = described(farthest, nearest)
        assert keys.shape == (heads, 2, farthest - nearest + 1)
        assert bias.shape == (heads, 1, farthest - nearest + 1)
        assert {keys.dtype, bias.dtype} == {dtype}
        on_meta = copy.deepcopy(described).to("meta")(farthest, nearest)
        assert {x.device.type for x in on_meta} == {"meta"}
    # Beyond the limit all distances are alike; up to it, and below 0, nothing changes.
    for got, whole in zip(
        limited(farthest, nearest), free(farthest, nearest), strict=True
    ):
        near = slice(farthest - 3, None)
        close = partial(torch.testing.assert_close, rtol=2e-2, atol=1e-2)
        close(got[..., near], whole[..., near])
        close(got[..., :4], whole[..., 4:5].expand_as(got[..., :4]))
        assert all((a != b).any() for a, b in pairwise(whole.unbind(-1)))


# The four terms


@both_forms
@pytest.mark.equation("txl.scores")
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_scores_are_the_four_terms_in_plain_loops(encoding: str, form: Form) -> None:
    heads, batch, L, M = 3, 2, 3, 4
    attention = make(heads, 6, encoding, form)
    x, context = states(L, batch, 6), states(M + L, batch, 6)
    scores = scores_of(attention, x, context)
    for b in range(batch):
        for h in range(heads):
            for i in range(L):
                for j in range(M + L):
                    a, b_, c, d = reference.four_terms(
                        attention, x[i, b], context[j, b], h, i + M - j
                    )
                    expected = (a + b_ + c + d) / math.sqrt(2)
                    torch.testing.assert_close(scores[b, h, i, j], expected)


@pytest.mark.equation("txl.layer_scores")
@pytest.mark.parametrize("term", "abcd")
def test_each_term_alone_is_what_remains_when_the_others_are_zero(term: str) -> None:
    attention = make(2, 6, "sinusoidal")
    described = attention.distances
    zero = {
        attention.query.weight: "cd",
        attention.key.weight: "bd",
        attention.content_bias: "ab",
        described.position_bias: "abc",
        described.projection.weight: "ac",
    }
    with torch.no_grad():
        for parameter, without in zero.items():
            parameter.mul_(term not in without)
    x, context = states(3, 1, 6), states(5, 1, 6)
    scores = scores_of(attention, x, context)
    for i, j in itertools.product(range(3), range(5)):
        terms = reference.four_terms(attention, x[i, 0], context[j, 0], 1, i + 2 - j)
        alone = terms["abcd".index(term)] / math.sqrt(3)
        assert alone != 0
        torch.testing.assert_close(scores[0, 1, i, j], alone)


# The whole attention


@pytest.mark.equation("txl.weighted_values")
@pytest.mark.equation("txl.projections")
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_attention_and_its_gradient_equal_the_definition_in_loops(
    encoding: str,
) -> None:
    attention = make(2, 6, encoding)
    x, context = states(3, 2, 6), states(7, 2, 6)
    fast = attention(x, context, context)
    slow = reference.attend(attention, x, context)
    reference.assert_same_values_and_gradients(
        fast, slow, [x, context, *attention.parameters()]
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_custom_mask_may_differ_by_sequence_and_show_the_future(
    encoding: str,
) -> None:
    attention = make(2, 6, encoding)
    x = states(4, 3, 6)
    context = torch.cat((states(2, 3, 6), x))
    mask = torch.rand(4, 6, 3) < 0.5
    # Padded queries see nothing: one of a sequence, and all of another one.
    mask[2, :, 0] = mask[:, :, 1] = False
    fast = attention(x, context, context, mask)
    slow = reference.attend(attention, x, context, lambda i, j, b: bool(mask[i, j, b]))
    parameters = [attention.query.weight, attention.key.weight, attention.value.weight]
    reference.assert_same_values_and_gradients(fast, slow, [x, *parameters])


@both_forms
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_more_than_4096_keys_work(encoding: str, form: Form) -> None:
    attention = make(1, 2, encoding, form)
    x = states(2, 1, 2)
    context = torch.cat((states(4999, 1, 2), x))
    with torch.no_grad():
        fast = attention(x, context, context)
        slow = reference.attend(attention, x[1:], context)
    torch.testing.assert_close(fast[1:], slow)


@both_forms
def test_weights_are_probabilities_that_dropout_thins_out_in_training(
    form: Form,
) -> None:
    attention = form(2, 6, dropout_prob=0.5).double()
    x = states(7, 2, 6)
    assert not torch.allclose(attention(x, x, x), attention(x, x, x))
    attention.eval()
    assert torch.equal(attention(x, x, x), attention(x, x, x))
    weights = attention.weights(scores_of(attention, x, x))
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights.sum(-1)))
