"""Published weights give what their own code gives; what does not fit is refused.

The folders of `models` were written by that code, with random weights: by transformers
4.35.2, and `authors*` by the repository of the paper (kimiyoung/transformer-xl). Each
holds `expected.safetensors`: five segments of tokens, and the logarithms of the
probabilities that the code gave.
"""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from labml_txl.cli import main
from labml_txl.models import Cache, LanguageModel
from labml_txl.training import load_published
from labml_txl.training.objective import build
from labml_txl.training.published.load import import_run
from labml_txl.training.runs.checkpoint import load_checkpoint, restore
from labml_txl.training.text.files import TrainingError
from tests.training.small import small, small_text

MODELS = Path(__file__).parent / "models"
NAMES = sorted(path.parent.name for path in MODELS.glob("*/config.json"))


def expected(name: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Five segments of tokens, and what their code gives for them."""
    tensors = load_file(MODELS / name / "expected.safetensors")
    return tensors["tokens"], tensors["logp"]


def read(model: LanguageModel, tokens: torch.Tensor) -> torch.Tensor:
    """The logarithms of the probabilities, segment by segment, with memory."""
    memory, found = None, []
    for segment in tokens:
        logits, memory = model(segment, memory)
        found.append(logits.log_softmax(-1))
    return torch.stack(found)


def near(found: torch.Tensor, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_a_published_model_predicts_what_its_own_code_predicts(name: str) -> None:
    tokens, logp = expected(name)
    model = load_published(MODELS / name)
    assert not model.training
    with torch.no_grad():
        near(read(model, tokens), logp)
    cache = Cache(model, None, tokens.shape[2])
    near(torch.stack([cache.read(one).log_softmax(-1) for one in tokens]), logp)
    # With gradients another kernel computes, and the loss is of the same numbers.
    near(read(model, tokens), logp)
    with torch.no_grad():
        losses, _ = model.losses(tokens[0], tokens[1])
    near(losses, -logp[0].gather(-1, tokens[1][..., None])[..., 0])


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str], Path]:
    """A published folder of one's own, with a vocabulary."""

    def copy(name: str) -> Path:
        folder = Path(shutil.copytree(MODELS / name, tmp_path / name))
        shutil.copy(MODELS / "vocabularies" / "vocab.pkl", folder)
        return folder

    return copy


Copied = Callable[[str], Path]


@pytest.mark.parametrize("name", ["one_cluster", "four_clusters", "authors_clusters"])
def test_an_imported_run_is_the_published_model(
    name: str, copied: Copied, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    import_run(copied(name), out)
    model, checkpoint = restore(out, "cpu")
    tokens, logp = expected(name)
    with torch.no_grad():
        near(read(model, tokens), logp)
    assert checkpoint.words.decode([1, 2, 0]) == "the , \n"
    # What was shared is shared again, and takes no memory twice.
    published = load_published(tmp_path / name)
    sizes = [sum(p.numel() for p in m.parameters()) for m in (model, published)]
    assert sizes[0] == sizes[1]
    assert len(checkpoint.words) == model.n_vocab

    # A run that stands there is not written over.
    with pytest.raises(TrainingError, match="already contains a run"):
        import_run(tmp_path / name, out)


@pytest.mark.parametrize("name", ["one_cluster", "four_clusters"])
def test_training_starts_from_a_published_folder_as_from_a_run_of_it(
    name: str, copied: Copied, tmp_path: Path
) -> None:
    folder, run, tuned = copied(name), tmp_path / "run", tmp_path / "tuned"
    import_run(folder, run)
    text = small_text(tmp_path / "other")
    more = [f"--text={text}", "--seq-len=5", "--batch=2", "--sample=0", "--warmup=1"]
    found = []
    for start, rate in ((folder, 1e-9), (run, 1e-9), (folder, 0.1)):
        given = [f"--from={start}", f"--out={tuned}", f"--learning-rate={rate}"]
        given.append(f"--min-learning-rate={rate}")
        assert main(["train", "xl", *given, *more, "--steps=2", "--device=cpu"]) == 0
        found.append(load_checkpoint(tuned).part("model"))
        shutil.rmtree(tuned)
    published = load_checkpoint(run).part("model")
    for key, tensor in published.items():
        # With a tiny learning rate, the parameters are still those that were given.
        torch.testing.assert_close(found[0][key], tensor, atol=1e-6, rtol=0)
        assert torch.equal(found[0][key], found[1][key])
    assert any(not torch.equal(found[2][key], published[key]) for key in published)


def test_the_command_makes_a_run_that_is_evaluated_and_writes(
    copied: Copied, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, out = copied("four_clusters"), tmp_path / "run"
    assert main(["import", str(folder), f"--out={out}"]) == 0
    assert "million parameters, 30 words" in capfd.readouterr().err
    text = tmp_path / "text.txt"
    text.write_text("the word3 , the word9 unheard\n" * 40, encoding="utf-8")
    words = [str(out), f"--text={text}", "--part=all", "--batch=1", "--tokens=41"]
    assert main(["evaluate", *words, "--json", "--seq-len=4"]) == 0
    found = json.loads(capfd.readouterr().out)

    # Each token is predicted from what its own code would have read before it.
    model, checkpoint = restore(out, "cpu")
    tokens = checkpoint.words.encode(text.read_text(encoding="utf-8"))[:41]
    with torch.no_grad():
        logp = read(model, tokens[:40].view(10, 4, 1)).view(40, 30)
    nats = -logp[torch.arange(40), tokens[1:]].mean()
    assert found["nats"] == pytest.approx(float(nats), abs=1e-4)

    settings = ["--length=6", "--top-k=20", "--top-p=0.9", "--seed=2"]
    assert main(["generate", str(out), "--prompt=the", *settings]) == 0
    assert len(capfd.readouterr().out.split()) >= 1


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    given = json.loads(path.read_text()) | changes
    kept = {key: value for key, value in given.items() if value != "gone"}
    path.write_text(json.dumps(kept))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_layer": "gone"}, "has no n_layer, which is required"),
        ({"n_layer": 3}, "no tensor transformer.layers.2.dec_attn.qkv_net.weight"),
        ({"n_layer": 1}, "tensor transformer.layers.1.*config.json does not have"),
        (
            {"n_layer": "two"},
            "not describe a valid model: n_layers = 'two' is not of the type int",
        ),
        (
            {"vocab_size": 31},
            r"emb_layers.1.weight has the shape \[21, 3\], but config.json",
        ),
        ({"cutoffs": [9, 40]}, "cutoffs=.9, 40. must rise between 0 and n_vocab=30"),
        (
            {"d_head": 5},
            "not describe a valid model: n_head = 2 of d_head = 5 is not d_model",
        ),
        ({"pre_lnorm": True}, "pre_lnorm = True: only False can be imported"),
        ({"mem_len": -2}, "mem_len = -2 must be 0 or more"),
        ({"n_head": 0}, "not describe a valid model: n_head = 0 of d_head"),
        ({"vocab_size": "30"}, "config.json does not describe a valid model"),
        ({"vocab_size": 10**30}, "config.json does not describe a valid model"),
        ({"cutoffs": 5}, "config.json does not describe a valid model"),
        ({"clamp_len": "x"}, "config.json does not describe a valid model"),
        ({"n_layer": 10**9}, "n_layers = 1000000000 must be below 1000"),
        ({"same_length": 1}, "same_length = 1 is not of the type bool"),
        (
            {"dropout": 1.5},
            "config.json does not describe a valid model: dropout = 1.5 must be",
        ),
    ],
)
def test_a_model_that_does_not_fit_its_config_is_refused(
    changes: dict[str, Any], words: str, copied: Copied
) -> None:
    folder = copied("two_clusters")
    change_config(folder, **changes)
    with pytest.raises(TrainingError, match=words) as error:
        load_published(folder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["two_clusters", "three_untied", "authors"])
def test_truncated_files_are_refused(name: str, copied: Copied) -> None:
    folder = copied(name)
    (path,) = (
        file
        for file in folder.iterdir()
        if file.stem in ("model", "pytorch_model") and file.suffix != ".json"
    )
    whole = path.read_bytes()
    for length in (0, 1, 7, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(
            TrainingError, match=f"{path.name} is (truncated or|truncated,) dam"
        ) as e:
            load_published(folder)
        assert "\n" not in str(e.value)
    path.write_bytes(whole)
    load_published(folder)
    path.unlink()
    with pytest.raises(TrainingError, match=r"none of model.safetensors, pytorch_m"):
        load_published(folder)


BIAS, TABLE = "crit.out_layers.1.bias", "transformer.word_emb.emb_layers.0.weight"
OUTPUT = "transformer.layers.0.dec_attn.o_net.weight"
HEAD = "crit.out_layers.0.weight"
Tensors = dict[str, torch.Tensor]
STATES: list[tuple[Callable[[Tensors], object], str]] = [
    (lambda s: {k: v for k, v in s.items() if k != BIAS}, f"has no tensor {BIAS}"),
    (
        lambda s: s | {"crit.more": torch.ones(3)},
        "a tensor crit.more that a model of this config.json",
    ),
    (lambda s: s | {BIAS: s[BIAS][:-1]}, r"bias has the shape \[20\], .* gives \[21\]"),
    (lambda s: s | {HEAD: s[TABLE] + 1}, "other values in word_emb.emb_layers.0.weig"),
    (
        lambda s: s | {OUTPUT: s[OUTPUT].int()},
        "does not contain floating-point numbers",
    ),
    (
        lambda s: s | {OUTPUT: s[OUTPUT].to(torch.cfloat)},
        "does not contain floating-point numbers",
    ),
    (
        lambda s: s | {OUTPUT: s[OUTPUT].to_sparse()},
        "does not contain floating-point numbers",
    ),
    (
        lambda s: s | {OUTPUT: s[OUTPUT].to("meta")},
        "does not contain floating-point numbers",
    ),
    (lambda s: s | {OUTPUT: s[OUTPUT].t()}, "does not contain floating-point numbers"),
    (lambda s: [1, 2], "is not a state dict"),
    (lambda s: {"a": 1}, "is not a state dict"),
    (lambda s: torch.ones(3), "is not a state dict"),
]


@pytest.mark.parametrize(("change", "words"), STATES)
def test_a_state_dict_of_another_model_is_refused(
    change: Callable[[Tensors], object], words: str, copied: Copied
) -> None:
    folder = copied("two_clusters")
    state = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(change(state), folder / "pytorch_model.bin")
    with pytest.raises(TrainingError, match=words):
        load_published(folder)
    # Both names of a shared table may be there.
    both = state | {HEAD: state[TABLE].clone()}
    torch.save(both, folder / "pytorch_model.bin")
    load_published(folder)


class Call:
    """A pickle of it calls whatever it holds."""

    def __init__(self, what: Any, *arguments: Any) -> None:
        self.what, self.arguments = what, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.what, self.arguments


def test_no_pickle_of_weights_is_executed(copied: Copied, tmp_path: Path) -> None:
    folder = copied("three_untied")
    path = folder / "pytorch_model.bin"
    written = tmp_path / "written"
    torch.save({"weight": Call(Path.touch, written)}, path)
    with pytest.raises(TrainingError, match="whose code would have to be run"):
        load_published(folder)
    assert not written.exists()


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("protocol", [2, 4])
def test_a_whole_module_is_refused_with_what_to_save_instead(
    copied: Copied, older: bool, protocol: int
) -> None:
    folder = copied("three_untied")
    path = folder / "pytorch_model.bin"
    more: dict[str, Any] = {"_use_new_zipfile_serialization": not older}
    torch.save(build(small(), 9), path, pickle_protocol=protocol, **more)
    with pytest.raises(TrainingError, match=r"whole module.*model\.state_dict\(\)"):
        load_published(folder)


class Scale(torch.nn.Module):
    """A module without any other module in it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight * x


# How programs write a file of weights, and what the message says about it.
WEIGHTS, CODE = (
    {"weight": torch.ones(3)},
    r"code would have to be run.*\.state_dict\(\)",
)
OTHER_FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "own module": (lambda path: torch.save(Scale(), path), CODE),
    "module in a dict": (lambda path: torch.save({"model": Scale()}, path), CODE),
    "options in a dict": (
        lambda path: torch.save({**WEIGHTS, "options": SimpleNamespace()}, path),
        CODE,
    ),
    "traced": (
        lambda path: torch.jit.trace(Scale(), torch.ones(3)).save(str(path)),
        CODE,
    ),
    "exported": (
        lambda path: torch.export.save(
            torch.export.export(Scale(), (torch.ones(3),)), str(path)
        ),
        CODE,
    ),
    "checkpoint": (
        lambda path: torch.save({"epoch": 3, "state_dict": WEIGHTS}, path),
        "under 'state_dict': save that alone",
    ),
    "other format": (
        lambda path: save_file(WEIGHTS, path),
        "is a file of safetensors: expected a file of PyTorch",
    ),
    "pointer": (
        lambda path: path.write_text("version https://git-lfs.github.com/spec/v1\n"),
        "is a pointer, which git lfs pull replaces: expected a file of PyTorch",
    ),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", OTHER_FILES)
def test_the_message_says_what_a_file_is_that_has_no_weights(
    copied: Copied, kind: str
) -> None:
    write, words = OTHER_FILES[kind]
    folder = copied("three_untied")
    path = folder / "pytorch_model.bin"
    path.unlink()
    write(path)
    with pytest.raises(TrainingError, match=words):
        load_published(folder)
    with pytest.raises(TrainingError, match=r"is a file: give the folder"):
        load_published(path)


def test_a_file_of_pytorch_is_not_taken_for_a_damaged_one_of_safetensors(
    copied: Copied,
) -> None:
    folder = copied("three_untied")
    path = folder / "model.safetensors"
    words = "is a file of PyTorch: expected a file of safetensors"
    for newer in (True, False):
        torch.save(WEIGHTS, path, _use_new_zipfile_serialization=newer)
        for load in (lambda: load_published(folder), lambda: load_checkpoint(path)):
            with pytest.raises(TrainingError, match=words):
                load()


def test_weights_in_the_older_format_of_pytorch_are_read(copied: Copied) -> None:
    folder = copied("three_untied")
    path = folder / "pytorch_model.bin"
    state = torch.load(path, weights_only=True)
    torch.save(state, path, _use_new_zipfile_serialization=False)
    tokens, logp = expected("three_untied")
    with torch.no_grad():
        near(read(load_published(folder), tokens), logp)


def test_broken_folders_are_refused(tmp_path: Path, copied: Copied) -> None:
    folder = copied("two_clusters")
    for text, words in (
        ("{", "truncated or not JSON"),
        ("[" * 100_000, "truncated or not JSON"),
        ("9" * 5_000, "truncated or not JSON"),
        ("[]", "is not a JSON object of settings"),
    ):
        (folder / "config.json").write_text(text)
        with pytest.raises(TrainingError, match=words):
            load_published(folder)
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    # What is no file is not waited for.
    with pytest.raises(
        TrainingError, match=r"has no config.json, which contains the siz"
    ):
        load_published(folder)
