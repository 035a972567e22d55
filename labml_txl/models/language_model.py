r"""# Language model

Tokens in, a prediction of the next token out, with either transformer between. It also
writes text, one token at a time, without reading anything twice.

A language model assigns a probability to a text by predicting each token from those
before it. The transformer reads; this page adds what stands below it, the embedding,
and above it, a number for every symbol of the vocabulary.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.distances import DistanceKeys
from labml_txl.models.embeddings import TokenEmbedding
from labml_txl.models.memory import MemoryLengths
from labml_txl.models.transformer_xl import TransformerXLLayer

# What a transformer remembers: a value that only the transformer itself looks into.
Memory = Any


class Transformer(Protocol):
    r"""What `TransformerXL` and `CompressiveTransformer` have in common."""

    size: int
    norm: nn.Module

    def advance(
        self, x: Tensor, memory: Memory, lengths: MemoryLengths
    ) -> tuple[Tensor, Memory]:
        r"""The output for one segment, and what is remembered."""

    def remember(
        self, memory: Memory, read: list[Tensor], lengths: MemoryLengths
    ) -> Memory:
        r"""The memory after each layer has read some states."""

    def cores(self) -> list[TransformerXLLayer]:
        r"""The layers, without what is special to the memory."""

    def contexts(self, memory: Memory, empty: Tensor) -> list[tuple[Tensor, Tensor]]:
        r"""Compressed memory and memory of each layer; `empty` stands for none."""


class LanguageModel(nn.Module):
    r"""Embedding, transformer, and a head that scores every symbol.

    `lengths` says how much is remembered between segments. With `tied=True` the head
    shares its table with the embedding, as in the authors' code.
    """

    def __init__(
        self,
        transformer: Transformer,
        n_vocab: int,
        lengths: MemoryLengths,
        tied: bool = True,
    ) -> None:
        super().__init__()
        if lengths.mem_len < 0 or lengths.c_mem_len < 0:
            raise ValueError(f"{lengths} must not be negative")
        self.n_vocab = n_vocab
        self.lengths = lengths
        self.transformer = transformer
        self.embed = TokenEmbedding(n_vocab, transformer.size)
        self.head = nn.Linear(transformer.size, n_vocab)
        self.apply(initialize)
        if tied:
            self.head.weight = self.embed.table.weight

    def forward(self, tokens: Tensor, memory: Memory = None) -> tuple[Tensor, Memory]:
        r"""Logits of the token after each token, and the next memory.

        `tokens` are whole numbers `[seq_len, batch]`. The logits,
        `[seq_len, batch, n_vocab]`, are scores whose softmax is the prediction.
        """
        x = self.embed(tokens)  # [seq_len, batch, d_model]
        y, memory = self.transformer.advance(x, memory, self.lengths)
        logits: Tensor = self.head(y)  # [seq_len, batch, n_vocab]
        return logits, memory

    @torch.inference_mode()
    def generate(
        self,
        prompt: Tensor,
        n_tokens: int,
        memory: Memory = None,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        cached: bool = True,
    ) -> Tensor:
        r"""Continue each text of `prompt`, `[prompt_len, batch]`, by `n_tokens`.

        For `temperature`, `top_k` and `top_p` see `choose`. The same `seed` gives the
        same text; without one, PyTorch's global generator is used. `cached=False`
        computes the keys and values of the memory anew for each token: the same text,
        slower. Returns `[n_tokens, batch]`, and leaves training or evaluation mode as
        it was.
        """
        if prompt.ndim != 2 or not prompt.numel():
            raise ValueError(
                f"prompt {list(prompt.shape)}: wanted [prompt_len, batch], not empty"
            )
        check_sampling(n_tokens, temperature, top_k, top_p)
        generator = None
        if seed is not None:
            generator = torch.Generator(prompt.device).manual_seed(seed)
        was_training = self.training
        self.eval()
        try:
            return self._write(
                prompt,
                n_tokens,
                memory,
                lambda logits: choose(logits, temperature, top_k, top_p, generator),
                cached,
            )
        finally:
            self.train(was_training)

    def _write(
        self,
        prompt: Tensor,
        n_tokens: int,
        memory: Memory,
        choose_next: Callable[[Tensor], Tensor],
        cached: bool,
    ) -> Tensor:
        # The prompt is read as one segment. From then on a segment is one token long:
        # the memory holds everything else.
        read = self.read if cached else self.forward
        known = self.cache(memory, prompt.shape[1]) if cached else memory
        logits, known = read(prompt, known)
        written = prompt.new_empty(n_tokens, prompt.shape[1])
        for n in range(n_tokens):
            written[n] = choose_next(logits[-1])
            logits, known = read(written[n : n + 1], known)
        return written

    def step(self, token: Tensor, cache: "Cache") -> tuple[Tensor, "Cache"]:
        r"""`read` for one token of each text, `[batch]`."""
        return self.read(token[None], cache)

    def cache(self, memory: Memory, batch: int) -> "Cache":
        r"""The cache of `memory`, or, for `None`, of `batch` texts not yet begun."""
        table = self.embed.table.weight
        empty = table.new_empty(0, batch, table.shape[1])  # [0, batch, d_model]
        return Cache.of(self.transformer, memory, empty)

    @torch.no_grad()
    def read(self, tokens: Tensor, cache: "Cache") -> tuple[Tensor, "Cache"]:
        r"""`forward`, with what the cache holds of the memory. Gives no gradient.

        `tokens` are `[seq_len, batch]`. Returns the logits,
        `[seq_len, batch, n_vocab]`, and the next cache.
        """
        x = self.embed(tokens)
        read, layers = [], []
        for core, known in zip(self.transformer.cores(), cache.layers, strict=True):
            read.append(x)
            x, grown = read_layer(core, x, known)
            layers.append(grown)
        logits: Tensor = self.head(self.transformer.norm(x))

        # What left the memory leaves the cache.
        memory = self.transformer.remember(cache.memory, read, self.lengths)
        return logits, Cache(memory, layers).trimmed(self.transformer, x[:0])


def initialize(module: nn.Module) -> None:
    r"""Initial values as in the code of Transformer-XL's authors.

    Weights are normal with a standard deviation of 0.02, biases are zero, and the
    scales of layer norms are normal around 1. The vectors $u$ and $v$ and the learned
    distances draw theirs by themselves; convolutions keep PyTorch's.
    """
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, std=0.02)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    if isinstance(module, nn.LayerNorm):
        nn.init.normal_(module.weight, mean=1.0, std=0.02)
        nn.init.zeros_(module.bias)


class Storage:
    r"""Room for rows along time, and how many of them are written."""

    def __init__(self, rows: Tensor, written: int) -> None:
        self.rows = rows
        self.written = written


class Rows(NamedTuple):
    r"""Some rows of a storage: a value that can be continued without a copy.

    Joining two tensors copies both. Here new rows are written behind the old ones,
    where no earlier value looks. Only if there is no room, or if another continuation
    has written there already, do the rows move into a storage of their own.
    """

    storage: Storage
    start: int
    end: int

    @classmethod
    def of(cls, rows: Tensor) -> "Rows":
        r"""All of `rows`, in a storage that has no room left."""
        return cls(Storage(rows, len(rows)), 0, len(rows))

    def tensor(self) -> Tensor:
        r"""The rows as a tensor: a view."""
        return self.storage.rows[self.start : self.end]

    def followed_by(self, new: Tensor) -> "Rows":
        r"""These rows, and `new` ones behind them."""
        storage, start, end = self
        if end < storage.written or end + len(new) > len(storage.rows):
            old = self.tensor()
            rows = old.new_empty(2 * (len(old) + len(new)), *old.shape[1:])
            rows[: len(old)] = old
            storage, start, end = Storage(rows, len(old)), 0, len(old)
        storage.written = end + len(new)
        storage.rows[end : storage.written] = new
        return Rows(storage, start, storage.written)

    def newest(self, length: int) -> "Rows":
        r"""The last `length` rows."""
        return self._replace(start=self.end - length)


class LayerCache(NamedTuple):
    r"""What one layer need not compute again.

    A state does not change while it is remembered, and neither do the parameters. So
    its key and its value are computed once, when it enters the memory, and not again
    for everything that is read later. The distances are projected once, too.
    """

    kv: Rows  # keys and values side by side
    c_mem: Tensor  # the compressed memory, whose keys and values come first
    distances: DistanceKeys
    weights: Tensor  # those of queries, keys and values, one below the other


class Cache(NamedTuple):
    r"""A memory, and the keys and values of all that is in it, layer by layer.

    A value like the memory itself: reading makes a new one.
    """

    memory: Memory
    layers: list[LayerCache]

    @classmethod
    def of(cls, transformer: Transformer, memory: Memory, empty: Tensor) -> "Cache":
        r"""The cache of a memory that was read without one.

        `empty` is a memory of length 0, `[0, batch, d_model]`.
        """
        layers = []
        for core, (c_mem, mem) in zip(
            transformer.cores(), transformer.contexts(memory, empty), strict=True
        ):
            kv = keys_and_values(core, torch.cat((c_mem, mem)))
            attention = core.self_attn
            distances = attention.distances(2 * len(kv), -1)
            maps = (attention.query, attention.key, attention.value)
            weights = torch.cat([part.weight for part in maps])
            layers.append(LayerCache(Rows.of(kv), c_mem, distances, weights))
        return cls(memory, layers)

    def trimmed(self, transformer: Transformer, empty: Tensor) -> "Cache":
        r"""Without the keys and values of what is no longer in memory."""
        layers = []
        for core, known, (c_mem, mem) in zip(
            transformer.cores(),
            self.layers,
            transformer.contexts(self.memory, empty),
            strict=True,
        ):
            # If the compressed memory is the very same tensor, at most the oldest
            # states have gone. Else it is small, and its keys are computed anew.
            if c_mem is known.c_mem or not len(c_mem):
                kv = known.kv.newest(len(c_mem) + len(mem))
            else:
                recent = known.kv.newest(len(mem)).tensor()
                kv = Rows.of(torch.cat((keys_and_values(core, c_mem), recent)))
            layers.append(known._replace(kv=kv, c_mem=c_mem))
        return Cache(self.memory, layers)


def keys_and_values(core: TransformerXLLayer, states: Tensor) -> Tensor:
    r"""Keys and values of remembered `states`, `[context_len, batch, 2 * d_model]`."""
    attention = core.self_attn
    z = core.before(core.norm_self_attn, states)
    return torch.cat((attention.key(z), attention.value(z)), dim=-1)


def read_layer(
    core: TransformerXLLayer, x: Tensor, known: LayerCache
) -> tuple[Tensor, LayerCache]:
    r"""A segment through one layer: `TransformerXLLayer.forward`, with a cache."""
    # Only the segment's own queries, keys and values are computed, in one product. The
    # other keys and values are known.
    attention = core.self_attn
    z = core.before(core.norm_self_attn, x)
    d_model = attention.d_model
    q, new = F.linear(z, known.weights).split((d_model, 2 * d_model), dim=-1)
    kv = known.kv.followed_by(new)
    k, v = kv.tensor().split(d_model, dim=-1)

    # The nearest `k_len + 1` distances, down to the column for −1. Should the context
    # outgrow them, the distances of a context twice as long are projected.
    n_distances = len(k) + 1
    distances = known.distances
    if distances.keys.shape[-1] < n_distances:
        distances = attention.distances(2 * len(k), -1)
    near = DistanceKeys(*(part[..., -n_distances:] for part in distances))

    split = attention.split_heads
    attended = attention.attend(split(q), split(k), split(v), near, mask=None)
    return core.finish(x, attended), known._replace(kv=kv, distances=distances)


def choose(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draw a token from `logits`, `[batch, n_vocab]`, for each text: `[batch]`.

    Logits are divided by `temperature`: below 1 the likely tokens become likelier, and
    0 always takes the likeliest. `top_k` leaves the likeliest $k$ tokens. `top_p`
    leaves the fewest tokens that have a probability of $p$ together. Both may be given;
    then `top_k` comes first.
    """
    if temperature == 0:
        return logits.argmax(-1)  # [batch]
    logits = logits / temperature  # [batch, n_vocab]
    if top_k is not None:
        least = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]  # [batch, 1]
        logits = logits.masked_fill(logits < least, -torch.inf)

    # Drawn in the order of likelihood. A token is left out if those before it have a
    # probability of $p$ already, so the likeliest always stays.
    p, tokens = logits.softmax(-1).sort(descending=True)
    if top_p is not None:
        p = p.masked_fill(p.cumsum(-1) - p >= top_p, 0.0)  # [batch, n_vocab]
    drawn = torch.multinomial(p, 1, generator=generator)  # [batch, 1]
    return tokens.gather(-1, drawn)[:, 0]  # [batch]


def check_sampling(
    n_tokens: int, temperature: float, top_k: int | None, top_p: float | None
) -> None:
    r"""Raise `ValueError` for settings that make no sense."""
    if n_tokens < 0:
        raise ValueError(f"{n_tokens=} is negative")
    if temperature < 0:
        raise ValueError(f"{temperature=} is negative")
    if top_k is not None and top_k < 1:
        raise ValueError(f"{top_k=} must be at least 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"{top_p=} is not in (0, 1]")
