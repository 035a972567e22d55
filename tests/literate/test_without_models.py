"""The engine works by itself: without models, training, figures and their data."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.literate.small import COUNTER, COUNTER_FILE, ENVIRONMENT, FILES, ROOT, write
from tests.literate.translations import COUNTER_JA, JAPANESE, po

# What a package of the engine would contain, besides `literate`: everything but these.
PARTS = {"models", "training", "equations", "figures", "literate"}
FILES_OF_MODELS = {"web.py", "variants.py"}
# These read the pages of this project, which has models.
OURS = (
    *("export/test_export.py", "export/test_picture.py", "mkdocs/test_settings.py"),
    *("mkdocs/test_zensical.py", "test_without_models.py"),
    "markdown/test_round_trip.py::test_our_own_translations_have_the_blocks_of_their_english",
    "render/test_rows.py::test_no_parameter_or_local_name_links_to_another_page",
)


def copy_engine(folder: Path) -> None:
    """Copy the package without the models and what belongs to them."""
    package = folder / "labml_txl"
    package.mkdir()
    for path in (ROOT / "labml_txl").iterdir():
        if path.is_file() and path.name not in FILES_OF_MODELS:
            shutil.copy(path, package)
        elif path.is_dir():
            assert path.name in PARTS or path.name == "__pycache__"
    shutil.copytree(ROOT / "labml_txl" / "literate", package / "literate")


@pytest.mark.setup
def test_the_engine_passes_its_tests_without_the_models(tmp_path: Path) -> None:
    copy_engine(tmp_path)
    equations = ROOT / "labml_txl" / "equations"
    shutil.copytree(equations, tmp_path / "labml_txl" / "equations")
    for name in ("tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    left = [f"--deselect=tests/literate/{name}" for name in OURS if "::" in name]
    left += [f"--ignore=tests/literate/{name}" for name in OURS if "::" not in name]
    options = ("-q", "-n2", "-p", "no:cacheprovider", *left)
    done = run(tmp_path, tmp_path, "pytest", *options, "tests/literate")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split(" passed")[0].split()[-1]) > 900


def test_the_engine_builds_a_site_without_the_models(tmp_path: Path) -> None:
    copy_engine(tmp_path)
    project = tmp_path / "project"
    japanese = {
        "docs/locale/ja/language.toml": JAPANESE,
        "docs/locale/ja/counting/counter.po": po("ja", COUNTER_JA),
    }
    write(project, FILES, japanese, {COUNTER_FILE: COUNTER})
    done = run(project, tmp_path, "mkdocs", "build", "--strict")
    assert done.returncode == 0, done.stderr
    # Its catalogs name no file that only we have.
    code = "import sys; from labml_txl.cli import main; sys.exit(main())"
    done = run(project, tmp_path, code, "i18n", "new", "de")
    assert done.returncode == 0, done.stderr
    labels = (project / "docs/locale/de/site.po").read_text(encoding="utf-8")
    assert "#: labml_txl.literate.i18n.labels\n" in labels
    assert "labml_txl/" not in labels


def run(
    folder: Path, path: Path, program: str, *words: str
) -> subprocess.CompletedProcess[str]:
    """Run a module or a program with the package below `path`."""
    start = ["-c", program] if " " in program else ["-m", program]
    return subprocess.run(
        [sys.executable, *start, *words],
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )
