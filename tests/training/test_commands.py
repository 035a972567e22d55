"""The commands of training, as they are typed."""

import io
import itertools
import json
import math
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from labml_txl.cli import main
from labml_txl.training.commands.train import PRESETS, read_preset
from labml_txl.training.config import configure
from labml_txl.training.objective import build
from labml_txl.training.runs.checkpoint import (
    load_checkpoint,
    save_checkpoint,
    skip_init,
)
from labml_txl.training.trainer import Trainer
from tests.training.small import small_text

SIZES = [
    "--n-layers=1",
    "--heads=2",
    "--d-model=16",
    "--d-ff=16",
    "--mem-len=4",
    "--seq-len=6",
    "--batch=4",
    "--warmup=2",
    "--log-interval=2",
    "--save-interval=4",
    "--eval-tokens=50",
    "--device=cpu",
]
ROOT = Path(__file__).parents[2]


def txl(*arguments: str) -> int:
    return main(arguments)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return small_text(tmp_path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that has been trained for eight steps."""
    place = tmp_path_factory.mktemp("trained")
    words = [f"--text={small_text(place)}", f"--out={place / 'run'}", "--steps=8"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TXL_CACHE", str(place / "cache"))
        assert txl("train", "xl", *SIZES, *words, "--sample=20") == 0
    return place / "run"


@pytest.fixture
def run(tmp_path: Path, trained: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    """A copy of that run, to do with as one likes."""
    capfd.readouterr()
    return Path(shutil.copytree(trained, tmp_path / "run"))


def test_one_command_leaves_a_checkpoint_a_curve_and_a_sample(
    tmp_path: Path, text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    words = [f"--text={text}", f"--out={folder}", "--steps=8", "--sample=20"]
    assert txl("train", "compressive", *SIZES, "--c-mem-len=3", *words) == 0
    said = capfd.readouterr()
    assert "compression_rate = 4" in said.out
    assert "validation, all of it: " in said.out
    assert "tokens/s" in said.err
    assert "left" in said.err
    names = {path.name for path in folder.iterdir()}
    assert names >= {
        *("best.safetensors", "last.safetensors"),
        *("curve.jsonl", "curve.png", "curve.svg"),
    }
    assert len((folder / "sample.txt").read_text()) == 21
    assert load_checkpoint(folder).config.c_mem_len == 3


def test_flags_change_the_file_and_the_file_the_defaults(
    tmp_path: Path, text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "small.toml"
    settings.write_text("steps = 3\nseed = 5\n")
    words = [f"--config={settings}", f"--text={text}", f"--out={tmp_path / 'run'}"]
    assert txl("train", "xl", *SIZES, *words, "--steps=2") == 0
    config = load_checkpoint(tmp_path / "run").config
    assert (config.steps, config.seed, config.tied) == (2, 5, True)

    settings.write_text("lerning_rate = 3\n")
    words[-1] = f"--out={tmp_path / 'other'}"
    assert txl("train", "xl", *words) == 2
    line = capfd.readouterr().err.splitlines()[-1]
    assert line == ("txl: unknown setting lerning_rate: did you mean 'learning_rate'?")


def test_a_run_resumes_where_it_ended(run: Path, text: Path) -> None:
    words = ["--steps=10", f"--out={run}", f"--text={text}"]
    assert txl("train", "xl", "--resume", *words) == 0
    assert load_checkpoint(run, "last").step == 10


def test_effective_context_is_compared_within_a_group(
    run: Path, text: Path, trained: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--recl=2,4,8", "--positions=50", f"--text={text}"]
    assert txl("evaluate", str(run), str(trained), *words) == 0
    head, *rows = capfd.readouterr().out.splitlines()
    assert head.split() == ["r=0.1", "r=0.5", "r=1.0", "checkpoint"]
    assert len(rows) == 2
    # The two are the same model, so they reach equally far.
    assert rows[0].split()[:3] == rows[1].split()[:3]


def test_a_model_is_measured_with_any_memory(
    run: Path, text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    read = ["evaluate", str(run), f"--text={text}"]
    assert txl(*read, "--sweep-memory=0,4,16", "--json") == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["mem_len"] for row in rows] == [0, 4, 16]
    assert len({row["nats"] for row in rows}) == 3
    for row in rows:
        assert row["bits"] == pytest.approx(row["nats"] / math.log(2))
        assert row["perplexity"] == pytest.approx(math.exp(row["nats"]))
        assert row["tokens"] == 149
    assert (run / "memory.png").exists()
    assert (run / "memory.svg").exists()

    assert txl(*read, "--part=test", "--seq-len=9", "--batch=1") == 0
    table = capfd.readouterr().out.splitlines()
    assert len(table) == 2
    assert table[1].split()[:3] == ["9", "4", "0"]


def test_generate_continues_a_prompt(
    run: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--seed=3", "--length=12", "--top-k=5", "--top-p=0.9"]
    assert txl("generate", str(run), "--prompt=to be ", *words) == 0
    text = capfd.readouterr().out
    assert text.startswith("to be ")
    assert len(text) == len("to be ") + 12 + 1


def test_a_prompt_may_be_a_file_or_standard_input(
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    # Longer than a segment, and with a byte order mark, as some editors write it.
    beginning = "to be or not to be that is " * 20
    path = tmp_path / "beginning"
    path.write_text(beginning, encoding="utf-8-sig")
    words = ["generate", str(run), "--length=9", "--seed=1"]
    written = []
    for given in (f"--prompt={beginning}", f"--prompt-file={path}", "--prompt-file=-"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(path.open("rb")))
        assert txl(*words, given) == 0
        written.append(capfd.readouterr().out)
    assert written[0].startswith(beginning)
    assert written == written[:1] * 3

    # Only the most likely token has the highest probability.
    drawn = []
    for given in ("--min-p=1", "--temperature=0"):
        command = ["generate", str(run), "--length=9", "--prompt=to be ", given]
        assert txl(*command) == 0
        drawn.append(capfd.readouterr().out)
    assert drawn[0] == drawn[1]
    assert txl(*words, "--prompt=to be ") == 0
    assert capfd.readouterr().out != drawn[0]

    path.write_bytes(b"to \xff")
    assert txl(*words, f"--prompt-file={path}") == 1
    assert capfd.readouterr().err.endswith("is not UTF-8 at byte 3\n")
    assert txl(*words, f"--prompt-file={path}", "--prompt=to ") == 2
    assert "exclude each other" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["characters", "words"])
def test_long_work_is_reported_while_it_goes_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    # Each part takes a second, however busy the machine is.
    clock = SimpleNamespace(monotonic=itertools.count(0.0).__next__)
    monkeypatch.setattr("labml_txl.training.text.files.time", clock)
    monkeypatch.setattr("labml_txl.training.text.files.QUIET", 0.0)
    monkeypatch.setattr("labml_txl.training.text.files.BLOCK", 1000)
    words = [f"--text={small_text(tmp_path)}", f"--out={tmp_path / 'run'}"]
    more = ["--steps=3", "--sample=4", f"--vocabulary={kind}"]
    assert txl("train", "xl", *SIZES, *words, *more) == 0
    said = capfd.readouterr().err
    for line in (
        *(
            "text.txt, checksum: 66.7%",
            f"text.txt, {kind}: 66.7%",
            "text.txt, tokens: 66.7%",
        ),
        *("evaluated: ", "evaluated: 100.0%", "sample: 50.0%"),
    ):
        assert line in said


def test_words_that_a_model_does_not_know_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, folder = tmp_path / "words.txt", tmp_path / "run"
    text.write_text("the sea and the sky\n" * 90, encoding="utf-8")
    words = [*SIZES, "--vocabulary=words", f"--text={text}", "--steps=1", "--sample=0"]
    assert txl("train", "xl", *words, f"--out={folder}") == 0
    capfd.readouterr()
    prompt = "--prompt=the land and the lake and the land"
    assert txl("generate", str(folder), prompt, "--length=2") == 0
    out, err = capfd.readouterr()
    assert out.startswith("the land and the lake ")
    assert err == "not in the vocabulary, replaced by <unk>: 'land', 'lake'\n"
    assert txl("generate", str(folder), "--prompt= ", "--length=2") == 1
    out, err = capfd.readouterr()
    assert (out, err.startswith("txl: the prompt is empty")) == ("", True)
    # Of a whole text, their share.
    text.write_text("the sea and the lake\n" * 90, encoding="utf-8")
    line = f"{text}: 16.7% of the words are <unk> for this model\n"
    given = f"--text={text}", "--sample=0", "--steps=1"
    tuned = f"--out={tmp_path / 'tuned'}"
    assert txl("evaluate", str(folder), *given[:1]) == 0
    assert line in capfd.readouterr().err
    assert txl("train", "xl", f"--from={folder}", *given, tuned) == 0
    assert line in "".join(capfd.readouterr())


def test_data_prints_the_sizes_of_the_parts(
    text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert txl("data", str(text)) == 0
    file, symbols, train, *others = capfd.readouterr().out.splitlines()
    assert (file, symbols) == (str(text), "14 characters")
    assert train.split() == ["train", "2,700", "tokens"]
    assert len(others) == 2


REFUSED = [
    # What is not there, or not what it should be.
    (
        1,
        "generate RUN --prompt=äß",
        "vocabulary of the model: 'ß' (U+00DF), 'ä' (U+00E4)",
    ),
    (1, "generate RUN --prompt=", "the prompt is empty"),
    (1, "generate nowhere", "there is no checkpoint nowhere"),
    (1, "evaluate RUN --text=no-such", "neither a file nor one of"),
    (1, "data no-such-text", "neither a file nor one of"),
    (1, "import no-such-folder", "the folder no-such-folder does not exist"),
    (1, "train xl --resume --out=nowhere", "no checkpoint nowhere"),
    (1, "train xl --out=RUN", "RUN already contains a run: continue it"),
    # What has no effect, or another one than it seems.
    (2, "evaluate RUN --recl --sweep-memory 1", "--sweep-memory and --recl cannot be"),
    (2, "evaluate RUN --recl=8,4 --text TEXT", "expected two or more in increasing"),
    (2, "evaluate RUN RUN", "several runs need --recl"),
    (2, "evaluate RUN --positions 5", "--positions has no effect without --recl"),
    (2, "evaluate RUN --c-mem-len 8 --text TEXT", "c_mem_len = 8 has no effect: "),
    (2, "generate RUN --temperature 0 --top-k 3", "--top-k has no effect with --temp"),
    (2, "generate RUN --temperature 0 --seed 1", "--seed has no effect with --temp"),
    (2, "train compressive --resume --out RUN", "RUN is not a run of compressive: "),
    (2, "train xl --resume --out RUN --preset vanilla", "--preset has no effect with"),
    (2, "train xl --resume --out RUN --steps 3", "steps = 3 is too small"),
    (2, "train xl --resume --out RUN --d-model 32", "d_model cannot be changed"),
    (2, "train xl --preset vanilla", "the preset vanilla needs txl train vanilla"),
    (2, "train vanilla --mem-len 64", "vanilla has absolute positions and no memory"),
    (2, "train xl --c-mem-len 8", "c_mem_len = 8 has no effect: only the model"),
    # What makes no sense; `test_config.py` has more of it.
    (2, "train xl --cutoffs=5,x", "is not a whole number"),
    (2, f"generate RUN --length 1{'0' * 30}", f"must be below {2**63}"),
    (2, f"train xl --seed {2**64}", f"seed = {2**64} must be below"),
    (2, "generate RUN --top-p 1.5", "top_p=1.5 is not in (0, 1]"),
]


@pytest.mark.parametrize(("status", "words", "said"), REFUSED)
def test_incompatible_settings_are_refused_in_one_line_and_change_nothing(
    trained: Path,
    capfd: pytest.CaptureFixture[str],
    status: int,
    words: str,
    said: str,
) -> None:
    before = {path.name for path in trained.iterdir()}
    places = {"RUN": str(trained), "TEXT": str(trained.parent / "text.txt")}
    given = [re.sub("RUN|TEXT", lambda m: places[m[0]], w) for w in words.split()]
    assert txl(*given) == status
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("txl: ")
    assert said in line.replace(str(trained), "RUN")
    assert {path.name for path in trained.iterdir()} == before


def test_a_text_that_changed_since_the_stop_is_noticed(
    run: Path, text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text.write_text(text.read_text().replace("question", "problem"))
    words = ["--steps=10", f"--out={run}", f"--text={text}"]
    assert txl("train", "xl", "--resume", *words) == 1
    line = capfd.readouterr().err.splitlines()[-1]
    assert line.startswith(f"txl: {text} differs from the text that the run was")
    assert load_checkpoint(run, "last").step == 8


def test_results_can_be_printed_as_json(
    run: Path, text: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def run_as_json(*words: str) -> list[dict[str, object]]:
        capfd.readouterr()
        assert txl(*words, "--json") == 0
        return [json.loads(line) for line in capfd.readouterr().out.splitlines()]

    read = f"--text={text}"
    (row,) = run_as_json("train", "xl", "--resume", "--sample=0", f"--out={run}", read)
    (again,) = run_as_json("evaluate", str(run), "--seq-len=6", read)
    assert row["step"] == 8
    assert row["nats"] == pytest.approx(again["nats"])
    words = ["--recl=2,4", "--positions=5", read]
    rows = run_as_json("evaluate", str(run), str(run), *words)
    assert [row["ratio"] for row in rows] == [0.1, 0.5, 1.0] * 2


@pytest.mark.parametrize("more", [[], ["--json"], ["--recl=2,4", "--json"]])
def test_a_loss_that_is_not_finite_is_an_error(
    run: Path, text: Path, capfd: pytest.CaptureFixture[str], more: list[str]
) -> None:
    path = run / "best.safetensors"
    saved = load_checkpoint(path)
    huge = {
        name: torch.full_like(tensor, 3e38) if tensor.is_floating_point() else tensor
        for name, tensor in saved.tensors.items()
    }
    save_checkpoint(replace(saved, tensors=huge), path)
    assert txl("evaluate", str(path), f"--text={text}", *more) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert f"the loss of {path} is " in err.splitlines()[-1]


def test_presets_have_the_sizes_that_are_named() -> None:
    path = ROOT / "labml_txl" / "training" / "commands" / "presets.toml"
    sizes = re.findall(
        r"^# ([\w-]+) +\d+ layers, (\d+) M", path.read_text(), re.MULTILINE
    )
    assert {name for name, _ in sizes} == {*PRESETS} - {"vanilla"}
    for name, millions in sizes:
        with skip_init():
            n_vocab = 267_735 if name.startswith("wt103") else 256
            model = build(configure(read_preset(name)), n_vocab)
        n_parameters = sum(p.numel() for p in model.parameters())
        assert round(n_parameters / 1e6) == int(millions), name
    assert configure(read_preset("vanilla")).encoding == "absolute"


def test_a_model_with_clusters_learns_resumes_and_is_evaluated(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "words.txt"
    text.write_text("the sea and the sky and the sea rise\n" * 90, encoding="utf-8")
    folder = tmp_path / "run"
    sizes = ["--cutoffs=3,5", "--div-val=2", "--zero-memory", "--same-length"]
    words = [*SIZES, *sizes, "--vocabulary=words", f"--text={text}", "--steps=4"]
    assert txl("train", "xl", *words, f"--out={folder}") == 0
    assert "cutoffs = [3, 5]" in capfd.readouterr().out
    read = f"--text={text}"
    more = ["--resume", f"--out={folder}", "--steps=9", "--sample=0", read]
    assert txl("train", "xl", *more, "--cutoffs=3,5") == 0
    assert load_checkpoint(folder).config.cutoffs == (3, 5)
    capfd.readouterr()

    losses = []
    for sight in ([], ["--clamp-len=2"], ["--same-length=no"], ["--mem-len=0"]):
        status = txl("evaluate", str(folder), "--json", "--tokens=90", read, *sight)
        said = capfd.readouterr()
        if sight == ["--mem-len=0"]:
            assert status == 2
            assert "same_length needs a memory: mem_len = 0" in said.err
        else:
            assert status == 0
            losses.append(json.loads(said.out)["nats"])
    assert len(set(losses)) == 3
    assert txl("generate", str(folder), "--length=5", "--top-k=3", "--top-p=0.9") == 0


def test_a_signal_ends_a_run_with_a_checkpoint(
    tmp_path: Path,
    text: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def note(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Trainer, "note", note)
    words = [*SIZES, f"--text={text}", f"--out={tmp_path / 'run'}"]
    assert txl("train", "xl", *words) == 128 + signal.SIGTERM
    step = load_checkpoint(tmp_path / "run", "last").step
    said = capfd.readouterr().err.splitlines()
    way_on = f"continue with --resume --text {text}"
    assert said[-1] == f"stopped after step {step}: {way_on}"
