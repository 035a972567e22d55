"""The command `txl`: what it understands, how it explains itself and how it refuses."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PathDistribution, packages_distributions, requires
from pathlib import Path
from typing import Any

import click
import pytest

from labml_txl.cli import I18N, TXL, main
from labml_txl.command_line import DataclassCommand
from labml_txl.extras import how_to_install
from labml_txl.options import argument, fields_of, flag, option, option_of
from labml_txl.training.commands.train import PRESETS
from tests.commands import find_command

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Options of every kind."""

    runs: tuple[Path, ...] = argument("what is measured", metavar="RUN")
    steps: int = option(4, "updates of the parameters")
    share: float = option(0.5, "a share of the text", zero=True, below=1)
    tied: bool = option(True, "one table for both", alone=True)
    json: bool = option(False, "print JSON Lines")
    norm: str = option("pre", "before or after", choices=("pre", "post"))
    speed: tuple[int, ...] | None = option(None, "lengths", alone=(200, 400))
    out: Path | None = option(None, "the folder", short="-o", metavar="FOLDER")


def parse(*words: str) -> Measure:
    command = DataclassCommand("measure", Measure, lambda options: options)
    found: Measure = command.main(words, standalone_mode=False)
    return found


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        # Options stand anywhere, and the last one has its way.
        ("a b --steps=6 --json -o x", {"steps": 6, "json": True, "out": Path("x")}),
        ("--steps 5 a b --out=x --steps 6", {"steps": 6, "out": Path("x")}),
        # One may stand alone, with nothing but options behind it.
        ("a b", {}),
        ("a b --speed", {"speed": (200, 400)}),
        ("--speed 20 a b", {"speed": (20,)}),
        ("a b --speed=20,40 --tied no", {"speed": (20, 40), "tied": False}),
        ("a b --speed --tied", {"speed": (200, 400)}),
        ("--tied=false a b", {"tied": False}),
    ],
)
def test_arguments_are_parsed_into_options(words: str, wanted: dict[str, Any]) -> None:
    assert parse(*words.split()) == Measure(runs=(Path("a"), Path("b")), **wanted)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "Missing argument 'RUN...'."),
        ("a --steps", "Option '--steps' requires an argument."),
        ("a --steps many", "steps = 'many' is not a whole number: updates of the"),
        ("a --steps 0", "steps = 0 must be more than 0: updates of the parameters"),
        ("a --share 1", "share = 1.0 must be below 1: a share of the text"),
        ("a --share nan", "share = nan must be 0 or more: a share of the text"),
        ("a --norm both", "norm = 'both' is not one of pre, post: before or after"),
        ("a --norm poost", "norm = 'poost' is not one of pre, post: did you mean 'po"),
        ("a --tied=maybe", "tied = 'maybe' is not yes or no: one table for both"),
        ("a --json=yes", "Option '--json' does not take a value."),
        ("a --speed 20,x", "speed = 'x' is not a whole number: lengths"),
        ("a --step 3", "No such option '--step'."),
        ("a -o", "Option '-o' requires an argument."),
    ],
)
def test_an_error_names_the_option_and_what_it_accepts(
    words: str, message: str
) -> None:
    with pytest.raises(click.UsageError) as caught:
        parse(*words.split())
    line = caught.value.format_message()
    assert line.startswith(message)
    assert "\n" not in line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "missing command (see txl --help)"),
        ("trian", "no such command 'trian': did you mean 'train'? (see txl --help)"),
        ("i18n lnit", "no such command 'lnit': did you mean 'lint'? (see txl i18n --"),
        ("train", "missing argument 'xl|compressive|vanilla' (see txl train --help)"),
        ("train vanila", "model = 'vanila' is not one of xl, compressive, vanilla: d"),
        ("train xl --step 3", "no such option '--step': did you mean '--steps'? (see"),
        ("train xl --new-option 3", "no such option '--new-option' (see txl train"),
        ("train xl --steps", "option '--steps' requires an argument (see txl train"),
        ("check this", "got unexpected extra argument (this) (see txl check --help)"),
        ("export", "missing option '--to' (see txl export --help)"),
        ("export --to web", "missing argument 'RUN' (see txl export --help)"),
    ],
)
def test_wrong_usage_prints_one_line_and_exits_with_2(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"txl: {message}")
    assert printed.err.count("\n") == 1


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "labml_txl.training.recall", None)
    assert main(["recall"]) == 2
    line = capsys.readouterr().err
    assert f"is missing: {how_to_install('training')}\n" in line
    assert line.count("\n") == 1


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        (None, '"labml_txl[site]"'),
        ('{"url": "file:///a%20b", "dir_info": {}}', '"/a b[site]"'),
        ('{"url": "file:///a", "dir_info": {"editable": true}}', '-e "/a[site]"'),
        ('{"url": "file:///a.whl"}', '"labml_txl[site] @ file:///a.whl"'),
        (
            '{"url": "https://h/a", "vcs_info": {"vcs": "git", "commit_id": "1f"}}',
            '"labml_txl[site] @ git+https://h/a@1f"',
        ),
    ],
)
def test_an_extra_is_installed_from_the_same_place_as_the_package(
    origin: str | None, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PathDistribution, "read_text", lambda *_: origin)
    assert how_to_install("site") == f"pip install {wanted}"


def without(missing: str, code: str) -> None:
    """Run code in a Python that finds no package of which this is true."""
    hidden = (
        "import sys\n"
        "class Nothing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        name = name.partition('.')[0]\n"
        f"        if {missing}: raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Nothing())\n"
    )
    subprocess.run([sys.executable, "-c", hidden + code], cwd=ROOT, check=True)


