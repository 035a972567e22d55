import pytest
import torch
from torch import Tensor, nn

from labml_txl.models import (
    LOSSES,
    AttentionReconstructionLoss,
    AutoEncodingLoss,
    CompressiveTransformer,
    CompressiveTransformerLayer,
    MemoryLengths,
)
from labml_txl.models.reconstruction import content_attention, content_queries
from tests.models import reference
from tests.models.small import make_compressive, states


def make_model(name: str = "conv1d", norm: str = "pre") -> CompressiveTransformer:
    return make_compressive(name, norm=norm)


def attention_in_loops(
    layer: CompressiveTransformerLayer, h: Tensor, mem: Tensor
) -> Tensor:
    """Content attention: no positions, no u, no v, heads side by side."""
    core = layer.core
    if core.norm == "pre":
        h = reference.layer_norm(core.norm_self_attn, h)
        mem = reference.layer_norm(core.norm_self_attn, mem)
    return reference.attend_by_content(core.self_attn, h, mem)


@pytest.mark.equation("cmp.content_attention")
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_content_attention_and_its_gradient_equal_the_definition_in_loops(
    norm: str,
) -> None:
    layer = make_model(norm=norm).stack()[0]
    h, mem = states(3, 3), states(4, 3)
    reference.assert_same_values_and_gradients(
        content_attention(layer.core, content_queries(layer.core, h), mem),
        attention_in_loops(layer, h, mem),
        [h, mem],
    )


@pytest.mark.equation("cmp.attention_loss")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("name", ["conv1d", "dilated_conv"])
def test_the_loss_and_its_gradient_equal_algorithm_2_in_loops(
    name: str, norm: str
) -> None:
    model = make_model(name, norm)
    h, mem = [states(3, 3), states(3, 3)], [states(4, 3), states(6, 3)]
    slow = torch.zeros((), dtype=torch.float64)
    for layer, h_i, old_mem in zip(model.stack(), h, mem, strict=True):
        new_cm = layer.compress(old_mem.detach())
        difference = attention_in_loops(layer, h_i, old_mem) - attention_in_loops(
            layer, h_i, new_cm
        )
        slow = slow + difference.square().mean()
    compressions = [p for n, p in model.named_parameters() if "compress" in n]
    fast = AttentionReconstructionLoss(model.layers)(h, mem)
    reference.assert_same_values_and_gradients(fast, slow, compressions)


@pytest.mark.equation("cmp.stop_gradient")
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("name", ["conv1d", "dilated_conv"])
def test_reconstruction_loss_moves_only_the_compression(name: str, norm: str) -> None:
    model = make_model(name, norm)
    h, mem = [states(3, 3), states(3, 3)], [states(4, 3), states(4, 3)]
    wanted = [p.requires_grad for p in model.parameters()]
    loss = AttentionReconstructionLoss(model.layers)(h, mem)
    torch.autograd.backward(loss)
    for parameter_name, parameter in model.named_parameters():
        moved = parameter.grad is not None and bool(parameter.grad.any())
        assert moved == ("compress" in parameter_name), parameter_name
    assert all(t.grad is None for t in (*h, *mem))
    assert [p.requires_grad for p in model.parameters()] == wanted


@pytest.mark.equation("cmp.auto_encoding_loss")
def test_auto_encoding_loss_and_its_gradient_equal_the_definition_in_loops() -> None:
    model = make_model()
    loss = AutoEncodingLoss(model.layers).double()
    mem = [states(4, 3), states(6, 3)]
    slow = torch.zeros((), dtype=torch.float64)
    for layer, decoder, old_mem in zip(model.stack(), loss.decoders, mem, strict=True):
        assert isinstance(decoder, nn.ConvTranspose1d)
        assert decoder.bias is not None
        g, bias = decoder.weight, decoder.bias
        squares = []
        for n, cm in enumerate(layer.compress(old_mem.detach())):
            for k in range(2):
                for b in range(3):
                    decoded = cm[b] @ g[:, :, k] + bias
                    squares.append((decoded - old_mem[2 * n + k, b]).square())
        slow = slow + torch.stack(squares).mean()
    learning = [p for n, p in model.named_parameters() if "compress" in n]
    learning += loss.parameters()
    reference.assert_same_values_and_gradients(
        loss([states(3, 3)] * 2, [m.detach() for m in mem]), slow, learning
    )


def test_auto_encoding_loss_moves_the_compression_and_its_decoder_only() -> None:
    model = make_model()
    loss = AutoEncodingLoss(model.layers).double()
    mem = [states(4, 3), states(4, 3)]
    torch.autograd.backward(loss([states(3, 3)] * 2, mem))
    for name, parameter in model.named_parameters():
        assert (parameter.grad is not None) == ("compress" in name), name
    assert all(p.grad is not None for p in loss.parameters())
    assert all(m.grad is None for m in mem)
    assert not any("layers" in name for name in loss.state_dict())


@pytest.mark.parametrize("name", LOSSES)
def test_a_segment_with_which_nothing_was_compressed_has_no_loss(name: str) -> None:
    model = make_model()
    loss = LOSSES[name](model.layers)
    assert loss([], []) == 0
    _, memory = model.advance(states(3, 3), None, MemoryLengths(8, 3))
    assert loss(memory.read, memory.old) == 0


def test_most_used_memories_are_those_that_content_attention_reads() -> None:
    model = make_model("most_used")
    layer = model.stack()[0]
    h, mem = states(1, 1), states(6, 1)
    loss = AttentionReconstructionLoss([layer])
    got = loss([h], [mem])
    candidates = []
    for a in range(6):
        for b in range(a + 1, 6):
            for c in range(b + 1, 6):
                kept = mem[[a, b, c]]
                wanted = attention_in_loops(layer, h, mem)
                candidates.append(
                    (wanted - attention_in_loops(layer, h, kept)).square().mean()
                )
    assert min(abs(got - candidate) for candidate in candidates) < 1e-12
