"""What imports what, what is written once, what is pinned, and what is shipped."""

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from mkdocs.utils.yaml import yaml_load
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import labml_txl
from labml_txl.cli import COMMANDS
from labml_txl.literate.equations.registry import load_registry
from labml_txl.literate.sources.source import Source
from tests.site import browser

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "labml_txl"


def tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / name for name in listing.stdout.split("\0") if name)
    return [path for path in paths if path.is_file()]


def texts() -> Iterator[tuple[Path, str]]:
    for path in tracked():
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


# What imports what


def imported(path: Path) -> set[str]:
    """The full names of what a file imports, wherever in the file that stands."""
    names = set()
    package = list(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


# What each part of the package never imports: the pages of the models are read beside
# the papers, and who reads a site or annotates code needs no torch.
NEVER = {
    "models": {"labml_txl.literate", "labml_txl.training", "mkdocs", "numpy"},
    "training": {"labml_txl.literate", "mkdocs"},
    "literate": {"labml_txl.models", "labml_txl.training", "torch"},
}


def test_no_part_imports_what_it_must_not() -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for part, never in NEVER.items()
        for path in sorted(PACKAGE.joinpath(part).rglob("*.py"))
        for name in sorted(imported(path))
        if any(name == one or name.startswith(f"{one}.") for one in never)
    ]
    assert found == []


def test_reading_a_site_together_with_the_plugin_loads_no_torch() -> None:
    code = (
        "import sys, labml_txl.cli, labml_txl.literate.mkdocs.plugin\n"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == 0


# What is said once, and what is not said


MACHINES = re.compile(
    r"(?<![\w.~-])/(?:work|farm|root|home|Users|opt|tmp)/[a-z]"
    r"|pypi\.org|pythonhosted\.org|download\.pytorch\.org"
    r"|npmjs\.(?:org|com)|deb\.debian\.org|find-link[s]"
)


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in texts()
        if (match := MACHINES.search(text))
    ]
    assert found == []


def test_the_version_is_said_once() -> None:
    version = re.escape(labml_txl.__version__)
    said = {
        str(path.relative_to(ROOT))
        for path, text in texts()
        if path.name in {"pyproject.toml", "mkdocs.yml", "CITATION.cff", "README.md"}
        or path.suffix == ".py"
        if re.search(rf"(?i)version[^a-z0-9]{{1,8}}{version}\b", text)
    }
    assert said == {"labml_txl/__init__.py"}


def test_the_address_of_the_repository_is_said_once_to_each_reader() -> None:
    """`mkdocs.yml` says it to the site, `pyproject.toml` to pip, pages to people."""
    config = ROOT.joinpath("mkdocs.yml").read_text(encoding="utf-8")
    match = re.search(r"^repo_url:.*https?://([^\s\],\"']+)", config, re.MULTILINE)
    assert match is not None
    said = {
        path.relative_to(ROOT).as_posix()
        for path, text in texts()
        # Notebooks are written from their sources and from `mkdocs.yml`.
        if path.suffix != ".ipynb" and match[1] in text
    }
    pages = {"README.md", "docs/annotate.md", "docs/index.md", "docs/train.md"}
    assert said ^ {"mkdocs.yml", "pyproject.toml", *pages} == set()
    text = ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8")
    assert text.count(match[1]) == 1
    shown = ROOT.joinpath("docs/annotate.md").read_text(encoding="utf-8")
    assert {*re.findall(r"git\+https://([^\s\"']+)", shown)} == {match[1]}


