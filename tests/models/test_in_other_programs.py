"""What other programs do with a model: wrap it, watch it, trace it, compile it."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functionalize
from torch.nn.utils import parametrize, prune

from labml_txl.models import (
    Cache,
    Clusters,
    Dropout,
    LanguageModel,
    MemoryLengths,
    RelativeAttention,
    TransformerXL,
    TransformerXLLayer,
)
from labml_txl.models.distances import DistanceKeys
from tests.models.small import (
    make_compressive,
    make_xl,
    parts,
    random_parameters,
)

N_VOCAB, LENGTHS = 11, MemoryLengths(5, 3)
Change = Callable[[LanguageModel], object]


def make(kind: str = "xl", clusters: Clusters | None = None, **given: Any) -> Any:
    stack = make_xl(**given) if kind == "xl" else make_compressive(kind, **given)
    model = LanguageModel(stack, N_VOCAB, LENGTHS, clusters=clusters).double().eval()
    random_parameters(model, std=0.4)
    return model


def tokens(length: int = 6) -> Tensor:
    return torch.randint(N_VOCAB, (length, 2))


# Modes and transformations


def as_functionalized(model: LanguageModel, text: Tensor) -> None:
    run: Any = functionalize(lambda x: model(x)[0])
    run(text)


def in_inference_mode(model: LanguageModel, text: Tensor) -> None:
    with torch.inference_mode():
        model(text)


@pytest.mark.parametrize("kind", ["xl", "conv1d"])
@pytest.mark.parametrize("run", [as_functionalized, in_inference_mode])
def test_modes_of_autograd_do_not_affect_later_passes(
    run: Callable[[LanguageModel, Tensor], None], kind: str
) -> None:
    # Each pass is the first one with segments of its length.
    model, text = make(kind), tokens(len(run.__name__))
    run(model, text)
    logits = model(text)[0]
    logits.sum().backward()
    longer = torch.cat((text, tokens(1)))
    torch.testing.assert_close(model(longer)[0][:-1], logits)


@pytest.mark.parametrize("cached", [True, False])
def test_a_model_can_be_trained_on_what_it_has_generated(cached: bool) -> None:
    model = make()
    text = model.generate(tokens(), 8, cached=cached)
    logits = Cache(model, None, 2).read(text[:-1])
    assert not text.is_inference()
    assert not logits.is_inference()
    losses, _ = model.losses(text[:-1], text[1:])
    (losses.mean() + (model(text[:-1])[0] * logits).mean()).backward()
    assert model.embed.table.weight.grad.abs().max() > 0


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")
def test_training_with_dropout_is_compiled_as_a_single_graph() -> None:
    torch.compiler.reset()
    model = make("conv1d", n_layers=1, dropout=0.2).train()
    compiled: Any = torch.compile(model, backend="aot_eager", fullgraph=True)
    torch.autograd.backward(compiled(tokens())[0].sum())
    # In evaluation the result is the same.
    model.eval()
    text = tokens()
    torch.testing.assert_close(compiled(text)[0], model(text)[0])


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
def test_dropout_is_compiled_for_every_size_at_once() -> None:
    torch.compiler.reset()
    dropout = torch.compile(Dropout(0.5), backend="aot_eager", dynamic=True)
    for size in (1000, 1001, 999):
        x = torch.ones(size, requires_grad=True)
        y = dropout(x)
        (gradient,) = torch.autograd.grad(y.sum(), x)
        assert torch.equal(y, gradient)
        assert set(y.tolist()) == {0.0, 2.0}


class Logits(nn.Module):
    """A model without its memory, which is not returned."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, text: Tensor) -> Tensor:
        logits: Tensor = self.model(text)[0]
        return logits


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*:FutureWarning")
def test_an_exported_model_takes_any_number_of_sequences() -> None:
    model = Logits(make(n_layers=1)).eval()
    shapes = {"text": {1: torch.export.Dim("batch", min=2, max=99)}}
    exported = torch.export.export(
        model, (tokens(),), dynamic_shapes=shapes, strict=True
    ).module()
    for batch in (2, 7):
        text = torch.randint(N_VOCAB, (6, batch))
        torch.testing.assert_close(exported(text), model(text))


