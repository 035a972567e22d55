"""Published weights at their full size: loading them, and evaluating with them.

    python -m tests.benchmarks.published

A model of the published size is made with random weights, by Hugging Face's code in an
environment of its own. Then each code loads it and evaluates with it, in processes of
their own that take turns, with one thread. It takes some 3.5 GB of a temporary disk, as
much memory, and some minutes.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

SEGMENTS, SEQ_LEN, TURNS = 3, 128, 3


def held() -> int:
    """The most memory that this process has held so far, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def tokens_of(n_vocab: int) -> torch.Tensor:
    """The same text for both, [SEGMENTS * SEQ_LEN + 1]."""
    random = torch.Generator().manual_seed(1)
    return torch.randint(n_vocab, (SEGMENTS * SEQ_LEN + 1,), generator=random)


def make(folder: Path) -> dict[str, Any]:
    """A model with the default sizes of `TransfoXLConfig`: the published ones."""
    theirs: Any = import_module("transformers")
    model = theirs.TransfoXLLMHeadModel(theirs.TransfoXLConfig())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.02)
    model.save_pretrained(folder, safe_serialization=False)
    return {"parameters": sum(p.numel() for p in model.parameters())}


@torch.inference_mode()
def evaluate_theirs(folder: Path) -> dict[str, Any]:
    """Seconds and loss of each segment, by Hugging Face's code."""
    theirs: Any = import_module("transformers")
    model = theirs.TransfoXLLMHeadModel.from_pretrained(folder).eval()
    text, mems, seconds, losses = tokens_of(267_735)[None], None, [], []
    for start in range(0, SEGMENTS * SEQ_LEN, SEQ_LEN):
        begun = time.perf_counter()
        out = model.transformer(text[:, start : start + SEQ_LEN], mems=mems)
        mems = out.mems
        # Their loss shifts the targets itself: what stands first is not asked for.
        hidden = torch.cat((out.last_hidden_state, out.last_hidden_state[:, -1:]), 1)
        nats = model.crit(hidden, text[:, start : start + SEQ_LEN + 1])
        seconds.append(time.perf_counter() - begun)
        losses.append(float(nats.mean()))
    return {"seconds": seconds, "nats": losses}


@torch.inference_mode()
def evaluate_ours(folder: Path) -> dict[str, Any]:
    """The same by this project, as `txl evaluate` does it."""
    load_published = import_module("labml_txl.training").load_published
    evaluation = import_module("labml_txl.training.evaluation")
    read = evaluation.one_after_another(load_published(folder), 1, SEQ_LEN)
    text, seconds, losses = tokens_of(267_735)[:, None], list[float](), list[float]()
    for start in range(0, SEGMENTS * SEQ_LEN, SEQ_LEN):
        begun = time.perf_counter()
        nats = read(text[start : start + SEQ_LEN], text[start + 1 :][:SEQ_LEN])
        seconds.append(time.perf_counter() - begun)
        losses.append(float(nats.mean()))
    return {"seconds": seconds, "nats": losses}


def load(folder: Path) -> dict[str, Any]:
    """The time to load, to load and look at all, and to read the bytes; the memory."""
    load_published = import_module("labml_txl.training").load_published
    import_module("labml_txl.training.published.load")
    path, buffer = folder / "pytorch_model.bin", bytearray(1 << 20)
    for _ in range(2):
        begun = time.perf_counter()
        with path.open("rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
        reading = time.perf_counter() - begun
    before, begun = held(), time.perf_counter()
    model = load_published(folder)
    loading = time.perf_counter() - begun
    for parameter in model.parameters():
        parameter.sum()
    looking = time.perf_counter() - begun
    size = sum(p.numel() * p.element_size() for p in model.parameters())
    times = {"reading": reading, "loading": loading, "looking": looking}
    return times | {"memory": (held() - before) / size}


def verify(folder: Path) -> dict[str, Any]:
    """The time to read a run of the model and all its numbers, and with its checksum
    checked as well."""
    words = ["<eos>", "<unk>", *(f"word{n}" for n in range(267_733))]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    run = folder / "run"
    if not run.exists():
        import_module("labml_txl.training.published.load").import_run(folder, run)
    restore = import_module("labml_txl.training.runs.checkpoint").restore
    times = {}
    for name, checked in (("warm", False), ("run", False), ("verified", True)):
        begun = time.perf_counter()
        model, _ = restore(run, "cpu", checked)
        for parameter in model.parameters():
            parameter.sum()
        times[name] = time.perf_counter() - begun
    return {name: times[name] for name in ("run", "verified")}


ROLES = {
    "make": make,
    "theirs": evaluate_theirs,
    "ours": evaluate_ours,
    "load": load,
    "verify": verify,
}


def ask(python: str, role: str, folder: Path) -> dict[str, Any]:
    """What a role answers, in a process of its own."""
    command = [python, "-W", "ignore", __file__, "--role", role, str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def compare(theirs: str, folder: Path) -> None:
    """Make the model, load it, let both evaluate, and print what was measured."""
    made = ask(theirs, "make", folder)
    print(f"parameters: {made['parameters'] / 1e6:.1f} million")
    for role in ("load", "verify"):
        loads = [ask(sys.executable, role, folder) for _ in range(TURNS)]
        for name in loads[0]:
            print(f"{name}: {statistics.median(one[name] for one in loads):.3f}")
    turns = [
        (ask(theirs, "theirs", folder), ask(sys.executable, "ours", folder))
        for _ in range(TURNS)
    ]
    rates = []
    for side, name in enumerate(("TransfoXL", "labml_txl")):
        seconds = [s for turn in turns for s in turn[side]["seconds"][1:]]
        rates.append(SEQ_LEN / statistics.median(seconds))
        print(f"{name}: {rates[-1]:.1f} tokens/s, nats {turns[0][side]['nats']}")
    print(f"ratio: {rates[1] / rates[0]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    parser.add_argument("folder", type=Path, nargs="?", help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.role:
        print(json.dumps(ROLES[given.role](given.folder)))
        return
    environments: Any = import_module("tests.benchmarks.environments")
    with tempfile.TemporaryDirectory() as place:
        compare(str(environments.python_of(environments.TRANSFORMERS)), Path(place))


if __name__ == "__main__":
    main()
