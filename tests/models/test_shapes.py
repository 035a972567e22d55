"""Every shape comment in the models is compared with what a run of it records."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import torch

import labml_txl.models as models
from labml_txl import variants
from labml_txl.literate.recording.bindings import find_bindings
from labml_txl.literate.recording.recording import Recording, observe
from labml_txl.literate.recording.shapes import axes_of, find_trailing_shapes
from labml_txl.models import (
    COMPRESSIONS,
    LOSSES,
    AbsolutePositions,
    CompressiveTransformer,
    LanguageModel,
    MemoryLengths,
    RelativeAttention,
    TransformerXL,
    causal_mask,
)
from labml_txl.models.distances import ENCODINGS
from labml_txl.models.fast import attention
from labml_txl.models.fast.one_token import PARTS, prepare_product
from tests.models.small import make_compressive, make_xl

# Another prime for every axis, so that none can stand for another by accident.
SEQ_LEN, MEM_LEN, C_MEM_LEN, BATCH, HEADS, D_K, D_FF, N_VOCAB, RATE = (
    *(5, 7, 13, 23, 11, 2, 19, 17, 3),
)
D_MODEL = HEADS * D_K
# An axis and its size. An axis that has none here is as long as the first of its name.
Sizes = Mapping[str, int]
SIZES = {
    "seq_len": SEQ_LEN,
    "batch": BATCH,
    "heads": HEADS,
    "d_k": D_K,
    "d_model": D_MODEL,
    "d_ff": D_FF,
    "n_vocab": N_VOCAB,
    "rate": RATE,
}
LENGTHS = {"mem_len": MEM_LEN, "q_len": SEQ_LEN, "k_len": MEM_LEN + SEQ_LEN}
XL_SIZES = {**SIZES, **LENGTHS}
COMPRESSIVE_SIZES = {
    **XL_SIZES,
    "c_mem_len": C_MEM_LEN,
    "k_len": C_MEM_LEN + MEM_LEN + SEQ_LEN,
    "old_len": MEM_LEN,
}

MODELS = Path(models.__file__).parent
ROOT = MODELS.parents[1]
FILES = sorted(
    f for f in MODELS.rglob("*.py") if find_trailing_shapes(f.read_text("utf-8"))
)


SMALL: dict[str, Any] = {"dropout": 0.1, "sizes": (HEADS, D_MODEL, D_FF)}


def xl(**given: Any) -> TransformerXL:
    return make_xl(**SMALL, **given).float()


def compressive(compression: str) -> CompressiveTransformer:
    return make_compressive(compression, RATE, **SMALL).float()


def states(length: int) -> torch.Tensor:
    return torch.randn(length, BATCH, D_MODEL)


def tokens(length: int) -> torch.Tensor:
    return torch.randint(N_VOCAB, (length, BATCH))


def run_transformer_xl() -> None:
    models.TokenEmbedding(N_VOCAB, D_MODEL)(tokens(SEQ_LEN))
    for clamp_len in (0, 3):
        models.relative_positions(
            11, -1, D_MODEL, torch.float32, torch.device("cpu"), clamp_len
        )
    x, mem = states(SEQ_LEN), [states(MEM_LEN)] * 2
    remembered = torch.arange(BATCH) % MEM_LEN
    for model in (
        xl(form=RelativeAttention),
        *(xl(encoding=encoding) for encoding in ENCODINGS),
        xl(norm="post"),
        *(xl(encoding=encoding, clamp_len=3) for encoding in ENCODINGS),
    ):
        for mask in (
            None,
            causal_mask(SEQ_LEN, MEM_LEN),
            causal_mask(SEQ_LEN, MEM_LEN, remembered),
            causal_mask(SEQ_LEN, MEM_LEN, span=MEM_LEN),
        ):
            y, _ = model(x, mem, mask)
            y.sum().backward()
    with torch.no_grad():
        model.eval()(x, mem)
    AbsolutePositions(D_MODEL)(x)
    run_masks()


def run_masks() -> None:
    begins = torch.rand(SEQ_LEN, BATCH) < 0.3
    positions = models.text_positions(begins, torch.arange(BATCH))
    AbsolutePositions(D_MODEL)(states(SEQ_LEN), positions)
    causal_mask(SEQ_LEN, MEM_LEN, torch.arange(BATCH), positions=positions)
    models.pad_left([*tokens(SEQ_LEN).t()])


def run_compressive() -> None:
    for compression in COMPRESSIONS:
        model = compressive(compression)
        memory = models.CompressiveMemory(
            [states(MEM_LEN)] * 2, [states(C_MEM_LEN)] * 2, [], []
        )
        x = states(SEQ_LEN)
        model(x, memory.mem, memory.c_mem)
        with torch.no_grad():
            lengths, positions = MemoryLengths(MEM_LEN, C_MEM_LEN), None
            model.advance(x, memory, lengths)
            if variants.COMPRESSIONS[compression].by_block:
                positions = torch.ones(SEQ_LEN, BATCH, dtype=torch.long)
                model.advance(x, memory, lengths, positions=positions)


def run_shift() -> None:
    k_len = MEM_LEN + SEQ_LEN
    models.shift_view(torch.randn(BATCH, HEADS, SEQ_LEN, k_len + 1), k_len)


def run_losses() -> None:
    for compression in COMPRESSIONS:
        layers = compressive(compression).layers
        for name, make_loss in LOSSES.items():
            if (compression, name) != ("most_used", "auto_encoding"):
                make_loss(layers)([states(SEQ_LEN)] * 2, [states(MEM_LEN)] * 2)


def run_compressions() -> None:
    for make_compression in COMPRESSIONS.values():
        compress = make_compression(RATE, D_MODEL)
        compress(states(MEM_LEN), torch.rand(MEM_LEN, BATCH))


def run_language_model() -> None:
    for transformer in (xl(), compressive("conv1d")):
        model = LanguageModel(transformer, N_VOCAB, MemoryLengths(MEM_LEN, C_MEM_LEN))
        _, memory = model(tokens(SEQ_LEN))
        model.generate(tokens(SEQ_LEN), 9, memory, top_k=3, top_p=0.9)
        model.generate(tokens(SEQ_LEN), 2, min_p=0.1, repetition_penalty=1.2)
        model.generate(tokens(SEQ_LEN), 1, temperature=0)
        model.losses(tokens(SEQ_LEN), tokens(SEQ_LEN))
        model.head.register_forward_hook(lambda *_: None)
        model.losses(tokens(SEQ_LEN), tokens(SEQ_LEN))


def run_cache() -> None:
    for transformer in (xl(), compressive("conv1d")):
        model = LanguageModel(transformer, N_VOCAB, MemoryLengths(MEM_LEN, C_MEM_LEN))
        cache = models.Cache(model.eval(), None, BATCH)
        for _ in range(4):
            cache.read(tokens(SEQ_LEN))


def run_one_token() -> None:
    model = LanguageModel(xl(), N_VOCAB, MemoryLengths(MEM_LEN))
    cache = models.Cache(model.eval(), None, BATCH)
    cache.read(tokens(MEM_LEN))
    cache.read(tokens(1), torch.ones(1, BATCH, dtype=torch.long))
    d_out, d_in = 2 * PARTS, 5
    prepare_product(torch.randn(d_out, d_in), torch.randn(d_out), 1)(
        torch.randn(1, 1, d_in)
    )


def run_adaptive() -> None:
    clusters = models.Clusters((3, 8), 2)
    model = LanguageModel(xl(), N_VOCAB, MemoryLengths(MEM_LEN), clusters=clusters)
    _, memory = model(tokens(SEQ_LEN))
    model.losses(tokens(SEQ_LEN), tokens(SEQ_LEN), memory)


def run_fused() -> None:
    with patch.object(attention, "fuses", lambda _x, mask: mask is None):
        run_transformer_xl()


# The same code is run at other sizes in other runs: each file is held to its own.
RUNS: dict[str, tuple[Callable[[], None], Sizes]] = {
    "compressive": (run_compressive, COMPRESSIVE_SIZES),
    "reconstruction": (run_losses, {**SIZES, "n_old": MEM_LEN}),
    "compression": (run_compressions, {**SIZES, "n_old": MEM_LEN}),
    "language_model": (run_language_model, SIZES),
    "cache": (run_cache, SIZES),
    **dict.fromkeys(("clusters", "embedding", "softmax"), (run_adaptive, SIZES)),
    "one_token": (
        run_one_token,
        {**SIZES, "k_len": MEM_LEN + 1, "PARTS": PARTS, "d_out": 2 * PARTS, "d_in": 5},
    ),
    "shift": (run_shift, XL_SIZES),
    "fusion": (run_fused, {**XL_SIZES, "n": BATCH, "columns": 16}),
}


def check_shapes(path: Path, run: Callable[[], object], sizes: Sizes) -> list[str]:
    """Every shape comment of a file that a run contradicts, or does not reach."""
    text = path.read_text(encoding="utf-8")
    module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    (record,) = observe(Recording(run, [module], "shapes"), ROOT)
    found = {value.key: [*value.shape] for value in record.values}
    comments, fields = axes_of(text).comments, axes_of(text).fields
    lines = {one.key: one.last for one in find_bindings(text) if one.key in comments}
    free: defaultdict[str, dict[str, int]] = defaultdict(dict)
    problems = []
    for key, names in comments.items():
        place, known = f"{path}:{lines[key]}", {**sizes, **free[key[0]]}
        if (observed := found.get(key)) is None:
            problems.append(f"{place}: this line never ran: run it in RUNS above")
            continue
        for axis, size in zip(names, observed, strict=False):
            if axis.isidentifier():
                free[key[0]][axis] = known.setdefault(axis, size)
        # These expressions are of our own comments.
        wanted = [eval(axis, {"__builtins__": {}}, known) for axis in names]
        if observed != wanted:
            problems.append(f"{place}: observed {observed}, wanted {wanted}")
    # The fields of a named tuple get their values under the same names.
    named = {(name, axes) for (_, name, _), axes in comments.items()}
    problems += [f"{path}: the field {one[0]}" for one in {*fields.items()} - named]
    others = sorted(find_trailing_shapes(text).keys() - {*lines.values()})
    if len(others) > len(fields):
        problems.append(f"{path}:{others}: one of them ends no assignment or return")
    return problems


# Memory in which nothing has been written yet holds any number.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(MODELS).as_posix()
)
def test_every_shape_comment_equals_the_recorded_shape(path: Path) -> None:
    problems = check_shapes(path, *RUNS.get(path.stem, (run_transformer_xl, XL_SIZES)))
    assert not problems, "\n".join(problems)