def test_the_text_names_only_commands_that_make_has() -> None:
    makefile = ROOT.joinpath("Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.joinpath("docs").rglob("*.md"),
        *ROOT.joinpath(".github").rglob("*.yml"),
        ROOT / ".ci" / "run",
    ]
    named = {
        (path.name, target)
        for path in pages
        for target in re.findall(
            r"(?:^|`|run: |exec )make ([a-z-]+)",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    assert {target for _, target in named} >= {"serve", "test"}
    assert [place for place in named if place[1] not in targets] == []


# What the text promises


def example(page: str, language: str) -> str:
    """The longest block of code of that language on a page."""
    text = ROOT.joinpath(page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return str(max(blocks, key=len))


def test_the_example_of_the_readme_runs() -> None:
    names: dict[str, Any] = {}
    exec(example("README.md", "python"), names)
    memory = names["memory"]
    assert [layer.shape for layer in memory] == [names["states"].shape] * len(memory)


def test_the_registry_that_the_site_shows_as_an_example_is_one() -> None:
    source = Source("abc.toml", example("docs/annotate.md", "toml"))
    registry = load_registry([source])
    assert list(registry.equations) == ["abc.scores"]


# What is pinned


def pins(**system: str) -> dict[str, str]:
    """The version of each package that the constraints pin here, or on that system."""
    lines = ROOT.joinpath("constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            (only,) = requirement.specifier
            assert only.operator == "==", line
            if requirement.marker and not requirement.marker.evaluate({**system}):
                continue
            name = canonicalize_name(requirement.name)
            assert name not in pinned, f"{name} is pinned twice"
            pinned[name] = only.version
    return pinned


def needed() -> set[str]:
    """All packages that the extra `dev` and the build bring along, over any depth."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    lines = [*project["project"]["dependencies"], *chain(*extras.values())]
    lines += project["build-system"]["requires"]
    waiting = [Requirement(line) for line in lines]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = (name, frozenset(requirement.extras))
        if key in seen or name == "labml-txl":
            continue
        seen.add(key)
        for line in importlib.metadata.requires(name) or []:
            further = Requirement(line)
            extras_here = requirement.extras or {""}
            if further.marker and not any(
                further.marker.evaluate({"extra": extra}) for extra in extras_here
            ):
                continue
            waiting.append(further)
    return {name for name, _ in seen}


def test_every_package_is_pinned_and_no_other() -> None:
    assert needed() - {*pins()} == set()
    # Some builds of torch bring along what is for graphics cards, and others do not.
    graphics = {name for name in pins() if re.match(r"(cuda|nvidia)-|triton$", name)}
    assert {*pins()} - needed() - graphics == set()


def test_the_tests_run_with_the_pinned_versions() -> None:
    names = needed()
    wanted = {name: version for name, version in pins().items() if name in names}
    installed = {
        name: importlib.metadata.version(name).partition("+")[0] for name in wanted
    }
    assert installed == wanted


def test_the_pins_are_the_same_packages_for_every_python() -> None:
    for python in ("3.11.2", "3.11.5", "3.12.0", "3.13.0", "3.14.0"):
        minor = python.rpartition(".")[0]
        there = pins(python_full_version=python, python_version=minor)
        assert there.keys() ^ pins().keys() == set(), python


# What is shipped


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder


def contents() -> set[str]:
    """The files of the package, as the repository has them."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in tracked()
        if path.is_relative_to(PACKAGE)
    }


def test_the_wheel_holds_the_whole_package(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {name for name in names if name.startswith("labml_txl/")}
    assert contents() ^ shipped == set()
    assert "labml_txl/equations/transformer_xl.toml" in names
    assert any(name.startswith("labml_txl/literate/mkdocs/theme/") for name in names)


def test_the_source_archive_holds_the_whole_package(built: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    others = {"LICENSE", "README.md", "pyproject.toml", "constraints.txt"}
    assert (contents() | others) - names == set()


def test_a_plain_installation_brings_neither_torch_nor_mkdocs(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    name = next(n for n in zipfile.ZipFile(wheel).namelist() if n.endswith("/METADATA"))
    metadata = zipfile.ZipFile(wheel).read(name).decode()
    assert f"\nVersion: {labml_txl.__version__}\n" in metadata
    required = re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE)
    plain = {Requirement(line).name for line in required if "extra ==" not in line}
    site = [line for line in required if 'extra == "site"' in line.replace("'", '"')]
    assert plain == {"platformdirs"}
    assert site
    assert all("torch" not in line for line in site)


def test_what_the_package_registers_can_be_loaded() -> None:
    for group, name in (("console_scripts", "txl"), ("mkdocs.plugins", "literate")):
        (point,) = importlib.metadata.entry_points(group=group, name=name)
        assert callable(point.load())


# The browser of the tests


def test_a_browser_that_cannot_be_had_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(browser.VARIABLE, "no-such-browser")
    assert browser.main() == 1
    assert "no-such-browser" in capsys.readouterr().err
    monkeypatch.delenv(browser.VARIABLE)
    monkeypatch.setattr(
        shutil, "which", lambda name: name if name == "apt-get" else None
    )
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert browser.main() == 1
    assert "apt-get install chromium" in capsys.readouterr().err.splitlines()[-1]


# What the server does

LEFT_OUT = "Leave out the languages that have not changed"


def test_a_language_that_has_not_changed_is_not_built(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)

    for name in ("glossary.toml", "de/index.po", "fr/index.po", "fr/site.po"):
        file = tmp_path / "docs/locale" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("One.\n", encoding="utf-8")
    git("init", "-q")
    git("add", "--all")
    git("commit", "-q", "-m", "All")
    (tmp_path / "docs/locale/fr/site.po").write_text("Two.\n", encoding="utf-8")
    git("commit", "-q", "-a", "-m", "French")
    flow = yaml_load(ROOT.joinpath(".github/workflows/test.yml").read_text("utf-8"))
    (step,) = [
        one for one in flow["jobs"]["words"]["steps"] if one.get("name") == LEFT_OUT
    ]
    script = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
    base = {**os.environ, "BASE": "HEAD~1"}
    subprocess.run(script, cwd=tmp_path, env=base, check=True)
    left = sorted(path.name for path in tmp_path.glob("docs/locale/*"))
    assert left == ["fr", "glossary.toml"]


def test_a_change_of_words_alone_is_looked_at_without_torch() -> None:
    file = ROOT.joinpath(".github/workflows/test.yml")
    flow = yaml_load(file.read_text(encoding="utf-8"))
    words, test = flow["jobs"]["words"], flow["jobs"]["test"]
    # Strangers propose changes: the job can write nothing and knows no secret.
    assert flow["permissions"] == {"contents": "read"}
    assert words["permissions"] == {"contents": "read", "actions": "read"}
    assert "secrets" not in file.read_text(encoding="utf-8")
    assert test["needs"] == "words"
    assert test["if"] == "needs.words.outputs.kind == 'code'"
    steps = {step.get("name", step.get("uses")): step for step in words["steps"]}
    makes = {m for s in steps.values() for m in re.findall(r"make (\w+)", str(s))}
    assert makes == {"katex", "build"}  # Neither of them installs torch.
    asked = {
        name: str(step.get("if")).partition(".kind ")[2] for name, step in steps.items()
    }
    assert asked["Are the files of the translators up to date?"] == "== 'translations'"
    for name in ("Look for what is broken", "Build", "List the sentences"):
        assert asked[name] == "!= 'code'"
    assert asked["Are the lines of the code in order?"] == "== 'prose'"
    # What is left out before the sentences are listed would be listed as lost.
    assert [*steps].index("List the sentences") < [*steps].index(LEFT_OUT)
    assert asked[LEFT_OUT] == "== 'translations'"
    calls = set(re.findall(r"bin/txl (i18n \w+|\w+)", file.read_text(encoding="utf-8")))
    assert {"i18n changed", "i18n lint"} <= calls <= {*COMMANDS}
