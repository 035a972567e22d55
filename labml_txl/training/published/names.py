"""The names of parameters in published models and in ours.

This table assigns each tensor of a published model to one of our parameters.

| here | theirs |
|---|---|
| `query`, `key`, `value` | the three parts of `qkv_net` |
| `output` | `o_net`, which has no bias |
| `content_bias`, the paper's $u$ | `r_w_bias` |
| `distances.position_bias`, the paper's $v$ | `r_r_bias` |
| `distances.projection` | `r_net` |
| `feed_forward.expand`, `.contract` | `CoreNet.0`, `CoreNet.3` |
| `embed.tables`, `embed.projections` | `word_emb.emb_layers`, `word_emb.emb_projs` |
| `head.tables`, `head.projections` | `crit.out_layers`, `crit.out_projs` |
| `head.tails` | `crit.cluster_weight`, `crit.cluster_bias` |

In their models, all layers may share one $u$ and one $v$. Here each layer has its own,
and the parameters of all layers are then the same tensors. Nothing is copied: each
parameter is a tensor of the file, or a part of one.

The authors' two programs order the entries of the tails differently. In `transformers`
and in the authors' TensorFlow code, cluster $n$ has the $n$-th entry after the words of
the head; in their PyTorch code it has the $n$-th entry from the end. We therefore
reverse these entries when we load a state dict of the PyTorch code.
"""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from labml_txl.training.published.folder import find_shared_projections
from labml_txl.training.text.files import TrainingError

# The prefix of all names in `transformers` except those of the head.
PREFIX = "transformer."

# The names in an embedding and a head that are not divided into clusters.
PLAIN = {
    "embed.tables.0.weight": "embed.table.weight",
    "head.tables.0.weight": "head.weight",
    "head.tables.0.bias": "head.bias",
}


class Tensors:
    """The tensors of a file, and which of them have not been used yet."""

    def __init__(self, path: Path, tensors: Mapping[str, Tensor]) -> None:
        self.path = path
        self.tensors = tensors
        self.published = any(name.startswith(PREFIX) for name in tensors)
        self.left = set(tensors)

    def take(self, name: str, *shape: int) -> Tensor:
        """The tensor with this name. Raises `TrainingError` unless it has this shape.

        Tensors of another type are converted to 32 bits, in which the models compute.
        """
        key = PREFIX + name if self.published and "crit." not in name else name
        if key not in self.tensors:
            raise TrainingError(f"{self.path} has no tensor {key}")
        self.left.discard(key)
        found = self.tensors[key]
        if tuple(found.shape) != shape:
            raise TrainingError(
                f"{self.path}: {key} has the shape {list(found.shape)}, but "
                f"config.json gives {list(shape)}"
            )
        # A tensor on PyTorch's device `meta` has a shape but no values, and one that is
        # not contiguous may be larger than its file.
        known = found.is_floating_point() and found.layout is torch.strided
        if not known or found.is_meta or not found.is_contiguous():
            raise TrainingError(
                f"{self.path}: {key} does not contain floating-point numbers"
            )
        return found.float()

    def has(self, name: str) -> bool:
        """Whether there is a tensor of the name."""
        key = PREFIX + name if self.published and "crit." not in name else name
        return key in self.tensors

    def find_either(self, name: str, other: str, *shape: int) -> Tensor:
        """A tensor that is stored under two names or under one of them.

        Raises `TrainingError` if the two tensors differ.
        """
        names = [one for one in (name, other) if self.has(one)] or [name]
        found = [self.take(one, *shape) for one in names]
        same = len({one.data_ptr() for one in found}) == 1
        if not same and not torch.equal(*found):
            raise TrainingError(
                f"{self.path} has other values in {name} than in {other}, which "
                "config.json says are one"
            )
        return found[0]

    def finish(self) -> None:
        """Raise `TrainingError` if a tensor is left over."""
        # The frequencies of the sinusoids are not a parameter.
        left = sorted(name for name in self.left if not name.endswith("inv_freq"))
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            raise TrainingError(
                f"{self.path} has a tensor {left[0]}{more} that a model of this "
                "config.json does not have"
            )


def parameters(
    file: Tensors, settings: Mapping[str, Any], plain: bool
) -> dict[str, Tensor]:
    """All parameters by our names. `plain` is for an embedding without clusters."""
    found: dict[str, Tensor] = {}
    for n in range(settings["n_layer"]):
        layer = of_layer(file, n, settings)
        found |= {f"transformer.layers.{n}.{name}": one for name, one in layer.items()}
    found |= of_vocabulary(file, settings)
    if plain:
        for theirs, ours in PLAIN.items():
            found[ours] = found.pop(theirs)
    file.finish()
    return found


