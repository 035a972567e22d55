import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from labml_txl.models import (
    COMPRESSIONS,
    CompressiveMemory,
    MemoryLengths,
    RelativeAttention,
)
from labml_txl.models.compressive import concat_memory
from tests.models import reference
from tests.models.small import D_MODEL, HEADS, make_compressive, make_xl, states


@pytest.mark.equation("cmp.embedding")
@pytest.mark.equation("cmp.memories")
@pytest.mark.equation("cmp.attention")
@pytest.mark.equation("cmp.attention_norm")
@pytest.mark.equation("cmp.feed_forward")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_layer_and_its_gradient_equal_algorithm_1_in_loops(norm: str) -> None:
    layer = make_compressive(norm=norm).stack()[0]
    h, mem, c_mem = states(3), states(4), states(2)

    everything = torch.cat((c_mem, mem.detach(), h))
    slow = reference.layer(layer.core, h, everything)
    core = list(layer.core.parameters())
    reference.assert_same_values_and_gradients(
        layer(x=h, mem=mem, c_mem=c_mem), slow, [h, c_mem, mem, *core]
    )


@pytest.mark.equation("cmp.initial_memory")
def test_memory_starts_empty_and_is_reset_to_zeros() -> None:
    model = make_compressive("mean_pooling")
    lengths = MemoryLengths(4, 3)
    x = states(3)
    y, memory = model.advance(x, None, lengths)
    torch.testing.assert_close(y, model(x, [], [])[0])
    for _ in range(3):
        _, memory = model.advance(states(3), memory, lengths)
    reset = memory.reset(torch.tensor([True, False]))
    for before, after in zip(memory, reset, strict=True):
        for old, new in zip(before, after, strict=True):
            assert old[:, 0].any()
            assert not new[:, 0].any()
            assert torch.equal(old[:, 1], new[:, 1])


@pytest.mark.equation("cmp.old_memory")
@pytest.mark.equation("cmp.new_compressed")
@pytest.mark.equation("cmp.memory_update")
@pytest.mark.equation("cmp.compressed_update")
def test_memories_follow_algorithm_1_line_by_line() -> None:
    # With full memories and a rate that divides the segment nothing is left to wait.
    n_s, n_m, n_cm, c = 4, 6, 3, 2
    model = make_compressive(rate=c)
    memory = CompressiveMemory(
        [states(n_m) for _ in range(2)], [states(n_cm) for _ in range(2)], [], []
    )
    h = [states(n_s) for _ in range(2)]
    after = model.remember(memory, h, MemoryLengths(n_m, n_cm))
    for i, layer in enumerate(model.stack()):
        old_mem = memory.mem[i][:n_s]
        new_cm = layer.compress(old_mem)
        assert torch.equal(after.old[i], old_mem)
        assert torch.equal(after.mem[i], torch.cat((memory.mem[i], h[i]))[-n_m:])
        expected = torch.cat((memory.c_mem[i], new_cm))[-n_cm:]
        torch.testing.assert_close(after.c_mem[i], expected)


