r"""# Language model

Tokens in, a prediction of the next token out, with either transformer between. It also
writes sequences, one token at a time, without reading anything twice.

A language model assigns a probability to a sequence by predicting each token from those
before it. The transformer reads; this page adds what stands below it, the embedding,
and above it, a logit for every symbol of the vocabulary.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.adaptive.clusters import Clusters
from labml_txl.models.adaptive.embedding import AdaptiveEmbedding
from labml_txl.models.adaptive.softmax import AdaptiveSoftmax
from labml_txl.models.arguments import check_tokens
from labml_txl.models.embeddings import TokenEmbedding
from labml_txl.models.fast.cache import Cache
from labml_txl.models.memory import MemoryLengths
from labml_txl.models.transformer_xl import TransformerXLLayer

# What a transformer remembers: a value that only the transformer itself looks into.
Memory = Any


class Transformer(Protocol):
    r"""What `TransformerXL` and `CompressiveTransformer` have in common."""

    size: int
    layers: nn.ModuleList
    norm: nn.Module

    def advance(
        self, x: Tensor, memory: Memory, lengths: MemoryLengths
    ) -> tuple[Tensor, Memory]:
        r"""The output for one segment, and what is remembered."""

    def check(self, segment: Sequence[int], memory: Memory) -> None:
        r"""Raise `ValueError` if `memory` does not fit a segment of this shape."""

    def mask(
        self, seq_len: int, mem_len: int, lengths: MemoryLengths, device: torch.device
    ) -> Tensor | None:
        r"""What each token sees of `mem_len` states and its segment; `None` is all."""

    def cores(self) -> list[TransformerXLLayer]:
        r"""The layers, without what is special to the memory."""

    def contexts(self, memory: Memory, empty: Tensor) -> list[tuple[Tensor, Tensor]]:
        r"""Compressed memory and memory of each layer; `empty` stands for none."""


class LanguageModel(nn.Module):
    r"""Embedding, transformer, and a head that scores every symbol.

    `lengths` says how much is remembered between segments. With `tied=True` the head
    shares its table with the embedding, as in the authors' code. With `clusters` both
    are those of [large vocabularies](adaptive/index.md).

    Departure: before the first segment nothing is remembered. With `zero_memory` the
    memory of Transformer-XL begins full of zeros, which are attended to. The authors'
    TensorFlow code does so, with which they measured their published weights.
    """

    embed: Any
    head: Any

    def __init__(
        self,
        transformer: Transformer,
        n_vocab: int,
        lengths: MemoryLengths,
        tied: bool = True,
        clusters: Clusters | None = None,
        zero_memory: bool = False,
    ) -> None:
        super().__init__()
        if lengths.mem_len < 0 or lengths.c_mem_len < 0:
            raise ValueError(f"{lengths} must not be negative")
        self.n_vocab = n_vocab
        self.lengths = lengths
        self.zero_memory = zero_memory
        self.transformer = transformer
        if clusters is None:
            self.embed = TokenEmbedding(n_vocab, transformer.size)
            self.head = Head(n_vocab, transformer.size)
        else:
            self.embed = AdaptiveEmbedding(n_vocab, transformer.size, clusters)
            self.head = AdaptiveSoftmax(n_vocab, transformer.size, clusters)
        self.apply(initialize)
        if tied:
            self.head.tie(self.embed)

    def forward(self, tokens: Tensor, memory: Memory = None) -> tuple[Tensor, Memory]:
        r"""Logits of the token after each token, and the next memory.

        `tokens` are integers `[seq_len, batch]`. The logits,
        `[seq_len, batch, n_vocab]`, are scores whose softmax is the prediction. With
        `clusters` they are its logarithm, $\ln p$.
        """
        y, memory = self.read(tokens, memory)
        logits: Tensor = self.head(y)  # [seq_len, batch, n_vocab]
        return logits, memory

    def losses(
        self, tokens: Tensor, targets: Tensor, memory: Memory = None
    ) -> tuple[Tensor, Memory]:
        r"""$-\ln p$ of the token after each token, in nats, and the next memory.

        `tokens` and `targets` are `[seq_len, batch]`, and so are the losses. With
        `clusters` no prediction is made in full.
        """
        y, memory = self.read(tokens, memory)
        nats: Tensor = self.head.losses(y, targets)  # [seq_len, batch]
        return nats, memory

    def read(self, tokens: Tensor, memory: Memory = None) -> tuple[Tensor, Memory]:
        r"""What the transformer makes of `tokens`, below the head."""
        check_tokens(tokens)
        x = self.embed(tokens)  # [seq_len, batch, d_model]
        memory = self.begin(x.shape[1]) if memory is None else memory
        return self.transformer.advance(x, memory, self.lengths)

    def begin(self, batch: int) -> Memory:
        r"""What is remembered of `batch` sequences not yet begun."""
        if not self.zero_memory:
            return None
        core = self.transformer.cores()[0]
        shape = (self.lengths.mem_len, batch, core.size)
        states = core.norm_ff.weight.new_zeros(shape)
        return [states] * len(self.transformer.layers)

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
        r"""Continue each sequence of `prompt`, `[prompt_len, batch]`, by `n_tokens`.

        For `temperature`, `top_k` and `top_p` see `choose`. The same `seed` gives the
        same tokens; without one, PyTorch's global generator is used. `memory` may be a
        `Cache`, which stays as it is: it is read on in a copy. `cached=False`
        computes the keys and values of the memory anew for each token, where
        [a cache](fast/cache.md) keeps them: the same tokens, slower. Returns
        `[n_tokens, batch]`, and leaves training or evaluation mode as it was.
        """
        check_tokens(prompt, "prompt")
        check_sampling(n_tokens, temperature, top_k, top_p)
        generator = None
        if seed is not None:
            generator = torch.Generator(prompt.device).manual_seed(seed)
        batch = prompt.shape[1]
        written = prompt.new_empty(n_tokens, batch)  # [n_tokens, batch]
        was_training = self.training
        self.eval()
        try:
            # The prompt is read as one segment. From then on a segment is one token
            # long: the memory holds everything else.
            cache = None
            if isinstance(memory, Cache):
                cache = memory.copy()
            elif cached:
                self.transformer.check((*prompt.shape, self.transformer.size), memory)
                cache = Cache(self, memory, batch)
            tokens = prompt
            for n in range(n_tokens):
                if cache:
                    logits = cache.read(tokens)
                else:
                    logits, memory = self(tokens, memory)
                written[n] = choose(logits[-1], temperature, top_k, top_p, generator)
                tokens = written[n : n + 1]  # [1, batch]
        finally:
            self.train(was_training)
        return written  # [n_tokens, batch]


class Head(nn.Linear):
    r"""A score for every symbol. Its table may be that of the embedding."""

    def __init__(self, n_vocab: int, d_model: int) -> None:
        super().__init__(d_model, n_vocab)

    def tie(self, embed: TokenEmbedding) -> None:
        r"""Share the table of the embedding."""
        self.weight = embed.table.weight

    def losses(self, y: Tensor, targets: Tensor) -> Tensor:
        r"""$-\ln p$ of each target, in nats, `[seq_len, batch]`."""
        return cross_entropy(self(y), targets, "none")  # [seq_len, batch]


def cross_entropy(logits: Tensor, targets: Tensor, reduction: str = "mean") -> Tensor:
    r"""$-\ln p$ of each target, in nats: the mean of all, or `"none"` for each.

    `logits` is `[seq_len, batch, n_vocab]`; `targets` is `[seq_len, batch]`. Sums are
    taken in 32 bits, whatever the model computes in.
    """
    loss = F.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), reduction=reduction
    )
    return loss if reduction == "mean" else loss.view(targets.shape)


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


def choose(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draw a token from `logits`, `[batch, n_vocab]`, for each sequence: `[batch]`.

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
