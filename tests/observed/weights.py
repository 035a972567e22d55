"""The committed weights, made of two trained runs.

COMMON="--optimizer muon --learning-rate 0.01 --dropout 0.05 --batch 16"
txl train xl --mem-len 128 --steps 5500 $COMMON --out runs/xl
txl train compressive --mem-len 64 --c-mem-len 64 --steps 3500 $COMMON --out runs/cmp
python -m tests.observed.weights runs/xl/last.json runs/cmp/last.json

All settings stand in the metadata of the weights too. What is printed is the loss on
the validation part in 32 bits, in 8 bits, and in 8 bits without memory: bits a
character.
"""

import sys
from pathlib import Path

from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.measures.sweeps import sweep
from labml_txl.training.runs.storage.checkpoint import restore
from labml_txl.training.runs.storage.eight_bits import load_small, save_small
from labml_txl.training.text.corpora import open_corpus, part_of
from tests.observed.recordings import WEIGHTS


def bits(model: LanguageModel, tokens: Tensor, seq_len: int, *memory: int) -> float:
    """Bits a character; `memory` holds two lengths, as trained where it is empty."""
    mem_len, c_mem_len = memory or (None, None)
    (row,) = sweep(model, tokens, seq_len, 16, [(mem_len, c_mem_len)])
    return row.bits


def main(*runs: str) -> None:
    """Write the weights of each run, and print what they are worth."""
    for run in map(Path, runs):
        model, checkpoint = restore(run, "cpu")
        config, words = checkpoint.config, checkpoint.words
        goal = WEIGHTS / f"{config.model}.safetensors"
        save_small(checkpoint, goal)
        small, _ = load_small(goal)
        tokens = part_of(
            open_corpus(config.text, words.kind, words.symbols), "validation"
        )
        full = bits(model, tokens, config.seq_len)
        now = bits(small, tokens, config.seq_len)
        none = bits(small, tokens, config.seq_len, 0, 0)
        size = goal.stat().st_size
        print(f"{goal.name}: {size:,} bytes, {checkpoint.step} steps, {full:.4f} bits,")
        print(f"  in 8 bits {now:.4f}, without memory {none:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
