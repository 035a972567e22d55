"""The committed weights, made of two trained runs.

COMMON="--optimizer muon --learning-rate 0.01 --dropout 0.05 --batch 16"
txl train xl --mem-len 128 --steps 5500 $COMMON --out runs/xl
txl train compressive --mem-len 64 --c-mem-len 64 --steps 3500 $COMMON --out runs/cmp
python -m tests.observed.weights runs/xl/last.json runs/cmp/last.json

All settings stand in the metadata of the weights too. Beside them stands what a page
says of them, measured on the validation part: the loss in 32 bits, in 8 bits, and in 8
bits without memory, in bits a character, and what each head looks at. Without a run,
`python -m tests.observed.weights` measures the weights that are there.
"""

import json
import sys
from pathlib import Path

from torch import Tensor

from labml_txl.training.runs import web
from labml_txl.training.runs.checkpoint import Checkpoint, restore
from labml_txl.training.runs.eight_bits import load_small
from labml_txl.training.text.corpora import open_corpus, part_of
from tests.observed.recordings import WEIGHTS

COMMAND = "python -m tests.observed.weights"
NAMES = {"xl": "Transformer-XL", "compressive": "Compressive Transformer"}


def validation(known: Checkpoint) -> Tensor:
    """The part of the text that the model has not learned from."""
    words = known.words
    corpus = open_corpus(known.config.text, words.kind, words.symbols)
    return part_of(corpus, "validation")


def measured(kind: str) -> None:
    """Measure the weights that are there; of their loss in 32 bits, what was known."""
    weights, goal = WEIGHTS / f"{kind}.safetensors", WEIGHTS / f"{kind}.web.json"
    known = json.loads(goal.read_text("utf-8"))["losses"] if goal.exists() else {}
    _, checkpoint = load_small(weights)
    tokens, full = validation(checkpoint), known.get("bits_32")
    web.save(web.about(weights, tokens, COMMAND, NAMES[kind], full), goal)


def main(*runs: str) -> None:
    """Write the weights of each run, and what they are worth."""
    for run in map(Path, runs):
        model, checkpoint = restore(run, "cpu")
        kind = checkpoint.config.model
        goal = WEIGHTS / f"{kind}.web.json"
        tokens = validation(checkpoint)
        web.write(model, checkpoint, tokens, goal, COMMAND, NAMES[kind])
    for kind in NAMES if not runs else ():
        measured(kind)


if __name__ == "__main__":
    main(*sys.argv[1:])
