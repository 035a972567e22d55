"""Make the small published models that the tests read, with the peers' own code.

It runs in an environment of its own, which the tests do not need:

    python -m venv peer
    peer/bin/pip install torch==2.13.0 transformers==4.35.2 sacremoses numpy safetensors
    git clone https://github.com/kimiyoung/transformer-xl authors
    peer/bin/python tests/training/published/make_fixtures.py authors/pytorch

Each folder holds a model as its code writes it, and `expected.safetensors`: five
segments of tokens, and the logarithms of the probabilities that the code gives.
"""

import json
import pickle
import shutil
import sys
from collections import Counter, OrderedDict
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

GOAL = Path(__file__).parent / "models"
N_VOCAB, SEGMENTS, SEQ_LEN, BATCH = 30, 5, 4, 2
SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "d_model": 12,
    "d_embed": 12,
    "n_head": 2,
    "d_head": 6,
    "d_inner": 10,
    "n_layer": 2,
    "mem_len": 6,
    "clamp_len": -1,
    "same_length": False,
    "untie_r": True,
    "div_val": 4,
    "cutoffs": [9],
}
MODELS: dict[str, dict[str, Any]] = {
    "one_cluster": {"cutoffs": [], "div_val": 1, "untie_r": False},
    "one_cluster_projected": {"cutoffs": [], "div_val": 4, "mem_len": 3},
    "two_clusters": {"clamp_len": 4, "mem_len": 9},
    "three_untied": {
        "cutoffs": [9, 20],
        "div_val": 2,
        "proj_share_all_but_first": False,
    },
    "four_clusters": {
        "cutoffs": [7, 14, 22],
        "d_embed": 64,
        "same_length": True,
        "clamp_len": 3,
        "untie_r": False,
    },
    "four_of_one_width": {
        "cutoffs": [7, 14, 22],
        "div_val": 1,
        "same_length": True,
        "mem_len": 3,
    },
    "one_width_projected": {"cutoffs": [7, 14], "div_val": 1, "d_embed": 5},
    "one_width_untied": {
        "cutoffs": [7, 14],
        "div_val": 1,
        "d_embed": 5,
        "proj_share_all_but_first": False,
        "clamp_len": 2,
    },
    "separate_tables": {"tie_word_embeddings": False, "same_length": True},
}
# The authors' own code, and how its shapes are called there.
AUTHORS: dict[str, dict[str, Any]] = {
    "authors": {"cutoffs": [7, 14, 22], "div_val": 1, "mem_len": 3},
    "authors_clusters": {
        "cutoffs": [7, 14, 22],
        "d_embed": 64,
        "same_length": True,
        "clamp_len": 5,
    },
}


def draw(model: torch.nn.Module) -> None:
    """Values of a size at which every term counts."""
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)


def write_expected(folder: Path, tokens: torch.Tensor, logp: torch.Tensor) -> None:
    save_file({"tokens": tokens, "logp": logp}, folder / "expected.safetensors")


@torch.no_grad()
def hugging_face(name: str, changes: dict[str, Any], safe: bool) -> None:
    hf: Any = import_module("transformers")

    model = hf.TransfoXLLMHeadModel(hf.TransfoXLConfig(**SIZES | changes)).eval()
    draw(model)
    tokens = torch.randint(N_VOCAB, (SEGMENTS, SEQ_LEN, BATCH))
    mems, logp = None, []
    for segment in tokens:
        out = model(segment.T, mems=mems)
        mems = out.mems
        logp.append(out.prediction_scores.transpose(0, 1))
    folder = GOAL / name
    model.save_pretrained(folder, safe_serialization=safe)
    (folder / "generation_config.json").unlink(missing_ok=True)
    write_expected(folder, tokens, torch.stack(logp).contiguous())


@torch.no_grad()
def authors(name: str, changes: dict[str, Any]) -> None:
    theirs: Any = import_module("mem_transformer")

    settings = SIZES | changes
    cutoffs = settings["cutoffs"]
    model = theirs.MemTransformerLM(
        N_VOCAB,
        settings["n_layer"],
        settings["n_head"],
        settings["d_model"],
        settings["d_head"],
        settings["d_inner"],
        0.0,
        0.0,
        d_embed=settings["d_embed"],
        div_val=settings["div_val"],
        tie_projs=[False] + [True] * len(cutoffs),
        tgt_len=SEQ_LEN,
        ext_len=0,
        mem_len=settings["mem_len"],
        cutoffs=cutoffs,
        same_length=settings["same_length"],
        clamp_len=settings["clamp_len"],
    ).eval()
    draw(model)
    tokens = torch.randint(N_VOCAB, (SEGMENTS, SEQ_LEN, BATCH))
    mems, logp = model.init_mems(), []
    for segment in tokens:
        hidden, mems = model._forward(segment, mems=mems)
        flat = hidden.flatten(0, 1)
        # Their code has the loss of a target only: each word is the target once.
        words = [torch.full((len(flat),), word) for word in range(N_VOCAB)]
        losses = [model.crit(flat, word, keep_order=True) for word in words]
        logp.append(-torch.stack(losses, -1).view(SEQ_LEN, BATCH, N_VOCAB))
    folder = GOAL / name
    folder.mkdir()
    torch.save(model.state_dict(), folder / "model.pt")
    known = {
        key: settings[key] for key in settings if key not in ("vocab_size", "untie_r")
    }
    (folder / "config.json").write_text(json.dumps(known | {"n_token": N_VOCAB}))
    write_expected(folder, tokens, torch.stack(logp))


def vocabulary() -> None:
    """One vocabulary in the three forms that there are."""
    hf: Any = import_module("transformers")

    words = ["<eos>", "the", ",", "<unk>", *(f"word{n}" for n in range(N_VOCAB - 4))]
    folder = GOAL / "vocabularies"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    tokenizer = hf.TransfoXLTokenizer(vocab_file=str(folder / "vocab.txt"))
    tokenizer.save_vocabulary(str(folder))

    # The one that Hugging Face published was written in this way.
    table = {
        "counter": Counter({word: 99 - n for n, word in enumerate(words)}),
        "special": ["<eos>"],
        "min_freq": 0,
        "max_size": None,
        "lower_case": False,
        "delimiter": None,
        "vocab_file": None,
        "idx2sym": words,
        "sym2idx": OrderedDict((word, n) for n, word in enumerate(words)),
    }
    torch.save(table, folder / "vocab.bin", _use_new_zipfile_serialization=False)
    torch.save(table, folder / "vocab_zip.bin")
    (folder / "vocab_2.pkl").write_bytes(pickle.dumps(table, protocol=2))
    (folder / "vocab_0.pkl").write_bytes(pickle.dumps(table, protocol=0))


def main() -> None:
    torch.manual_seed(15)
    shutil.rmtree(GOAL, ignore_errors=True)
    GOAL.mkdir()
    for n, (name, changes) in enumerate(MODELS.items()):
        hugging_face(name, changes, safe=n % 2 == 0)
    # Their code is older than this PyTorch, which wants truth values for masks.
    torch.version.cuda = torch.version.cuda or "12.0"
    fill = torch.Tensor.masked_fill
    tensor: Any = torch.Tensor
    tensor.masked_fill = lambda self, mask, value: fill(self, mask.bool(), value)
    source = Path(sys.argv[1])
    sys.path[:0] = [str(source), str(source / "utils")]
    for name, changes in AUTHORS.items():
        authors(name, changes)
    vocabulary()


if __name__ == "__main__":
    main()
