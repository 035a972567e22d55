"""# Observed values on a page

A name whose value was recorded carries the number of that value in the record as an
attribute. Below the heading of a method, the page lists the shapes of the values that
it computes, in their order, up to the one that it returns.

A page itself contains no values. When a reader opens the first card, the script fetches
one JSON file with the data of all cards of the module, and then the file with the
slices of the value that the card shows, which are bytes taken from the record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

from labml_txl.literate.i18n.labels import Labels
from labml_txl.literate.recording.bindings import (
    Binding,
    find_bindings,
    find_uses,
    hash_code,
)
from labml_txl.literate.recording.records import Axis, Record
from labml_txl.literate.security.trusted import mark_class
from labml_txl.literate.sources.source import Source


@dataclass(frozen=True)
class Step:
    """A value that a function computes: its number, its name and its shape."""

    number: int
    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Observed:
    """What a page needs of a record, without the values themselves.

    - `marks`: the number of the value of a name, by the line and column of the name;
    - `shapes`: the values that a function computes, by its qualified name. If several
      calls were recorded, they are those of the call with the most steps.
    """

    marks: Mapping[tuple[int, int], int] = field(default_factory=dict)
    shapes: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)

    def attributes(self) -> dict[tuple[int, int], str]:
        """The HTML attributes of each marked name, by its line and column.

        The first name that shows a value also gets an `id`, to which the list of shapes
        links.
        """
        led = {step.number for steps in self.shapes.values() for step in steps}
        found = {}
        for place, number in sorted(self.marks.items()):
            address = f' id="o{number}"' if number in led else ""
            led.discard(number)
            found[place] = f' data-o="{number}"{address}'
        return found

    def shapes_html(self, function: str, labels: Labels) -> str:
        """The shapes in a function as a line of HTML; empty if none are recorded."""
        way = " · ".join(
            f'<a href="#o{step.number}"><code>{escape(step.name)}</code> '
            f"{[*step.shape]}</a>"
            for step in self.shapes.get(function, ())
        )
        text = escape(labels.pattern("shapes"), quote=False).replace("{way}", way)
        return (
            way
            and f'<p class="{mark_class("lit-way")}" data-search-exclude>{text}</p>\n\n'
        )

    def shapes_text(self, function: str, labels: Labels) -> str:
        """The shapes in a function as a line of text; empty if none are recorded."""
        steps = (f"`{s.name}` {[*s.shape]}" for s in self.shapes.get(function, ()))
        way = " · ".join(steps)
        return labels("shapes", way=way) if way else ""

    def shapes_below(self, scope: str, labels: Labels) -> Iterator[str]:
        """The shapes in a function, or in each method of a class, as lines of text."""
        for function in self.shapes:
            if f"{function}.".startswith(f"{scope}."):
                name = function.removeprefix(scope).lstrip(".")
                text = self.shapes_text(function, labels)
                yield f"- `{name}`: {text}" if name else text


# All languages show the same values.
@lru_cache(maxsize=50)
def select_values(source: Source, record: Record) -> Observed:
    """What the page of a source shows of a record.

    The result is empty if the record was made of another version of the code.
    """
    if hash_code(source.text) != record.digest:
        return Observed()
    bound = find_bindings(source.text)
    numbers = {value.key: number for number, value in enumerate(record.values)}
    shown = find_uses(source.text, numbers)
    # Steps are grouped by call (`turn`), because calls may take different branches.
    calls: dict[str, dict[int, list[Step]]] = {}
    for binding in bound:
        if binding.key in numbers and _is_step(binding, source):
            number = numbers[binding.key]
            value = record.values[number]
            step = Step(number, binding.name, value.shape)
            steps = calls.setdefault(binding.function, {}).setdefault(value.turn, [])
            # Rebinding a name to a value of the same shape is no new step.
            if not steps or (steps[-1].name, steps[-1].shape) != (
                step.name,
                step.shape,
            ):
                steps.append(step)
    longest = {name: max(by.values(), key=len) for name, by in calls.items()}
    return Observed(
        {place: numbers[key] for place, key in shown.items()},
        {name: tuple(steps) for name, steps in longest.items() if len(steps) > 1},
    )


_NAMED = re.compile(r"\s*return\s+[\w.]+\s*(?:#.*)?")


def _is_step(binding: Binding, source: Source) -> bool:
    """Whether a binding is a step of the computation.

    It is none if the value is only read, or if it is returned by a name, since that
    name is a step already.
    """
    line = source.lines[binding.line - 1].rstrip("\n")
    named = binding.kind == "returned" and _NAMED.fullmatch(line)
    return binding.kind != "read" and not named


def card_data(record: Record) -> str:
    """The data of all cards of a module as JSON, without the elements of the values.

    Each set of axis labels occurs once, and axes refer to it by number. The text is
    ASCII whatever the labels contain, since JSON escapes all other characters.
    """
    labels: dict[tuple[str, ...], int] = {}

    def axis(given: Axis) -> list[object]:
        if not given.labels:
            return [given.name, given.size]
        number = labels.setdefault(given.labels, len(labels))
        return [given.name, given.size, number, *([given.by] * (given.by >= 0))]

    def short(number: float | None) -> float | None:
        return None if number is None else float(f"{number:.6g}")

    run = record.run
    values = [
        {
            "name": value.name,
            "call": value.call,
            "dtype": value.dtype,
            "axes": [*map(axis, value.axes)],
            "statistics": [
                *map(short, (value.least, value.most, value.mean, value.deviation))
            ],
            "shown": [value.rows, value.columns],
            "extent": value.extent,
            "slices": [
                [one.at, short(one.low), short(one.step)] for one in value.slices
            ],
        }
        for value in record.values
    ]
    content = {
        "run": {
            **{"name": run.name, "data": run.data, "step": run.step, "seed": run.seed},
            "versions": [f"{name} {of}" for name, of in run.versions],
            "axes": dict(run.axes),
        },
        "labels": [[*one] for one in labels],
        "values": values,
    }
    return json.dumps(content, separators=(",", ":"), allow_nan=False)


def write_files(record: Record, folder: str) -> Iterator[tuple[str, str | bytes]]:
    """Yield the path and the content of each file of a record: card data and slices.

    `folder` is the path of the page without its extension.
    """
    yield f"{folder}.json", card_data(record)
    for number, value in enumerate(record.values):
        if value.slices:
            codes = b"".join(one.codes for one in value.slices)
            yield f"{folder}/{number}.bin", codes
