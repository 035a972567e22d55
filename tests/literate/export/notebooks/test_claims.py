"""A claim that does not hold is told with its place and its words."""

from dataclasses import replace
from typing import Any

import pytest

from labml_txl.literate.export.notebooks.execution import check_claim
from labml_txl.literate.export.notebooks.tutorial import Tutorial, parse
from labml_txl.literate.sources.cells import Cell
from labml_txl.literate.sources.source import LiterateError, Source

BODY = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Losses
#
# Memory helps.

# %% tags=["claim", "full"]
bits = {0: 3.0, 64: 2.5}
(
    bits[0]
    < bits[64]
)
"""
TUTORIAL: Tutorial = parse(Source("notebooks/losses.py", BODY))


def showing(*outputs: dict[str, Any]) -> Cell:
    return replace(TUTORIAL.cells[1], outputs=outputs)


def result(text: str | list[str]) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {"text/plain": text}}


def test_a_claim_that_holds_or_that_is_of_the_full_run_is_silent() -> None:
    check_claim(TUTORIAL, showing(result("3"), result(["True"])))
    check_claim(TUTORIAL, showing(result("False")), quick=True)
    check_claim(TUTORIAL, replace(showing(result("False")), tags=()))


@pytest.mark.parametrize(
    ("outputs", "shown"), [([result("False")], "False"), ([], "nothing")]
)
def test_a_claim_that_does_not_hold_says_which(
    outputs: list[dict[str, Any]], shown: str
) -> None:
    with pytest.raises(LiterateError) as caught:
        check_claim(TUTORIAL, showing(*outputs))
    assert str(caught.value) == (
        "notebooks/losses.py:14: cell 2: "
        f"this claim shows {shown}, not True: bits[0] < bits[64]"
    )
