"""Transformer-XL on a GPU: how fast, and what a minute of training gives.

The works are `steps` and `minute`. What is measured goes into the section "On a GPU" of
the page "Benchmarks".
"""

import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

import torch

from labml_txl.training.commands.train import read_preset
from labml_txl.training.config import Config, configure
from labml_txl.training.objective import Objective, build, make_optimizer
from labml_txl.training.runs.machine import allow_compiling, compile_layers
from tests.benchmarks import report
from tests.benchmarks.report import Results
from tests.benchmarks.sizes import Size, step_flops

RESULTS = Path(__file__).with_name("gpu.json")
# Operations a second that the GPU can have in 16 bits.
GPU_FLOPS = 790e12
VOCABULARY = 205  # bytes that enwik8 has
WARM, STEPS = 6, 7
SIDE = 8192
BARE: dict[str, object] = {"dropout": 0.0, "attention_dropout": 0.0}

# What is trained: a preset, what is changed of it, whether it is compiled.
CASES: dict[str, tuple[str, dict[str, object], bool]] = {
    "as written": ("enwik8-large", BARE, False),
    "compiled": ("enwik8-large", BARE, True),
    "compiled, dropout 0.15": ("enwik8-large", {}, True),
}
MINUTE = (
    "txl train xl --n-layers 6 --heads 6 --d-model 384 --d-ff 1536 --seq-len 128 "
    "--mem-len 256 --batch 128 --dropout 0.35 --attention-dropout 0.2 "
    "--weight-decay 0.5 --learning-rate 1.5e-3 "
    "--save-interval 100000 --eval-tokens 0 --steps 1950 --out runs/minute"
)


def steps(results: Results) -> None:
    """Milliseconds of a training step in 16 bits, and the most memory it takes."""
    results["machine"] = machine()
    results["steps"] = {
        name: timed(configure(read_preset(preset), changes, {"compile": compiled}))
        for name, (preset, changes, compiled) in CASES.items()
    }


def timed(config: Config) -> Results:
    """One case: the median of some steps, after the memory is full."""
    torch.compiler.reset()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(1)
    objective = Objective(build(config, VOCABULARY), config).to("cuda")
    if config.compile:
        compile_layers(objective)
    optimizer = make_optimizer(objective, config)
    memory, times = None, []
    with allow_compiling(config):
        for _ in range(WARM + STEPS):
            shape = (config.seq_len + 1, config.batch)
            tokens = torch.randint(VOCABULARY, shape, device="cuda")
            torch.cuda.synchronize()
            begun = time.perf_counter()
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", torch.bfloat16):
                loss, nats, memory = objective(tokens[:-1], tokens[1:], memory)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(objective.parameters(), config.clip)
            optimizer.step()
            float(nats)
            torch.cuda.synchronize()
            times.append(time.perf_counter() - begun)
    return {
        "seconds": statistics.median(times[WARM:]),
        "batch": config.batch,
        "seq_len": config.seq_len,
        "peak_bytes": torch.cuda.max_memory_allocated(),
        "flops": flops(config),
    }


def flops(config: Config) -> int:
    """Operations of a step's products, without a gradient for the memory."""
    size = Size(
        *("large", config.d_model, config.heads, config.d_ff, config.n_layers),
        *(VOCABULARY, config.batch, config.seq_len, config.mem_len),
    )
    old = 2 * 2 * config.batch * config.mem_len * config.d_model**2
    return step_flops(size) - config.n_layers * old


def peak() -> float:
    """Operations a second of a large product in 16 bits, on random numbers."""
    a, b = torch.randn(2, SIDE, SIDE, device="cuda", dtype=torch.bfloat16)
    times = []
    for _ in range(13):
        torch.cuda.synchronize()
        start = time.perf_counter()
        a @ b
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return 2 * SIDE**3 / statistics.median(times[3:])


def minute(results: Results) -> None:
    """Tiny Shakespeare, learned for a minute, by a command in a process of its own."""
    results["machine"] = machine()
    with tempfile.TemporaryDirectory() as name:
        report.txl(f"{MINUTE} --sample 1", Path(name), os.cpu_count() or 1)
        curve = Path(name, "runs/minute/curve.jsonl").read_text("utf-8").splitlines()
    points = [point for point in map(json.loads, curve) if "validation_nats" in point]
    rows = [[p["step"], p["validation_nats"], p["seconds"]] for p in points]
    results["minute"] = {"command": MINUTE, "curve": rows}


def machine() -> Results:
    """What was measured on."""
    return {
        "gpu": torch.cuda.get_device_name(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "peak_flops": peak(),
    }


def parts(results: Results) -> dict[str, str]:
    """The tables of the page."""
    where = results["machine"]
    rows = [
        ["GPU", f"`{where['gpu']}`"],
        ["Python, PyTorch", f"`{where['python']}`, `{where['torch']}`"],
        [
            f"a product of two matrices of {SIDE:,} × {SIDE:,}, bf16",
            f"{where['peak_flops'] / 1e12:,.0f} TFLOP/s",
        ],
    ]
    return {
        "gpu machine": report.table(["measured on", "value"], rows),
        "gpu steps": report.table(
            ["what", "step, ms", "tokens/s", "TFLOP/s", "of 790", "GB"],
            [step_row(name, row) for name, row in results["steps"].items()],
        ),
        "gpu minute": report.table(
            ["steps", "seconds", "validation, nats"],
            [
                [f"{step:,}", f"{seconds:.0f}", f"{nats:.3f}"]
                for step, nats, seconds in results["minute"]["curve"]
            ],
        ),
        "gpu command": f"```sh\n{wrapped(results['minute']['command'])}\n```",
    }


def step_row(name: str, row: Results) -> list[str]:
    """One case: its time, and its share of what the goal counts with."""
    seconds = row["seconds"]
    rate, reached = row["batch"] * row["seq_len"] / seconds, row["flops"] / seconds
    return [
        name,
        f"{seconds * 1e3:,.0f}",
        f"{rate:,.0f}",
        f"{reached / 1e12:,.0f}",
        f"{reached / GPU_FLOPS:.1%}",
        f"{row['peak_bytes'] / 1e9:,.0f}",
    ]


def wrapped(line: str) -> str:
    """A long command, an option group a line."""
    words, lines = line.split(" "), [""]
    for word in words:
        if word.startswith("--") and len(lines[-1]) > 60:
            lines[-1] += " \\"
            lines.append(" ")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def write(results: Results) -> None:
    """Write the page."""
    report.write(report.PAGE, parts(results))


if __name__ == "__main__":
    torch.set_float32_matmul_precision("highest")
    report.run(RESULTS, {"steps": steps, "minute": minute}, write)
