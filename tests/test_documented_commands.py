"""The commands in the README, the pages and the help can be parsed, and run."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Template

import pytest
import torch

from labml_txl.cli import I18N, TXL, find_examples, main
from tests.commands import parse_options
from tests.training.small import small_text

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "papers").glob("*.md"),
    *(ROOT / "labml_txl").rglob("*.py"),
]


def commands_of(path: Path) -> Iterator[str]:
    """The `txl` commands of a page, in order: shell code, and code in a sentence."""
    text = path.read_text(encoding="utf-8")
    values = {"seed": "0", **dict(re.findall(r'^([A-Z]+)="(.*)"$', text, re.MULTILINE))}
    parts = re.findall(r"^```sh\n.*?^```|`[^`\n]+`", text, re.MULTILINE | re.DOTALL)
    # A command may go on in the next line.
    parts = [part.strip("`").replace("\\\n", "") for part in parts]
    for line in (line for part in parts for line in part.splitlines()):
        command = re.sub(r"^for seed in .*?; do (.*); done$", r"\1", line)
        command = Template(command).safe_substitute(values)
        command = command.partition(" > ")[0].partition(">>")[0]
        words = re.match(r"txl ([a-z].*)", command)
        # A name in capitals stands for something else.
        if words and not re.search(r"(?<!['\"])\b[A-Z]{3,}\b|…", words[1]):
            yield words[1].partition("  #")[0].partition(" >~")[0].strip()


def test_the_documented_commands_can_be_parsed() -> None:
    for path in PAGES:
        for line in commands_of(path):
            name, *words = shlex.split(line)
            assert name in TXL.commands, (path, line)
            if name == "i18n" and words:
                assert words[0] in I18N.commands, (path, line)
            # A sentence may name a command, or an option of it, without the arguments
            # that it requires.
            if words[name == "i18n" :] and not words[-1].startswith("--"):
                parse_options([name, *words])


COMMANDS_OF_TRAINING = [
    ROOT / "labml_txl" / "training" / "commands" / f"{name}.py"
    for name in ("data", "train", "evaluate", "generate", "recall")
]

# In the order of reading: one page goes on with the run of another.
PAGES_OF_TRAINING = [
    ROOT / "docs" / f"{name}.md" for name in ("index", "train", "measured", "live")
]

# A small text and few steps, so that a command ends within a second.
INSTEAD = {"tiny-shakespeare": "corpus.txt", "ROMEO:": "to be"}
TEXT = "--text=corpus.txt"
CUT = {
    "evaluate": [TEXT],
    "export": [TEXT],
    "train": [
        *(TEXT, "--steps=2", "--sample=5", "--d-model=16", "--heads=4"),
        *("--n-layers=2", "--batch=4", "--seq-len=16"),
    ],
    "recall": ["--steps=2", "--distances=2,4"],
}


def shortened(line: str) -> list[str]:
    """The words of a command with the options that make it short."""
    words = [INSTEAD.get(word, word) for word in shlex.split(line)]
    if "--resume" in words:
        return [*words, TEXT, "--steps=3"]
    return words + CUT.get(words[0], [])


@pytest.mark.parametrize(
    "pages",
    [[ROOT / "README.md"], PAGES_OF_TRAINING, COMMANDS_OF_TRAINING],
    ids=lambda pages: pages[0].stem,
)
def test_the_documented_commands_run_in_order(
    pages: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    torch.set_num_threads(1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TXL_CACHE", str(tmp_path / "cache"))
    small_text(tmp_path).rename("corpus.txt")
    small_text(tmp_path / "texts")
    done = set()
    # A run is begun once, however often its command is shown.
    for line in dict.fromkeys(line for page in pages for line in commands_of(page)):
        named = re.match("(data|train|evaluate|generate|recall|export --to web) ", line)
        # A preset of the papers takes days, and help ends the program.
        if named and not re.search("--help|--preset", line):
            assert main(shortened(line)) == 0, capfd.readouterr().err
            done.add(line.split()[0])
    assert done >= {"train", "evaluate", "generate"}


def test_the_documented_installations_name_existing_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = project["project"]
    own = f"{project['name']}[{{}}] @ git+{project['urls']['Repository']}"
    extras = project["optional-dependencies"]
    known = {f'pip install "{own.format(extra)}"' for extra in extras}
    # In place, with the versions that the tests ran with.
    known |= {f"pip install -c constraints.txt -e '.[{extra}]'" for extra in extras}
    for name in ("README.md", "docs/index.md", "docs/train.md"):
        lines = find_examples((ROOT / name).read_text(encoding="utf-8"))
        installed = {line for line in lines if line.startswith("pip install")}
        assert installed, name
        assert installed <= known, name
