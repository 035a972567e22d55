"""# The sections of docstrings

Docstrings list arguments, results and errors in the style of Google, of NumPy, of
Sphinx or of epytext. This module divides the lines of a docstring into sections and the
lines of a section into items. **Each line belongs to one section, and there to one item
or to the text around the items**, so that no word is lost, whatever the author wrote.
A line that does not look like the beginning of an item continues the one before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from labml_txl.literate.sources.prose import (
    EXAMPLES,
    Reader,
    Titles,
    dedent,
    end_of_block,
    format_item,
    indent_of,
    links_of,
    match_list,
)

# What the titles of sections are shown as, and how their lines are read.
_PARAMETERS = dict.fromkeys(
    ("args", "arguments", "parameters", "params"), "Parameters"
) | {
    "keyword args": "Keyword arguments",
    "keyword arguments": "Keyword arguments",
    "keyword parameters": "Keyword parameters",
    "other args": "Other parameters",
    "other arguments": "Other parameters",
    "other parameters": "Other parameters",
    "attributes": "Attributes",
    "fields": "Fields",
    "methods": "Methods",
    "functions": "Functions",
    "classes": "Classes",
    "modules": "Modules",
}
_RESULTS = {
    "return": "Returns",
    "returns": "Returns",
    "yield": "Yields",
    "yields": "Yields",
    "receives": "Receives",
    "raise": "Raises",
    "raises": "Raises",
    "except": "Raises",
    "exceptions": "Raises",
    "warns": "Warns",
}
_OTHERS = {
    *("note", "notes", "warning", "warnings", "see also", "references", "todo"),
    *("important", "tip", "hint", "deprecated"),
    *EXAMPLES,
}
_LISTED = re.compile(r"[A-Z][a-z]+(?: [A-Za-z]+)?")
_UNDERLINE = re.compile(r"(?:-{3,}|={3,})[ ]*")
_FIELD = re.compile(
    r"[:@](?P<kind>[a-z]+)(?P<names>[ ][^:\n]*)?:(?![:`])[ ]?(?P<text>.*)"
)


def convert_sections(text: str, titles: Titles) -> str:
    """The Markdown of a docstring; `titles` are those of its text, see `Titles`."""
    lines = text.split("\n")
    epytext = any(line.startswith("@") and _is_field(line) for line in lines)
    reader = Reader(links_of(text), titles, epytext)
    numpy = [*_numpy(lines)]
    if numpy:
        made = [reader.text(lines[: numpy[0]])]
        for start, end in zip(numpy, [*numpy[1:], len(lines)], strict=True):
            title, body = lines[start].strip(), lines[start + 2 : end]
            made.append(_section(title, body, _numpy_items, reader))
    else:
        made = [*_google([*_align_titles(lines)], reader)]
    return "\n\n".join(filter(None, made))


def _numpy(lines: Sequence[str]) -> Iterator[int]:
    """The lines with a title of NumPy's style; none if there is no title of a list."""
    known = {*_PARAMETERS, *_RESULTS, *_OTHERS}
    found: list[int] = []
    listed = False
    for number in range(len(lines) - 1):
        if _UNDERLINE.fullmatch(lines[number + 1]):
            title = lines[number].strip().lower()
            if title in known or (found and title and not indent_of(lines[number])):
                found.append(number)
                listed = listed or title in known
    yield from found if listed else ()


def _google(lines: Sequence[str], reader: Reader) -> Iterator[str]:
    """The sections of Google's style, and the fields of Sphinx and epytext."""
    start = position = 0
    while position < len(lines):
        line = lines[position]
        made = ""
        end = position + 1
        if (found := match_list(lines, position)) and _is_listed(found[0]["title"]):
            match, end = found
            body = lines[position + 1 : end]
            made = _section(match["title"], body, _google_items, reader)
        elif _is_field(line):
            end = _end_of_fields(lines, position)
            made = _fields(lines[position:end], reader)
        if made:
            yield reader.text(lines[start:position])
            yield made
            start = end
        position = max(end, position + 1) if made else position + 1
    yield reader.text(lines[start:])


