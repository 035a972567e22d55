"""`txl init`: from a folder of somebody's code to a site of it, and nothing lost."""

import re
import subprocess
import tomllib
from html import unescape
from pathlib import Path

import pytest
import yaml

from labml_txl.cli import main
from labml_txl.literate.cli.init.files import example, settings
from labml_txl.literate.cli.init.found import EXAMPLE, Found, look
from labml_txl.literate.cli.init.origin import Origin, origin
from tests.literate.small import CONFIG, FILES, build, contents, write

ROOT = Path(__file__).parents[3]
WORKFLOW = ".github/workflows/pages.yml"
WRITTEN = {"mkdocs.yml", "docs/index.md", EXAMPLE, WORKFLOW}
BROKEN = "def broken(:\n"

# What is in a folder, and the pages that its site has beside the front page and the
# example.
CASES: dict[str, tuple[dict[str, str | bytes], set[str]]] = {
    "an empty folder": ({}, set()),
    "a flat package": (
        {"counting/__init__.py": "", "counting/steps.py": "x = 1\n", "setup.py": ""},
        {"counting", "counting/steps"},
    ),
    "packages below src": (
        {"src/a/__init__.py": "", "src/a/b.py": "", "src/named/only.py": ""},
        {"a", "a/b", "named/only"},
    ),
    "single modules": (
        {"counter.py": "", "src/steps.py": "", "conftest.py": "", "test_it.py": ""},
        {"counter", "steps"},
    ),
    "tests and documentation": (
        {
            "tests/__init__.py": "",
            "docs/conf.py": "",
            "counting/__init__.py": "",
            "counting/tests/test_it.py": "",
            "counting/deep/test_it.py": "",
            "counting/deep/count_test.py": "",
            "counting/testing.py": "",
        },
        {"counting", "counting/testing"},
    ),
    "names with blanks, hyphens and letters beyond ASCII": (
        {
            "my pkg/__init__.py": "",
            "my pkg/größe [1].py": "",
            "数える/__init__.py": "",
            "step-two.py": "",
            "No.py": "",
        },
        {"my pkg", "my pkg/größe [1]", "数える", "step-two", "No"},
    ),
    "files that are not Python": (
        {
            "counting/__init__.py": BROKEN,
            "counting/steps.py": "x = 1\n",
            "counting/[1].py": BROKEN,
            "counting/1.py": "",
            "counting/latin.py": b"# \xe9\n",
            "print.py": "print 1\n",
        },
        {"counting/steps", "counting/1"},
    ),
    "files of one address": (
        {"count.py": "", "count/__init__.py": "", "index.py": "", "COUNT.py": ""},
        {"COUNT"},
    ),
    "documentation that is there": (
        {
            "docs/index.md": "# Mine\n",
            "docs/steps.md": "# Steps\n",
            "steps.py": "",
            "count.py": "",
        },
        {"steps", "count"},
    ),
    "a README in the documentation": (
        {"docs/README.md": "# Mine\n", "count.py": ""},
        {"count"},
    ),
}


