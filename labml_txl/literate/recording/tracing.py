r"""# Tracing

Watch a program run, statement by statement, without changing what it does.

Python tells a tracer that a line is *about to* run. What a statement has done is known
when the next one starts, or when the function ends. This module waits for that, and
reports for each call of a watched function which of its bindings have got a value.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from labml_txl.literate.recording.bindings import Binding, bindings

Result = TypeVar("Result")

# A function that may stop in the middle is not watched.
_PAUSING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


# The bindings of each statement, or of several that share a line: by the qualified name
# of the function, and by each of their lines.
Statements = Mapping[str, Mapping[int, list[Binding]]]


def statements_of(text: str) -> Statements:
    r"""The statements in the functions of a module that bind anything."""
    found: dict[str, dict[int, list[Binding]]] = {}
    for binding in sorted(bindings(text), key=lambda each: each.first):
        if binding.kind != "argument":
            by_line = found.setdefault(binding.function, {})
            statement = by_line.setdefault(binding.first, [])
            statement.append(binding)
            lines = range(binding.first, binding.last + 1)
            by_line.update(dict.fromkeys(lines, statement))
    return found


class Call(ABC):
    r"""One call of a function; `bound` hears of each binding when it has a value.

    A list that is empty at first is reported once more when the function ends. An
    error that nothing in the function caught ends it with `None`.
    """

    def __init__(self, statements: Mapping[int, list[Binding]]) -> None:
        self.statements = statements
        # The statement that runs, and the `return` that ends the function.
        self._waiting: list[Binding] | None = None
        self._leaving: list[Binding] = []
        self._empty: list[tuple[Binding, list[Any]]] = []

    @abstractmethod
    def bound(self, frame: FrameType, binding: Binding, value: Any) -> None:
        r"""A binding has got a value."""

    def event(self, frame: FrameType, event: str, argument: Any) -> None:
        r"""One event of the protocol of `sys.settrace`."""
        if event == "line":
            current = self.statements.get(frame.f_lineno)
            if current is not self._waiting:
                self._done(frame)
            self._waiting = current
        elif event == "exception":
            # The end of an iterator, which a loop takes for its own end, is no fault.
            if argument[0] is not StopIteration:
                self._waiting, self._leaving = None, []
        elif event == "return":
            self._done(frame)
            for binding, value in self._empty:
                self.bound(frame, binding, value)
            if len(self._leaving) == 1:
                self.bound(frame, self._leaving[0], argument)

    def _done(self, frame: FrameType) -> None:
        r"""The statement that was waited for has run."""
        waiting = self._waiting or []
        if returns := [each for each in waiting if each.kind == "returned"]:
            # Behind a return, only the end of a `with` or a `finally` runs.
            self._leaving = returns
        # The last of each name has the value that the name has afterwards.
        named = (each for each in waiting if each.kind != "returned")
        for binding in {each.name: each for each in named}.values():
            value = value_in(frame, binding.name)
            self.bound(frame, binding, value)
            if isinstance(value, list) and not value:
                self._empty.append((binding, value))


Caller = Call | None


def trace(
    run: Callable[[], Result],
    called: Callable[[FrameType, Caller], Caller],
) -> Result:
    r"""Call `run`, and give what it gives.

    `called` is asked at each call of a function, with the nearest watched call around
    it: it answers how this one is watched, or `None`. A tracer that was there before is
    there afterwards. Other threads are not watched.
    """
    active: dict[FrameType, Call] = {}
    bottom = inspect.currentframe()

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        # Comprehensions and lambdas have frames of their own, named `<…>`, in which
        # the names of the statement do not exist.
        code = frame.f_code
        if code.co_name.startswith("<") or code.co_flags & _PAUSING:
            return None
        call = called(frame, around(frame))
        if call is None:
            return None
        active[frame] = call
        return on_event

    def on_event(frame: FrameType, event: str, argument: Any) -> Any:
        active[frame].event(frame, event, argument)
        if event == "return":
            del active[frame]
        return on_event

    def around(frame: FrameType) -> Caller:
        outer = frame.f_back
        while outer is not None and outer is not bottom:
            if outer in active:
                return active[outer]
            outer = outer.f_back
        return None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        return run()
    finally:
        sys.settrace(before)


def value_in(frame: FrameType, name: str) -> Any:
    r"""What a name like `x` or `self.x` stands for in a frame, `None` for nothing.

    An attribute that runs code of its own when it is read is not read.
    """
    first, *attributes = name.split(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    for attribute in attributes:
        if isinstance(getattr(type(value), attribute, None), property):
            return None
        try:
            value = getattr(value, attribute)
        except Exception:
            return None
    return value


@lru_cache(maxsize=4096)
def same_file(filename: str, resolved: str) -> bool:
    r"""Whether a code object's file name means the file `resolved`."""
    return filename == resolved or str(Path(filename).resolve()) == resolved
