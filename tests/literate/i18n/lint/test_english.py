"""The words that the pages use, and those that they do not."""

from pathlib import Path

import pytest

from labml_txl.literate.i18n.inventory import Said
from labml_txl.literate.i18n.lint.english import faults, rule
from labml_txl.literate.i18n.lint.glossary import (
    GlossaryError,
    load_glossary,
    project_glossary,
)

ROOT = Path(__file__).resolve().parents[4]
RULES = project_glossary(ROOT / "docs" / "locale").english


def found(words: str, page: str = "models/memory") -> list[str]:
    inventory = {page: (Said(words, "paragraph", "memory.py"),)}
    return [*faults(inventory, RULES)]


@pytest.mark.parametrize(
    "words",
    [
        "The texts of a batch.",
        "Each number is dropped.",
        "Rows of small numbers.",
        "A linear map.",
        "The last map mixes the heads.",
        "It matters, whoever asks.",
        "The token that asks.",
        "This mends the fault.",
        "The *place* of each key.",
        "Proved by a test.",
        "Every test that proves it.",
    ],
)
def test_a_word_that_is_not_used_is_found(words: str) -> None:
    (line,) = found(words)
    assert line.startswith("memory.py: “")
    assert ": write " in line


@pytest.mark.parametrize(
    "words",
    [
        "A text is a sequence.",
        "The number of tokens, a number of slots.",
        "Heat maps of the attention.",
        "It is written in place, and takes the place of one key.",
        "One moves into its place.",
        "`texts` and $places$ are names: see [it](texts.md).",
        "Asking costs nothing.",
        "This is amended.",
    ],
)
def test_a_word_that_means_something_else_is_left(words: str) -> None:
    assert found(words) == []


def test_a_rule_is_for_the_pages_that_it_names() -> None:
    assert found("The texts.", "literate/po") == []
    assert found("Mend it.", "literate/po") != []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"use": "x"}, "never must be a list"),
        ({"never": ["x"]}, "this must be never"),
        ({"never": ["x"], "use": "y", "page": []}, "this must be never"),
        ({"never": ["("], "use": "y"}, "never has no pattern"),
    ],
)
def test_a_rule_that_cannot_be_read_is_told(
    table: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        rule(table)
    file = tmp_path / "glossary.toml"
    lines = "".join(f"{key} = {value!r}\n" for key, value in table.items())
    file.write_text(f"[[english]]\n{lines}", encoding="utf-8")
    with pytest.raises(GlossaryError, match=message):
        load_glossary(file)
