"""What a machine is asked for, and how it refuses."""

import pytest

from labml_txl.training.runs.machine import leads, translating
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


def test_the_first_of_a_group_leads_and_so_does_one_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RANK", raising=False)
    assert leads()
    for rank, first in (("0", True), ("1", False), ("10", False)):
        monkeypatch.setenv("RANK", rank)
        assert leads() is first
