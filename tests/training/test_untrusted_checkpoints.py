"""What a checkpoint from somebody else can do: nothing but be read or refused."""

import dataclasses
import json
import os
import shutil
from pathlib import Path

import pytest
import torch

from labml_txl.cli import main
from labml_txl.errors import escape_controls
from labml_txl.training.corpora import Archive, find_text_files
from labml_txl.training.runs.checkpoint import load_checkpoint, save_checkpoint
from labml_txl.training.runs.curve import read_curve
from labml_txl.training.text.files import TrainingError
from tests.training.small import rewritten, small_trainer


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of one step, on a text that its checkpoint names by a path."""
    small_trainer(tmp_path / "run", steps=1).run()
    return tmp_path / "run"


def changed(run: Path, **changes: object) -> Path:
    """The newest checkpoint of the same run, which says something else."""
    (run / "best.safetensors").unlink(missing_ok=True)
    return rewritten(run / "last.safetensors", **changes)


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "RUN"],
        ["evaluate", "RUN", "--recl=2,4"],
        ["train", "xl", "--resume", "--out=RUN"],
        ["export", "--to=web", "RUN", "--out=PAGE"],
    ],
)
def test_a_checkpoint_opens_no_file_that_it_names(
    run: Path, tmp_path: Path, words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("to be or not that is the question, " * 90)
    changed(run, config={"text": str(secret)})
    cache = {*(tmp_path / "cache").rglob("*")}
    given = [
        w.replace("RUN", str(run)).replace("PAGE", str(run / "page")) for w in words
    ]
    assert main(given) == 1
    out, err = capfd.readouterr()
    assert "which is not a corpus: give the file with --text" in err
    assert out == ""
    assert {*(tmp_path / "cache").rglob("*")} == cache
    assert not (run / "page").exists()
    # What somebody at the keyboard names is read.
    if words[0] == "evaluate":
        more = ["--positions=5"] * ("--recl=2,4" in words)
        assert main([*given, f"--text={secret}", *more]) == 0


def test_a_corpus_that_changed_in_the_cache_is_not_read(cache: Path) -> None:
    single = {"enwik8": Archive("http://127.0.0.1:9/x", "0" * 32, ("enwik8",))}
    parts = tuple(f"wiki.{part}.tokens" for part in ("train", "valid", "test"))
    several = {"wikitext-103": Archive("http://127.0.0.1:9/x", "0" * 32, parts)}
    for archives in (single, several):
        ((name, archive),) = archives.items()
        for member in archive.members:
            (cache / name).mkdir(parents=True, exist_ok=True)
            (cache / name / member).write_text("put there by hand")
    # Nobody knows the checksums of three files, so they are what they were at first.
    assert len(find_text_files("wikitext-103", archives=several)) == 3
    (cache / "wikitext-103" / parts[1]).write_text("changed")
    for name, archives in (("enwik8", single), ("wikitext-103", several)):
        with pytest.raises(TrainingError, match=f"{name} could not be downloaded"):
            find_text_files(name, archives=archives)


ESCAPE = "\x1b[2J\x9b2J\u202e\r"


def test_no_control_characters_of_a_checkpoint_are_printed(
    run: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spare = Path(shutil.copytree(run, run.parent / "spare"))
    path = changed(run)
    saved = load_checkpoint(path)
    tensors = saved.tensors | {f"model.{ESCAPE}": torch.ones(1)}
    save_checkpoint(dataclasses.replace(saved, tensors=tensors), path)
    letters = {"symbols": ESCAPE + saved.words.symbols[len(ESCAPE) :]}
    cases: list[list[str]] = [["evaluate", str(path)]]
    dangerous: list[dict[str, object]] = [
        {"config": {"text": ESCAPE}},
        {"config": {"norm": ESCAPE}},
        {"config": {ESCAPE: 1}},
        {"vocabulary": {"kind": ESCAPE}},
        {"vocabulary": letters},
    ]
    for number, changes in enumerate(dangerous):
        other = Path(shutil.copytree(spare, run.parent / str(number)))
        file = str(changed(other, **changes))
        words = ["generate", file, "--length=60", "--seed=1", "--temperature=9"]
        cases += [["evaluate", file], words]
        cases += [["train", "xl", "--resume", f"--out={other}", f"--text={ESCAPE}"]]
    for words in cases:
        main(words)
        for shown in capfd.readouterr():
            assert escape_controls(shown) == shown, words
            assert shown.count("\n") < 100


HUGE = [
    {"n_layers": 10_000_000},
    {"n_layers": 999},
    {"d_model": 2**40, "heads": 1},
    {"d_ff": 2**50},
    {"mem_len": 2**50, "encoding": "learned"},
    {"cutoffs": [*range(1, 200_000)]},
    {"x" * 10**6: 1},
]


@pytest.mark.parametrize("changes", HUGE, ids=lambda one: str(one)[:30])
def test_a_model_of_another_size_is_refused_at_once(
    run: Path, changes: dict[str, object], capfd: pytest.CaptureFixture[str]
) -> None:
    path = changed(run, config=changes)
    assert main(["generate", str(path)]) == 1
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("txl: ")
    assert len(line) <= 1001


def test_a_pipe_or_device_is_refused_without_waiting(
    run: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    changed(run).unlink()
    os.mkfifo(run / "last.safetensors")
    assert main(["generate", str(run)]) == 1
    assert "there is no checkpoint" in capfd.readouterr().err


LINES = ["1", "[]", "{}", '{"step": "x"}', '{"step": 1, "nats": NaN}', "[" * 10**5]
LINES += ['{"step": 1, "nats": "x"}', '{"step": -' + "9" * 5000 + "}", "\udcff"]


def test_invalid_lines_are_left_out_of_a_curve(tmp_path: Path) -> None:
    point = '{"step": 1, "nats": 2.5, "seconds": 0.1}'
    text = "\n".join([*LINES, point, *LINES])
    (tmp_path / "curve.jsonl").write_bytes(text.encode(errors="surrogateescape"))
    assert read_curve(tmp_path) == [json.loads(point)]
