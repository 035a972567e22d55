"""The command `txl`: what it understands, how it explains itself and how it refuses."""

import contextlib
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PathDistribution, packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest

from labml_txl.cli import COMMANDS, GROUPS, main, options_of
from labml_txl.command_line import read
from labml_txl.errors import UsageError
from labml_txl.extras import how_to_install
from labml_txl.options import about, argument, flag, option, options
from labml_txl.training.commands.train import PRESETS

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


def measure(*words: str) -> Measure:
    found: Measure = read(Measure, words, "measure")
    return found


# What is understood


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
def test_words_are_read_as_options(words: str, wanted: dict[str, Any]) -> None:
    assert measure(*words.split()) == Measure(runs=(Path("a"), Path("b")), **wanted)


# How it refuses


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "RUN must be given"),
        ("a --steps", "--steps: expected one argument"),
        ("a --steps many", "steps = 'many' is not a whole number: updates of the"),
        ("a --steps 0", "steps = 0 must be more than 0: updates of the parameters"),
        ("a --share 1", "share = 1.0 must be below 1: a share of the text"),
        ("a --share nan", "share = nan must be 0 or more: a share of the text"),
        ("a --norm both", "norm = 'both' is not one of pre, post"),
        ("a --tied=maybe", "tied = 'maybe' is not yes or no: one table for both"),
        ("a --json=yes", "--json: ignored explicit argument 'yes'"),
        ("a --step 3", "there is no option --step: is --steps meant?"),
        ("a -o", "--out/-o: expected one argument"),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_wanted(words: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        measure(*words.split())
    line = str(caught.value)
    assert line.startswith(said)
    assert "\n" not in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "txl wants a command (txl --help shows all)"),
        ("trian", "there is no command trian: is train meant?"),
        ("i18n lnit", "there is no command lnit: is lint meant?"),
        ("train", "MODEL must be given (txl train --help shows all)"),
        ("train vanila", "model = 'vanila' is not one of xl, compressive, vanilla"),
        ("train xl --new-option 3", "there is no option --new-option (txl train"),
        ("check this", "there is no place for the word this"),
        ("export", "--to must be given"),
    ],
)
def test_a_wrong_use_is_one_line_and_the_status_2(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"txl: {said}")
    assert told.err.count("\n") == 1


def test_a_package_that_is_missing_is_named_with_what_installs_it(
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
def test_an_extra_is_installed_from_where_the_package_is(
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


def test_help_needs_nothing_that_an_extra_installs() -> None:
    without(
        "name not in {'labml_txl'} | sys.stdlib_module_names",
        "from labml_txl.cli import main\n"
        "assert main(['--help']) == 0\n"
        "main(['train', 'xl', '--help'])\n",
    )


def test_the_page_of_a_model_needs_nothing_of_what_builds_a_site() -> None:
    lines = requires("labml_txl") or []
    site = {re.split(r"[^\w-]", one)[0].lower() for one in lines if "'site'" in one}
    site |= {"markdown"}  # which these need
    modules = packages_distributions().items()
    missing = {name for name, of in modules if site & {one.lower() for one in of}}
    assert missing >= {"markdown", "nh3", "polib"}
    code = "from labml_txl import web; web.page('mine'); web.scripts()"
    without(f"name in {missing}", code)


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (OSError(28, "No space left on device", "runs/a"), 1, "runs/a: No space left"),
        (OSError(2, "No such\x1b file", "a\nb"), 1, "a\\nb: No such\\x1b file"),
        (MemoryError(), 1, "there is not enough memory: take a smaller batch or model"),
        (RuntimeError("can't allocate memory: 9 bytes"), 1, "there is not enough mem"),
    ],
)
def test_what_breaks_in_on_a_command_is_one_line(
    raised: BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(options: object) -> int:
        raise raised

    monkeypatch.setattr("labml_txl.training.commands.data.run", broken)
    assert main(["data", "x"]) == status
    told = capsys.readouterr().err
    assert told.startswith(f"txl: {said}")
    assert told.count("\n") == 1
    # A fault of the program is not taken for a full memory.
    raised = RuntimeError("shapes differ")
    with pytest.raises(RuntimeError, match="shapes differ"):
        main(["data", "x"])


def test_a_reader_that_has_seen_enough_ends_the_command_in_silence() -> None:
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


# How it explains itself


@pytest.fixture
def helped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """What `--help` behind some words shows, without line ends."""
    monkeypatch.setenv("COLUMNS", "200")

    def shown(words: str) -> str:
        with contextlib.suppress(SystemExit):
            main([*words.split(), "--help"])
        return " ".join(capsys.readouterr().out.split())

    return shown


def test_help_names_each_command_and_each_option_with_its_meaning(
    helped: Callable[[str], str],
) -> None:
    listed = " ".join(helped(words) for words in ("", *GROUPS))
    offenders = []
    for name, command in COMMANDS.items():
        shown = helped(name)
        wanted = [f"usage: txl {name} [OPTIONS]", f"Examples: txl {name}"]
        for field in options(options_of(name)).values():
            wanted.append(" ".join(about(field).meaning.split()))
        offenders += [(name, one) for one in wanted if one not in shown]
        line = f"{name.rpartition(' ')[2]} {command.help}"
        offenders += [(name, line)] * (line not in listed)
    assert offenders == []
    for name, places in (
        ("i18n new", "LANG"),
        ("i18n lint", "[LANG ...]"),
        ("init", "[FOLDER]"),
        ("evaluate", "RUN ..."),
    ):
        assert helped(name).startswith(f"usage: txl {name} [OPTIONS] {places} ")


def test_help_shows_what_has_an_effect_with_the_defaults_of_model_and_preset(
    helped: Callable[[str], str],
) -> None:
    compressing = {"--c-mem-len", "--compression", "--compression-rate", "--bptt"}
    every = {flag(name) for name in options(options_of("train")) if name != "model"}
    for words, without, line in (
        ("train compressive", set[str](), "each layer remembers (default: 48)"),
        ("train xl", compressing, "each layer remembers (default: 64)"),
        ("train vanilla", compressing, "each layer remembers (default: 0)"),
        ("train xl --preset enwik8-base", compressing, "a segment (default: 512)"),
    ):
        page = helped(words)
        shown = {*re.findall(r"--[a-z0-9-]+", page)}
        assert not shown & without, words
        assert shown >= every - without - {"--reconstruction"}, words
        assert line in page
        # What is not shown is known all the same, and refused with the reason.
        assert {*map(flag, options(options_of("train", words.split())))} >= every
    parts = ["text", "model", "reading", "learning", "machine", "writing"]
    places = [page.index(f" {part}: --") for part in parts]
    assert places == sorted(places)
    for name, preset in PRESETS.items():
        assert f"{name}: {preset['about']}" in page
