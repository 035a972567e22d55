"""A model for a web page: two files with which the page can run it.

One contains the weights in 8 bits (`eight_bits`), the other a description of the model
as JSON. The page runs the short form of the models in JavaScript, one token at a time.

If the page has no code for a setting of the model, an error names this setting. The
command `txl export --to web runs/short` creates a page for a run, in the folder `page`.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from labml_txl.models import LanguageModel
from labml_txl.training.evaluation import divide_text, evaluate, reach, with_memory
from labml_txl.training.returns import measure_token_bits
from labml_txl.training.runs.checkpoint import Checkpoint
from labml_txl.training.runs.eight_bits import load_small, save_small
from labml_txl.training.text.files import TrainingError, replace_file
from labml_txl.variants import COMPRESSIONS, ENCODINGS, on_pages

FORMAT = "labml_txl model 1"

# The values of settings for which the page has code. All other settings only affect
# training.
BUILT_IN: dict[str, tuple[Any, ...]] = {
    "model": ("xl", "compressive"),
    "vocabulary": ("characters",),
    "encoding": on_pages(ENCODINGS),
    "norm": ("pre", "post"),
    "cutoffs": ((),),
    "div_val": (1,),
    "d_embed": (0,),
    "same_length": (False,),
    "clamp_len": (0,),
    "zero_memory": (False,),
}

# The distance beyond which a key counts as far, the number of tokens on which heads are
# measured, and the length of the example in characters.
FAR = 32
ENOUGH = 20_000
EXAMPLE = 600


def check(known: Checkpoint) -> None:
    """Raise `TrainingError` for a model that the page cannot run."""
    built_in = dict(BUILT_IN)
    if known.config.model == "compressive":
        built_in["compression"] = on_pages(COMPRESSIONS)
    given = {name: getattr(known.config, name) for name in built_in}
    for name, value in {**given, "vocabulary": known.words.kind}.items():
        if value not in built_in[name]:
            wanted = " or ".join(map(_shown, built_in[name]))
            raise TrainingError(
                f"a page cannot run {name} = {_shown(value)}: expected {wanted}"
            )


def _shown(value: object) -> str:
    return json.dumps(value) if not isinstance(value, str) else value


class Habit(NamedTuple):
    """What a head attends to: mean shares of its weights, from 0 to 1.

    A head that attends mostly to tokens that followed an earlier occurrence of the
    current token is an induction head: the model can copy the token that came next
    there.
    """

    layer: int
    head: int
    induction: float  # the token after an earlier place of the same token
    previous: float  # the token before
    same: float  # earlier places of the same token
    far: float  # keys that are more than `FAR` back


@torch.inference_mode()
def measure_habits(
    model: LanguageModel, tokens: Tensor, seq_len: int, batch: int = 16
) -> list[Habit]:
    """What each head of a model attends to in a text, `[n_tokens]`."""
    cores = model.transformer.cores()
    warm_up = min(reach(model), len(tokens) // 2)
    sums = torch.zeros(len(cores), cores[0].self_attn.heads, 4, dtype=torch.float64)
    count, memory, past = 0, None, torch.empty(0, batch, dtype=torch.long)
    with watch_attention(model) as weights_of_layers:
        for places, counts in divide_text(len(tokens), seq_len, batch, warm_up):
            read = tokens[places].long()
            _, memory = model.read(read, memory)
            past = torch.cat((past, read))
            count += int(counts.sum())
            for layer, weights in enumerate(weights_of_layers()):
                here = weights * counts.t()[:, None, :, None]
                shares = [here * kind for kind in kinds(past, len(read), here.shape[3])]
                sums[layer] += torch.stack([s.sum((0, 2, 3)) for s in shares], -1)
            past = past[-reach(model) - seq_len :]
    return [
        Habit(layer, head, *(round(float(share), 4) for share in shares))
        for layer, heads in enumerate(sums / count)
        for head, shares in enumerate(heads)
    ]


def kinds(past: Tensor, seq_len: int, k_len: int) -> tuple[Tensor, ...]:
    """Which keys followed the same token, are the previous or same one, or are far.

    `past` are the tokens so far, `[n_tokens, batch]`, of which the last `seq_len` are
    the queries. A compressed slot is a key but not a token.
    """
    asks = torch.arange(k_len - seq_len, k_len)[:, None]
    back = asks - torch.arange(k_len)  # [seq_len, k_len]
    known = past[-k_len:].t()  # [batch, at most k_len]
    same = known[:, -seq_len:, None] == known[:, None]
    missing = same.new_zeros(len(same), seq_len, k_len - known.shape[1])
    same = torch.cat((missing, same), -1) & (back > 0)  # [batch, seq_len, k_len]
    follows = F.pad(same, (1, -1)) & (back > 0)  # [batch, seq_len, k_len]
    return follows[:, None], back == 1, same[:, None], back > FAR


@contextmanager
def watch_attention(model: LanguageModel) -> Iterator[Any]:
    """Within the block, the yielded function computes the weights of the last segment.

    They are `[batch, heads, seq_len, k_len]`, layer by layer.
    """
    attentions = [core.self_attn for core in model.transformer.cores()]
    seen: dict[int, tuple[Tensor, Tensor]] = {}

    def keep(attention: Any, _: object, given: dict[str, Any]) -> None:
        seen[id(attention)] = given["query"], given["key"]

    def weights_of_layers() -> Iterator[Tensor]:
        for attention in attentions:
            query, key = seen[id(attention)]
            q = attention.split_heads(attention.query(query))
            k = attention.split_heads(attention.key(key))
            distances = attention.distances(len(key) - 1, -len(query))
            yield attention.weights(attention.scores(q, k, distances))

    hooks = [a.register_forward_pre_hook(keep, with_kwargs=True) for a in attentions]
    try:
        yield weights_of_layers
    finally:
        for hook in hooks:
            hook.remove()


def measure_mean_bits(
    model: LanguageModel, tokens: Tensor, seq_len: int, *memory: int | None
) -> float:
    """Bits per token. `memory` are its lengths; without them, those of training."""
    return round(evaluate(with_memory(model, *memory), tokens, seq_len).bits, 4)


def measure_bits(model: LanguageModel, tokens: Tensor, seq_len: int) -> list[float]:
    """The bits of each token of a text, `[n_tokens]`, from the second one on."""
    along = measure_token_bits(model, tokens[:, None], seq_len)[1:, 0]
    return [round(one, 2) for one in along.tolist()]


def describe_model(
    weights: Path,
    tokens: Tensor,
    command: str,
    name: str,
    bits_32: float | None,
    texts: dict[str, str],
) -> dict[str, Any]:
    """The description of the weights in a file, measured on `tokens`.

    `command` is the command that measures it, and `bits_32` the loss before the weights
    were rounded, if it is known. The page offers `texts` as examples, and shows the
    bits of their characters before the model is loaded.
    """
    model, known = load_small(weights)
    check(known)
    config, seq_len, content = known.config, known.config.seq_len, weights.read_bytes()
    rate = config.compression_rate if config.model == "compressive" else 1
    losses = {
        "bits_8": measure_mean_bits(model, tokens, seq_len),
        "bits_32": bits_32,
        "bits_8_without_memory": measure_mean_bits(model, tokens, seq_len, 0, 0),
        "command": command,
    }
    heads = measure_habits(model, tokens[:ENOUGH], seq_len)
    alone = with_memory(model, 0, 0)
    examples = [
        {
            "name": title,
            "text": text,
            "with": measure_bits(model, known.words.encode(text), seq_len),
            "without": measure_bits(alone, known.words.encode(text), seq_len),
        }
        for title, text in texts.items()
    ]
    return {
        "format": FORMAT,
        "weights": weights.name,
        "bytes": len(content),
        "digest": hashlib.sha256(content).hexdigest()[:16],
        "kind": config.model,
        "name": name,
        "text": config.text,
        "step": known.step,
        "lengths": {
            "mem_len": config.mem_len,
            "c_mem_len": config.c_mem_len,
            "rate": rate,
            "segment": seq_len,
        },
        "losses": losses,
        "heads": [habit._asdict() for habit in heads],
        "examples": examples,
    }


def write(
    model: LanguageModel,
    known: Checkpoint,
    tokens: Tensor,
    goal: Path,
    command: str,
    name: str,
) -> None:
    """Write the two files of a model: `goal`, as JSON, and the weights beside it.

    The example is the beginning of `tokens`. Raises `TrainingError` for a model that
    the page cannot run.
    """
    check(known)
    weights = goal.with_name(f"{goal.name.partition('.')[0]}.safetensors")
    save_small(known, weights)
    full = measure_mean_bits(model, tokens, known.config.seq_len)
    texts = {"held_out": cut_example(known.words.decode(tokens[:EXAMPLE].tolist()))}
    save(describe_model(weights, tokens, command, name, full, texts), goal)


def cut_example(text: str) -> str:
    """A text without its incomplete last line, unless that removes most of it."""
    whole = text[: text.rfind("\n") + 1]
    return whole if len(whole) > len(text) / 2 else text


def save(values: dict[str, Any], goal: Path) -> None:
    """Write the description as JSON, with a line for each value or list element."""
    lines = []
    for name, value in values.items():
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if isinstance(value, list):
            parts = (
                f"  {json.dumps(one, ensure_ascii=False, allow_nan=False)}"
                for one in value
            )
            text = "[\n" + ",\n".join(parts) + "\n ]"
        lines.append(f" {json.dumps(name)}: {text}")
    with replace_file(goal) as file:
        file.write(("{\n" + ",\n".join(lines) + "\n}\n").encode())
