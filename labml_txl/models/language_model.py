# ---
# keywords: [tied embeddings, weight initialization]
# ---
"""# Language model

A language model assigns a probability to a sequence of tokens by predicting each token
from those before it. Between the tokens and the predictions are three parts: the
[embedding](embeddings.md) turns tokens into vectors, a
[Transformer-XL](transformer_xl.md) or a [Compressive Transformer](compressive.md)
processes them, and the head computes a logit for each token of the vocabulary.

The model can also generate text: it draws a token from its prediction, appends it to
the sequence, and predicts the next one. For this, a *reader* carries the memory from
segment to segment.

The [live page](../live.md) runs such a model in your browser.
"""

import copy
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labml_txl.models.adaptive.clusters import Clusters
from labml_txl.models.adaptive.embedding import AdaptiveEmbedding
from labml_txl.models.adaptive.softmax import AdaptiveSoftmax
from labml_txl.models.arguments import (
    check_positions,
    check_targets,
    check_tokens,
    is_plain,
)
from labml_txl.models.embeddings import TokenEmbedding
from labml_txl.models.memory import MemoryLengths
from labml_txl.models.transformer_xl import TransformerXLLayer

# The memory of a transformer. Its type depends on the transformer; the language model
# only passes it on.
Memory = Any


class Transformer(Protocol):
    """The interface that `TransformerXL` and `CompressiveTransformer` share."""

    size: int
    layers: nn.ModuleList
    norm: nn.Module

    def advance(
        self,
        x: Tensor,
        memory: Memory,
        lengths: MemoryLengths,
        *,
        positions: Tensor | None = None,
    ) -> tuple[Tensor, Memory]:
        """The output for one segment, and the memory for the next one."""

    def check(self, segment: Sequence[int], memory: Memory) -> None:
        """Raise `ValueError` if `memory` does not fit a segment of this shape."""

    def mask(
        self,
        seq_len: int,
        held: MemoryLengths,
        lengths: MemoryLengths,
        device: torch.device,
        positions: Tensor | None = None,
    ) -> Tensor | None:
        """The mask for a segment after the memory `held`; `None` for the default."""

    def cores(self) -> list[TransformerXLLayer]:
        """The layers without their compression functions, the lowest first."""

    def contexts(self, memory: Memory, empty: Tensor) -> list[tuple[Tensor, Tensor]]:
        """The compressed memory and the memory of each layer, as pairs.

        Each of them is `empty` if it contains no states.
        """