def init(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["init", str(folder)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", CASES)
def test_the_site_is_built_at_once(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, pages = CASES[name]
    # The folder gives the name: there is no pyproject.toml.
    folder = tmp_path / 'It\'s *my* "Größe": $1 & #2'
    folder.mkdir()
    write(folder, files)
    before = contents(folder)
    said = init(folder, capsys)
    after = contents(folder)
    assert {path: after[path] for path in before} == before
    assert after.keys() - before.keys() <= WRITTEN
    for path in sorted(WRITTEN & before.keys()):
        assert f"{path} is there: left as it is\n" in said
    done = build(folder, "--strict")
    assert done.returncode == 0, done.stderr
    site = folder / "site"
    found = {p.parent.relative_to(site).as_posix() for p in site.rglob("index.html")}
    assert found == {".", "annotated_example", *pages}
    if "docs/index.md" not in before and "docs/README.md" not in before:
        html = site.joinpath("index.html").read_text(encoding="utf-8")
        heading = re.search(r"<h1[^>]*>(.*?)</h1>", html)
        assert heading is not None
        assert unescape(heading[1]) == folder.name


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_shown_is_told_in_a_line_each(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, CASES[name][0])
    said = init(tmp_path, capsys)
    told = [line for line in said.splitlines() if line.endswith("`exclude` has it")]
    assert len(told) == len(look(tmp_path).faults)
    wanted = {"files that are not Python": 4, "files of one address": 3}
    assert len(told) == wanted.get(
        name, "steps.py: docs/steps.md has the same page" in said
    )


def test_a_second_time_nothing_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"counting.py": ""})
    init(tmp_path, capsys)
    tmp_path.joinpath(EXAMPLE).unlink()
    before = contents(tmp_path)
    assert "mkdocs.yml has the plugin: all is left as it is" in init(tmp_path, capsys)
    assert contents(tmp_path) == before


def test_settings_that_are_there_are_told_what_to_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = CONFIG[: CONFIG.index("  - literate")]
    write(tmp_path, FILES, {"mkdocs.yml": other, "src/counting/bad.py": BROKEN})
    said = init(tmp_path, capsys)
    assert tmp_path.joinpath("mkdocs.yml").read_text() == other
    (entry,) = re.findall(r"add to its plugins: (- literate: .*)", said)
    write(tmp_path, {"mkdocs.yml": f"{other}  {entry}\n"})
    done = build(tmp_path, "--strict")
    assert done.returncode == 0, done.stderr
    assert tmp_path.joinpath("site/counting/steps/index.html").is_file()
    assert tmp_path.joinpath("site/annotated_example/index.html").is_file()


def test_all_is_written_or_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"counting.py": "", ".github": "a file\n"})
    before = contents(tmp_path)
    assert main(["init", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("files", "status", "said"),
    [
        ({"pyproject.toml": "name\n"}, 1, "pyproject.toml:1: not valid TOML"),
        ({"pyproject.toml": b"# \xe9\n"}, 1, "pyproject.toml:1: byte 0xe9 is not UTF"),
        (None, 2, "make it or name another"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    files: dict[str, str | bytes] | None,
    status: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path, files or {})
    folder = tmp_path if files else tmp_path / "nowhere"
    assert main(["init", str(folder)]) == status
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("toml", "name", "about"),
    [
        ('[project]\nname = "my-count"\ndescription = "It counts."\n', "my-count", 1),
        ('[tool.poetry]\nname = "my-count"\n', "my-count", 0),
        ("[project]\nname = 3\n", "folder", 0),
        ("[tool.ruff]\n", "folder", 0),
    ],
)
def test_the_name_is_that_of_the_project_or_else_of_the_folder(
    toml: str, name: str, about: int, tmp_path: Path
) -> None:
    write(tmp_path / "folder", {"pyproject.toml": toml, "my_count/a.py": ""})
    found = look(tmp_path / "folder")
    assert (found.name, found.about) == (name, "It counts." * about)
    # A package without a first file is known by the name of the project.
    assert ("my_count" in found.modules) == (name == "my-count")


@pytest.mark.parametrize(
    "name", ["No", "1.0", "a: b", "a #b", "größe", "'\"\\", "[x]", "!ENV x", "src/a"]
)
def test_yaml_reads_every_name_as_it_was(name: str) -> None:
    known = {"repo_url": "https://github.com/a/b", "edit_uri": "edit/x/docs/"}
    written = settings(
        Found(name, name, {name: ""}, (name,), ()), Origin(known["repo_url"], "x")
    )
    read = yaml.safe_load(written)
    assert read["site_name"] == read["site_description"] == name
    assert {key: read[key] for key in known} == known
    plugin = read["plugins"][1]["literate"]
    assert plugin == {"modules": [name], "exclude": [name]}


# Where it is published


def git(folder: Path, *words: str) -> None:
    command = ["git", "-c", "init.defaultBranch=trunk", *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    ("remote", "url", "edit"),
    [
        ("https://github.com/a/b.git", "https://github.com/a/b", "edit/trunk/docs/"),
        (
            "https://me:word@github.com/a/b",
            "https://github.com/a/b",
            "edit/trunk/docs/",
        ),
        ("git@github.com:a/b.git", "https://github.com/a/b", "edit/trunk/docs/"),
        ("ssh://git@gitlab.com:22/a/b", "https://gitlab.com/a/b", "-/edit/trunk/docs/"),
        ("https://code.example/a/b", "https://code.example/a/b", ""),
        ("/some/folder.git", "", ""),
    ],
)
def test_the_repository_is_that_of_git_without_any_password(
    remote: str, url: str, edit: str, tmp_path: Path
) -> None:
    git(tmp_path, "init")
    git(tmp_path, "remote", "add", "origin", remote)
    known = origin(tmp_path)
    assert (known.url, known.branch, known.edit_uri) == (url, "trunk", edit)


def test_a_workflow_stands_where_github_reads_it_and_publishes_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init")
    write(tmp_path, {"inner/count.py": "", ".github/workflows/x.yml": "gh-deploy\n"})
    for folder in (tmp_path, tmp_path / "inner"):
        said = init(folder, capsys)
        assert ": no workflow was written\n" in said
        assert not folder.joinpath(WORKFLOW).exists()


def test_the_workflow_uses_the_actions_that_our_own_uses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init")
    init(tmp_path, capsys)
    text = tmp_path.joinpath(WORKFLOW).read_text(encoding="utf-8")
    ours = ROOT.joinpath(".github/workflows/pages.yml").read_text(encoding="utf-8")
    uses = re.compile(r"uses: (\S+)")
    assert uses.findall(text) == uses.findall(ours)
    assert all(action.startswith("actions/") for action in uses.findall(text))
    read = yaml.safe_load(text)
    # YAML takes `on` for a truth.
    assert read[True]["push"]["branches"] == ["trunk"]
    steps = [step.get("run") for step in read["jobs"]["build"]["steps"]]
    install, build_it = filter(None, steps)
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())["project"]
    assert (
        install
        == f'pip install "labml_txl[site] @ git+{project["urls"]["Repository"]}"'
    )
    assert build_it == "mkdocs build"


def test_the_example_shows_a_note_of_each_kind_and_runs() -> None:
    names: dict[str, object] = {}
    exec(example(), names)
    average = names["RunningAverage"](rate=0.5)  # type: ignore[operator]
    assert [average.add(1.0) for _ in range(3)] == [0.5, 0.75, 0.875]
