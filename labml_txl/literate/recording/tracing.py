"""# Tracing

Observe a program statement by statement while it runs, without changing what it does.

Python calls a tracer *before* it runs a line, so the effect of a statement is known
only when the next one starts, or when the function ends. This module waits for that,
and then reports which bindings of a watched function have got a value.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, TypeVar

from labml_txl.literate.recording.bindings import Binding, find_bindings

Result = TypeVar("Result")

# Functions that can be suspended are not watched.
_PAUSING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


# The bindings of each statement, by the qualified name of the function and by each line
# of the statement. Statements that share a line share a list.
Statements = Mapping[str, Mapping[int, list[Binding]]]


def statements_of(text: str) -> Statements:
    """The statements in the functions of a module that bind anything."""
    found: dict[str, dict[int, list[Binding]]] = {}
    for binding in sorted(find_bindings(text), key=lambda each: each.first):
        if binding.kind != "argument":
            by_line = found.setdefault(binding.function, {})
            statement = by_line.setdefault(binding.first, [])
            statement.append(binding)
            lines = range(binding.first, binding.last + 1)
            by_line.update(dict.fromkeys(lines, statement))
    return found


class Call(ABC):
    """One call of a function; `bind` is called for each binding that gets a value.

    It is called again at the end of the function for a list that was empty at first. If
    the call ends with an error, the returned value counts as `None`.
    """

    def __init__(self, statements: Mapping[int, list[Binding]]) -> None:
        self.statements = statements
        # The statement that is running, and the `return` that ends the function.
        self._waiting: list[Binding] | None = None
        self._leaving: list[Binding] = []
        self._empty: list[tuple[Binding, list[Any]]] = []

    @abstractmethod
    def bind(self, frame: FrameType, binding: Binding, value: Any) -> None:
        """Process a binding that has got a value."""

    def handle_event(self, frame: FrameType, event: str, argument: Any) -> None:
        """Process an event of `sys.settrace`."""
        if event == "line":
            current = self.statements.get(frame.f_lineno)
            if current is not self._waiting:
                self._finish(frame)
            self._waiting = current
        elif event == "exception":
            # A loop ends with a `StopIteration`, which is no error.
            if argument[0] is not StopIteration:
                self._waiting, self._leaving = None, []
        elif event == "return":
            self._finish(frame)
            for binding, value in self._empty:
                self.bind(frame, binding, value)
            if len(self._leaving) == 1:
                self.bind(frame, self._leaving[0], argument)

    def _finish(self, frame: FrameType) -> None:
        waiting = self._waiting or []
        if returns := [each for each in waiting if each.kind == "returned"]:
            # After a `return`, only the end of a `with` or a `finally` runs.
            self._leaving = returns
        # If a statement binds a name several times, the last binding has its value.
        named = (each for each in waiting if each.kind != "returned")
        for binding in {each.name: each for each in named}.values():
            value = read_value(frame, binding.name)
            self.bind(frame, binding, value)
            if isinstance(value, list) and not value:
                self._empty.append((binding, value))


Caller = Call | None


def trace(
    run: Callable[[], Result],
    called: Callable[[FrameType, Caller], Caller],
) -> Result:
    """Call `run`, and return its result.

    For each call of a function, `called` gets its frame and the innermost watched call
    around it, and returns the object that watches this call, or `None`. Other threads
    are not watched. Afterwards, the tracer that was set before is set again.
    """
    stack: list[Call] = []

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        # Comprehensions and lambdas have frames of their own, named `<…>`, in which
        # the names of the statement do not exist.
        code = frame.f_code
        if code.co_name.startswith("<") or code.co_flags & _PAUSING:
            return None
        call = called(frame, stack[-1] if stack else None)
        if call is None:
            return None
        stack.append(call)

        def on_event(frame: FrameType, event: str, argument: Any) -> Any:
            call.handle_event(frame, event, argument)
            if event == "return":
                stack.pop()
            return on_event

        return on_event

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        return run()
    finally:
        sys.settrace(before)


def read_value(frame: FrameType, name: str) -> Any:
    """The value of a name like `x` or `self.x` in a frame; `None` if it has none.

    Properties are not read, because reading one runs code.
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
