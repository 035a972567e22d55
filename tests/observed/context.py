"""How far the committed models see, measured for the page on our experiments.

`python -m tests.observed.context` writes it. The models are a group, as the relative
effective context length asks for it: Transformer-XL with its memory, the same weights
without memory, and the Compressive Transformer.
"""

import json
from pathlib import Path
from typing import Any

import torch

from labml_txl.models import LanguageModel
from labml_txl.training.config import Config
from labml_txl.training.context import effective_lengths, losses
from labml_txl.training.corpora import cut_part, open_corpus
from labml_txl.training.evaluation import with_memory
from labml_txl.training.runs.eight_bits import load_small
from tests.observed.recordings import WEIGHTS

GOAL = Path(__file__).with_name("context.json")
LENGTHS = tuple(range(64, 513, 64))
POSITIONS = 1_000
# The share of the positions that is looked at: all of them.
RATIO = 1.0


def group() -> tuple[list[LanguageModel], list[dict[str, Any]], torch.Tensor, Config]:
    """The models, what is said of each, the text, and the settings of the first."""
    xl, of_xl = load_small(WEIGHTS / "xl.safetensors")
    compressive, of_compressive = load_small(WEIGHTS / "compressive.safetensors")
    alone = with_memory(load_small(WEIGHTS / "xl.safetensors")[0], 0, 0)
    told = [
        {
            "mode": mode,
            "layers": of.config.n_layers,
            "mem_len": 0 if mode == "none" else of.config.mem_len,
            "c_mem_len": of.config.c_mem_len if mode == "compressed" else 0,
            "rate": of.config.compression_rate if mode == "compressed" else 1,
        }
        for mode, of in (
            ("none", of_xl),
            ("recurrence", of_xl),
            ("compressed", of_compressive),
        )
    ]
    corpus = open_corpus(of_xl.config.text, of_xl.words.kind, of_xl.words.symbols)
    tokens = cut_part(corpus, "validation")
    return [alone, xl, compressive], told, tokens, of_xl.config


def main() -> None:
    """Measure, and write the file."""
    models, told, tokens, config = group()
    table = losses(models, tokens, LENGTHS, config.seq_len, POSITIONS)
    reaches = effective_lengths(table, LENGTHS, RATIO)
    for model, (one, reach) in enumerate(zip(told, reaches, strict=True)):
        mean = [round(float(found[model].mean()), 4) for found in table]
        one |= {"effective": reach.length, "ended": reach.ended, "nats": mean}
    data = {
        "command": "python -m tests.observed.context",
        "text": f"{config.text}, the validation part",
        "positions": POSITIONS,
        "ratio": RATIO,
        "lengths": LENGTHS,
        "segment": config.seq_len,
        "models": told,
    }
    GOAL.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