@settings(max_examples=60, deadline=None)
@given(
    mem_len=st.integers(0, 7),
    c_mem_len=st.integers(0, 5),
    rate=st.integers(1, 4),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=6),
)
def test_every_state_is_remembered_once_or_compressed_once_for_any_sizes(
    mem_len: int, c_mem_len: int, rate: int, lengths: list[int]
) -> None:
    model = make_compressive("mean_pooling", rate, 1)
    memory = CompressiveMemory.empty()
    read, compressed = 0, 0
    for length in lengths:
        times = torch.arange(read, read + length, dtype=torch.float64)
        segment = times[:, None, None].expand(length, 2, D_MODEL)
        memory = model.remember(memory, [segment], MemoryLengths(mem_len, c_mem_len))
        read += length

        # Memory holds the newest, and less than a block above its length.
        held = len(memory.mem[0])
        compressed += len(memory.old[0])
        assert min(read, mem_len) <= held < mem_len + rate
        assert held + compressed == read
        assert memory.mem[0][:, 0, 0].tolist() == list(range(read - held, read))

        # Compressed memory holds the newest blocks before those, each once.
        n_blocks = min(compressed // rate, c_mem_len)
        first = compressed - n_blocks * rate
        means = [first + n * rate + (rate - 1) / 2 for n in range(n_blocks)]
        assert memory.c_mem[0][:, 1, 3].tolist() == means


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_identity_compression_at_rate_one_equals_a_longer_memory(
    norm: str,
) -> None:
    compressive = make_compressive("mean_pooling", 1, norm=norm)
    xl = make_xl(norm=norm)
    xl.load_state_dict(
        {name.replace(".core", ""): p for name, p in compressive.state_dict().items()}
    )
    memory, mem = None, None
    for length in (3, 5, 1, 8, 2):
        x = states(length)
        y, memory = compressive.advance(x, memory, MemoryLengths(4, 5))
        same, mem = xl.advance(x, mem, MemoryLengths(4 + 5))
        torch.testing.assert_close(y, same)


@pytest.mark.equation("cmp.temporal_range")
def test_layers_reach_back_over_their_temporal_range_and_no_further() -> None:
    n_layers, n_m, n_cm, c = 2, 2, 2, 3
    model = make_compressive(rate=c, n_layers=n_layers)
    reach = n_layers * (n_m + c * n_cm)
    x = states(2 * reach, 1).detach()

    def last(tokens: Tensor) -> Tensor:
        memory = None
        for token in torch.split(tokens, 1):
            y, memory = model.advance(token, memory, MemoryLengths(n_m, n_cm))
        return y

    # Up to a block that has not been filled yet waits in the memory of each layer.
    y = last(x)
    reached = []
    for back in range(1, len(x)):
        changed = x.clone()
        changed[-1 - back] += torch.randn(D_MODEL, dtype=torch.float64)
        if not torch.equal(last(changed), y):
            reached.append(back)
    assert reached == list(range(1, len(reached) + 1))
    assert reach <= len(reached) <= reach + n_layers * (c - 1)


@pytest.mark.equation("cmp.attention_cost")
def test_the_number_of_scores_is_what_the_paper_says() -> None:
    layer = make_compressive("mean_pooling").stack()[0]
    n_s, n_m, n_cm = 3, 5, 2
    sizes: list[int] = []
    # The short form has a method for the scores.
    layer.core.self_attn = RelativeAttention(HEADS, D_MODEL).double()
    scores = layer.core.self_attn.scores

    def counted(*args: object) -> Tensor:
        computed: Tensor = scores(*args)  # type: ignore[arg-type]
        sizes.append(computed[0, 0].numel())
        return computed

    layer.core.self_attn.scores = counted  # type: ignore[assignment, method-assign]
    layer(x=states(n_s), mem=states(n_m), c_mem=states(n_cm))
    assert sizes == [n_s**2 + n_s * (n_m + n_cm)]


@pytest.mark.parametrize("name", COMPRESSIONS)
def test_compressed_memory_does_not_leak_the_future(name: str) -> None:
    model = make_compressive(name)
    x = states(12, 1).detach()

    def outputs(tokens: Tensor) -> Tensor:
        memory, collected = None, []
        for segment in torch.split(tokens, 3):
            y, memory = model.advance(segment, memory, MemoryLengths(2, 4))
            collected.append(y)
        return torch.cat(collected)

    y = outputs(x)
    for i in range(1, 12):
        changed = x.clone()
        changed[i:] = torch.randn_like(changed[i:])
        assert torch.equal(outputs(changed)[:i], y[:i])


def test_usage_is_the_attention_that_each_memory_received_on_average() -> None:
    layer = make_compressive("most_used").stack()[0]
    x, mem, c_mem = states(3), states(4), states(2)
    usage = layer.usage(x, mem, c_mem)
    z = layer.core.norm_self_attn(torch.cat((c_mem, mem, x)))
    attention = layer.core.self_attn
    for b in range(2):
        received = torch.zeros(9, dtype=torch.float64)
        for h in range(HEADS):
            for i in range(3):
                scores = torch.stack(
                    [
                        torch.stack(
                            reference.four_terms(attention, z[6 + i, b], z[j, b], h, r)
                        ).sum()
                        for j in range(7 + i)
                        for r in [6 + i - j]
                    ]
                )
                received[: 7 + i] += (scores / 3**0.5).softmax(0).detach() / HEADS
        seen_by = torch.tensor([3] * 7 + [2, 1])
        torch.testing.assert_close(usage[:, b], (received / seen_by)[2:])


def test_memory_gives_no_gradient_but_compressed_memory_may() -> None:
    mem, c_mem, x = states(2), states(3), states(2)
    torch.autograd.backward(concat_memory(x, mem, c_mem).sum())
    assert mem.grad is None
    assert c_mem.grad is not None


@pytest.mark.parametrize("keep_graph", [False, True])
def test_compressed_memory_stays_in_the_graph_only_on_request(
    keep_graph: bool,
) -> None:
    model = make_compressive()
    memory = CompressiveMemory.empty()
    for _ in range(3):
        y, memory = model.advance(states(4), memory, MemoryLengths(4, 9), keep_graph)
    assert not any(t.requires_grad for t in (*memory.mem, *memory.read, *memory.old))
    assert all(t.requires_grad == keep_graph for t in memory.c_mem)
    assert not any(t.requires_grad for t in memory.detach().c_mem)

    # With the graph, the language model's loss reaches the compression.
    convolutions = [
        layer.get_parameter("compress.conv.weight") for layer in model.stack()
    ]
    gradients = torch.autograd.grad(y.sum(), convolutions, allow_unused=True)
    assert all((gradient is not None) == keep_graph for gradient in gradients)
