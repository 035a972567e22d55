"""Two small models that have learned to recall facts: for the figure `tell-wait-ask`.

`python -m tests.observed.recall` trains both as `txl recall` does, writes their weights
in 8 bits, and measures what these recall at each distance. Without training,
`python -m tests.observed.recall measure` measures the weights that are there.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch

from labml_txl.models import LanguageModel
from labml_txl.training.config import Config
from labml_txl.training.recall import (
    TASKS,
    Stream,
    draw_stream,
    measure_accuracy,
    recall_configs,
    train_model,
)
from labml_txl.training.runs import web
from labml_txl.training.runs.checkpoint import Checkpoint, add_prefix
from labml_txl.training.runs.eight_bits import load_small, save_small
from labml_txl.training.text.vocabulary import Characters
from tests.observed.recordings import WEIGHTS

GOAL = Path(__file__).parents[2] / "labml_txl" / "figures" / "tell-wait-ask.json"
TASK = TASKS["key-value"]
STEPS, SEED = 2000, 1
DISTANCES = tuple(range(8, 257, 8))
# A text into which the reader's fact is put: where it is told, and what can be told.
TOLD, KEYS, LENGTH = 301, 4, 301 + DISTANCES[-1]
FILES = {
    "Transformer-XL": "recall-xl",
    "Compressive Transformer": "recall-compressive",
}

# What the figure shows before the models are loaded: beyond the memory of the first.
RECORDED = {"key": 2, "value": 6, "distance": 128}

# A token of the task has no character, so that it gets any.
SYMBOLS = "".join(chr(0x4E00 + token) for token in range(TASK.n_vocab))


def train() -> None:
    """Train both models, and write their weights."""
    for name, config in recall_configs(STEPS, SEED).items():
        model = train_model(config, TASK, DISTANCES[-1], print)
        # A weight that two layers share is one parameter.
        weights = add_prefix("model", dict(model.named_parameters()))
        words = Characters(SYMBOLS)
        told = Checkpoint(config, words, weights, STEPS, text="key-value")
        save_small(told, WEIGHTS / f"{FILES[name]}.safetensors")


def filler() -> list[int]:
    """Other facts and questions, around which the reader's own stand."""
    texts: Stream = draw_stream(TASK, range(2, DISTANCES[-1] + 1), LENGTH, 1, -SEED)
    tokens = texts.tokens[:, 0].tolist()
    own = {TASK.question(key) for key in range(KEYS)}
    own |= {TASK.fact(k, v) for k in range(KEYS) for v in range(TASK.n_values)}
    kept = [0 if token in own else token for token in tokens]
    # The answer to a question that has gone goes with it.
    for place in range(1, LENGTH):
        if tokens[place - 1] in own and tokens[place - 1] <= TASK.n_keys:
            kept[place] = 0
    return kept


def asked(text: list[int]) -> torch.Tensor:
    """The text with the fact and the question, `[TOLD + distance, 1]`."""
    key, value, distance = RECORDED["key"], RECORDED["value"], RECORDED["distance"]
    tokens = text[: TOLD + distance]
    tokens[TOLD] = TASK.fact(key, value)
    tokens[-1] = TASK.question(key)
    return torch.tensor(tokens).view(-1, 1)


@torch.no_grad()
def asks(
    model: LanguageModel, tokens: torch.Tensor, seq_len: int
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """How likely each value is as the answer, and what the question looks at.

    That are its weights in each layer, `[heads, k_len]`.
    """
    memory: Any = None
    *before, last = tokens.split(seq_len)
    for segment in before:
        _, memory = model(segment, memory)
    with web.watch_attention(model) as weights_of_layers:
        logits, _ = model(last, memory)
        looks = [weights[0, :, -1] for weights in weights_of_layers()]
    first = TASK.answer(0)
    return logits[-1, 0].softmax(-1)[first : first + TASK.n_values], looks


def at_fact(config: Config, tokens: torch.Tensor, k_len: int) -> int | None:
    """The key that the fact is, or None if it is in no memory any more."""
    at = len(tokens) - 1
    own = at - at % config.seq_len
    slots = max(0, own - config.mem_len) // config.compression_rate
    compressive = config.model == "compressive"
    if compressive and slots * config.compression_rate > TOLD:
        states = at + 1 - slots * config.compression_rate
        key = k_len - states - slots + TOLD // config.compression_rate
    else:
        key = k_len - 1 - (at - TOLD)
    return key if key >= 0 else None


def recorded(model: LanguageModel, config: Config) -> dict[str, Any]:
    """What a model answers, and the weights of the head that looks at the fact most."""
    tokens = asked(filler())
    answers, looks = asks(model, tokens, config.seq_len)
    key = at_fact(config, tokens, looks[0].shape[-1])
    all_heads = [(n, h) for n, layer in enumerate(looks) for h in range(len(layer))]
    layer, head = all_heads[0]
    if key is not None:
        layer, head = max(all_heads, key=lambda one: float(looks[one[0]][one[1], key]))
    return {
        "answers": [round(share, 4) for share in answers.tolist()],
        "layer": layer,
        "head": head,
        "weights": [round(weight, 4) for weight in looks[layer][head].tolist()],
    }


def measure() -> None:
    """Measure the weights, and write what the figure shows."""
    models = []
    for name, file in FILES.items():
        model, known = load_small(WEIGHTS / f"{file}.safetensors")
        config = known.config
        shares = [
            measure_accuracy(model, TASK, distance, config.seq_len)[0]
            for distance in DISTANCES
        ]
        models.append(
            {
                "name": name,
                "weights": f"models/{file}.safetensors",
                "mem_len": config.mem_len,
                "c_mem_len": config.c_mem_len,
                "rate": config.compression_rate if config.c_mem_len else 1,
                "segment": config.seq_len,
                "layers": config.n_layers,
                "bytes": (WEIGHTS / f"{file}.safetensors").stat().st_size,
                "recorded": recorded(model, config),
                "accuracy": [round(share, 4) for share in shares],
            }
        )
    data = {
        "command": "python -m tests.observed.recall",
        "distances": DISTANCES,
        "keys": KEYS,
        "n_keys": TASK.n_keys,
        "n_values": TASK.n_values,
        "told": TOLD,
        "recorded": RECORDED,
        "text": filler(),
        "models": models,
    }
    GOAL.write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    if "measure" not in sys.argv[1:]:
        train()
    measure()
