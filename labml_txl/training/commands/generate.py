"""`txl generate RUN` lets a model continue a text, and prints each token at once.

It uses one thread, unless `OMP_NUM_THREADS` gives another number. Two threads are
faster on a machine that does nothing else, and far slower on a busy one.

```sh
txl generate runs/short --prompt "ROMEO:"
txl generate runs/short --length 200 --temperature 0.5 --seed 1
```
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError, escape_controls
from labml_txl.options import argument, fields_of, flag, option, option_of
from labml_txl.training.commands import device_option, report
from labml_txl.training.sampling import Sampling
from labml_txl.training.text.files import SettingError, TrainingError


@dataclass(frozen=True)
class Text:
    """The options that say what is continued, and with which model."""

    checkpoint: Path = argument("folder of a run, or a checkpoint", metavar="RUN")
    prompt: str | None = option(
        None,
        "text to continue",
        shown="the end of a line, where the text has lines",
    )
    prompt_file: Path | None = option(
        None,
        "a UTF-8 file with the text to continue; - is standard input",
        metavar="FILE",
    )
    length: int = option(500, "tokens to generate", zero=True)


SAMPLING = fields_of(Sampling)


@dataclass(frozen=True)
class Options(Sampling, Text):
    """The options of `txl generate`. The help has those of `Text` first."""

    temperature: float = option(
        0.8, option_of(SAMPLING["temperature"]).meaning, zero=True
    )
    mem_len: int | None = option(
        None, "tokens in the memory of each layer", zero=True, shown="as trained"
    )
    c_mem_len: int | None = option(
        None,
        "slots in the compressed memory of each layer",
        zero=True,
        shown="as trained",
    )
    device: str = device_option()


def run(options: Options) -> int:
    """Print the prompt and its continuation while it is generated."""
    effective = ("temperature", "repetition_penalty", "stop")
    for name, field in SAMPLING.items():
        is_given = getattr(options, name) != field.default
        if not options.temperature and is_given and name not in effective:
            raise UsageError(
                f"{flag(name)} has no effect with --temperature 0, which takes the "
                "most likely token"
            )
    if options.prompt is not None and options.prompt_file is not None:
        raise UsageError("--prompt and --prompt-file exclude each other: give one")
    import torch

    from labml_txl.models.fast.one_token import use_threads
    from labml_txl.training.evaluation import with_memory
    from labml_txl.training.generation import write
    from labml_txl.training.runs.checkpoint import restore
    from labml_txl.training.text.vocabulary import UNKNOWN, Words

    model, checkpoint = restore(options.checkpoint, options.device)
    if checkpoint.config.encoding == "absolute" and options.mem_len is not None:
        raise SettingError(
            "--mem-len has no effect: a model with absolute positions generates "
            "without memory"
        )
    model = with_memory(model, options.mem_len, options.c_mem_len)
    words = checkpoint.words
    prompt = words.opening if options.prompt is None else options.prompt
    if options.prompt_file is not None:
        prompt = read_prompt(options.prompt_file)
    if isinstance(words, Words) and (unknown := words.unknown(prompt)):
        named = ", ".join(map(repr, unknown[:8])) + (", …" if unknown[8:] else "")
        report(f"not in the vocabulary, replaced by {UNKNOWN}: {named}")
    with use_threads(torch.get_num_threads() if "OMP_NUM_THREADS" in os.environ else 1):
        length = options.length
        for piece in write(model, checkpoint, prompt, length, options, report):
            print(escape_controls(piece), end="", flush=True)
    print()
    return 0


def read_prompt(path: Path) -> str:
    """The text of a file, or with `-` of standard input, without a byte order mark."""
    contents = sys.stdin.buffer.read() if path == Path("-") else path.read_bytes()
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TrainingError(
            f"the prompt in {path} is not UTF-8 at byte {error.start}"
        ) from None