class LanguageModel(nn.Module):
    """Embedding, transformer, and a head that predicts the next token.

    - `transformer`: a `TransformerXL` or a `CompressiveTransformer`.
    - `n_vocab`: the number of different tokens.
    - `lengths`: how many states the transformer remembers between segments.
    - `tied`: whether the head uses the table of the embedding as its weights, as in the
      authors' code.
    - `clusters`: for [large vocabularies](adaptive/index.md), how embedding and head
      are divided into clusters of frequent and rare words.
    - `zero_memory`: whether the memory of Transformer-XL consists of zeros, which
      receive attention, before the first segment. The authors evaluated their published
      weights with TensorFlow code that does so.

    By default, the memory is empty before the first segment, as in the authors' PyTorch
    code.
    """

    embed: Any
    head: Any

    # The reader that is used where it fits: `labml_txl.models` puts the cache here.
    fast_reader: ClassVar[type["Reader"]]

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

    def forward(
        self, tokens: Tensor, memory: Memory = None, positions: Tensor | None = None
    ) -> tuple[Tensor, Memory]:
        r"""Predict the token after each token.

        - `tokens`: integers `[seq_len, batch]`.
        - `memory`: the memory that the model has returned for the previous segment, or
          `None` at the beginning of a text.
        - `positions`: integers `[seq_len, batch]`, the position of each token in its
          text, if a sequence contains several texts or padding. A token sees no other
          text, neither in the segment nor in the memory. `text_positions` computes them
          from the beginnings of texts, and `pad_left` for texts of different lengths.

        Returns the logits, `[seq_len, batch, n_vocab]`, whose softmax is the
        prediction, and the memory for the next segment. With `clusters`, the logits are
        $\ln p$ already.
        """
        y, memory = self.read(tokens, memory, positions)
        logits: Tensor = self.head(y)  # [seq_len, batch, n_vocab]
        return logits, memory

    def losses(
        self,
        tokens: Tensor,
        targets: Tensor,
        memory: Memory = None,
        positions: Tensor | None = None,
    ) -> tuple[Tensor, Memory]:
        r"""The losses of the predictions, and the memory for the next segment.

        `targets` are the tokens that follow each of `tokens`; both are
        `[seq_len, batch]`. So are the losses, $-\ln p$ in nats. With `clusters` this is
        faster than `forward`, because only those logits are computed that the targets
        need. A target of -100 is ignored, and its loss is 0. `memory` and `positions`
        are as for `forward`.
        """
        check_targets(targets, tokens)
        y, memory = self.read(tokens, memory, positions)
        return self.losses_of(y, targets), memory

    def losses_of(self, y: Tensor, targets: Tensor) -> Tensor:
        """The losses of the targets, from the output `y` of the transformer."""
        # A head that does more than ours, such as one with an adapter, is called.
        targets = targets.long()
        if is_plain(self.head, Head, AdaptiveSoftmax):
            nats: Tensor = self.head.losses(y, targets)  # [seq_len, batch]
            return nats
        return cross_entropy(self.head(y), targets, "none")  # [seq_len, batch]

    def read(
        self, tokens: Tensor, memory: Memory = None, positions: Tensor | None = None
    ) -> tuple[Tensor, Memory]:
        """The output of the transformer, below the head, and the next memory."""
        x = self.embed_tokens(tokens, positions)  # [seq_len, batch, d_model]
        memory = self.begin(x) if memory is None else memory
        return self.transformer.advance(x, memory, self.lengths, positions=positions)

    def embed_tokens(self, tokens: Tensor, positions: Tensor | None) -> Tensor:
        """The embeddings of the tokens. Raises `ValueError` for wrong arguments."""
        check_tokens(tokens)
        check_positions(positions, tokens)
        if self.zero_memory and positions is not None:
            raise ValueError("positions do not go together with zero_memory")
        x: Tensor = self.embed(tokens.long())  # [seq_len, batch, d_model]
        return x

    def reader(
        self, memory: Memory = None, batch: int = 1, cached: bool = True
    ) -> "Reader":
        """What reads a text segment by segment.

        With `cached`, it keeps keys and values in [a cache](fast/cache.md) if the model
        allows it. For the other arguments see `Reader`.
        """
        kind = self.fast_reader if cached and self.fast_reader.fits(self) else Reader
        return kind(self, memory, batch)

    def begin(self, x: Tensor) -> Memory:
        """The memory before the first segment `x`, `[seq_len, batch, d_model]`."""
        if not self.zero_memory:
            return None
        states = x.new_zeros(self.lengths.mem_len, *x.shape[1:])
        return [states] * len(self.transformer.layers)

    def generate(
        self,
        prompt: Tensor,
        n_tokens: int,
        memory: Memory = None,
        *,
        positions: Tensor | None = None,
        repetition_penalty: float = 1.0,
        seed: int | None = None,
        cached: bool = True,
        **settings: Any,
    ) -> Tensor:
        """Continue each sequence of `prompt`, `[prompt_len, batch]`, by `n_tokens`.

        - `memory`: the memory of the text before the prompt. It may also be a
          `Reader`, of which a copy is made, so that it does not change.
        - `positions`: of the prompt, as for `forward`. Prompts of different lengths
          must end together: see `pad_left`.
        - `repetition_penalty`: see `penalize`. It concerns the prompt, too.
        - `seed`: the same seed gives the same tokens. Without one, PyTorch's global
          generator is used.
        - `cached`: whether keys and values of the memory are kept in
          [a cache](fast/cache.md). Without it, they are computed again for each token,
          which takes longer and gives the same tokens. A model with layers of other
          classes or with hooks generates without it.
        - `settings`: `temperature`, `top_k`, `top_p` and `min_p`, as for `choose`.

        Returns the new tokens, `[n_tokens, batch]`. The model is in evaluation mode
        meanwhile, and in its former mode afterwards.
        """
        check_tokens(prompt, "prompt")
        check_positions(positions, prompt)
        check_sampling(n_tokens, repetition_penalty, **settings)
        generator = None
        if seed is not None:
            generator = torch.Generator(prompt.device).manual_seed(seed)
        batch = prompt.shape[1]
        # An ordinary tensor, with which a model can also be trained.
        written = prompt.new_empty(n_tokens, batch, dtype=torch.long)
        was_training = self.training
        self.eval()
        try:
            # The prompt is processed as one segment. After that, each segment consists
            # of one new token, since the memory contains the tokens before it.
            with torch.inference_mode():
                if isinstance(memory, Reader):
                    reader = memory.copy()
                else:
                    shape = (*prompt.shape, self.transformer.size)
                    self.transformer.check(shape, memory)
                    reader = self.reader(memory, batch, cached)
                tokens = prompt
                for n in range(n_tokens):
                    logits = reader.read(tokens, positions)
                    scores = logits[-1]
                    if repetition_penalty != 1:
                        text = torch.cat((prompt, written[:n]))
                        scores = penalize(scores, text, repetition_penalty)
                    written[n] = choose(scores, generator=generator, **settings)
                    tokens = written[n : n + 1]  # [1, batch]
                    positions = None if positions is None else positions[-1:] + 1
        finally:
            self.train(was_training)
        return written  # [n_tokens, batch]