def _align_titles(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with each title that ends a section above without indentation.

    In a docstring that is not indented evenly, it is as deep as the items above, or
    less deep.
    """
    depth = 0  # that of the first line of a section
    begins = False
    for line in lines:
        words = line.strip()
        title = words.endswith(":") and _is_listed(words[:-1])
        if title and (not depth or (indent_of(line) <= depth and not begins)):
            line, depth, begins = line[indent_of(line) * bool(depth) :], 0, True
        elif words and (begins or not indent_of(line)):
            depth, begins = indent_of(line), False
        yield line


def _is_listed(title: str) -> bool:
    """Whether a section lists items: `Returns`, `Args` or, as in Keras, `Call args`."""
    if not _LISTED.fullmatch(title):
        return False
    key = title.lower()
    return key.split()[-1] in _PARAMETERS or key in _RESULTS


# Items


class _Item(NamedTuple):
    """An item of a section: its name and type, and the lines that describe it."""

    name: str
    type: str
    lines: list[str]


# Reads the lines of a section as items and texts, in their order.
_Items = Callable[[Sequence[str], bool], Iterator[_Item | list[str]]]


def _section(title: str, lines: Sequence[str], items: _Items, reader: Reader) -> str:
    """A section with its title in bold."""
    key = title.lower()
    body = dedent(lines)
    if key.split()[-1] in _PARAMETERS:
        made = _format_items(items(body, False), reader)
        title = _PARAMETERS.get(key, title)
    elif key in _RESULTS:
        made = _format_items(items(body, True), reader)
        title = _RESULTS[key]
    elif key == "see also" and items is _numpy_items:
        made = _format_items(_related_items(body), reader)
    elif key in EXAMPLES:
        made = "\n".join(reader.example(body))
    else:
        made = reader.text(body)
    return f"**{title}**\n\n{made}"


def format_parameters(described: Sequence[tuple[str, str, str]]) -> str:
    """A list of parameters, each given with its name, its type and its text."""
    items = (_Item(name, kind, text.split("\n")) for name, kind, text in described)
    links = links_of("\n".join(text for _, _, text in described))
    return f"**Parameters**\n\n{_format_items(items, Reader(links))}"


def _format_items(parts: Iterable[_Item | list[str]], reader: Reader) -> str:
    made: list[str] = []
    for part in parts:
        if isinstance(part, _Item):
            item = _format_item(part, reader)
            # Without a blank line, Markdown takes the next item for a part of this one.
            made += [*item, ""] if "" in item else item
        elif words := reader.text(dedent(part)):
            made += ["", words, ""]
    return "\n".join(made).strip("\n")


def _format_item(item: _Item, reader: Reader) -> list[str]:
    """An item of a list: name and type as code, and the description."""
    codes = []
    for code in (item.name, item.type):
        words = " ".join(code.replace("\\*", "*").replace("\\\n", "\n").split())
        shown = reader.inline(words) if reader.epytext or "`" in words else words
        # With signs of code in it, it is a text.
        if "`" in shown or shown != words:
            words = shown
            words = words if code is item.name else f"({words})"
            codes.append(words)
        elif words:
            codes.append(f"`{words}`")
    opening = f"- {' '.join(codes)}"
    text = dedent(item.lines)
    if not codes:
        opening = "-"
    elif text:
        opening += ":"
    return format_item(opening, reader.blocks(text, 1) if text else [])


_NAMES = re.compile(
    r"(?P<name>(?:`+[^`]+`+|[\\*]{0,4}[A-Za-z_][\w.\[\]'\"-]*)"
    r"(?:(?:, ?| ?/ ?| and )[\\*]{0,4}[A-Za-z_][\w.]*)*)[ ]*"
)
_TITLED = re.compile(r"(?P<name>[^:.`]{1,40}):(?=[ ]|\Z)")


def _google_items(lines: Sequence[str], results: bool) -> Iterator[_Item | list[str]]:
    """The items of a section of Google's style."""
    starts = [
        n
        for n, line in enumerate(lines)
        if line.strip()
        and not indent_of(line)
        and _head(_join_brackets(lines, n), results)
    ]
    level = [line for line in lines if line.strip() and not indent_of(line)]
    if not results and level and all(map(_TITLED.match, level)):
        starts = [n for n, line in enumerate(lines) if line in level]
    # A result is one text, unless it begins like an item.
    if not starts or (results and starts[0]):
        yield list(lines)
        return
    yield list(lines[: starts[0]])
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        whole = _join_brackets(lines, start)
        head = _head(whole, results)
        count = whole.count("\n") + 1
        if head is None:
            name, _, text = whole.partition(":")
            head = name, "", text
        name, kind, text = head
        words = text.split("\n")
        first, rest = words[0].strip(), [*words[1:], *lines[start + count : end]]
        yield _Item(name, kind, [first, *_split_items(_dedent_rest(rest))])


def _split_items(lines: list[str]) -> list[str]:
    """The text of an item as a list, if each of its lines is an item in turn."""
    level = [n for n, line in enumerate(lines) if line.strip() and not indent_of(line)]
    heads = {n: _head(lines[n], False) for n in level}
    if len(level) < 2 or not all(heads.values()):
        return lines
    made = []
    for number, line in enumerate(lines):
        if head := heads.get(number):
            name, kind, text = head
            kind = f" ({kind})" if kind else ""
            made.append(f"- `{name.strip('`')}`{kind}:{text}")
        else:
            made.append(f"  {line}" if line else "")
    return made


def _dedent_rest(lines: Sequence[str]) -> list[str]:
    """The lines after the first, of which some may be as deep as the first."""
    depths = [indent_of(line) for line in lines if line.strip() and indent_of(line)]
    cut = min(depths, default=0)
    return [line[min(cut, indent_of(line)) :] for line in lines]


def _join_brackets(lines: Sequence[str], start: int) -> str:
    """The line at `start`, with the next ones that its open brackets extend to.

    A backslash at the end of a line extends it too.
    """
    depth = 0
    for end in range(start, min(len(lines), start + 6)):
        line = lines[end]
        if end > start and not line.startswith(" "):
            break
        depth += sum((sign in "([") - (sign in ")]") for sign in line)
        if depth <= 0 and not line.endswith("\\"):
            return "\n".join(lines[start : end + 1])
    return lines[start]


def _head(text: str, result: bool) -> tuple[str, str, str] | None:
    """The name, the type and the text of an item, or None if it is none.

    Of a result or an error, the name may be a type such as `dict[str, int]`.
    """
    if result:
        depth = 0
        for position, sign in enumerate(text[:200]):
            depth += (sign in "([{") - (sign in ")]}")
            if sign == ":" and not depth:
                kind = text[:position]
                after = text[position + 1 : position + 2]
                if _is_type(kind) and (not after or after in " \n"):
                    return kind, "", text[position + 1 :]
                return None
            if sign == "\n" and not depth:
                return None
        return None
    match = _NAMES.match(text)
    if not match:
        return None
    name, rest = match["name"], text[match.end() :]
    kind = ""
    if rest.startswith("("):
        depth = 0
        for position, sign in enumerate(rest):
            depth += (sign in "([{") - (sign in ")]}")
            if not depth:
                kind, rest = rest[1:position], rest[position + 1 :]
                break
        if not kind or (rest.strip() and not rest.startswith((":", " :", "\n"))):
            return None
        return name, kind, rest.lstrip(" ").removeprefix(":")
    if rest.startswith(":") and rest[1:2] in ("", " ", "\n"):
        return name, "", rest[1:]
    return None


# Several names with two capitals each, as in "ValueError, TypeError".
_ERRORS = re.compile(r"(?:[a-z_.]*[A-Z]\w*[A-Z]\w*(?:, | or |\Z))+")


def _is_type(text: str) -> bool:
    """Whether a text may be a type: one word, brackets after one, or several errors."""
    outer = re.sub(r"\[[^\]]*\]+|\([^)]*\)", "", text).strip()
    if _ERRORS.fullmatch(outer):
        return True
    return bool(re.fullmatch(r"[`~]*[\w.:`|~ ]*[`]*|", outer)) and (
        " " not in outer.replace(" | ", "|")
    )


_NUMPY_ITEM = re.compile(r"[\w*.,\\\[\]{}()`'\"/ -]{1,60}? ?:(?: |\Z)(?=.*)")


def _numpy_items(lines: Sequence[str], results: bool) -> Iterator[_Item | list[str]]:
    """The items of a section of NumPy's style, and the texts between them."""
    if lines and re.match(r"[-*•] ", lines[0]):
        yield list(lines)
        return
    position = 0
    text: list[str] = []
    while position < len(lines):
        line = lines[position]
        after = lines[position + 1] if position + 1 < len(lines) else ""
        deeper = bool(after.strip()) and indent_of(after) > 0
        apart = not position or not lines[position - 1].strip()
        if not line.strip() or not _begins_item(line, deeper, apart, bool(text)):
            text.append(line)
            position += 1
            continue
        yield text
        text = []
        whole = _join_brackets(lines, position)
        end = end_of_block(lines, position + 1, 0)
        rest = list(lines[position + whole.count("\n") + 1 : end])
        # A line of the same depth that follows at once continues the description.
        while end < len(lines) and lines[end].strip() and rest:
            after = lines[end + 1] if end + 1 < len(lines) else ""
            if _begins_item(lines[end], after.startswith(" "), False, False):
                break
            rest.append(lines[end])
            end += 1
        name, kind = whole, ""
        if not results or " : " in f" {whole} ":
            name, _, kind = whole.partition(":")
        name, kind = name.strip(), kind.strip()
        # What is deeper than a literal block's `::` is not the end of a sentence.
        literal = any(line.rstrip().endswith("::") for line in rest)
        yield _Item(name, kind, dedent(rest) if literal else _dedent_rest(dedent(rest)))
        position = end
    yield text


def _begins_item(line: str, deeper: bool, apart: bool, in_text: bool) -> bool:
    marks = ("..", "- ", "* ", ">>>", "```", "!!! ", "??? ")
    if indent_of(line) or line.startswith(marks):
        return False
    if deeper and not in_text:
        return True
    if deeper and apart:
        return True
    if not _NUMPY_ITEM.match(line):
        names = re.fullmatch(r"[*\w.]+(?:, [*\w.]+)*", line.strip())
        return bool(names) and (apart or not in_text)
    return " : " in line or len(line.partition(":")[0].split()) == 1


def _related_items(lines: Sequence[str]) -> Iterator[_Item | list[str]]:
    """The names of a section `See Also`, each with its description."""
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line.strip() or line.startswith("..") or indent_of(line):
            end = end_of_block(lines, position + 1, 0) if line.strip() else position + 1
            yield list(lines[position:end])
            position = end
            continue
        end = end_of_block(lines, position + 1, 0)
        name, colon, text = f"{line} ".partition(" : ")
        names = re.fullmatch(r"[\w.,()`~:]+(?:, ?[\w.,()`~:]+)*", line.strip())
        if not colon and not names and not re.match(r"[\w.]+: ", line):
            yield list(lines[position:end])
        elif not colon and re.match(r"[\w.]+: ", line):
            name, _, text = line.partition(": ")
            yield _Item(name, "", [text, *_dedent_rest(lines[position + 1 : end])])
        else:
            words = [text.rstrip(), *_dedent_rest(lines[position + 1 : end])]
            yield _Item(name.strip(" ~").removesuffix(","), "", words)
        position = end


# Fields of Sphinx and epytext

_FIELDS = {
    **dict.fromkeys(
        ("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "kwparam"),
        "Parameters",
    ),
    "type": "Parameters",
    **dict.fromkeys(("return", "returns", "rtype"), "Returns"),
    **dict.fromkeys(("yield", "yields", "ytype"), "Yields"),
    **dict.fromkeys(("raise", "raises", "except", "exception"), "Raises"),
    **dict.fromkeys(("var", "ivar", "cvar", "vartype"), "Attributes"),
}
_TYPES = {"type", "rtype", "ytype", "vartype"}


def _is_field(line: str) -> bool:
    match = _FIELD.fullmatch(line)
    return match is not None and match["kind"] in _FIELDS


def _end_of_fields(lines: Sequence[str], start: int) -> int:
    """The end of a list of fields: a line of the same depth after a blank one."""
    end = start
    while end < len(lines):
        if not lines[end].strip():
            after = end
            while after < len(lines) and not lines[after].strip():
                after += 1
            if after == len(lines):
                return end
            if not indent_of(lines[after]) and not _is_field(lines[after]):
                return end
            end = after
        else:
            end += 1
    return end


def _fields(lines: Sequence[str], reader: Reader) -> str:
    """The fields as lists, one for each kind, in the order of their first one.

    A type and a description of the same name are one item.
    """
    starts = [n for n, line in enumerate(lines) if _is_field(line)]
    groups: dict[str, list[_Item]] = {}
    latest: dict[tuple[str, str], int] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = _FIELD.fullmatch(lines[start])
        if match is None:
            continue
        kind, name, title = match["kind"], match["names"] or "", _FIELDS[match["kind"]]
        text = [match["text"].strip(), *_dedent_rest(lines[start + 1 : end])]
        typed, described = "", text
        if kind in _TYPES:
            typed, described = " ".join(" ".join(text).split()), []
        elif title == "Parameters":
            # The last word is the name, and the type may come before it.
            typed, _, name = name.rpartition(" ")
        name = name.strip()
        items = groups.setdefault(title, [])
        number = latest.get((title, name), -1)
        one = items[number] if number >= 0 else _Item(name, "", [])
        if number < 0 or (one.type and typed) or (one.lines and described):
            one, number = _Item(name, "", []), len(items)
            items.append(one)
            latest[title, name] = number
        items[number] = _Item(name, one.type or typed, one.lines or described)
    return "\n\n".join(
        f"**{title}**\n\n{_format_items(iter(items), reader)}"
        for title, items in groups.items()
    )
