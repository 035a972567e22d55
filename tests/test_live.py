"""The models that run in a page compute what the models of PyTorch compute."""

import hashlib
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from labml_txl.literate.equations.node import node
from labml_txl.models import Cache, LanguageModel
from labml_txl.training.measures.web import FORMAT, habits
from labml_txl.training.runs.build import build
from labml_txl.training.runs.config import configure
from labml_txl.training.runs.evaluation import with_memory
from labml_txl.training.runs.storage.checkpoint import Checkpoint
from labml_txl.training.runs.storage.eight_bits import load_small, save_small
from labml_txl.training.runs.storage.tensors import prefixed, wholes
from labml_txl.training.text.vocabulary import vocabulary
from tests.figures import FIGURES
from tests.observed.recordings import PASSAGES, WEIGHTS
from tests.observed.weights import validation

LIVE = FIGURES / "live.mjs"
SMALL = {"n_layers": 2, "heads": 2, "d_model": 24, "d_ff": 37, "seq_len": 16}
COMPRESSIVE = {"model": "compressive", "mem_len": 20, "c_mem_len": 7}


def asked(file: Path | None, script: str, given: object = None) -> Any:
    """What Node says; `m` is the arithmetic, `model` the model of the file."""
    program = f"""
        import * as m from {json.dumps(LIVE.as_uri())};
        import {{ readFileSync }} from "node:fs";
        const given = JSON.parse(readFileSync(0));
        const bytes = (name) => new Uint8Array(readFileSync(name)).buffer;
        const model = {f"m.read(bytes({json.dumps(str(file))}))" if file else "null"};
        const say = (said) => console.log(JSON.stringify(said));
        {script}
    """
    command = [node(), "--input-type=module", "-e", program]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def small(kind: str) -> LanguageModel:
    return load_small(WEIGHTS / f"{kind}.safetensors")[0]


@cache
def tokens(length: int = 1000) -> Tensor:
    """Two passages that the models have not learned from, again and again."""
    _, known = load_small(WEIGHTS / "xl.safetensors")
    text = PASSAGES.read_text(encoding="utf-8").replace("\n", "").replace("\\n", "\n")
    return known.words.encode(text).repeat(2 + length // len(text))[:length]


@torch.inference_mode()
def logits(model: LanguageModel, read: Tensor, segment: int) -> Tensor:
    """The logits after each token, `[n_tokens, n_vocab]`, segment by segment."""
    if segment == 1:
        cache = Cache(model)
        return torch.cat([cache.read(token.view(1, 1))[:, 0] for token in read])
    memory, found = None, []
    for part in read[:, None].split(segment):
        given, memory = model(part, memory)
        found.append(given[:, 0])
    return torch.cat(found)


def drawn(folder: Path, **changes: Any) -> Path:
    """A small model of random weights, in a file."""
    torch.manual_seed(0)
    config = configure(SMALL, changes)
    words = vocabulary("characters", "\n abcdefgh😀")
    network = build(config, len(words)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    file = folder / "drawn.safetensors"
    given = Checkpoint(config, words, prefixed("model", wholes(network)), 3, text="x")
    save_small(given, file)
    return file


READ = """
    const reader = model.reader(given.lengths), all = [];
    for (const token of given.tokens) all.push([...reader.step(token)]);
    say(all);
"""


@pytest.mark.parametrize(
    ("kind", "mem_len", "c_mem_len", "segment"),
    [
        *(("xl", mem_len, 0, 64) for mem_len in (0, 32, 128, 512)),
        ("xl", 128, 0, 1),
        *(("compressive", *both, 64) for both in ((0, 0), (64, 64), (30, 200))),
        ("compressive", 512, 0, 64),
        ("compressive", 64, 64, 1),
    ],
)
def test_the_logits_are_those_of_pytorch(
    kind: str, mem_len: int, c_mem_len: int, segment: int
) -> None:
    """Over 1,000 tokens, with memory as trained, none, and more; and as a cache."""
    expected = logits(with_memory(small(kind), mem_len, c_mem_len), tokens(), segment)
    lengths = {"mem_len": mem_len, "c_mem_len": c_mem_len, "segment": segment}
    given = {"tokens": tokens().tolist(), "lengths": lengths}
    found = torch.tensor(asked(WEIGHTS / f"{kind}.safetensors", READ, given))
    assert (found - expected).abs().max() <= 1e-3


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_the_likeliest_text_is_that_of_pytorch(kind: str) -> None:
    """500 tokens, as trained; PyTorch reads one by one with its cache."""
    model = small(kind)
    opening = tokens(1)[:, None]
    expected = model.generate(opening, 500, temperature=0)[:, 0]
    script = """
        const reader = model.reader({ segment: 1 }), written = [];
        for (let token = given, n = 0; n < 500; n++) {
            token = m.draw(reader.step(token), { temperature: 0 });
            written.push(token);
        }
        say(written);
    """
    file = WEIGHTS / f"{kind}.safetensors"
    assert asked(file, script, int(opening)) == expected.tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {"norm": "post", "tied": False, "mem_len": 9},
        {"norm": "post", "compression": "max_pooling", **COMPRESSIVE},
        {"compression": "mean_pooling", "compression_rate": 3, **COMPRESSIVE},
        {"compression": "conv1d", "compression_rate": 5, "heads": 3, **COMPRESSIVE},
    ],
)
def test_every_part_that_is_built_in_is_that_of_pytorch(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    file = drawn(tmp_path, **changes)
    model, known = load_small(file)
    read = torch.randint(len(known.words), (200,), generator=torch.manual_seed(1))
    expected = logits(model, read, 16)
    found = torch.tensor(asked(file, READ, {"tokens": read.tolist(), "lengths": {}}))
    assert expected.std() > 0.3
    assert (found - expected).abs().max() <= 1e-4


# What is said of them


@pytest.mark.parametrize("kind", ["xl", "compressive"])
def test_the_habits_of_the_heads_are_those_that_are_committed(kind: str) -> None:
    """A part of the text shows nearly what the whole of it does."""
    model, known = load_small(WEIGHTS / f"{kind}.safetensors")
    told = json.loads((WEIGHTS / f"{kind}.web.json").read_text("utf-8"))
    found = habits(model, validation(known)[:4000], known.config.seq_len, batch=4)
    for one, wanted in zip(found, told["heads"], strict=True):
        for name, share in one._asdict().items():
            assert share == pytest.approx(wanted[name], abs=0.06), (name, wanted)
    content = (WEIGHTS / told["weights"]).read_bytes()
    assert told["format"] == FORMAT
    assert told["bytes"] == len(content) <= 1_500_000
    assert told["digest"] == hashlib.sha256(content).hexdigest()[:16]
    losses = told["losses"]
    assert losses["bits_8"] < losses["bits_8_without_memory"]
    assert losses["bits_32"] is None or abs(losses["bits_32"] - losses["bits_8"]) < 0.01