@pytest.mark.parametrize("zero_memory", [True, False])
def test_a_replica_whose_weights_are_no_parameters_computes_the_same(
    zero_memory: bool,
) -> None:
    # `nn.DataParallel` makes such replicas, whose `parameters()` are empty.
    model, text = make(), tokens()
    model.zero_memory = zero_memory
    twin = copy.deepcopy(model)
    for module in twin.modules():
        for name, weight in [*module.named_parameters(recurse=False)]:
            delattr(module, name)
            setattr(module, name, weight.detach())
    assert not [*twin.parameters()]
    assert torch.equal(twin(text)[0], model(text)[0])
    assert torch.equal(twin.generate(text, 9, seed=1), model.generate(text, 9, seed=1))


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")
@pytest.mark.parametrize("kind", ["xl", "conv1d"])
def test_a_traced_model_fails_for_other_lengths_than_its_own(kind: str) -> None:
    model = Logits(make(kind))
    traced: Any = torch.jit.trace(model, tokens(), check_trace=False)
    text = tokens()[:, :1]
    torch.testing.assert_close(traced(text), model(text))
    for length in (1, 5, 12):
        with pytest.raises(RuntimeError, match="unflatten: Provided sizes"):
            traced(tokens(length))


@pytest.mark.parametrize("clusters", [None, Clusters((3, 7), 2)])
def test_targets_that_do_not_fit_the_tokens_are_refused(
    clusters: Clusters | None,
) -> None:
    # The transposed ones are as many, so they would be compared with other predictions.
    model, text = make(clusters=clusters), tokens()
    cache = Cache(model, None, 2)
    for losses in (model.losses, cache.losses):
        for targets in (text.t(), text[1:], text.double()):
            with pytest.raises(ValueError, match="targets "):
                losses(text, targets)
    torch.testing.assert_close(cache.losses(text, text), model.losses(text, text)[0])


@pytest.mark.parametrize("clusters", [None, Clusters((3, 7), 2)])
def test_a_model_is_mapped_over_texts(clusters: Clusters | None) -> None:
    model = make(clusters=clusters)
    texts = [tokens(), tokens()]
    mapped = torch.func.vmap(lambda text: model(text)[0])(torch.stack(texts))
    torch.testing.assert_close(mapped, torch.stack([model(text)[0] for text in texts]))


# Modules that do more than the class says


