r"""# Tracing

Watch a program run, statement by statement, without changing what it does.

Python tells a tracer that a line is *about to* run. What a statement has done is known
when the next one starts, or when the function ends. This module waits for that: it
reports for each call of a watched function which statements are done, and what is
returned. Shape comments are compared and values are recorded by means of it.
"""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dis import opname
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

# A statement, or what is known of it.
Statement = TypeVar("Statement")
Result = TypeVar("Result")

_PAUSING = (
    inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
)  # functions that may stop in the middle


class Call(ABC, Generic[Statement]):
    r"""One call of a function, and what is reported of it.

    `statements` holds the watched statements by each line that they stand in. Those
    that may return are those of `returns`.
    """

    def __init__(self, statements: Mapping[int, Statement]) -> None:
        self.statements = statements
        self.waiting: Statement | None = None
        self.leaving: Statement | None = None

    @abstractmethod
    def returns(self, statement: Statement) -> bool:
        r"""Whether a statement may be the one that leaves the function."""

    @abstractmethod
    def done(self, frame: FrameType, statement: Statement) -> None:
        r"""A statement has run."""

    @abstractmethod
    def ended(
        self, frame: FrameType, statement: Statement | None, returned: Any
    ) -> None:
        r"""The function ends: with what, and by which statement, if it is watched.

        An error that nothing in the function caught ends it with `None`.
        """

    def event(self, frame: FrameType, event: str, argument: Any) -> None:
        r"""One event of the protocol of `sys.settrace`."""
        if event == "line":
            self._line(frame)
        elif event == "exception":
            # The end of an iterator, which a loop takes for its own end, is no fault.
            if argument[0] is not StopIteration:
                self.waiting = self.leaving = None
        elif event == "return":
            self._return(frame, argument)

    def _line(self, frame: FrameType) -> None:
        current = self.statements.get(frame.f_lineno)
        waiting = self.waiting
        if waiting is not None and current is not waiting:
            if self.returns(waiting):
                # Behind a return, only the end of a `with` or a `finally` runs.
                self.leaving = waiting
            self.done(frame, waiting)
        self.waiting = current

    def _return(self, frame: FrameType, returned: Any) -> None:
        last = self.waiting
        if last is not None:
            self.done(frame, last)
        by = last if last is not None and self.returns(last) else self.leaving
        self.ended(frame, by, returned)


Caller = Call[Any] | None


def trace(
    run: Callable[[], Result],
    called: Callable[[FrameType, Caller], Caller],
) -> Result:
    r"""Call `run`, and give what it gives.

    `called` is asked at each call of a function, with the nearest watched call around
    it: it answers how this one is watched, or `None`. A tracer that was there before is
    there afterwards. Other threads are not watched.
    """
    active: dict[FrameType, Call[Any]] = {}
    bottom = inspect.currentframe()

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        # Comprehensions and lambdas have frames of their own, named `<…>`, in which
        # the names of the statement do not exist. A generator that goes on is known.
        if frame in active:
            return on_event
        if frame.f_code.co_name.startswith("<"):
            return None
        call = called(frame, around(frame))
        if call is None:
            return None
        active[frame] = call
        return on_event

    def on_event(frame: FrameType, event: str, argument: Any) -> Any:
        call = active[frame]
        if event == "return":
            if pauses(frame):
                return on_event
            del active[frame]
        call.event(frame, event, argument)
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


def pauses(frame: FrameType) -> bool:
    r"""Whether a function only stops for a while, as a generator does at a `yield`."""
    code = frame.f_code
    if not code.co_flags & _PAUSING:
        return False
    return not opname[code.co_code[frame.f_lasti]].startswith("RETURN_")


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
