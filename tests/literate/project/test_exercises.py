"""Exercises stand at the end of the page of their module, in all of its forms."""

import json
from pathlib import Path

from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.files import files_of
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
from tests.literate.small import FILES, REGISTRY, RUN_IT, write
from tests.literate.translations import JAPANESE, po

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


def test_exercises_are_at_the_end_of_each_export_of_a_page(tmp_path: Path) -> None:
    found = edition(tmp_path)
    code, exercises = found.entry(PAGE).markdown.split('id="counter.exercises"')
    assert "Counter.count" in code
    assert "## Exercises {#exercises}" in exercises
    assert "<details" in exercises
    assert 'href="#Counter' in exercises or "[`Counter`](#Counter)" in exercises
    assert "lit-code" not in exercises
    files = dict(files_of(found))
    assert str(files["counting/counter.md"]).rstrip().endswith("</details>")
    assert "counting/counter.ipynb" not in files
    files = dict(files_of(edition(tmp_path, f"{EXERCISES}\n{RUN_IT}")))
    *_, last, call = json.loads(files["counting/counter.ipynb"])["cells"]
    words = "".join(last["source"])
    assert words.startswith("## Exercises")
    assert words.endswith("</details>\n\n## Run it")
    assert "".join(call["source"]) == "print(Counter().count(2))"
    assert ["".join(one["text"]) for one in call["outputs"]] == ["3\n"]


def test_exercises_are_translated_with_their_page(tmp_path: Path) -> None:
    english = edition(
        tmp_path,
        **{
            "docs/locale/ja/language.toml": JAPANESE,
            "docs/locale/ja/counting/counter.po": po("ja", TRANSLATIONS),
        },
    )
    said = {one.text: one.place for one in english.inventory["counting/counter"]}
    assert {said[message] for message in TRANSLATIONS} == {FILE}
    japanese = next(one for one in english.languages if one.code == "ja")
    page = english.select_language(japanese).entry(PAGE).markdown
    assert "## 練習問題 {#exercises}" in page
    assert "一つ多い数です。" in page
    assert "assert 1 + 1 == 2" in page


def test_faults_of_exercises_name_their_line_and_citations_do_not_count_as_code(
    tmp_path: Path,
) -> None:
    found = edition(tmp_path, EXERCISES.replace("cnt.next", "cnt.nxt"))
    assert [str(fault) for fault in found.faults] == [
        f"{FILE}:3: unknown equation cnt.nxt: did you mean cnt.next?"
    ]
    assert edition(tmp_path).content.cited == ()