class Reader:
    """Processes a text segment by segment, and carries the memory between them.

    - `model`: the language model. Its parameters must not change as long as the reader
      is used.
    - `memory`: the memory that the model has returned for the text so far, or `None` at
      the beginning of a text.
    - `batch`: the number of sequences, if `memory` is `None`.

    No gradients flow through a reader.
    """

    def __init__(
        self, model: LanguageModel, memory: Memory = None, batch: int = 1
    ) -> None:
        self.model = model
        self.held = memory

    @classmethod
    def fits(cls, model: LanguageModel) -> bool:
        """Whether this class computes what the model does."""
        return True

    @torch.no_grad()
    def read(self, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
        """Process a segment, and keep its memory for the next one.

        `tokens` are `[seq_len, batch]`, and `positions` as for `LanguageModel.forward`.
        Returns the logits of the token after each of them,
        `[seq_len, batch, n_vocab]`.
        """
        logits: Tensor
        logits, self.held = self.model(tokens, self.held, positions)
        return logits

    @torch.no_grad()
    def losses(
        self, tokens: Tensor, targets: Tensor, positions: Tensor | None = None
    ) -> Tensor:
        """Process a segment, keep its memory, and return the losses.

        The arguments and the losses are as for `LanguageModel.losses`.
        """
        nats, self.held = self.model.losses(tokens, targets, self.held, positions)
        return nats

    def copy(self) -> "Reader":
        """A copy, which can continue the text independently of this reader."""
        return copy.copy(self)

    def memory(self) -> Memory:
        """The memory, as `forward` of the model accepts it."""
        return self.held


class Head(nn.Linear):
    """A linear layer with a logit for each token of the vocabulary."""

    def __init__(self, n_vocab: int, d_model: int) -> None:
        super().__init__(d_model, n_vocab)

    def tie(self, embed: TokenEmbedding) -> None:
        """Use the table of the embedding as weights."""
        self.weight = embed.table.weight

    def losses(self, y: Tensor, targets: Tensor) -> Tensor:
        r"""$-\ln p$ of each target, in nats, `[seq_len, batch]`."""
        return cross_entropy(self(y), targets, "none")  # [seq_len, batch]


def cross_entropy(logits: Tensor, targets: Tensor, reduction: str = "mean") -> Tensor:
    r"""The cross-entropy of the targets, $-\ln p$ in nats.

    - `logits`: `[seq_len, batch, n_vocab]`.
    - `targets`: `[seq_len, batch]`.
    - `reduction`: `"mean"` for the mean of all targets, `"none"` for a loss for each.

    A target of -100 is ignored. The loss is computed with at least 32 bits, even if the
    model uses 16, because its sums need the precision.
    """
    wide = torch.promote_types(logits.dtype, torch.float32)
    loss = F.cross_entropy(
        logits.flatten(0, 1).to(wide), targets.flatten(), reduction=reduction
    )
    return loss if reduction == "mean" else loss.view(targets.shape)


def initialize(module: nn.Module) -> None:
    """Give a module the initial values of the code of Transformer-XL's authors.

    Weights are normally distributed with a standard deviation of 0.02, biases are zero,
    and the scales of layer norms are distributed in the same way around 1. The vectors
    $u$ and $v$, the embeddings and the learned distances initialize themselves, and
    convolutions keep PyTorch's initial values.
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
    min_p: float | None = None,
) -> Tensor:
    """Draw a token for each sequence from `logits`, `[batch, n_vocab]`.

    - `temperature`: the logits are divided by it. Below 1, the likely tokens become
      more likely; with 0, the most likely token is always chosen.
    - `top_k`: draw only from the $k$ most likely tokens.
    - `top_p`: draw only from the smallest set of most likely tokens whose probabilities
      sum to at least $p$. If both are given, `top_k` is applied first.
    - `generator`: PyTorch's random generator to use; `None` is the global one.
    - `min_p`: draw only from tokens that have at least this share of the probability of
      the most likely one. With `top_k`, that is applied first.

    Returns the tokens, `[batch]`.
    """
    if temperature == 0:
        return logits.argmax(-1)  # [batch]
    logits = logits / temperature  # [batch, n_vocab]
    if top_k is not None:
        least = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]  # [batch, 1]
        logits = logits.masked_fill(logits < least, -torch.inf)

    if min_p is not None:
        p = logits.softmax(-1)  # [batch, n_vocab]
        least = min_p * p.max(-1, keepdim=True).values  # [batch, 1]
        logits = logits.masked_fill(p < least, -torch.inf)

    # The tokens are sorted by their probability. A token is excluded if those before it
    # already sum to $p$, so the most likely token is never excluded.
    p, tokens = logits.softmax(-1).sort(descending=True)
    if top_p is not None:
        p = p.masked_fill(p.cumsum(-1) - p >= top_p, 0.0)  # [batch, n_vocab]
    drawn = torch.multinomial(p, 1, generator=generator)  # [batch, 1]
    return tokens.gather(-1, drawn)[:, 0]  # [batch]


def penalize(logits: Tensor, text: Tensor, penalty: float) -> Tensor:
    """Lower the logits, `[batch, n_vocab]`, of tokens that occur in a text.

    `text` is `[length, batch]`. Positive logits are divided by `penalty`, and negative
    ones multiplied by it.
    """
    lower = torch.where(logits > 0, logits / penalty, logits * penalty)
    occurs = torch.zeros_like(logits, dtype=torch.bool)
    return torch.where(occurs.scatter(1, text.t().long(), True), lower, logits)


def check_sampling(
    n_tokens: int,
    repetition_penalty: float = 1.0,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
) -> None:
    """Raise `ValueError` if one of the settings of `generate` is out of range."""
    if n_tokens < 0:
        raise ValueError(f"{n_tokens=} is negative")
    if temperature < 0:
        raise ValueError(f"{temperature=} is negative")
    if top_k is not None and top_k < 1:
        raise ValueError(f"{top_k=} must be at least 1")
    for name, share in (("top_p", top_p), ("min_p", min_p)):
        if share is not None and not 0 < share <= 1:
            raise ValueError(f"{name}={share} is not in (0, 1]")
    if not repetition_penalty > 0:
        raise ValueError(f"{repetition_penalty=} must be above 0")
