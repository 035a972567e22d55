r"""# A pickle, read as data

A pickle is a small program: it may call whatever it names. This reader carries out what
builds lists, tables, strings and numbers, and calls nothing. A name in it stands for a
table, as `OrderedDict` does, or for an object that is of no use here and is left
out, as the tokenizer's regular expressions are. Any other name is refused.

Opcodes are told apart by `pickletools`, which reads a pickle and never executes it.
"""

import pickletools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from labml_txl.training.text.cache import TrainingError

# The tables among the types that vocabularies hold.
TABLES = {"collections OrderedDict", "collections Counter"}

# What else the vocabularies of `transformers` hold. Nothing is made of it.
LEFT_OUT = {
    "re _compile",
    "sacremoses.normalize MosesPunctNormalizer",
    "sacremoses.tokenize MosesDetokenizer",
    "sacremoses.tokenize MosesTokenizer",
    "tokenizers AddedToken",
    "transformers.tokenization_utils Trie",
}


class Name(str):
    r"""A name that a pickle asks for, with its module in front."""


class Mark:
    r"""Where the parts of something begin on the stack."""


class RefusedError(Exception):
    r"""What a pickle asks for, and does not get."""


def read_pickles(file: BinaryIO, name: str) -> Iterator[Any]:
    r"""The values of the pickles that stand in a file, one behind the other.

    Raises `TrainingError`, in one line, for what is cut off or asks for anything that
    is not data. `name` is what the error calls the file.
    """
    while True:
        try:
            yield Reader().read(file)
        except RefusedError as error:
            raise TrainingError(
                f"{name} asks for {error}, which is no data: a vocabulary holds words "
                "and numbers only"
            ) from None
        # Whatever the bytes are taken for: they are no pickle that is whole.
        except (
            *(ValueError, IndexError, KeyError, TypeError, AttributeError),
            *(MemoryError, OverflowError),
        ):
            raise TrainingError(f"{name} is cut off, or no vocabulary") from None


class Reader:
    r"""The stack of one pickle, and what it remembers of it."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def read(self, file: BinaryIO) -> Any:
        r"""The value of the next pickle of a file."""
        for opcode, value, _ in pickletools.genops(file):
            if opcode.name == "STOP":
                return self.stack.pop()
            self.step(opcode.name, value)
        raise ValueError("no end")

    def step(self, opcode: str, value: Any) -> None:
        r"""Carry out one opcode."""
        if opcode in VALUES:
            self.stack.append(value)
        elif opcode in CONSTANTS:
            self.stack.append(CONSTANTS[opcode]())
        elif opcode in REMEMBER:
            self.memo[len(self.memo) if value is None else int(value)] = self.stack[-1]
        elif opcode in RECALL:
            self.stack.append(self.memo[int(value)])
        elif opcode in STEPS:
            STEPS[opcode](self, value)
        elif opcode not in ("PROTO", "FRAME"):
            raise RefusedError(f"the opcode {opcode}")

    def parts(self) -> list[Any]:
        r"""What stands above the newest mark, which is taken away with it."""
        at = max(n for n, one in enumerate(self.stack) if isinstance(one, Mark))
        parts = self.stack[at + 1 :]
        del self.stack[at:]
        return parts

    def pop(self, count: int) -> list[Any]:
        r"""The newest `count` values."""
        if len(self.stack) < count:
            raise IndexError
        parts = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return parts

    def put(self, pairs: list[Any]) -> None:
        r"""Write keys and values, which take turns, into the table on the stack."""
        table = self.stack[-1]
        # What was left out takes whatever is put into it.
        if isinstance(table, dict):
            table.update(keyed(zip(pairs[::2], pairs[1::2], strict=True)))
        elif table is not None:
            raise TypeError

    def add(self, values: list[Any]) -> None:
        r"""Write values behind the list on the stack, or into the set."""
        target = self.stack[-1]
        if isinstance(target, list):
            target.extend(values)
        elif isinstance(target, set):
            target.update(keyed((value, None) for value in values))
        elif target is not None:
            raise TypeError

    def name(self, module: object, attribute: object) -> None:
        r"""A name on the stack, if it is one of those that are known."""
        found = f"{module} {attribute}"
        if found not in TABLES | LEFT_OUT:
            raise RefusedError(found.replace(" ", "."))
        self.stack.append(Name(found))

    def call(self) -> None:
        r"""A table from a name and its arguments, or `None` for what is left out."""
        name, arguments = self.pop(2)
        if not isinstance(name, Name):
            raise TypeError
        if name in LEFT_OUT:
            self.stack.append(None)
            return
        # No arguments, a table, or a list of pairs.
        (given,) = arguments or ({},)
        self.stack.append(keyed(given.items() if isinstance(given, dict) else given))


def keyed(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    r"""A table of pairs, whose keys are words and numbers.

    Python ends without a word where it looks up tuples nested a million deep.
    """
    found = dict[Any, Any]()
    for key, value in pairs:
        if not isinstance(key, str | int | float | None):
            raise TypeError
        found[key] = value
    return found


# What pushes the value that stands behind it.
VALUES = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"),
    *("FLOAT", "BINFLOAT", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING"),
}
CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_SET": set,
    "EMPTY_TUPLE": tuple,
    "MARK": Mark,
}
REMEMBER = {"MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"}
RECALL = {"GET", "BINGET", "LONG_BINGET"}
STEPS: dict[str, Callable[[Reader, Any], object]] = {
    "APPEND": lambda reader, _: reader.add(reader.pop(1)),
    "APPENDS": lambda reader, _: reader.add(reader.parts()),
    "ADDITEMS": lambda reader, _: reader.add(reader.parts()),
    "SETITEM": lambda reader, _: reader.put(reader.pop(2)),
    "SETITEMS": lambda reader, _: reader.put(reader.parts()),
    "TUPLE": lambda reader, _: reader.stack.append(tuple(reader.parts())),
    "TUPLE1": lambda reader, _: reader.stack.append(tuple(reader.pop(1))),
    "TUPLE2": lambda reader, _: reader.stack.append(tuple(reader.pop(2))),
    "TUPLE3": lambda reader, _: reader.stack.append(tuple(reader.pop(3))),
    "LIST": lambda reader, _: reader.stack.append(reader.parts()),
    "DICT": lambda reader, _: reader.stack.append(
        keyed(zip(*[iter(reader.parts())] * 2, strict=True))
    ),
    "POP": lambda reader, _: reader.pop(1),
    "GLOBAL": lambda reader, value: reader.name(*value.split(" ", 1)),
    "STACK_GLOBAL": lambda reader, _: reader.name(*reader.pop(2)),
    "REDUCE": lambda reader, _: reader.call(),
    "NEWOBJ": lambda reader, _: reader.call(),
    "BUILD": lambda reader, _: reader.pop(1),
}
