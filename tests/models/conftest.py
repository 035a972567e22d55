"""One thread and a fixed seed: the tests run beside each other, and repeatably."""

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def fixed_seed() -> None:
    torch.manual_seed(1)
