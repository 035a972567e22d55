"""The engine works by itself: without models, training, figures and their data."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.literate.small import COUNTER, COUNTER_FILE, ENVIRONMENT, FILES, ROOT, write
from tests.literate.translations import COUNTER_JA, JAPANESE, po

# What a package of the engine would contain, besides `literate`: everything but these.
PARTS = {"models", "training", "equations", "figures", "literate"}
FILES_OF_MODELS = {"web.py", "variants.py"}
TESTS = (
    *(
        "sources/test_blocks.py",
        "sources/test_docstrings.py",
        "equations/test_registry.py",
    ),
    *("project/test_kinds.py", "project/test_excerpts.py", "render/test_equations.py"),
)


def test_the_engine_passes_its_tests_and_builds_a_site_without_the_models(
    tmp_path: Path,
) -> None:
    package, project = tmp_path / "labml_txl", tmp_path / "project"
    package.mkdir()
    for path in (ROOT / "labml_txl").iterdir():
        if path.is_file() and path.name not in FILES_OF_MODELS:
            shutil.copy(path, package)
        elif path.is_dir():
            assert path.name in PARTS or path.name == "__pycache__"
    shutil.copytree(ROOT / "labml_txl" / "literate", package / "literate")
    shutil.copytree(ROOT / "tests" / "literate", tmp_path / "tests" / "literate")
    tests = [str(tmp_path / "tests" / "literate" / name) for name in TESTS]
    done = run(
        tmp_path, tmp_path, "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout

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
