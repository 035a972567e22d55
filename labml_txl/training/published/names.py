r"""From their names to ours.

Which tensor of a published model is which parameter here.

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

Their $u$ and $v$ may be shared by all layers. Here each layer has its own, which are
then the same tensors. Nothing is copied: each parameter is a tensor of the file, or a
part of one.

Two codes number the entries of the tails differently. In the head, cluster $n$ has the
$n$-th entry behind the words in `transformers` and in the authors' TensorFlow code; in
their PyTorch code it has the $n$-th from the end. So a state dict of that code is read
with the entries turned round.
"""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from labml_txl.training.published.folder import shared_projections
from labml_txl.training.text.files import TrainingError

# In front of all names but those of the head, in `transformers`.
PREFIX = "transformer."

# The names of one cluster, where there are no others, in the plain embedding and head.
PLAIN = {
    "embed.tables.0.weight": "embed.table.weight",
    "head.tables.0.weight": "head.weight",
    "head.tables.0.bias": "head.bias",
}


class Tensors:
    r"""The tensors of a file, and which of them nobody has asked for yet."""

    def __init__(self, path: Path, tensors: Mapping[str, Tensor]) -> None:
        self.path = path
        self.tensors = tensors
        self.published = any(name.startswith(PREFIX) for name in tensors)
        self.left = set(tensors)

    def take(self, name: str, *shape: int) -> Tensor:
        r"""The tensor of a name. Raises `TrainingError` if there is none of the shape.

        Sums are taken in 32 bits, so a tensor of another type becomes one of these.
        """
        key = PREFIX + name if self.published and "crit." not in name else name
        if key not in self.tensors:
            raise TrainingError(f"{self.path} has no tensor {key}")
        self.left.discard(key)
        found = self.tensors[key]
        if tuple(found.shape) != shape:
            raise TrainingError(
                f"{self.path} has {key} as {list(found.shape)}, config.json wants "
                f"{list(shape)}"
            )
        # On PyTorch's device `meta` there is only the shape of a tensor, and a tensor
        # that is not contiguous may be larger than its file.
        known = found.is_floating_point() and found.layout is torch.strided
        if not known or found.is_meta or not found.is_contiguous():
            raise TrainingError(f"{self.path} has no floating-point numbers in {key}")
        return found.float()

    def has(self, name: str) -> bool:
        r"""Whether there is a tensor of the name."""
        key = PREFIX + name if self.published and "crit." not in name else name
        return key in self.tensors

    def either(self, name: str, other: str, *shape: int) -> Tensor:
        r"""A tensor that stands under two names, or under one of them.

        Raises `TrainingError` where the two are not the same.
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
        r"""Raise `TrainingError` if a tensor is left over."""
        # The frequencies of the sinusoids are no parameter.
        left = sorted(name for name in self.left if not name.endswith("inv_freq"))
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            raise TrainingError(
                f"{self.path} has a tensor {left[0]}{more} that config.json knows "
                "nothing of"
            )


def parameters(
    file: Tensors, settings: Mapping[str, Any], plain: bool
) -> dict[str, Tensor]:
    r"""All parameters by our names. `plain` is for an embedding without clusters."""
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
    r"""The parameters of one layer."""
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
    r"""$u$ or $v$ of a layer: its own, or the one that all layers share."""
    own = f"layers.{n}.dec_attn.{name}"
    return file.take(own, *shape) if untied else file.either(name, own, *shape)


def of_vocabulary(file: Tensors, settings: Mapping[str, Any]) -> dict[str, Tensor]:
    r"""The parameters of the adaptive input and of the adaptive softmax."""
    bounds = list(pairwise((0, *settings["cutoffs"], settings["n_vocab"])))
    d, width, k = settings["d_model"], settings["d_embed"], settings["div_val"]
    tied = settings["tie_weight"] and settings["tie_word_embeddings"]
    shared = shared_projections(settings)
    found: dict[str, Tensor] = {}

    # Where all clusters have one width, theirs have one table and one projection.
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
            table = head = file.either(inner, outer, rows, narrow)
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
            projection = back = file.either(inner, outer, d, narrow)
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
