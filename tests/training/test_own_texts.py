"""Texts of one's own: several files, subwords, documents, and a model to start from."""

import gzip
import sys
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.cli import main
from labml_txl.errors import UsageError
from labml_txl.training.corpora import (
    count_places,
    cut_part,
    find_beginnings,
    find_own_files,
    open_corpus,
)
from labml_txl.training.evaluation import evaluate
from labml_txl.training.objective import Objective, build
from labml_txl.training.runs.checkpoint import load_checkpoint
from labml_txl.training.runs.machine import find_machine
from labml_txl.training.runs.trackers import find_tracker
from labml_txl.training.text.files import SettingError, TrainingError
from labml_txl.training.text.vocabulary import END_OF_TEXT, Subwords
from labml_txl.training.trainer import Trainer
from tests.training.small import rewritten, small, small_text, small_trainer

COMPRESSIVE = {"model": "compressive", "c_mem_len": 3, "compression_rate": 2}
THROUGH_TIME = COMPRESSIVE | {"reconstruction": "none", "bptt": 2}


def texts(folder: Path) -> Path:
    """A folder with three texts, one of them compressed."""
    inside = folder / "texts"
    (inside / "more").mkdir(parents=True)
    words = small_text(folder, 900).read_text()
    (inside / "b.txt").write_text(words[:300])
    (inside / "a.txt.gz").write_bytes(gzip.compress(words[300:600].encode()))
    (inside / "more" / "c.txt").write_text(words[600:])
    (inside / ".hidden").write_text("not a text")
    (inside / "more" / "empty.txt").touch()
    return inside


@pytest.mark.parametrize("kind", ["characters", "bytes", "words"])
def test_several_files_are_one_text(tmp_path: Path, kind: str) -> None:
    inside = texts(tmp_path)
    joined = tmp_path / "joined.txt"
    words = (tmp_path / "text.txt").read_text()
    joined.write_text(words[300:600] + words[:300] + words[600:])
    wanted = open_corpus(str(joined), kind)
    parts = ("a.txt.gz", "b.txt", "more/c.txt")
    for name in (
        str(inside),
        f"{inside}/**/*.*",
        ",".join(str(inside / part) for part in parts),
    ):
        got = open_corpus(name, kind)
        names = [path.name for path in find_own_files(name) if path.stat().st_size]
        assert names == ["a.txt.gz", "b.txt", "c.txt"]
        assert got.vocabulary.symbols == wanted.vocabulary.symbols
        if kind != "words":  # a word may be cut by the end of a file
            assert torch.equal(got.train, wanted.train)
            assert torch.equal(got.validation, wanted.validation)
    with pytest.raises(
        TrainingError, match="no files in a folder of this name or with"
    ):
        find_own_files(str(tmp_path / "*.none"))
    (inside / "a.txt.gz").write_bytes(b"\x1f\x8b" + b"0" * 9)
    with pytest.raises(TrainingError, match=r"a.txt.gz is not complete gzip data"):
        open_corpus(str(inside), kind)


@pytest.fixture(scope="module")
def subwords(tmp_path_factory: pytest.TempPathFactory) -> Subwords:
    return Subwords.trained([small_text(tmp_path_factory.mktemp("text"))], 300)


@given(st.text())
def test_subwords_decode_to_what_was_encoded(subwords: Subwords, text: str) -> None:
    tokens = subwords.encode(text).tolist()
    assert subwords.decode(tokens) == text
    assert "".join(subwords.stream(tokens)) == text


def test_subwords_are_learned_and_the_end_of_a_text_is_one(subwords: Subwords) -> None:
    assert len(subwords) <= 300
    assert len(subwords.encode("the question, the question, ")) < 20
    (end,) = subwords.encode(END_OF_TEXT).tolist()
    assert subwords.decode([end]) == END_OF_TEXT
    with pytest.raises(TrainingError, match="size = 100 is too small"):
        Subwords.trained([], 100)
    with pytest.raises(TrainingError, match=r"this is not a tokenizer\.json: "):
        Subwords("{}")


def test_positions_count_from_the_beginning_of_each_document() -> None:
    text = torch.tensor([5, 1, 9, 2, 3, 9, 9, 4], dtype=torch.uint8)
    begins = find_beginnings(text, 9)
    assert begins.tolist() == [0, 3, 6, 7]
    places = count_places(begins, torch.arange(8).view(4, 2))
    assert places.flatten().tolist() == [0, 1, 2, 0, 1, 2, 0, 0]


