"""The synthetic task: its data, how a model learns it, and the picture of it."""

import json
import random
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.cli import main
from labml_txl.training.recall import (
    BLANK,
    NOT_ASKED,
    TASKS,
    Task,
    cut_segments,
    draw_stream,
    draw_text,
    measure_accuracy,
    recall_configs,
    train_model,
)

some_distances = st.lists(st.integers(2, 40), min_size=1, max_size=4)


@given(
    st.sampled_from([*TASKS.values(), Task(3, 2)]),
    some_distances,
    st.integers(60, 200),
    st.integers(),
)
def test_an_answer_is_at_the_given_distance_from_its_fact(
    task: Task, distances: list[int], length: int, seed: int
) -> None:
    tokens, distance = draw_text(task, distances, length, random.Random(seed))
    facts = {
        task.fact(key, value): (key, value)
        for key in range(task.n_keys)
        for value in range(task.n_values)
    }
    for place, far in enumerate(distance):
        if far:
            key, value = facts[tokens[place - far]]
            assert tokens[place - 1 : place + 1] == [
                task.question(key),
                task.answer(value),
            ]
            assert far in distances
            # It is the last fact of its key.
            later = tokens[place - far + 1 : place]
            assert not {task.fact(key, v) for v in range(task.n_values)} & {*later}

    # Every fact is asked for once, and nothing else is asked.
    n_told = sum(token in facts for token in tokens)
    n_spoken = sum(token != BLANK for token in tokens)
    assert n_told == sum(far > 0 for far in distance)
    assert n_spoken == 3 * n_told


def test_segments_have_only_answers_as_targets_and_no_gaps() -> None:
    texts = draw_stream(TASKS["key-value"], [5, 9], 100, 3, seed=1)
    assert texts.tokens.shape == (100, 3)
    read, wanted = zip(*cut_segments(texts, 8, torch.device("cpu")), strict=True)
    assert torch.equal(torch.cat(read), texts.tokens[:96])
    targets = torch.cat(wanted)
    assert torch.equal(targets != NOT_ASKED, texts.asked[1:97])
    assert torch.equal(
        targets[texts.asked[1:97]], texts.tokens[1:97][texts.asked[1:97]]
    )


def test_a_model_learns_what_is_within_its_reach() -> None:
    # Two keys and two values, within a segment: learned in seconds.
    config = recall_configs(steps=150, seed=1)["Transformer-XL"]
    task = Task(2, 2)
    model = train_model(config, task, goal=8)
    share, asked = measure_accuracy(model, task, 6, config.seq_len, least=200)
    assert asked >= 200
    assert share > 0.9


def test_the_command_leaves_a_table_and_a_picture(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--distances=4,12", "--steps=2", f"--out={tmp_path}"]
    assert main(["recall", *words]) == 0
    head, *rows = capfd.readouterr().out.splitlines()
    assert head.split() == ["distance", "Transformer-XL", "Compressive", "Transformer"]
    assert [row.split()[0] for row in rows] == ["4", "12"]
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"recall.jsonl", "recall.png", "recall.svg"}
    points = map(json.loads, (tmp_path / "recall.jsonl").read_text().splitlines())
    assert [point["distance"] for point in points] == [4, 12, 4, 12]
