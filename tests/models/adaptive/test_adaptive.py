"""Adaptive input and softmax are what their definitions say, forward and backward."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch

from labml_txl.models import (
    AdaptiveEmbedding,
    Clusters,
    LanguageModel,
    MemoryLengths,
)
from tests.models import reference
from tests.models.adaptive.reference import cluster_of, probabilities, vector
from tests.models.small import D_MODEL, random_parameters
from tests.models.test_language_model import N_VOCAB
from tests.models.test_language_model import make as plain

SHAPES = [
    Clusters(),
    Clusters((4,)),
    Clusters((3, 5), 2),
    Clusters((2, 4, 7), 1, 4),
    Clusters((2, 4, 7), 1, 4, tied_projections=False),
    Clusters((3, 8), 2, 8),
    Clusters((3, 8), 2, tied_projections=False),
    Clusters((), 4),
]
# Where nothing depends on the widths: one cluster, and several.
DIFFERENT = [Clusters(), Clusters((2, 4, 7), 1, 4)]


def make(clusters: Clusters, tied: bool = True, kind: str = "xl") -> LanguageModel:
    """The model of the tests of language models, with another embedding and head."""
    transformer = plain(kind, norm="post").transformer
    model = LanguageModel(transformer, N_VOCAB, MemoryLengths(5, 3), tied, clusters)
    random_parameters(model.double().eval())
    return model


def tokens(length: int = 6, batch: int = 3) -> torch.Tensor:
    """Every token at least once, in no order."""
    every = torch.arange(length * batch) % N_VOCAB
    return every[torch.randperm(length * batch)].view(length, batch)


@pytest.mark.equation("ada.projections")
@pytest.mark.parametrize("clusters", SHAPES)
def test_adaptive_input_equals_its_definition_word_by_word(clusters: Clusters) -> None:
    embed = AdaptiveEmbedding(N_VOCAB, D_MODEL, clusters).double()
    random_parameters(embed)
    words = tokens()
    slow = [vector(embed, int(word), clusters.cutoffs) for word in words.flatten()]
    reference.assert_same_values_and_gradients(
        embed(words), torch.stack(slow).view(6, 3, D_MODEL), embed.parameters()
    )


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("clusters", SHAPES)
def test_adaptive_softmax_equals_its_definition_word_by_word(
    clusters: Clusters, tied: bool
) -> None:
    head = make(clusters, tied).head
    y = torch.randn(2, 3, D_MODEL, dtype=torch.float64, requires_grad=True)
    inputs = [y, *head.parameters()]

    def slow() -> torch.Tensor:
        each = [
            probabilities(head, state, N_VOCAB, clusters.cutoffs).log()
            for state in y.flatten(0, 1)
        ]
        return torch.stack(each).view(2, 3, N_VOCAB)

    reference.assert_same_values_and_gradients(head(y), slow(), inputs)

    # The loss builds no tail in full, and is that of the same probabilities.
    for targets in tokens().split(2)[:2]:
        picked = -slow().gather(-1, targets[..., None])[..., 0]
        losses = head.losses(y, targets)
        assert losses.shape == (2, 3)
        reference.assert_same_values_and_gradients(losses, picked, inputs)


def refusal(run: Callable[[], object]) -> type[Exception] | None:
    try:
        run()
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("word", [-101, -1, N_VOCAB, N_VOCAB + 90, 2**31])
@pytest.mark.parametrize("clusters", DIFFERENT)
def test_a_word_outside_of_the_vocabulary_is_an_error_with_clusters_and_without(
    clusters: Clusters, word: int
) -> None:
    words = tokens()
    words[2, 1] = word
    for model in (make(clusters), plain()):
        assert refusal(partial(model, words)) is IndexError
        assert refusal(partial(model.losses, tokens(), words)) is IndexError


@pytest.mark.parametrize("share", [0.3, 0.99, 1.0])
@pytest.mark.parametrize("clusters", [None, *DIFFERENT])
def test_ignored_targets_have_no_loss_and_no_gradient(
    clusters: Clusters | None, share: float
) -> None:
    model = plain() if clusters is None else make(clusters)
    words, targets = tokens(), tokens()
    ignored = torch.rand(targets.shape) < share
    losses, _ = model.losses(words, targets)
    some, _ = model.losses(words, targets.masked_fill(ignored, -100))
    torch.testing.assert_close(some, losses.masked_fill(ignored, 0.0))
    parameters = [*model.parameters()]
    got, wanted = (
        torch.autograd.grad(sums, parameters, allow_unused=True, materialize_grads=True)
        for sums in (some.sum(), losses[~ignored].sum())
    )
    torch.testing.assert_close(got, wanted)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.uint16, torch.int16, torch.int32])
@pytest.mark.parametrize("clusters", [None, *DIFFERENT])
def test_words_may_be_integers_of_any_size(
    clusters: Clusters | None, dtype: torch.dtype
) -> None:
    model = (plain() if clusters is None else make(clusters)).eval()
    words, targets = tokens(), tokens()
    narrow = words.to(dtype), targets.to(dtype)
    for one, other in zip(
        model.losses(words, targets), model.losses(*narrow), strict=True
    ):
        torch.testing.assert_close(one, other)
    written = model.generate(narrow[0], 9, seed=1)
    assert torch.equal(written, model.generate(words, 9, seed=1))


@pytest.mark.parametrize("clusters", SHAPES)
def test_probabilities_of_all_words_sum_to_one(clusters: Clusters) -> None:
    model = make(clusters).float()
    logp, _ = model(tokens())
    assert logp.shape == (6, 3, N_VOCAB)
    torch.testing.assert_close(logp.logsumexp(-1), torch.zeros(6, 3), atol=2e-6, rtol=0)


def test_one_cluster_is_the_plain_head_and_the_plain_embedding() -> None:
    one, other = make(Clusters()), plain(norm="post")
    other.lengths = one.lengths
    names = {"embed.tables.0.weight": "embed.table.weight"}
    names |= {"head.tables.0.weight": "head.weight", "head.tables.0.bias": "head.bias"}
    weights = {names.get(name, name): p for name, p in one.state_dict().items()}
    other.load_state_dict(weights)
    memory = same = None
    for _ in range(3):
        words, targets = tokens(), tokens()
        expected = other.losses(words, targets, same)[0].double()
        logits, same = other(words, same)
        losses = one.losses(words, targets, memory)[0]
        logp, memory = one(words, memory)
        torch.testing.assert_close(logp, logits.log_softmax(-1))
        torch.testing.assert_close(losses, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.equation("ada.clusters")
def test_every_word_is_in_exactly_one_cluster() -> None:
    for clusters in SHAPES:
        parts = clusters.parts(N_VOCAB, D_MODEL)
        for word in range(N_VOCAB):
            owners = [
                n for n, part in enumerate(parts) if part.first <= word < part.end
            ]
            assert owners == [cluster_of(word, clusters.cutoffs)]


@pytest.mark.equation("ada.widths")
def test_each_cluster_is_narrower_than_the_one_before_by_the_factor() -> None:
    published = Clusters((20_000, 40_000, 200_000), 4)
    parts = published.parts(267_735, 1024)
    assert [part.width for part in parts] == [1024 // 4**n for n in range(4)]
    assert [end - first for first, end, _ in parts] == [20_000, 20_000, 160_000, 67_735]
    assert [part.width for part in Clusters((3,), 4, 9).parts(5, 1024)] == [9, 2]


def shared(model: LanguageModel) -> tuple[list[bool], list[bool]]:
    """Which tables, and which projections, are of embedding and head both."""
    embed, head = model.embed, model.head
    tables = zip(embed.tables, head.tables, strict=True)
    projections = zip(embed.projections, head.projections, strict=True)
    return [a.weight is b.weight for a, b in tables], [a is b for a, b in projections]


def test_tables_and_projections_are_shared_as_it_is_asked_for() -> None:
    cut = Clusters((3, 8), 2)
    apart = Clusters((3, 8), 2, tied_projections=False)
    assert shared(make(cut)) == ([True] * 3, [False, True, True])
    assert shared(make(apart)) == ([True] * 3, [False] * 3)
    assert shared(make(cut, tied=False)) == ([False] * 3, [False] * 3)

    # With one width there is one projection of the input, shared by all clusters.
    narrow = make(Clusters((2, 4), 1, 4))
    assert len({id(p) for p in narrow.embed.projections}) == 1
    assert shared(narrow)[1] == [False, True, True]


def test_text_is_drawn_from_the_whole_vocabulary() -> None:
    model = make(Clusters((2, 4, 7), 2, 8))
    prompt = tokens(4, 2)
    settings: dict[str, Any] = {"top_k": 10, "temperature": 3.0, "seed": 3}
    written = model.generate(prompt, 40, **settings)
    again = model.generate(prompt, 40, cached=False, **settings)
    assert torch.equal(written, again)
    found = {cluster_of(int(word), (2, 4, 7)) for word in written.flatten()}
    assert len(found) > 2


def test_the_loss_of_frequent_words_builds_no_tail() -> None:
    head = make(Clusters((4, 8), 2)).head
    asked: list[tuple[int, ...]] = []
    for n in (1, 2):
        head.tables[n].register_forward_hook(
            lambda _module, given, _out: asked.append(tuple(given[0].shape[:-1]))
        )
    y = torch.randn(5, 2, D_MODEL, dtype=torch.float64)
    targets = torch.tensor([[0, 1], [3, 2], [5, 0], [9, 9], [0, 10]])
    head.losses(y, targets)
    assert asked == [(1,), (3,)]


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        (Clusters((4, 4)), r"cutoffs=\[4, 4\] must rise between 0 and n_vocab=11"),
        (Clusters((11,)), "cutoffs"),
        (Clusters((0,)), "cutoffs"),
        (Clusters((5,), 0), "div_val=0 must be at least 1"),
        (Clusters((3, 5), 4), "leaves cluster 3 without a width: 6 / 4.2 is less"),
    ],
)
def test_clusters_that_no_vocabulary_has_are_refused(
    clusters: Clusters, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        clusters.parts(N_VOCAB, D_MODEL)


def test_initial_values_are_those_of_the_authors() -> None:
    transformer = plain().transformer
    model = LanguageModel(
        transformer, 4000, MemoryLengths(4), False, Clusters((2000,), 2, 512)
    )
    for part in (model.embed, model.head):
        for table in part.tables:
            assert math.isclose(float(table.weight.detach().std()), 0.02, rel_tol=0.05)
        for projection in part.projections:
            assert math.isclose(
                float(projection.weight.detach().std()), 0.01, rel_tol=0.1
            )
    assert not model.head.tails.bias.any()
