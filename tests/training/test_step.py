"""One step of training, as its page shows it and as the trainer takes it."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from labml_txl.training import step
from labml_txl.training.objective import Objective, build, make_optimizer
from labml_txl.training.step import train_step
from labml_txl.training.streams import Streams
from tests.training.small import small_trainer

COMPRESSIVE = {"model": "compressive", "c_mem_len": 3, "compression_rate": 2}


def test_the_run_of_the_page_learns_its_text() -> None:
    code = re.findall(r"^```python\n(.*?)^```", step.__doc__ or "", re.M | re.S)
    assert len(code) == 1
    names: dict[str, Any] = {}
    torch.manual_seed(0)
    exec(code[0], names)
    losses = names["losses"]
    assert len(losses) == 30
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("changes", [{}, COMPRESSIVE], ids=["xl", "compressive"])
def test_the_trainer_takes_the_same_steps(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    trainer = small_trainer(tmp_path, **changes)
    config = trainer.config
    torch.manual_seed(config.seed)
    model = build(config, len(trainer.corpus.vocabulary))
    objective = Objective(model, config)
    optimizer = make_optimizer(objective, config)
    streams = Streams(trainer.corpus.train, config.batch, config.seq_len)

    torch.manual_seed(config.seed)
    memory = None
    trainer.model.train()
    for number in range(3):
        for group in optimizer.param_groups:
            group["lr"] = config.rate_at(number)
        tokens, targets = streams.segment(number * config.seq_len)
        nats, memory = train_step(
            objective, optimizer, tokens, targets, memory, config.clip
        )
        assert float(nats) == trainer.update()
    ours = dict(model.named_parameters())
    for name, parameter in trainer.model.named_parameters():
        assert torch.equal(parameter, ours[name]), name
