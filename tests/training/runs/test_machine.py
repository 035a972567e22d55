"""What a machine is asked for, and how it refuses."""

import pytest

from labml_txl.training.runs.machine import translating
from tests.training.small import small


@pytest.mark.parametrize("compiled", [True, False])
def test_a_fault_of_another_kind_is_not_said_to_be_one_of_compiling(
    compiled: bool,
) -> None:
    with (
        pytest.raises(RuntimeError, match=r"^out of something$"),
        translating(small(compile=compiled)),
    ):
        raise RuntimeError("out of something")
