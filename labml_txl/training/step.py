# ---
# keywords: [gradient clipping]
# ---
"""# A step of training

This page shows everything that happens in one step of training, in plain PyTorch. From
a segment and the memory, the model computes the loss and the next memory. Then the
gradient of the loss is computed and clipped, and the optimizer uses it to change the
parameters. The model always reads the text itself, never tokens that it has generated.
This is called teacher forcing. Gradient clipping limits the norm of the gradient, so
that a single segment cannot change the parameters too much.

**How the memory is passed on.** Before the first segment the memory is `None`. Each
step returns the memory for the next one, so the caller only has to pass it on. This
requires that each sequence of the batch continues in the next segment where it ended in
this one. If segments were shuffled, the memory would have nothing to do with the text
that follows. [Streams](streams.md) divide a text in this way. The memory contains
values without a graph, so the backward pass of a step ends at the beginning of its
segment and never reaches an earlier one. The states in the memory were computed with
older parameters, because each step updates the parameters: see [a limit of the
paper](../papers/transformer_xl.md#limits).

This is a complete run:

```python
import torch
from labml_txl.training import Streams, build, configure, make_optimizer
from labml_txl.training.objective import Objective
from labml_txl.training.step import train_step

text = torch.arange(2000) % 11  # 2,000 tokens; the vocabulary has 11
config = configure({"d_model": 32, "n_layers": 2, "heads": 2, "steps": 30, "warmup": 5})
objective = Objective(build(config, n_vocab=11), config)
optimizer = make_optimizer(objective, config)
streams = Streams(text, config.batch, config.seq_len)
memory, losses = None, []
for step in range(config.steps):
    tokens, targets = streams.segment(step * config.seq_len)
    nats, memory = train_step(objective, optimizer, tokens, targets, memory)
    losses.append(float(nats))
```

[The trainer](trainer.md) takes the same steps. It adds parts that are not needed to
understand the training: a schedule for the learning rate, 16-bit precision on a GPU,
validation, and checkpoints from which a stopped run can be resumed.
"""

from torch import Tensor, nn
from torch.optim import Optimizer

from labml_txl.training.objective import Memory, Objective


def train_step(
    objective: Objective,
    optimizer: Optimizer,
    tokens: Tensor,
    targets: Tensor,
    memory: Memory,
    clip: float = 1.0,
) -> tuple[Tensor, Memory]:
    r"""Take one step, which changes the parameters of `objective`.

    - `objective`: the model and its loss.
    - `optimizer`: the optimizer of all its parameters.
    - `tokens`: a segment, `[seq_len, batch]`.
    - `targets`: the token that follows each of these tokens, `[seq_len, batch]`.
    - `memory`: the memory that the previous step returned, or `None` in the first step.
    - `clip`: the greatest norm that the gradient may have.

    Returns the mean of $-\ln p$ over all targets, in nats, and the memory for the next
    step.
    """
    # Forward: the model predicts each target from the tokens and the memory. For the
    # Compressive Transformer, `loss` is the sum of this prediction loss and the loss of
    # the compression.
    loss, nats, memory = objective(tokens, targets, memory)

    # Backward: PyTorch adds new gradients to the stored ones, so those of the previous
    # step are cleared first.
    optimizer.zero_grad(set_to_none=True)
    loss.backward()

    # A rare segment may have a very large gradient. If its norm exceeds `clip`, the
    # whole gradient is scaled down to this norm and keeps its direction.
    nn.utils.clip_grad_norm_(objective.parameters(), clip)
    optimizer.step()
    return nats, memory
