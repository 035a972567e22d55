import math

import pytest
import torch
from torch import Tensor, nn

from labml_txl.models import (
    TransformerXL,
    TransformerXLLayer,
    causal_mask,
    reset_memory,
    transformer_xl,
    update_memory,
)
from tests.models import reference
from tests.models.small import make_xl, parts, states


@pytest.mark.equation("txl.recurrence_projections")
@pytest.mark.equation("txl.residual")
@pytest.mark.equation("txl.feed_forward")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_layer_and_its_gradient_equal_the_recipe_in_loops(norm: str) -> None:
    layer = make_xl(norm=norm).layers[0]
    assert isinstance(layer, TransformerXLLayer)
    x, mem = states(3), states(4)
    reference.assert_same_values_and_gradients(
        layer(x=x, mem=mem),
        reference.layer(layer, x, torch.cat((mem.detach(), x))),
        [x, *layer.parameters()],
    )


@pytest.mark.equation("txl.recurrence_layer")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_each_layer_remembers_what_it_has_read(norm: str) -> None:
    model = make_xl(3, norm=norm)
    h, mem = states(3), [states(4), states(4), states(4)]
    y, remembered = model(h, mem)
    for layer, old, kept in zip(model.layers, mem, remembered, strict=True):
        assert isinstance(layer, TransformerXLLayer)
        torch.testing.assert_close(kept, h, check_stride=False)
        assert not kept.requires_grad
        h = reference.layer(layer, h, torch.cat((old, h)))
    if norm == "pre":
        assert isinstance(model.norm, nn.LayerNorm)
        h = reference.layer_norm(model.norm, h)
    torch.testing.assert_close(y, h)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("parts", [[5, 5], [1, 9], [9, 1], [3, 1, 4, 2]])
def test_two_halves_with_memory_equal_one_whole(norm: str, parts: list[int]) -> None:
    model = make_xl(3, norm=norm)
    x = states(10)
    whole, _ = model(x, [])
    mem: list[Tensor] = []
    outputs = []
    for segment in torch.split(x, parts):
        y, read = model(segment, mem)
        mem = update_memory(mem, read, mem_len=10)
        outputs.append(y)
    torch.testing.assert_close(torch.cat(outputs), whole)


@pytest.mark.parametrize(
    ("layers", "seq_len", "mem_len"),
    [(3, 2, 4), (2, 4, 2), (3, 4, 1), (3, 3, 4), (2, 3, 3), (1, 3, 2), (4, 1, 3)],
)
@pytest.mark.parametrize("place", [0, -1])
def test_the_reach_is_one_memory_for_each_layer(
    layers: int, seq_len: int, mem_len: int, place: int
) -> None:
    model = make_xl(layers)
    rounded = math.ceil(mem_len / seq_len)
    reach = (layers - 1) * seq_len * rounded + mem_len
    before = seq_len * (layers * rounded + 1)  # whole segments, one more than it sees

    def output(x: Tensor) -> Tensor:
        mem: list[Tensor] = []
        for segment in x.split(seq_len):
            y, read = model(segment, mem)
            mem = update_memory(mem, read, mem_len)
        last: Tensor = y[place]
        return last

    x = states(before + seq_len)
    seen = []
    for token in range(before):
        changed = x.clone()
        changed[token] += states(1)[0]
        if not torch.equal(output(x), output(changed)):
            seen.append(before - token)
    assert seen == [*range(reach, 0, -1)]
    # The page prints this formula, and an example.
    text = str(transformer_xl.__doc__)
    assert r"(N - 1) \cdot L \cdot \lceil M / L \rceil + M" in text
    if (layers, seq_len, mem_len) == (2, 4, 2):
        example = f"$N = 2$, $L = 4$ and $M = 2$, for example, they see {reach} tokens"
        assert example in " ".join(text.split())


def test_a_sequence_that_was_reset_begins_as_with_no_memory_at_all() -> None:
    model = make_xl(3)
    x = states(4, 2)
    mem = reset_memory([states(3, 2) for _ in range(3)], torch.tensor([True, False]))
    mask = causal_mask(4, 3, remembered=torch.tensor([0, 3]))
    y, _ = model(x, mem, mask)
    fresh, _ = model(x[:, :1], [])
    continued, _ = model(x[:, 1:], [m[:, 1:] for m in mem])
    torch.testing.assert_close(y, torch.cat((fresh, continued), dim=1))


def test_layers_have_different_initial_values() -> None:
    model = TransformerXL(TransformerXLLayer(**parts()), 4)
    for name, parameter in model.layers[0].named_parameters():
        others = [layer.get_parameter(name) for layer in model.layers[1:]]
        if "norm" in name:
            assert all(torch.equal(parameter, other) for other in others)
        else:
            assert not any(torch.equal(parameter, other) for other in others), name
