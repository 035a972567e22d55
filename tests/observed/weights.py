"""The committed weights, made of two trained runs.

DATA="--text scenes --seq-len 64 --batch 16 --steps 7000"
OPTIMIZER="--optimizer muon --learning-rate 0.01"
txl train xl --mem-len 192 $DATA $OPTIMIZER --out runs/xl
txl train compressive --mem-len 96 --c-mem-len 96 $DATA $OPTIMIZER --out runs/cmp
python -m tests.observed.weights runs/xl/last.safetensors runs/cmp/last.safetensors

All settings stand in the metadata of the weights too. Beside them stands what a page
says of them, measured on the validation part: the loss in 32 bits, in 8 bits, and in 8
bits without memory, in bits a character, and what each head looks at; the bits of each
character of the examples; what a name costs that returns; and what memory saves in
plain Shakespeare. Without a run, `python -m tests.observed.weights` measures the
weights that are there.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.corpora import cut_part, open_corpus
from labml_txl.training.evaluation import with_memory
from labml_txl.training.returns import measure_token_bits
from labml_txl.training.runs import web
from labml_txl.training.runs.checkpoint import Checkpoint, restore
from labml_txl.training.runs.eight_bits import load_small, save_small
from labml_txl.training.scenes import extract_held_out
from tests.javascript import said
from tests.observed.recordings import WEIGHTS
from tests.observed.returns import PASSES, costs

COMMAND = "python -m tests.observed.weights"
NAMES = {"xl": "Transformer-XL", "compressive": "Compressive Transformer"}


def known_of(kind: str) -> dict[str, Any]:
    """What was measured of the weights that are there."""
    told: dict[str, Any] = json.loads((WEIGHTS / f"{kind}.web.json").read_text("utf-8"))
    return told


def validation(known: Checkpoint) -> Tensor:
    """The part of the text that the model was not trained on."""
    words = known.words
    corpus = open_corpus(known.config.text, words.kind, words.symbols)
    return cut_part(corpus, "validation")


# A name that returns so far back is in no segment of 64 characters, and is
# - in the memory of both models, some of it compressed,
# - in the compressed memory only.
RANGES = ((64, 192), (256, 480))


def returning(model: LanguageModel, known: Checkpoint) -> list[dict[str, float]]:
    """The bits of a name that returns in the held-out text, its first letter left out.

    With memory and without, for each range of distances.
    """
    edges = [edge for one in RANGES for edge in one]
    kept, lost = (
        costs(one, known, PASSES, edges) for one in (model, with_memory(model, 0, 0))
    )
    return [
        {
            "shortest": one["shortest"],
            "longest": one["longest"],
            "count": one["returns"],
            "with": one["bits"],
            "without": other["bits"],
        }
        for one, other in zip(kept, lost, strict=True)
        if (one["shortest"], one["longest"]) in RANGES
    ]


def in_plain_text(
    model: LanguageModel, known: Checkpoint, batch: int = 32
) -> dict[str, float]:
    """The bits of a character of plain Shakespeare, with memory and without.

    And what memory saves at the first 16 characters of a segment, and at the others.
    """
    # The last tenth of the plays, of which no scene was made for training.
    tokens = known.words.encode(extract_held_out())
    length = len(tokens) // batch
    texts = tokens[: length * batch].view(batch, length).t()  # [length, batch]
    seq_len = known.config.seq_len
    kept, lost = (
        measure_token_bits(one, texts, seq_len)[1:].mean(1)
        for one in (model, with_memory(model, 0, 0))
    )
    first = torch.arange(length - 1) % seq_len < 16
    saved = lost - kept
    means = {
        "with": kept,
        "without": lost,
        "first_16": saved[first],
        "others": saved[~first],
    }
    return {name: round(float(bits.mean()), 4) for name, bits in means.items()}


# Places of the first example, a character each, that the page shows before the model is
# loaded: within a name that returns, the first character of a segment, a common word.
LOOKS = {"name": 193, "border": 128, "common": 345}
SCRIPT = Path(__file__).with_name("looks.mjs")


def looks(weights: Path, text: str) -> list[dict[str, Any]]:
    """What a model attends to at the places of `LOOKS`, and what it expects next."""
    program = f"""
        import {{ look }} from {json.dumps(SCRIPT.as_uri())};
        const file = new Uint8Array(readFileSync(given.file)).buffer;
        const rounded = (_, one) => one.toFixed ? Number(one.toFixed(4)) : one;
        const found = look(file, given.text, given.at);
        say(JSON.parse(JSON.stringify(found, rounded)));
    """
    given = {"file": str(weights), "text": text}
    return [
        {"name": name, "at": at, **said(program, {**given, "at": at})}
        for name, at in LOOKS.items()
    ]


def measured(kind: str, bits_32: float) -> None:
    """Measure the weights that are there, whose loss in 32 bits is known."""
    weights = WEIGHTS / f"{kind}.safetensors"
    model, known = load_small(weights)
    tokens = validation(known)
    # The texts that readers find on the page. The first one has names that return.
    examples = {one["name"]: one["text"] for one in known_of(kind)["examples"]}
    told = web.describe_model(weights, tokens, COMMAND, NAMES[kind], bits_32, examples)
    told |= {"returns": returning(model, known), "plain": in_plain_text(model, known)}
    told["examples"][0]["looks"] = looks(weights, told["examples"][0]["text"])
    web.save(told, WEIGHTS / f"{kind}.web.json")


def main(*runs: str) -> None:
    """Write the weights of each run, and what they are worth."""
    for run in map(Path, runs):
        model, known = restore(run, "cpu")
        kind, tokens = known.config.model, validation(known)
        save_small(known, WEIGHTS / f"{kind}.safetensors")
        measured(kind, web.measure_mean_bits(model, tokens, known.config.seq_len))
    for kind in NAMES if not runs else ():
        measured(kind, known_of(kind)["losses"]["bits_32"])


if __name__ == "__main__":
    main(*sys.argv[1:])
