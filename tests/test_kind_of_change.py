"""Only what surely is nothing but words is spared the tests."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml

from tests.literate.small import ROOT, write

SCRIPT = ROOT / ".github" / "kind_of_change.py"
HEAD = "---\ntitle: A\ndescription: >-\n  About\n  it\n---\n\n"
PAGE = f"{HEAD}# A\n\nSome <b>bold</b> words.\n"
PO, OTHER_PO = "docs/locale/ja/a.po", "docs/locale/fr/b.po"
WORDS: dict[str, str | bytes] = {
    "docs/a.md": PAGE,
    "docs/b.md": "# B\n\nSome words.\n",
    "docs/locale/glossary.toml": "",
    "docs/locale/ja/a.po": 'msgid "a"',
    "labml_txl/a.py": "x = 1",
}


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


def kind(folder: Path, base: str = "HEAD~1") -> str:
    done = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), base],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def change(tmp_path: Path) -> Callable[[Mapping[str, str]], str]:
    """The kind of a commit that writes these files; None deletes one."""
    write(tmp_path, WORDS)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "-q", "-m", "A")

    def kind_of(files: Mapping[str, str]) -> str:
        for name, text in files.items():
            path = tmp_path / name
            if text == "link":
                path.unlink(missing_ok=True)
                path.symlink_to("b")
            elif text == "gone":
                path.unlink()
            else:
                write(tmp_path, {name: text})
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "-q", "-m", "B")
        found = kind(tmp_path)
        git(tmp_path, "reset", "-q", "--hard", "HEAD~1")
        return found

    return kind_of


def test_a_change_of_words_is_one_of_translations_or_of_prose(
    change: Callable[[Mapping[str, str]], str], tmp_path: Path
) -> None:
    language = "docs/locale/fr/language.toml"
    assert change({PO: "", language: "name = 1", OTHER_PO: "b"}) == "translations"
    words = PAGE.replace("Some", "More").replace("title: A", "title: B")
    words = words.replace("  it\n", "  that\n")
    assert change({"docs/a.md": words}) == "prose"
    assert change({"docs/a.md": words, PO: "b", "docs/locale/glossary.toml": "a"}) == (
        "prose"
    )
    assert kind(tmp_path, "HEAD") == kind(tmp_path, "nothing") == "code"


def test_changes_of_code_or_settings_need_the_full_tests(
    change: Callable[[Mapping[str, str]], str],
) -> None:
    for files in (
        {"labml_txl/a.py": "x = 2"},
        {"docs/a.md": PAGE.replace("Some", "More"), "labml_txl/a.py": "x = 2"},
        {".github/CODEOWNERS": "* @somebody"},
        {".github/kind_of_change.py": "print('translations')"},
        {"docs/a.md": f"{PAGE}<script>a()</script>"},
        {"docs/a.md": PAGE.replace("<b>", "<b onclick=a()>")},
        {"docs/a.md": f"{PAGE}<scr\nipt>"},
        {"docs/a.md": f"{PAGE}[a](javascript:b)"},
        {"docs/a.md": f"{PAGE}--8<-- '../secret'"},
        {"docs/a.md": f"{PAGE}{{{{ Memory }}}}"},
        {"docs/a.md": PAGE.replace("title: A", "template: a.html")},
        {"docs/a.md": PAGE.replace("\n# A", "template: a.html\n\n# A")},
        {"docs/b.md": "template: a.html\n\n# B\n\nSome words.\n"},
        {"docs/b.md": "---\r\ntemplate: a.html\r\n---\r\n# B\n\nSome words.\n"},
        {"docs/b.md": "\ufeff--- \ntemplate: a.html\n...\n# B\n\nSome words.\n"},
        {"docs/a.md": f"{PAGE}**a**{{: onclick=b() }}"},
        {"docs/a.md": f"{PAGE}[a](&#106;avascript:b)"},
        {"docs/a.md": f"{PAGE}[a](data:text/html,b)"},
        {"docs/a.md": f"{PAGE}\n```sh\ntxl trian\n```\n"},
        {"docs/a.md": f"{PAGE}\nSay `txl trian`.\n"},
        {"docs/a.md": "link"},
        {"docs/a.md": "gone"},
        {"docs/new.md": "# New"},
        {"docs/locale/ja/a.po": "link"},
        {"docs/locale/ja/a.py": "x = 1"},
        {"docs/locale/a.po": ""},
        {"docs/b.po": ""},
        {"docs/\n.md": "a"},
    ):
        assert change(files) == "code", files


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_that_run_the_code_of_a_pull_request_can_only_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    workflow = yaml.load(text, yaml.BaseLoader)
    assert workflow["permissions"] == {"contents": "read"}
    # It would run with the token and the secrets of the main branch.
    assert "pull_request_target" not in text
    assert "secrets." not in text
    jobs = workflow["jobs"].values()
    for step in (step for job in jobs for step in job["steps"]):
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", step["uses"])
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false"
    if "pull_request" in workflow["on"]:
        given = {way for job in jobs for way in job.get("permissions", {}).values()}
        assert given <= {"read"}
        # A token is only given to what GitHub runs, before any code of the change.
        for job in jobs:
            runs = [step for step in job["steps"] if "run" in step]
            tokens = ["token" in str(step.get("env")).lower() for step in runs]
            made = [bool(re.search(r"\bmake\b|\.venv|\.ci", s["run"])) for s in runs]
            assert not any(t and any(made[: n + 1]) for n, t in enumerate(tokens))


def test_the_kind_of_a_change_is_decided_by_the_code_of_the_main_branch() -> None:
    text = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
    uses = [line.strip() for line in text.split("\n") if SCRIPT.name in line]
    assert uses == [
        f"script=$RUNNER_TEMP/{SCRIPT.name}",
        f'if git show "$BASE:.github/{SCRIPT.name}" >"$script"; then',
    ]