def of_layer(file: Tensors, n: int, settings: Mapping[str, Any]) -> dict[str, Tensor]:
    """The parameters of one layer."""
    d, inner, heads = settings["d_model"], settings["d_inner"], settings["n_head"]
    attention, feed = f"layers.{n}.dec_attn", f"layers.{n}.pos_ff"
    qkv = file.take(f"{attention}.qkv_net.weight", 3 * d, d).split(d)
    u, v = (
        bias_of(file, n, name, settings["untie_r"], heads, d // heads)
        for name in ("r_w_bias", "r_r_bias")
    )
    return {
        "self_attn.query.weight": qkv[0],
        "self_attn.key.weight": qkv[1],
        "self_attn.value.weight": qkv[2],
        "self_attn.output.weight": file.take(f"{attention}.o_net.weight", d, d),
        "self_attn.output.bias": torch.zeros(d),
        "self_attn.content_bias": u,
        "self_attn.distances.position_bias": v,
        "self_attn.distances.projection.weight": file.take(
            f"{attention}.r_net.weight", d, d
        ),
        "norm_self_attn.weight": file.take(f"{attention}.layer_norm.weight", d),
        "norm_self_attn.bias": file.take(f"{attention}.layer_norm.bias", d),
        "feed_forward.expand.weight": file.take(f"{feed}.CoreNet.0.weight", inner, d),
        "feed_forward.expand.bias": file.take(f"{feed}.CoreNet.0.bias", inner),
        "feed_forward.contract.weight": file.take(f"{feed}.CoreNet.3.weight", d, inner),
        "feed_forward.contract.bias": file.take(f"{feed}.CoreNet.3.bias", d),
        "norm_ff.weight": file.take(f"{feed}.layer_norm.weight", d),
        "norm_ff.bias": file.take(f"{feed}.layer_norm.bias", d),
    }


def bias_of(file: Tensors, n: int, name: str, untied: bool, *shape: int) -> Tensor:
    """$u$ or $v$ of a layer: its own, or the one that all layers share."""
    own = f"layers.{n}.dec_attn.{name}"
    return file.take(own, *shape) if untied else file.find_either(name, own, *shape)


def of_vocabulary(file: Tensors, settings: Mapping[str, Any]) -> dict[str, Tensor]:
    """The parameters of the adaptive input and of the adaptive softmax."""
    bounds = list(pairwise((0, *settings["cutoffs"], settings["n_vocab"])))
    d, width, k = settings["d_model"], settings["d_embed"], settings["div_val"]
    tied = settings["tie_weight"] and settings["tie_word_embeddings"]
    shared = find_shared_projections(settings)
    found: dict[str, Tensor] = {}

    # If all clusters have the same width, their models have one table and one
    # projection.
    one_table = k == 1
    for n, (first, end) in enumerate(bounds):
        at, rows = (0, settings["n_vocab"]) if one_table else (n, end - first)
        part = slice(first, end) if one_table else slice(None)
        narrow = width // k**n
        inner, outer = (
            f"word_emb.emb_layers.{at}.weight",
            f"crit.out_layers.{at}.weight",
        )
        if tied:
            table = head = file.find_either(inner, outer, rows, narrow)
        else:
            table, head = (file.take(one, rows, narrow) for one in (inner, outer))
        found[f"embed.tables.{n}.weight"] = table[part]
        found[f"head.tables.{n}.weight"] = head[part]
        found[f"head.tables.{n}.bias"] = file.take(f"crit.out_layers.{at}.bias", rows)[
            part
        ]
        if one_table and width == d:
            continue
        inner, outer = f"word_emb.emb_projs.{at}", f"crit.out_projs.{n}"
        if shared[n]:
            projection = back = file.find_either(inner, outer, d, narrow)
        else:
            projection, back = (file.take(one, d, narrow) for one in (inner, outer))
        found[f"embed.projections.{n}.weight"] = projection
        found[f"head.projections.{n}.weight"] = back

    if len(bounds) > 1:
        entries = file.take("crit.cluster_weight", len(bounds) - 1, width)
        biases = file.take("crit.cluster_bias", len(bounds) - 1)
        found["head.tails.weight"] = entries if file.published else entries.flip(0)
        found["head.tails.bias"] = biases if file.published else biases.flip(0)
    return found
