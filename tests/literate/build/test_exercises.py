"""Exercises stand at the end of the page of their module, in all of its forms."""

import json
from pathlib import Path

from labml_txl.literate.build.cache import Cache
from labml_txl.literate.build.check import check
from labml_txl.literate.build.files import files_of
from labml_txl.literate.build.localized import LocalizedProject, annotate
from labml_txl.literate.build.project import Project
from tests.literate.small import FILES, REGISTRY, RUN_IT, write
from tests.literate.tongues import JAPANESE, po

FILE = "src/counting/exercises/counter.md"
EXERCISES = """\
## Exercises

**1.** What does `Counter` know of [the next count][cnt.next]?

<details markdown="1">
<summary>Solution</summary>

One more.

```python
assert 1 + 1 == 2
```

</details>
"""
PAGE = "counting/counter.md"
TRANSLATIONS = {
    "Exercises": "練習問題",
    "Solution": "解答",
    "One more.": "一つ多い数です。",
}


def edition(folder: Path, exercises: str = EXERCISES, **files: str) -> LocalizedProject:
    write(folder, FILES, {"papers/cnt.toml": REGISTRY, FILE: exercises, **files})
    return annotate(Project(folder, modules=("src/counting",), equations=("papers",)))


def test_they_stand_below_the_code_and_fold_away(tmp_path: Path) -> None:
    page = edition(tmp_path).markdown[PAGE]
    code, exercises = page.split('id="counter.exercises"')
    assert "Counter.count" in code
    assert "## Exercises {#exercises}" in exercises
    assert "<details" in exercises
    assert 'href="#Counter' in exercises or "[`Counter`](#Counter)" in exercises
    assert "lit-code" not in exercises


def test_a_module_without_them_stays_as_it_was(tmp_path: Path) -> None:
    pages = edition(tmp_path).markdown
    assert [path for path in pages if "exercises" in pages[path]] == [PAGE]


def test_exercises_that_no_module_is_named_like_are_told_in_one_line(
    tmp_path: Path,
) -> None:
    misnamed = "src/counting/exercises/conuter.md"
    found = edition(tmp_path, **{misnamed: EXERCISES})
    wanted = (
        f"{misnamed}:1: there is no conuter.py to show these exercises: "
        "is counter.md meant?"
    )
    assert [str(fault) for fault in found.faults] == [wanted]
    assert check(found)[0] == wanted


def test_a_folder_of_modules_may_be_called_exercises(tmp_path: Path) -> None:
    package = "src/counting/exercises"
    found = edition(
        tmp_path,
        **{f"{package}/one.py": "ONE = 1\n", f"{package}/README.md": "# One\n"},
    )
    assert [*found.faults] == []


def test_they_stand_in_the_markdown_and_in_the_notebook(tmp_path: Path) -> None:
    text = str(files_of(edition(tmp_path))["counting/counter.md"])
    assert text.rstrip().endswith("</details>")
    files = files_of(edition(tmp_path, f"{EXERCISES}\n{RUN_IT}"))
    *_, last, call = json.loads(files["counting/counter.ipynb"])["cells"]
    assert last["cell_type"] == "markdown"
    assert "".join(last["source"]).startswith("## Exercises")
    assert "".join(last["source"]).endswith("</details>\n\n## Run it")
    assert "".join(call["source"]) == "print(Counter().count(2))"
    assert ["".join(one["text"]) for one in call["outputs"]] == ["3\n"]


def test_they_are_translated_with_their_page(tmp_path: Path) -> None:
    english = edition(
        tmp_path,
        **{
            "docs/locale/ja/language.toml": JAPANESE,
            "docs/locale/ja/counting/counter.po": po("ja", TRANSLATIONS),
        },
    )
    said = {one.message: one.place for one in english.inventory["counting/counter"]}
    assert {said[message] for message in TRANSLATIONS} == {FILE}
    japanese = next(one for one in english.languages if one.code == "ja")
    page = english.into(japanese).markdown[PAGE]
    assert "## 練習問題 {#exercises}" in page
    assert "一つ多い数です。" in page
    assert "assert 1 + 1 == 2" in page


def test_a_fault_names_the_file_and_the_line(tmp_path: Path) -> None:
    found = edition(tmp_path, EXERCISES.replace("cnt.next", "cnt.nxt"))
    assert [str(fault) for fault in found.faults] == [
        f"{FILE}:3: no equation has the key cnt.nxt: the nearest is cnt.next"
    ]


def test_what_an_exercise_cites_it_does_not_implement(tmp_path: Path) -> None:
    assert edition(tmp_path).content.cited == ()


def test_other_exercises_make_the_page_anew(tmp_path: Path) -> None:
    cache = Cache()
    before = edition(tmp_path)
    before.content.cache = cache
    assert "One more." in before.markdown[PAGE]
    after = edition(tmp_path, EXERCISES.replace("One more.", "Two more."))
    after.content.cache = cache
    assert "Two more." in after.markdown[PAGE]
    text = files_of(after)["counting/counter.md"]
    assert text != files_of(before)["counting/counter.md"]
