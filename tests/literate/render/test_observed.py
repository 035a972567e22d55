"""A page marks the names that held a value, and tells the way of the shapes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.project.content import Content
from labml_txl.literate.project.settings import Project
from labml_txl.literate.recording.bindings import find_uses, hash_code
from labml_txl.literate.recording.records import (
    Axis,
    Record,
    Run,
    Slice,
    Value,
    to_json,
)
from labml_txl.literate.render.observed import (
    Observed,
    card_data,
    select_values,
    write_files,
)
from labml_txl.literate.sources.source import Source

RUN = Run("a model", "a text", 10, 1, (("numpy", "2.0"),))
CODE = '''
class A:
    """Words."""

    def run(self, x, é=None):
        if é is None:
            é = x
        ü = self.bias; y = x + self.bias
        y = (
            y * 2
        )
        for x in y:
            y += x
        else:
            z = [x for x in y] + [lambda y: y]
        if z:
            w = 1
        else:
            w = y
        print(w)
        y = None
        def inner():
            return y
        return y * x
'''


def value(
    name: str, ordinal: int = 0, function: str = "A.run", **more: object
) -> Value:
    given = Value(
        function, name, ordinal, "", "float32", (Axis("n", 3),), 0.0, 1.0, 0.5, 0.1
    )
    return replace(given, **more)  # type: ignore[arg-type]


def record(*values: Value, code: str = CODE) -> Record:
    return Record("a.py", hash_code(code), RUN, values)


def places_of(code: str, *recorded: tuple[str, int]) -> list[tuple[int, int, str]]:
    found = find_uses(code, {("A.run", n, i) for n, i in recorded})
    return [(*place, f"{key[1]}.{key[2]}") for place, key in sorted(found.items())]


def test_a_name_shows_its_last_binding() -> None:
    found = places_of(CODE, ("y", 0), ("y", 1), ("y", 2))
    assert found == [
        (8, 23, "y.0"),
        # On the right of its own statement, a name is what it was before.
        (9, 8, "y.1"),
        (10, 12, "y.0"),
        (12, 17, "y.1"),
        (13, 12, "y.2"),
        # The `y` of a lambda is another, and so is that of an inner function.
        (15, 28, "y.2"),
        (19, 16, "y.2"),
    ]


def test_a_branch_that_did_not_run_does_not_hide_what_is_above() -> None:
    # A name that held something else since shows nothing.
    assert not [line for line, _, _ in places_of(CODE, ("y", 0), ("y", 2)) if line > 20]
    assert places_of(CODE, ("é", 0)) == [(5, 21, "é.0"), (6, 11, "é.0")]
    code = CODE.replace("print(w)", "print(é)")
    assert places_of(code, ("é", 0))[-1] == (20, 14, "é.0")
    # Of two branches, the one that ran; it shows nothing of the other.
    assert places_of(CODE, ("w", 0)) == [(17, 12, "w.0"), (20, 14, "w.0")]
    code = CODE.replace("w = y", "print(w)")
    assert (19, 18, "w.0") not in places_of(code, ("w", 0))


def test_a_recorded_attribute_is_marked_at_its_last_name() -> None:
    code = CODE.replace("print(w)", "print(self.bias.T)")
    wanted = [(8, 17), (8, 36), (20, 19)]
    assert places_of(code, ("self.bias", 0)) == [(*p, "self.bias.0") for p in wanted]


def test_shapes_of_a_method_are_listed_in_order() -> None:
    source = Source("a.py", CODE)
    values = [value("return"), value("y", 1), value("x"), value("self.bias")]
    # Bound anew, the name keeps its shape.
    values.append(value("y", 2))
    found = select_values(source, record(*values))
    assert [(s.number, s.name) for s in found.shapes["A.run"]] == [
        *((2, "x"), (1, "y"), (0, "return"))
    ]
    text = found.shapes_text("A.run", Labels())
    assert text.endswith("`x` [3] · `y` [3] · `return` [3].")
    html = found.shapes_html("A.run", Labels())
    assert '<a href="#o2"><code>x</code> [3]</a> · <a href="#o1">' in html
    assert found.shapes_text("A.other", Labels()) == found.shapes_html(
        "A.other", Labels()
    )


def test_shapes_of_different_calls_are_not_joined() -> None:
    short = [value("x"), value("y"), value("return", turn=1)]
    (way,) = select_values(Source("a.py", CODE), record(*short)).shapes.values()
    assert [step.name for step in way] == ["x", "y"]
    # Of calls of which less is known there is no way.
    longer = [value("x"), value("y", turn=1), value("z", turn=1)]
    (way,) = select_values(Source("a.py", CODE), record(*longer)).shapes.values()
    assert [step.name for step in way] == ["y", "z"]


def test_each_listed_shape_links_to_its_binding() -> None:
    recorded = record(value("x"), value("y"))
    attributes = select_values(Source("a.py", CODE), recorded).attributes()
    assert attributes[5, 18] == ' data-o="0" id="o0"'
    assert attributes[8, 27] == ' data-o="0"'
    assert sum("id=" in one for one in attributes.values()) == 2
    # A record of other code shows nothing; other words change nothing.
    other = Source("a.py", CODE.replace("x +", "x -"))
    assert select_values(other, recorded) == Observed()
    assert select_values(Source("a.py", CODE.replace("Words", "More")), recorded).marks


HOSTILE = ("</script><b>", "\ud800", "‮", "\u2028")
AXES = (Axis("batch", 20), Axis("n", 48), Axis("m", 96))


def test_the_data_of_a_page_have_no_slices_and_each_label_once() -> None:
    axes = (Axis("a", 4, HOSTILE), Axis("b", 4, HOSTILE))
    text = card_data(record(value("x", axes=axes), value("y", axes=axes[:1])))
    assert text.isascii()
    data = json.loads(text)
    assert data["labels"] == [[*HOSTILE]]
    assert data["values"][0]["axes"] == [["a", 4, 0], ["b", 4, 0]]
    assert data["values"][1]["statistics"] == [0.0, 1.0, 0.5, 0.1]
    assert data["run"]["versions"] == ["numpy 2.0"]


def test_slices_of_a_value_are_one_file_in_order() -> None:
    codes = [bytes([number]) * 4608 for number in range(20)]
    slices = tuple(Slice((n,), 0.0, 1.0, code) for n, code in enumerate(codes))
    one = value("x", axes=AXES, rows=1, columns=2, slices=slices)
    found = dict(write_files(record(value("n"), one), "models/a"))
    assert [*found] == ["models/a.json", "models/a/1.bin"]
    assert found["models/a/1.bin"] == b"".join(codes)


@pytest.mark.parametrize("broken", ["{", "[]", "\udcff"])
def test_an_invalid_record_is_left_out(tmp_path: Path, broken: str) -> None:
    folder = tmp_path
    good = record(value("x"))
    (folder / "a.json").write_text(broken, encoding="utf-8", errors="surrogateescape")
    (folder / "b.json").write_text(to_json(good), encoding="utf-8")
    assert Content(Project(folder, observations=".")).records == {"a.py": good}
    assert Content(Project(folder)).records == {}