@pytest.mark.parametrize("model", [{}, COMPRESSIVE], ids=["xl", "compressive"])
def test_nothing_leaks_from_one_document_to_the_next(
    tmp_path: Path, model: dict[str, Any]
) -> None:
    """Another document before it, and the losses of a document are the same."""
    end, n_vocab = 0, 11
    torch.manual_seed(3)
    document = torch.randint(1, n_vocab, (25,))
    nats = []
    for before in (torch.full((19,), 4), torch.randint(1, n_vocab, (19,))):
        tokens = torch.cat((before, torch.tensor([end]), document))
        begins = find_beginnings(tokens, end)
        torch.manual_seed(1)
        objective = Objective(build(small(**model), n_vocab), small(**model))
        for parameter in objective.parameters():
            torch.nn.init.normal_(parameter, std=0.5)
        places = count_places(begins, torch.arange(len(tokens)))
        memory, losses = None, []
        for first in range(0, len(tokens) - 6, 6):
            part = slice(first, first + 6)
            segment, targets = tokens[part, None], tokens[first + 1 : first + 7, None]
            lost, memory = objective.model.losses(
                segment, targets, memory, places[part, None]
            )
            losses.append(lost[:, 0])
        nats.append(torch.cat(losses)[20:])
    assert len(nats[0]) > 12
    torch.testing.assert_close(nats[0], nats[1], atol=1e-5, rtol=1e-5)

    # The score of both documents is that of each, divided into the same segments.
    both = tokens[2:]
    begins = find_beginnings(both, end)
    parts = (both, begins), (both[:18], None), (both[18:], None)
    scores = [
        evaluate(objective.model, *part[:1], 6, 1, begins=part[1]) for part in parts
    ]
    assert [score.tokens for score in scores] == [41, 17, 24]
    whole, *alone = (score.nats * score.tokens for score in scores)
    assert whole == pytest.approx(sum(alone), rel=1e-5)
    with pytest.raises(TrainingError, match="documents of one token each"):
        evaluate(objective.model, both, 6, 1, begins=torch.arange(len(both)))


@pytest.mark.parametrize("model", [{}, COMPRESSIVE, THROUGH_TIME], ids=str)
def test_documents_of_a_step_are_trained_as_each_by_itself(
    tmp_path: Path, model: dict[str, Any]
) -> None:
    """Loss and gradient of a step are those of its documents without the others."""
    config = small(seq_len=24, mem_len=24, batch=1, **model)
    text = small_text(tmp_path)
    corpus = open_corpus(str(text))
    # No document is longer than a segment, so that none is divided.
    begins = torch.tensor([0, 7, 8, 15, 24, 30, 48])
    corpus = corpus._replace(documents={"train": begins, "validation": begins})
    trainer = Trainer(config, corpus, tmp_path, find_machine(config))
    for parameter in trainer.objective.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    parameters = [*trainer.model.parameters()]

    tokens, targets, positions = trainer.segment()
    follows = targets[:, 0] != -100
    ends = [int(first) - 1 for first in begins[1:] if first <= len(tokens)]
    assert [n for n, one in enumerate(follows.tolist()) if not one] == ends
    assert torch.equal(
        targets[follows], corpus.train[: len(tokens) + 1][1:, None][follows]
    )
    loss, nats, _ = trainer.objective(tokens, targets, None, positions)
    got = torch.autograd.grad(loss, parameters, allow_unused=True)
    nothing = torch.full_like(targets, -100)
    assert trainer.objective(tokens, nothing, None, positions)[1] == 0

    alone = torch.zeros(())
    for first, end in pairwise([0, *(end + 1 for end in ends)]):
        document = corpus.train[first:end, None].long()
        if len(document) > 1:
            alone = alone + trainer.model.losses(document[:-1], document[1:])[0].sum()
    alone = alone / int(follows.sum())
    wanted = torch.autograd.grad(alone, parameters, allow_unused=True)
    assert float(nats) == pytest.approx(alone.item(), abs=1e-5)
    for one, other in zip(got, wanted, strict=True):
        if other is not None:
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


def test_the_trainer_keeps_documents_apart(tmp_path: Path) -> None:
    inside = texts(tmp_path)
    corpus = open_corpus(str(inside), documents="files")
    begins = {part: found.tolist() for part, found in corpus.documents.items()}
    everything = {"train": [0, 300, 600], "all": [0, 300, 600]}
    assert begins == {**everything, "validation": [0], "test": [0]}
    by_token = open_corpus(str(inside), documents=" ")
    for part in ("train", "validation", "all"):
        tokens = cut_part(by_token, part)
        after = (tokens[:-1] == corpus.vocabulary.encode(" ")).nonzero()[:, 0] + 1
        assert by_token.documents[part].tolist() == [0, *after.tolist()]
    assert not open_corpus(str(inside)).documents
    with pytest.raises(SettingError, match="documents = 'ab' is 2 tokens"):
        open_corpus(str(tmp_path / "text.txt"), "bytes", documents="ab")

    trainer = small_trainer(tmp_path / "run", batch=2)
    assert len(trainer.segment()) == 2
    documents = dict.fromkeys(("train", "validation"), torch.tensor([0, 1352]))
    trainer.corpus = trainer.corpus._replace(documents=documents)
    # The second sequence begins at token 1,350.
    _, targets, places = trainer.segment()
    assert places.t().tolist() == [[0, 1, 2, 3, 4, 5], [1350, 1351, 0, 1, 2, 3]]
    assert (targets == -100).nonzero().tolist() == [[1, 1]]
    # After the last token of the text, of which there are 2,700, it begins again.
    trainer.position = 2700 - 3
    assert (trainer.segment()[1] == -100).nonzero().tolist() == [[2, 0], [4, 1]]
    trainer.position = 0
    trainer.run()