class Adapter(nn.Module):
    """An adapter of low rank beside a linear layer."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Linear(base.in_features, 1, bias=False)
        self.up = nn.Linear(1, base.out_features)
        self.double()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.base(x) + self.up(self.down(x))
        return y


class Doubled(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return 2 * weight


class OwnLayer(TransformerXLLayer):
    def forward(self, **given: Any) -> Tensor:
        return 2 * super().forward(**given)


def adapt(name: str) -> Change:
    def change(model: LanguageModel) -> None:
        parent, _, child = name.rpartition(".")
        base: Any = model.get_submodule(name)
        setattr(model.get_submodule(parent), child, Adapter(base))

    return change


def hook(name: str) -> Change:
    def after(_module: object, _given: object, result: Any) -> Any:
        if isinstance(result, Tensor):
            return 1.5 * result
        if isinstance(result, DistanceKeys):
            return DistanceKeys(1.5 * result.keys, result.bias)
        return (1.5 * result[0], *result[1:])

    return lambda model: model.get_submodule(name).register_forward_hook(after)


def hook_before(name: str) -> Change:
    return lambda model: model.get_submodule(name).register_forward_pre_hook(
        lambda _module, given: (1.5 * given[0],)
    )


def patch(name: str) -> Change:
    def change(model: LanguageModel) -> None:
        module: Any = model.get_submodule(name)
        forward = module.forward
        module.forward = lambda *given, **named: 1.5 * forward(*given, **named)

    return change


def bias_of_the_keys_and_queries(model: LanguageModel) -> None:
    for core in model.transformer.cores():
        for name in ("query", "value"):
            base = getattr(core.self_attn, name)
            own = nn.Linear(base.in_features, base.out_features).double()
            setattr(core.self_attn, name, own)


def own_layers(model: LanguageModel) -> None:
    random = torch.get_rng_state()
    layer = OwnLayer(**parts())
    stack = TransformerXL(layer, 2).double().eval()
    random_parameters(stack, std=0.4)
    torch.set_rng_state(random)
    model.transformer = stack


L, A = "transformer.layers.0", "transformer.layers.0.self_attn"
CHANGES: dict[str, Change] = {
    **{f"adapter of {n}": adapt(f"{A}.{n}") for n in ("query", "value", "output")},
    **{f"adapter of {n}": adapt(f"{L}.feed_forward.{n}") for n in ("expand",)},
    "adapter of the head": adapt("head"),
    "bias": bias_of_the_keys_and_queries,
    **{
        f"hook on {name}": hook(name)
        for name in (
            *("transformer", L, A, f"{A}.key", f"{A}.distances", f"{A}.dropout"),
            *(f"{A}.output", f"{L}.feed_forward", f"{L}.feed_forward.contract"),
            *(f"{L}.feed_forward.dropout", f"{L}.norm_ff", f"{L}.dropout", "head"),
        )
    },
    "hook before key": hook_before(f"{A}.key"),
    "hook before a dropout": hook_before(f"{L}.dropout"),
    "forward of a layer": patch(L),
    "forward of the output": patch(f"{A}.output"),
    "parametrization": lambda model: parametrize.register_parametrization(
        model.get_submodule(f"{A}.query"), "weight", Doubled()
    ),
    "pruning": lambda model: prune.l1_unstructured(
        model.get_submodule(f"{A}.output"), "weight", 0.5
    ),
    "own layers": own_layers,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_model_is_used_with_and_without_a_cache(
    change: Change,
) -> None:
    model = make()
    text = tokens()
    before = model(text)[0]
    change(model)
    logits, memory = model(text)
    assert not torch.allclose(logits, before)
    one = model.generate(text, 12, seed=1)
    assert torch.equal(one, model.generate(text, 12, seed=1, cached=False))
    targets, segment = tokens(), tokens()
    losses, later = model.losses(segment, targets, memory)
    wanted = -model(segment, memory)[0].log_softmax(-1).gather(-1, targets[..., None])
    torch.testing.assert_close(losses, wanted[..., 0])
    if not Cache.fits(model):
        with pytest.raises(ValueError, match="a cache does not call the layers"):
            Cache(model, None, 2)
        return
    cache = Cache(model, None, 2)
    torch.testing.assert_close(cache.read(text), logits)
    torch.testing.assert_close(cache.losses(segment, targets), losses)
    token = tokens(1)
    torch.testing.assert_close(cache.read(token), model(token, later)[0])


def test_a_hook_for_all_modules_is_called_for_those_of_a_cache_too() -> None:
    model, called = make(), []
    handle = nn.modules.module.register_module_forward_hook(
        lambda module, *_: called.append(module)
    )
    try:
        assert not Cache.fits(model)
        model.generate(tokens(), 1)
    finally:
        handle.remove()
    assert Cache.fits(model)
    assert any(isinstance(module, RelativeAttention) for module in called)


def test_a_convolution_with_a_hook_is_called() -> None:
    model, text = make("conv1d"), tokens(9)
    plain = model(text)[1].c_mem[0]
    hook("transformer.layers.0.compress.conv")(model)
    torch.testing.assert_close(model(text)[1].c_mem[0], 1.5 * plain)


@pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated")
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.parametrize("clusters", [None, Clusters((3, 7), 2)])
@pytest.mark.parametrize("kind", ["xl", "conv1d"])
def test_a_quantized_model_gives_nearly_the_same_results(
    kind: str, clusters: Clusters | None
) -> None:
    model, text = make(kind, clusters).float(), tokens()
    quantized = torch.ao.quantization.quantize_dynamic(model, {nn.Linear})
    wanted, _ = model(text)
    got, memory = quantized(text)
    assert 0 < (got - wanted).abs().max() < 0.3 * wanted.std()
    # How a number is rounded depends on those beside it, so the texts may differ.
    for cached in (True, False):
        assert len(quantized.generate(text, 9, memory, cached=cached)) == 9
