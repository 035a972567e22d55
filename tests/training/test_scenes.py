import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from labml_txl.training.scenes import (
    FAR,
    NEAR,
    find_proper_names,
    repeat_lines,
    replace_names,
    write_scenes,
)

PLAY = "\n\n".join(
    f"ROMULA:\nGood Arcite, is it you, or is it Romula number {n}?\nI saw {n} men.\n"
    f"Arcite swore it was Romula.\nGood night {n}, good men."
    for n in range(200)
)


def test_proper_names_are_the_words_that_are_always_capitalised() -> None:
    assert find_proper_names(PLAY) == {"romula", "arcite"}


def test_a_name_is_the_same_throughout_a_scene_and_another_in_the_next() -> None:
    source = random.Random(0)
    first, second = (
        replace_names(PLAY, find_proper_names(PLAY), source) for _ in range(2)
    )
    speakers = [set(re.findall(r"^([A-Z]+):$", one, re.M)) for one in (first, second)]
    assert [len(one) for one in speakers] == [1, 1]
    assert speakers[0] != speakers[1]
    (speaker,) = speakers[0]
    assert first.count(speaker.capitalize()) == 400
    assert not re.search("romula|arcite", first + second, re.I)


def test_every_line_is_followed_by_a_copy_of_a_recent_one() -> None:
    scene = "\n".join(f"line {n}" for n in range(200))
    lines = repeat_lines(scene, random.Random(0)).split("\n")
    assert lines[::2] == scene.split("\n")
    back = [now - int(line.split()[1]) for now, line in enumerate(lines[1::2])]
    assert min(back) == 0
    assert NEAR <= max(back) < FAR
    assert sum(distance < NEAR for distance in back) > 0.75 * len(back)


def test_no_line_of_one_part_is_repeated_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TXL_CACHE", str(tmp_path / "cache"))
    play = tmp_path / "play.txt"
    play.write_text(PLAY)
    files = write_scenes(play)
    numbers = [set(re.findall(r"I saw (\d+) men", one.read_text())) for one in files]
    assert all(numbers)
    assert all(not one & two for one, two in pairwise(numbers))
    files[0].write_text("spoiled")
    assert write_scenes(play)[0].read_text() != "spoiled"