def test_a_run_with_subwords_on_a_folder_resumes_on_another_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    learn = ["data", str(inside), "--vocabulary", "bpe", "--size", "280"]
    assert main(learn) == 0
    assert "280 tokenizer.json" in capsys.readouterr().out
    assert main(learn) == 1
    assert "tokenizer.json exists: choose another" in capsys.readouterr().err
    (tmp_path / "mine.py").write_text(
        "import json\n"
        "def write(folder, point):\n"
        "    with (folder / 'mine.jsonl').open('a') as file:\n"
        "        file.write(json.dumps(point) + '\\n')\n"
        "def track(folder):\n"
        "    return lambda point: write(folder, point)\n"
    )
    sizes = ["--n-layers=1", "--heads=2", "--d-model=16", "--mem-len=4", "--seq-len=5"]
    run = [*sizes, "--batch=2", "--steps=3", "--sample=0", "--eval-tokens=20"]
    begin = ["train", "xl", "--text", str(inside), "--vocabulary", "tokenizer.json"]
    more = ["--documents", "files", "--log", "mine:track", "--log-interval=1"]
    assert main([*begin, *run, *more]) == 0
    folder = Path("runs/xl")
    tracked = (folder / "mine.jsonl").read_text().splitlines()
    assert tracked == (folder / "curve.jsonl").read_text().splitlines()
    saved = load_checkpoint(folder)
    assert isinstance(saved.words, Subwords)

    # The file with the vocabulary is not needed any more.
    Path("tokenizer.json").unlink()
    capsys.readouterr()
    assert main(["generate", str(folder), "--prompt", "to be", "--length", "5"]) == 0
    assert capsys.readouterr().out.startswith("to be")
    other = small_text(tmp_path / "other", 2000)
    start = ["train", "xl", "--from", str(folder), "--text", str(other)]
    assert main([*start, "--out=runs/more", "--steps=1", "--sample=0"]) == 0
    first = load_checkpoint(Path("runs/more")).config
    assert (first.d_model, first.steps, first.batch) == (16, 1, 8)
    capsys.readouterr()
    assert main([*start, "--out=runs/none", "--d-model=32"]) == 2
    assert (
        "d_model cannot be changed: runs/xl has d_model = 16" in capsys.readouterr().err
    )
    assert main([*begin, *run, "--out=runs/no", "--log=nothing"]) == 2
    rewritten(folder / "best.safetensors", vocabulary={"digest": "0"})
    with pytest.raises(TrainingError, match="damaged"):
        load_checkpoint(folder)


def test_the_curve_is_sent_to_tensorboard_if_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[object, ...]] = []

    class SummaryWriter:
        def __init__(self, folder: Path) -> None:
            assert folder == tmp_path

        def add_scalar(self, *given: object) -> None:
            sent.append(given)

        def flush(self) -> None:
            sent.append(())

    library = ModuleType("torch.utils.tensorboard")
    library.__dict__["SummaryWriter"] = SummaryWriter
    monkeypatch.setitem(sys.modules, library.__name__, library)
    track = find_tracker("tensorboard", tmp_path)
    track({"step": 3, "nats": 1.5, "seconds": 2.0})
    assert {*sent} == {("nats", 1.5, 3), ("seconds", 2.0, 3), ()}
    assert sent[-1] == ()
    monkeypatch.setitem(sys.modules, library.__name__, None)
    with pytest.raises(UsageError, match="pip install tensorboard"):
        find_tracker("tensorboard", tmp_path)


def test_a_model_starts_with_the_parameters_of_another(tmp_path: Path) -> None:
    first = small_trainer(tmp_path / "first", steps=2)
    first.run()
    second = small_trainer(tmp_path / "second")
    second.start_from(load_checkpoint(tmp_path / "first", "last"))
    pairs = zip(first.model.parameters(), second.model.parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)
    assert (second.step, second.optimizer.state) == (0, {})
