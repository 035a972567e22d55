"""What the pages of the models show is what runs show today, and nearly all of it."""

from pathlib import Path

import pytest

from labml_txl.cli import main
from labml_txl.literate.recording import recording
from labml_txl.literate.recording.bindings import bindings
from labml_txl.literate.recording.recording import Observation, Recording
from labml_txl.literate.recording.records import Value, read_record

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "observations"


def value(module: str, *key: str | int) -> Value:
    """What the committed record of a module holds under a key."""
    record = read_record(FOLDER / f"labml_txl.models.{module}.json", ROOT)
    return next(each for each in record.values if each.key == key)


# What no value is of: what makes a model, before it has learned anything; protocols;
# and lines for a machine that has a GPU or for none of these runs.
MAKING = {
    *("__init__", "reset_parameters", "fresh_copy", "final_norm", "initialize"),
    *("check_heads", "extra_repr"),
}
PROTOCOLS = {"Transformer.advance", "Transformer.contexts"}
PROTOCOLS |= {"Compression.__call__", "Loss.__call__", "Transformer.mask"}
PROTOCOLS |= {"Distances.__call__", "Transformer.check"}
# What only training, large vocabularies and the authors' way of evaluation use.
ELSEWHERE = {
    *("LanguageModel.losses", "Head.losses", "cross_entropy", "Head.tie"),
    "Cache.losses",
    *("LanguageModel.begin", "TransformerXL.mask", "CompressiveTransformer.mask"),
}
NEVER = {
    # Empty, or `None`, by what the line says.
    ("update_memory", "return", 0),
    ("CompressiveMemory.empty", "return", 0),
    ("CompressiveTransformerLayer.compress_oldest", "usage", 0),
    ("AttentionReconstructionLoss.layer_loss", "usage", 0),
    ("LanguageModel.generate", "generator", 0),
    # On a GPU.
    *(("attend", name, 0) for name in ("u", "keys", "bias", "p", "a")),
    ("RelativeMultiHeadAttention.forward", "nearest", 1),
    ("sequences_at_once", "return", 0),
    ("Dropout.forward", "return", 1),
    # A cache that has grown to twice its length.
    ("LayerCache.read", "self.distances", 0),
    ("LayerCache.read", "self.bias_of_one", 0),
    # Single tokens, and a cache to go on from: this run reads segments.
    *(("LayerCache.read_one", name, 0) for name in ("x", "mask", "one")),
    ("LayerCache.read_one", "core", 0),
    ("LayerCache.read_one", "z", 0),
    ("LayerCache.read_one", "projected", 0),
    ("LayerCache.read_one", "pairs", 0),
    ("LayerCache.read_one", "pairs", 1),
    ("LayerCache.read_one", "seen", 0),
    ("LayerCache.read_one", "near", 0),
    ("LayerCache.read_one", "values", 0),
    ("LayerCache.read_one", "return", 0),
    ("LanguageModel.generate", "cache", 0),
    ("LanguageModel.generate", "cache", 1),
    # With `same_length` or `clamp_len`.
    ("Cache.through", "mask", 0),
    ("LayerCache.read", "mask", 0),
    ("LayerCache.read_many", "mask", 0),
    ("TransformerXL.advance", "mask", 0),
    ("LearnedDistances.forward", "offsets", 1),
    ("causal_mask", "past", 1),
    ("causal_mask", "span", 0),
    ("relative_positions", "distances", 1),
}


def test_a_new_run_shows_what_is_recorded_and_every_tensor_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[Observation] = []
    observe = recording.observe

    def noted(given: Recording, root: Path) -> tuple[Observation, ...]:
        found = observe(given, root)
        seen.extend(found)
        return found

    monkeypatch.setattr(recording, "observe", noted)
    monkeypatch.chdir(ROOT)
    status = main(["observe", "--check"])
    assert (status, capsys.readouterr().err) == (0, "")

    never, idle = set(), set()
    for each in seen:
        record = each.record
        had = {one.key for one in record.values} | each.others.keys()
        for binding in bindings((ROOT / record.module).read_text(encoding="utf-8")):
            function = binding.function
            if binding.kind == "read" or binding.name in ("self", "cls"):
                continue
            if function in ELSEWHERE and binding.key not in had:
                idle.add(function)
            elif function not in PROTOCOLS and function.split(".")[-1] not in MAKING:
                never |= {binding.key} - had
        # Nothing with a shape was left over.
        assert not {"Tensor", "Parameter"} & {*each.others.values()}
    assert not never ^ NEVER, sorted(never ^ NEVER)
    assert not idle ^ ELSEWHERE, sorted(idle ^ ELSEWHERE)
    assert sum(len(each.record.values) for each in seen) > 450


def test_what_is_committed_is_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.glob("*.json")) <= 3_000_000
    for file in FOLDER.glob("models/*.safetensors"):
        assert file.stat().st_size <= 1_500_000


def test_the_shift_moves_each_row_left_and_weights_add_up_to_one() -> None:
    given, moved = (
        value("relative_shift", "rel_shift", n, 0) for n in ("scores", "return")
    )
    for before, after in zip(given.slices, moved.slices, strict=True):
        old, new = before.values(), after.values()
        rows, width = moved.extent
        margin = (before.step + after.step) / 2 * 1.01
        for i in range(rows):
            shift = rows - 1 - i
            for j in range(width - shift):
                was = old[i * given.extent[1] + j + shift]
                assert abs(new[i * width + j] - was) <= margin
    weights = value("relative_attention", "RelativeAttention.forward", "weights", 0)
    rows, width = weights.extent
    for one in weights.slices:
        for i in range(rows):
            row = one.values()[i * width : (i + 1) * width]
            assert sum(row) == pytest.approx(1, abs=width * one.step / 2)
            assert not any(row[width - rows + i + 1 :])