def test_help_works_without_any_extra() -> None:
    without(
        "name not in {'labml_txl', 'click', 'colorama'} | sys.stdlib_module_names",
        "from labml_txl.cli import main\n"
        "assert main(['--help']) == 0\n"
        "main(['train', 'xl', '--help'])\n",
    )


def test_the_page_of_a_model_works_without_the_packages_of_the_site() -> None:
    lines = requires("labml_txl") or []
    site = {re.split(r"[^\w-]", one)[0].lower() for one in lines if "'site'" in one}
    site |= {"markdown"}  # which these need
    modules = packages_distributions().items()
    missing = {name for name, of in modules if site & {one.lower() for one in of}}
    assert missing >= {"markdown", "nh3", "polib"}
    code = "from labml_txl import web; web.render_page('mine'); web.scripts()"
    without(f"name in {missing}", code)


@pytest.mark.parametrize(
    ("raised", "status", "message"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (OSError(28, "No space left on device", "runs/a"), 1, "runs/a: No space left"),
        (OSError(2, "No such\x1b file", "a\nb"), 1, "a\\nb: No such\\x1b file"),
        (MemoryError(), 1, "out of memory: choose a smaller batch or model"),
        (RuntimeError("can't allocate memory: 9 bytes"), 1, "out of memory: choose"),
    ],
)
def test_an_interruption_of_a_command_is_reported_in_one_line(
    raised: BaseException,
    status: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(options: object) -> int:
        raise raised

    monkeypatch.setattr("labml_txl.training.commands.data.run", broken)
    assert main(["data", "x"]) == status
    printed = capsys.readouterr().err
    assert printed.startswith(f"txl: {message}")
    assert printed.count("\n") == 1
    # An error of the program is not reported as a lack of memory.
    raised = RuntimeError("shapes differ")
    with pytest.raises(RuntimeError, match="shapes differ"):
        main(["data", "x"])


def test_a_command_ends_silently_when_its_output_is_closed() -> None:
    code = "from labml_txl.cli import main; raise SystemExit(main(['--version']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.communicate()[1] == b""
    assert process.returncode == 141


@pytest.fixture
def show_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """The help of a command, without line ends."""

    def show(words: str) -> str:
        assert main([*words.split(), "--help"]) == 0
        return " ".join(capsys.readouterr().out.split())

    return show


COMMANDS = {
    **{name: one for name, one in TXL.commands.items() if one is not I18N},
    **{f"i18n {name}": one for name, one in I18N.commands.items()},
}


def test_the_help_describes_each_command_and_each_option(
    show_help: Callable[[str], str],
) -> None:
    lists = show_help("") + show_help("i18n")
    missing = []
    for name, command in COMMANDS.items():
        page = show_help(name)
        wanted = [f"Usage: txl {name} [OPTIONS]", f"Examples: txl {name}"]
        for field in fields_of(find_command(name.split())[0].kind).values():
            wanted.append(option_of(field).meaning)
        # A long line may be broken at a hyphen.
        tight = "".join(page.split())
        missing += [(name, one) for one in wanted if "".join(one.split()) not in tight]
        line = f"{name.rpartition(' ')[2]} {command.help}"
        missing += [(name, line)] * (line not in lists)
    assert missing == []
    for name, places in (
        ("i18n new", "LANG"),
        ("i18n lint", "[LANG...]"),
        ("init", "[FOLDER]"),
        ("evaluate", "RUN..."),
    ):
        assert show_help(name).startswith(f"Usage: txl {name} [OPTIONS] {places} ")


def test_the_help_of_train_shows_the_defaults_of_the_model_and_the_preset(
    show_help: Callable[[str], str],
) -> None:
    compressing = {"--c-mem-len", "--compression", "--compression-rate", "--bptt"}
    settings = fields_of(find_command(["train"])[0].kind)
    every = {flag(name) for name in settings if name != "model"}
    for words, without, line in (
        ("train compressive", set[str](), "memory of each layer (default: 48)"),
        ("train xl", compressing, "memory of each layer (default: 64)"),
        ("train vanilla", compressing, "memory of each layer (default: 0)"),
        ("train xl --preset enwik8-base", compressing, "per segment (default: 512)"),
    ):
        page = show_help(words)
        listed = {*re.findall(r"--[a-z0-9-]+", page)}
        assert not listed & without, words
        assert listed >= every - without - {"--reconstruction"}, words
        assert line in page
        # An option that the help leaves out is parsed, and refused with the reason.
        kind = find_command(words.split())[0].kind
        assert {*map(flag, fields_of(kind))} >= every
    groups = ["Text", "Model", "Reading", "Learning", "Machine", "Writing"]
    places = [page.index(f" {group}: --") for group in groups]
    assert places == sorted(places)
    for name, preset in PRESETS.items():
        assert f"{name}: {preset['about']}" in page


def test_a_shell_completes_commands_options_and_choices() -> None:
    def complete(line: str) -> list[str]:
        words = line.split(" ")
        known = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        done = subprocess.run(
            [sys.executable, "-m", "labml_txl.cli"],
            env={**os.environ, "_TXL_COMPLETE": "bash_complete", **known},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        return [entry.partition(",")[2] for entry in done.stdout.split()]

    assert complete("txl ev") == ["evaluate"]
    assert complete("txl i18n l") == ["lint"]
    assert complete("txl train v") == ["vanilla"]
    assert complete("txl train compressive --compression-") == ["--compression-rate"]
    assert complete("txl train xl --norm p") == ["pre", "post"]
