"""The figures that one can touch compute what the models' own code computes.

Node runs their arithmetic, and Python holds every number of it to its own definition.
"""

import json
import subprocess
from typing import Any

import pytest
import torch

from labml_txl.literate.equations.node import node
from labml_txl.models import rel_shift
from tests.figures import DRAWN, FIGURES, drawn


def asked(name: str, expression: str, given: object = None) -> Any:
    """What Node makes of an expression; `m` has the numbers of a figure."""
    script = f"""
        import * as m from {json.dumps((FIGURES / f"{name}.mjs").as_uri())};
        const given = {json.dumps(given)};
        console.log(JSON.stringify({expression}));
    """
    command = [node(), "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", DRAWN)
def test_the_picture_of_a_figure_is_what_the_code_draws(name: str) -> None:
    assert (FIGURES / f"{name}.svg").read_text(encoding="utf-8") == drawn(name)


def test_every_figure_is_drawn() -> None:
    assert {file.stem for file in FIGURES.glob("*.svg")} == DRAWN.keys()


# The relative shift

SIZES = [(L, M) for L in range(2, 6) for M in range(6)]
SHIFT = "relative-shift"


@pytest.mark.equation("txl.position_terms")
def test_both_orders_read_the_scores_that_the_shift_reads() -> None:
    """For every size that the sliders reach, and every number of both tables."""
    told = asked(
        SHIFT,
        """given.flatMap(([L, M]) => ["falls", "rises"].map(order => {
            const table = m.layout(order, L, M), all = [];
            for (let i = 0; i < L; i++) for (let c = 0; c < table.columns; c++) {
                const steps = [1, 2, 3].map(step => m.place(table, i, c, step));
                const far = m.distance(table, c);
                all.push([m.address(table, i, c), m.read(table, i, c), far, steps]);
            }
            return [table, all];
        }))""",
        SIZES,
    )
    for table, numbers in told:
        L, K, columns = table["L"], table["K"], table["columns"]
        line = torch.arange(L * columns).view(L, columns)
        if table["order"] == "falls":
            expected = rel_shift(line[None, None, :, :-1].contiguous(), K)[0, 0]
        else:
            # Row i moves right by i, and the first L columns are dropped.
            rows = [line[i].roll(i)[L : L + K] for i in range(L)]
            expected = torch.stack(rows)
        seen = torch.ones(L, K, dtype=torch.bool).tril(K - L)
        found = torch.full((L, K), -1)
        for address, at, far, steps in numbers:
            (slide, *_), i = steps, address // columns
            assert steps[1] == steps[2]
            if at is None:
                assert not steps[2][2]
                continue
            query, key = at
            assert steps[2] == [query, key, True]
            found[query, key] = address
            if seen[query, key]:
                # What a query may see moves along its row, and keeps its distance.
                assert (query, far) == (i, query + K - L - key)
                assert slide == [query, key, True]
        assert found[seen].equal(expected[seen]), (L, K, table["order"])
        assert (found >= 0).all()


def test_the_column_of_a_pair_is_the_one_that_it_reads() -> None:
    wrong = asked(
        SHIFT,
        """given.flatMap(([L, M]) => ["falls", "rises"].flatMap(order => {
            const table = m.layout(order, L, M), wrong = [];
            for (let i = 0; i < L; i++) for (let j = 0; j <= i + M; j++) {
                const at = m.read(table, i, m.columnOf(table, i, j));
                if (m.isFuture(table, i, j) || at[0] !== i || at[1] !== j)
                    wrong.push([order, L, M, i, j]);
            }
            return wrong;
        }))""",
        SIZES,
    )
    assert wrong == []


def test_the_code_of_the_three_ways_gives_the_shift_and_copies_what_it_says() -> None:
    told = asked(
        SHIFT,
        """given.flatMap(([L, M]) => m.ways.map(way => {
            const size = m.layout("falls", L, M);
            return [L, M, way.code, way.distances(size), way.copied(size)];
        }))""",
        SIZES,
    )
    for L, M, code, distances, copied in told:
        K = L + M
        scores = torch.arange(L * distances).view(L, distances)
        names: dict[str, Any] = {"torch": torch, "scores": scores, "L": L, "K": K}
        exec("\n".join(code), names)
        expected = rel_shift(scores[None, None], K)[0, 0]
        seen = torch.ones(L, K, dtype=torch.bool).tril(M)
        assert names["result"][seen].equal(expected[seen]), code
        # Whatever has a memory of its own was written; the index itself is no score.
        made = {
            value.untyped_storage().data_ptr(): value.untyped_storage().nbytes() // 8
            for name, value in names.items()
            if name in ("padded", "rows", "line", "result")
        }
        made.pop(scores.untyped_storage().data_ptr(), None)
        assert sum(made.values()) == copied, code
