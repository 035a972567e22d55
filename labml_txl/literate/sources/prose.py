"""# The text of docstrings as Markdown

Docstrings are written in Markdown, in reStructuredText or in epytext, and often in a
mixture of them. This module reads the lines of a text once, from top to bottom, and
converts the usual constructs of the other two to Markdown: lists, titles, directives,
literal blocks, examples, links and roles. What it does not know stays as it is written,
in a block of code where Markdown would change it.

No line is read more often than the nesting of its list is deep, and no regular
expression has nested repetitions, so the time grows with the length of the text only.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from labml_txl.literate.markdown.inline import fence, is_formula
from labml_txl.literate.markdown.tags import find_stray

# What the titles of a docstring become: headings in that of a module, otherwise bold.
Titles = Literal["headings", "bold"]


# Lines


def indent_of(line: str) -> int:
    """The number of blanks at the beginning of a line."""
    return len(line) - len(line.lstrip(" "))


def dedent(lines: Sequence[str]) -> list[str]:
    """The lines without the indentation that they share, and without blank ends."""
    full = [n for n, line in enumerate(lines) if line.strip()]
    if not full:
        return []
    depth = min(indent_of(lines[n]) for n in full)
    return [line[depth:] for line in lines[full[0] : full[-1] + 1]]


def end_of_block(lines: Sequence[str], start: int, depth: int) -> int:
    """The end of the block from `start` on whose lines are deeper than `depth`.

    Blank lines belong to it if another line of it follows.
    """
    end = position = start
    while position < len(lines):
        if lines[position].strip():
            if indent_of(lines[position]) <= depth:
                break
            end = position + 1
        position += 1
    return end


def match_title(lines: Sequence[str], start: int) -> tuple[re.Match[str], int] | None:
    """A title of Google's style, and the end of the indented text below it.

    It has up to three words and a colon, as in `Notes:`. `sections` knows the titles
    above lists of items, and `Reader` reads the texts below all others.
    """
    match = _REMARK.fullmatch(lines[start])
    end = end_of_block(lines, start + 1, 0) if match else 0
    return (match, end) if match and end > start + 1 else None


def match_list(lines: Sequence[str], start: int) -> tuple[re.Match[str], int] | None:
    """A title as in `match_title`, or one above a list that is not indented."""
    if found := match_title(lines, start):
        return found
    match = _REMARK.fullmatch(lines[start])
    if match is None:
        return None
    first = start + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    end = first
    while end < len(lines) and _ITEM.match(lines[end]) and not indent_of(lines[end]):
        end = end_of_block(lines, end + 1, 0)
        while end < len(lines) and not lines[end].strip():
            end += 1
    return (match, end) if end > first else None


def block_of_code(lines: Sequence[str], language: str = "") -> list[str]:
    """The lines as a block of code; Python is recognised."""
    code = dedent(lines)
    text = "\n".join(code)
    if code and code[0].startswith(">>>"):
        language = language or "pycon"
    mark = fence(text)
    return [f"{mark}{language or python_or_text(text)}", *code, mark]


def python_or_text(text: str) -> str:
    """The language of a block of code: `python` if it is valid, else `text`."""
    return "python" if _statements(text) else "text"


def _statements(text: str) -> list[ast.stmt]:
    """The statements of a text; none if it is not valid Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


# Code without a fence

# Statements that no sentence looks like, and those that a sentence may look like.
_SURE = (
    *(ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Assert, ast.Await),
    *(ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef),
)
_POSSIBLE = (
    *(ast.Attribute, ast.Subscript, ast.Constant, ast.Pass, ast.Return, ast.Raise),
    ast.Delete,
)
# What a call cannot contain, but the signature of a function.
_SIGNATURE = re.compile(r", (?:\.\.\.|[*/])(?=[,)])")
# What every block of code has in one of its lines.
_CODE_LIKE = re.compile(r"[=(]|^(?:import|from) |:$")


def is_code(lines: Sequence[str]) -> bool:
    """Whether lines without a fence are statements of Python, and no sentences.

    Texts such as `note: words`, `words (more)` and `one, or not two` are valid Python.
    """
    code = [_SIGNATURE.sub("", line) for line in dedent(lines)]
    if not any(_CODE_LIKE.search(line) for line in code):
        return False
    found = _statements("\n".join(code))
    sure = [_is_sure(node, code) for node in found]
    return any(sure) and all(
        is_sure
        or isinstance(node.value if isinstance(node, ast.Expr) else node, _POSSIBLE)
        for node, is_sure in zip(found, sure, strict=True)
    )


def _is_sure(node: ast.stmt, lines: Sequence[str]) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=called)):
            after = lines[(called.end_lineno or 1) - 1].encode()[
                called.end_col_offset :
            ]
            return after.startswith(b"(")
        case ast.Expr(value=value):
            return isinstance(value, _SURE)
        case ast.AnnAssign():
            return node.value is not None
    body = getattr(node, "body", None)
    return isinstance(node, _SURE) or bool(body and body[0].lineno > node.lineno)


def code_at(lines: Sequence[str], start: int) -> int:
    """The end of the paragraphs from `start` on that are code; `start` if none is.

    A single line is code only beside a paragraph of several lines that is.
    """
    end = position = start
    several = False
    while position < len(lines):
        below = _end_of_paragraph(lines, position)
        several = several or below > position + 1
        # Above several lines may be a single one only, so no line is read often.
        single = not several and position > start
        # Within code, a paragraph of comments belongs to what follows.
        spoken = several and position == end + 1 and _is_comment(lines[position:below])
        if single or not (spoken or is_code(lines[position:below])):
            return end if end > start + 1 else start
        position = below
        end = end if spoken else below
        while position < len(lines) and not lines[position].strip():
            position += 1
    return end if end > start + 1 else start


def is_tree(lines: Sequence[str]) -> bool:
    """Whether lines are a tree of tags, of which the text speaks."""
    depth = indent_of(lines[0])
    deeper = (
        line.lstrip().startswith("<") and indent_of(line) > depth for line in lines
    )
    return (
        lines[0].lstrip().startswith("<")
        and any(deeper)
        and bool(find_stray("\n".join(lines)))
    )


def _is_comment(lines: Sequence[str]) -> bool:
    return all(line.lstrip().startswith("#") for line in lines)


def _end_of_paragraph(lines: Sequence[str], start: int) -> int:
    while start < len(lines) and lines[start].strip():
        start += 1
    return start


def divide(paragraph: Sequence[str]) -> Iterator[tuple[bool, Sequence[str]]]:
    """The texts and the code of a paragraph, in order; the code is `True`.

    Code is deeper than the line above it, or it ends the paragraph below a sentence.
    """
    above = enumerate(paragraph[:-1], 1)
    ends = [number for number, line in above if line.rstrip()[-1] in ".:?!"][:3]
    begin = position = 0
    while position < len(paragraph):
        end = end_of_block(paragraph, position + 1, indent_of(paragraph[position]))
        start = position + 1
        if position + 1 in ends and is_code(paragraph[start:]):
            end = len(paragraph)
        if end > start and is_code(paragraph[start:end]):
            # A line such as `if x:` belongs to the code below it.
            start -= start - 1 > begin and is_code(paragraph[start - 1 : end])
            yield False, paragraph[begin:start]
            yield True, paragraph[start:end]
            begin = end
        position = end
    if begin < len(paragraph):
        yield False, paragraph[begin:]


_COUNTED = re.compile(r"[ ]*(?P<word>[A-Z][a-z]+) \d+(?:\.\d+)*:[ ]")
# What is in a statement, but hardly in a sentence.
_CALLED = re.compile(r"\w[.(\[]\w")


def keep_lines(paragraph: Sequence[str]) -> list[str]:
    """The lines of a text without those breaks that Markdown would remove.

    A line such as `Version 2: words` ends the one with `Version 1`, and a single
    statement between sentences is marked as code.
    """
    made: list[str] = []
    counted = ""
    for line in paragraph:
        match = _COUNTED.match(line)
        if match and counted == match["word"]:
            made[-1] += "  "  # two blanks break a line of Markdown
        counted = match["word"] if match else counted
        code = len(paragraph) > 1 and "`" not in line and _CALLED.search(line)
        words = line.strip()
        made.append(
            line.replace(words, f"`{words}`") if code and is_code([line]) else line
        )
    return made


# Links

_TARGET = re.compile(r"[ ]*\.\.[ ]+_(?P<name>`[^`]+`|[^:`\\]+):(?P<url>.*)")


# An address that is defined as in `[name]: https://…`. Python-Markdown would apply the
# definitions of one docstring to the whole page.
DEFINED = re.compile(r"[ ]{0,3}(?P<name>\[[^\[\]^]+\]):[ ]+<?(?P<url>[^\s<>]+)>?[ ]*")


def links_of(text: str) -> dict[str, str]:
    """The addresses that a docstring defines and uses, by their names.

    They are defined as in `.. _name: https://…`, or as in `[name]: https://…`, whose
    name keeps its brackets.
    """
    if ".. _" not in text and "]:" not in text:
        return {}
    found = {}
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith(".. _") and (target := _target(lines, number)):
            found[_key(target[0])] = target[1]
        elif line.lstrip().startswith("[") and (match := DEFINED.fullmatch(line)):
            found[_key(match["name"])] = match["url"].strip()
    used = {
        _key("".join(map(str, filter(None, match.groups()))))
        for match in _REFERENCE.finditer(text)
    }
    names = Counter(_key(name) for name in re.findall(r"\[[^\[\]]*\]", text))
    used |= {name for name, number in names.items() if number > 1}
    return {name: url for name, url in found.items() if name in used}


def _target(lines: Sequence[str], start: int) -> tuple[str, str, int] | None:
    """The name and the address that `.. _name:` defines, and the line after both.

    The address may be on the next line, with more indentation.
    """
    match = _TARGET.fullmatch(lines[start])
    if match is None:
        return None
    name, url = match["name"].strip("`"), match["url"].strip()
    below_it = lines[start + 1] if start + 1 < len(lines) else ""
    deeper = indent_of(below_it) > indent_of(lines[start])
    if not url and deeper and re.fullmatch(r"[ ]*[a-z]+:[^\s<>]+[ ]*", below_it):
        return name, below_it.strip(), start + 2
    return name, url, start + 1


_REFERENCE = re.compile(
    r"(?:`([^`<>]+)`|<([^`<>]+)(?=_>)|(?<![\w`./:])([A-Za-z][A-Za-z0-9-]*))_(?![\w:])"
)


def _key(name: str) -> str:
    return " ".join(name.strip("`").split()).casefold()


# The name of a character, of which a text about a program speaks, as in `"&nbsp;"`
# and `use &nbsp; here`.
_ENTITY = r"""&(?:(?<=["']&)|(?!nbsp;)|(?<=\w[ ]&)(?=nbsp;[ ]\w))(?=\#?\w+;)"""
ENTITY = re.compile(_ENTITY)

# The pieces of a line that have a meaning in reStructuredText. The first three are code
# and formulas, which stay as they are.
_INLINE = re.compile(
    rf"""
    (?P<code> (?<!`)(?P<ticks>``+)(?!`)(?:[^`]|(?!(?P=ticks)(?!`))`)+(?P=ticks)(?!`) )
  | (?P<entity> {_ENTITY} )
  | (?P<math> \$\$?(?:[^$\n]+|[^$`]+)\$\$? )
  | (?P<role> (?<![\w:`]):(?P<name>[a-zA-Z][\w.+-]*(?::[a-zA-Z][\w.+-]*)*):
        `(?P<text>[^`]+)`(?:\\[ ]?(?=[\w ]))? )
  | (?P<link> `(?P<words>[^`<>]*)<(?P<url>[^`<>]+)>`__?(?!\w) )
  | (?P<reference> `(?P<key>[^`<>]+)`__?(?!\w) )
  | `~(?:\w+\.)*(?P<short_name>[A-Za-z_]\w*(?:\(\))?)`
  | (?P<name_only> `[^`]*` )
  | (?P<footnote> (?<![^\w\s.,;:()"'])\[(?P<note>\#?[\w.*-]+)\]_(?!\w) )
  | (?P<pair> \[(?P<shown>[^\[\]]+)\]\[(?P<label>[^\[\]]*)\] )
  | (?P<short> (?<![\w\]!])\[(?P<only>[^\[\]]+)\](?![\[(:\w]) )
  | (?P<word> (?<![\w`/.])(?P<alone>[A-Za-z][A-Za-z0-9-]*)__?(?![\w`]) )
    """,
    re.VERBOSE | re.MULTILINE,
)
_TITLED = re.compile(r"(?P<title>[^<>]+?)\s*<(?P<target>[^<>]+)>")
_STANDARDS = {
    "doi": ("{}", "https://doi.org/{}"),
    "arxiv": ("{}", "https://arxiv.org/abs/{}"),
    "pep": ("PEP {}", "https://peps.python.org/pep-{:0>4}/"),
    "rfc": ("RFC {}", "https://datatracker.ietf.org/doc/html/rfc{}"),
}


def inline(text: str, links: Mapping[str, str] | None = None) -> str:
    """A text with roles, links and references of reStructuredText in Markdown.

    `links` are the addresses of the references by their names.
    """
    known = links or {}

    def change(match: re.Match[str]) -> str:
        if match["role"]:
            after = text[match.end() : match.end() + 1]
            return _role(match["name"], match["text"], after)
        if match["link"]:
            words = match["words"].strip()
            # An address may be broken at the end of a line.
            url = re.sub(r"\n[ ]*", "", match["url"])
            if url.endswith("_"):
                url = known.get(_key(url.rstrip("_")), "")
            elif " " in url:
                return match[0]
            return _link(words, url)
        if match["reference"]:
            return _link(match["key"], known.get(_key(match["key"]), ""))
        for words, name in (
            (match["shown"], match["label"] or match["shown"]),
            (match["only"], match["only"]),
        ):
            if words and (url := known.get(_key(f"[{name}]"), "")):
                return _link(words, url)
        if match["short_name"]:
            return f"`{match['short_name']}`"
        if match["entity"]:
            return "&amp;"
        if match["footnote"]:
            return f"[{match['note']}]"
        if match["word"] and (url := known.get(_key(match["alone"]), "")):
            return _link(match["alone"], url)
        return match[0]

    if not {"`", "_", "&", *("[" * bool(known))} & set(text):
        return text
    return _INLINE.sub(change, _JOINED.sub("", text))


# In "`Lock`\s", the backslash joins the ending to the name.
_JOINED = re.compile(r"(?<=[^\s`:]`)\\(?:[ ]|(?=\w))")


def _link(words: str, url: str) -> str:
    if not url:
        return words
    if not words:
        return f"<{url}>"
    return f"[{words}]({f'<{url}>' if set('()') & set(url) else url})"


def _formula(text: str, after: str = "") -> str:
    """A formula in a line; braces tell one that is only words from sums of money."""
    tex = " ".join(text.split())
    return f"${tex}$" if not tex or is_formula(tex, after) else f"${{{tex}}}$"


# The roles that name an object of a program.
_OBJECTS = {
    *("class", "func", "meth", "attr", "mod", "obj", "exc", "data", "const", "type"),
}


def _role(name: str, text: str, after: str) -> str:
    kind = name.rpartition(":")[2]
    if kind == "math":
        return _formula(text, after)
    if kind in _STANDARDS:
        titled = _TITLED.fullmatch(" ".join(text.split()))
        target = (titled["target"] if titled else text).strip()
        words, url = _STANDARDS[kind]
        title = titled["title"] if titled else words.format(target)
        return _link(title, url.format(target))
    if titled := _TITLED.fullmatch(text):
        return titled["title"]
    if kind in {"sup", "sub", "superscript", "subscript"}:
        return f"<{kind[:3]}>{text}</{kind[:3]}>"
    if kind in {"strong", "emphasis"}:
        mark = "**" if kind == "strong" else "*"
        return f"{mark}{text}{mark}"
    text = (
        " ".join(text.split()) if kind in {"ref", "doc"} else "".join(text.split("\n"))
    )
    # A dot in front says that a name is looked for in the whole project.
    if kind in _OBJECTS:
        text = re.sub(r"^([~!]?)\.(?=\w)", r"\1", text)
    if text.startswith("~"):
        text = text[1:].rpartition(".")[2] or text
    return f"`{text.removeprefix('!').strip()}`"


_EPYTEXT = re.compile(r"\b(?P<mark>[BCILMUX])\{(?P<text>[^{}]*)\}")


def _convert_epytext(match: re.Match[str]) -> str:
    words = " ".join(match["text"].split())
    if match["mark"] == "U":
        text, _, url = words.rstrip(">").rpartition("<")
        # An address may be broken at the end of a line.
        return _link(text.strip(), url.replace(" ", ""))
    if match["mark"] == "M":
        return _formula(words)
    around = {"B": "**", "I": "*"}.get(match["mark"], "`")
    return f"{around}{words}{around}"


# Blocks

# What a reader of one kind of block returns: the line after it, and its Markdown.
Block = tuple[int, list[str]]

# A line of at least three equal signs, which underlines a title.
_RUN = re.compile(r"(?P<sign>[=\-~^\"'#*+.:`_<>])(?P=sign){2,}[ ]*")
_FENCE = re.compile(r"[ ]*(?P<mark>`{3,}|~{3,})[^`]*")
_TEX = re.compile(r"[ ]*\\(?:begin\{(?P<name>[a-z]+\*?)\}|(?P<square>\[[ ]*\Z))")
_ADMONITION = re.compile(r'[ ]*(?:(?:!!!|\?\?\?\+?)[ ]+\w|===[+!]?[ ]+").*')
_ITEM = re.compile(
    r"(?P<indent>[ ]*)(?P<mark>[-*+•]|\d{1,3}[.)]|\(\d{1,3}\)|\#\.)[ ]+(?=\S)"
)
_DIRECTIVE = re.compile(r"[ ]*\.\.[ ]?(?P<name>[a-zA-Z][\w:.+-]*?)[ ]?::(?P<text>.*)")
_CITATION = re.compile(r"[ ]*\.\.[ ]+(?P<name>\[[^\]\s]+\])(?P<text>.*)")
_FIELD = re.compile(
    r"[ ]{0,3}:(?P<name>[A-Za-z][\w -]*):(?:[ ]+(?P<text>[^`\s].*)|[ ]*)"
)
# A line of a line block; one of a table ends in a bar, too.
_LINE = re.compile(r"[ ]{0,3}\|(?: +(?P<text>.*[^|\s])?)?[ ]*")
_OPTION = re.compile(r"[ ]*:(?P<name>[\w-]+):(?P<value>(?: .*)?)")
_TABLE = re.compile(r"[ ]*=+(?:[ ]+=+)+[ ]*")
_GRID = re.compile(r"[ ]*\+(?:[-=]+\+)+[ ]*")
# A title begins with a capital, or is a word of a script without capitals.
_REMARK = re.compile(
    r"(?P<title>[A-Z][\w-]*(?: [\w-]+){0,2}|[^\W\d_\x00-\u02ff][\w-]{0,7})"
    r"(?P<colons>::?|：)[ ]*"
)
_CODE = {
    *("code", "code-block", "sourcecode", "doctest", "testcode", "testoutput", "plot"),
    *("literal", "parsed-literal", "prompt", "testsetup", "ipython", "jupyter-execute"),
}
_VERSIONS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_REMARKS = {
    *("note", "warning", "tip", "important", "caution", "attention", "danger", "hint"),
    *("error", "seealso", "todo", "admonition", "rubric", "topic", "centered"),
}
_BULLET = re.compile(r"^([ ]*\d*)((?<=\d)\.(?=[ ])|(?<!\d)[-+*](?=[ ]))")
# The titles above code, in small letters.
EXAMPLES = frozenset({"example", "examples", "usage", "example usage"})
# Lists within lists are read to this depth.
_DEEPEST = 8


@dataclass
class Reader:
    """Reads the texts of one docstring.

    `links` are the addresses that it defines; `epytext` says whether it has the inline
    marks of epytext; `levels` are the styles of its titles so far.
    """

    links: Mapping[str, str]
    titles: Titles = "bold"
    epytext: bool = False
    levels: list[str] = field(default_factory=list)

    def text(self, lines: Sequence[str]) -> str:
        """The Markdown of a text."""
        return "\n".join(self.blocks(lines))

    def inline(self, text: str) -> str:
        """The Markdown of a text without blocks."""
        if self.epytext:
            text = _EPYTEXT.sub(_convert_epytext, text)
        return inline(text, self.links)

    def blocks(self, lines: Sequence[str], depth: int = 0) -> list[str]:
        """The lines as Markdown; `depth` is the number of lists around them."""
        made: list[str] = []
        paragraph: list[str] = []
        fences = _closing_fences(lines)
        position = 0
        listed = 0  # how deep the list is that ends here
        while position < len(lines):
            line = lines[position]
            defined = DEFINED.fullmatch(line)
            if not line.strip() or (defined and _key(defined["name"]) in self.links):
                found: Block | None = (position + 1, [])
            elif listed > 3 and not paragraph and indent_of(line) == listed:
                # As deep as the list above, it is a text and no code.
                end = end_of_block(lines, position, listed - 1)
                found = end, self.blocks(dedent(lines[position:end]), depth)
            elif same := _verbatim(lines, position, fences, bool(paragraph)):
                made += self._paragraph(paragraph, depth)
                paragraph.clear()
                position, block = same
                made += block
                listed = 0
                continue
            else:
                found = (
                    (None if paragraph else self._title(lines, position))
                    or (None if paragraph else _code(lines, position))
                    or _table(lines, position)
                    or _example(lines, position, bool(paragraph))
                    or self._directive(lines, position, depth)
                    or (None if paragraph else self._remark(lines, position, depth))
                    or (None if paragraph else self._fields(lines, position, depth))
                    or (None if paragraph else self._lines(lines, position))
                    or self._list(lines, position, depth, paragraph)
                    or (
                        None if paragraph else self._definitions(lines, position, depth)
                    )
                    or self._literal(lines, position, paragraph)
                )
            if not found:
                paragraph.append(line)
                position += 1
                listed = 0
                continue
            made += self._paragraph(paragraph, depth)
            paragraph.clear()
            if line.strip():
                listed = indent_of(line) if _ITEM.match(line) else 0
            position, block = found
            if made and made[-1]:
                made.append("")
            if block:
                made += [*block, ""]
        made += self._paragraph(paragraph, depth)
        while made and not made[-1]:
            made.pop()
        return made

    def _paragraph(self, lines: Sequence[str], depth: int) -> list[str]:
        """A paragraph, which may contain code without a fence."""
        made: list[str] = []
        for code, part in divide(lines) if lines else ():
            made += [""] * bool(made)
            if code:
                made += block_of_code(part, "python")
            else:
                made += self._sentences(part, depth)
        return made

    def _sentences(self, lines: Sequence[str], depth: int) -> list[str]:
        """The text of a paragraph, in which no line begins a list, such as a year."""
        lines = [
            f"\\{one.lstrip()}" if DEFINED.fullmatch(one) else one for one in lines
        ]
        # A fence without its partner would take in what follows.
        lines = [
            one.replace("`", "\\`") if _FENCE.fullmatch(one) else one for one in lines
        ]
        # Roles come first, as a formula over two lines may have a sign at the break.
        made = self.inline("\n".join(keep_lines(lines))).split("\n")
        count = len(made) if depth else 1
        return [*(_BULLET.sub(r"\1\\\2", one) for one in made[:count]), *made[count:]]

    def _title(self, lines: Sequence[str], start: int) -> Block | None:
        """A title with a line of signs below it, or also above it."""
        over = 1 if _RUN.fullmatch(lines[start]) else 0
        run = lines[start + over + 1].rstrip() if len(lines) > start + over + 1 else ""
        title = lines[start + over].strip() if len(lines) > start + over else ""
        if not (match := _RUN.fullmatch(run)) or _RUN.fullmatch(title) or not title:
            return None
        if over:
            if lines[start].rstrip() != run:
                return None
        elif indent_of(lines[start]) or len(run) < len(title) - 4:
            return None
        elif match["sign"] in "`~" and (len(run) == 3 or len(run) > len(title) + 4):
            return None  # a block of code
        end = start + over + 2
        if self.titles == "bold":
            return end, [f"**{self.inline(title)}**"]
        style = match["sign"] * (1 + over)
        if not self.levels and start:
            self.levels.append("")
        if style not in self.levels:
            self.levels.append(style)
        level = self.levels.index(style) + 1
        # A page has one title.
        level = max(level, 2) if start else level
        return end, [f"{'#' * min(level, 6)} {self.inline(title)}"]

    def _directive(self, lines: Sequence[str], start: int, depth: int) -> Block | None:
        """What begins with two dots: a directive, a citation, a label or a comment."""
        line = lines[start]
        if not line.lstrip().startswith(".."):
            return None
        end = end_of_block(lines, start + 1, indent_of(line))
        if match := _DIRECTIVE.fullmatch(line):
            name, text = match["name"].rpartition(":")[2], match["text"].strip()
            made = self._convert_directive(name, text, lines[start + 1 : end], depth)
            return end, made or block_of_code(lines[start:end], "rst")
        if match := _CITATION.fullmatch(line):
            words = [match["text"].strip(), *dedent(lines[start + 1 : end])]
            return end, format_item(f"- {match['name']}", self.blocks(words, depth + 1))
        if target := _target(lines, start):
            # An address is shown where the text refers to it, and a label nowhere.
            name, url, end = target
            hidden = not url or _key(name) in self.links
            return end, [] if hidden else [f"{name}: <{url}>"]
        if line.strip() == ".." or line.lstrip().startswith((".. |", ".. __")):
            return end, block_of_code(lines[start:end], "rst")
        return None

    def _convert_directive(
        self, name: str, text: str, lines: Sequence[str], depth: int
    ) -> list[str] | None:
        """The Markdown of a directive, or None if it is not known."""
        body = dedent(lines)
        options: dict[str, str] = {}
        while body and name != "math" and (option := _OPTION.fullmatch(body[0])):
            options[option["name"]] = option["value"].strip()
            body = body[1:]
        if name == "math":
            # What follows without a blank line belongs to the first formula.
            apart = not body or not lines[0].strip()
            return formulas([text, *[""] * apart, *body])
        if name in _CODE:
            caption = [options["caption"], ""] if "caption" in options else []
            if name.startswith("test"):
                text = ""  # the name of a group of tests
            language = text if re.fullmatch(r"[\w+-]*", text) else ""
            rest = [] if language == text else [text, ""]
            return [*caption, *block_of_code([*rest, *body], language)]
        if name in {"image", "figure"}:
            legend = self.blocks(body, depth + 1)
            picture = f"![{options.get('alt', '')}]({text})"
            return [picture, *([""] if legend else []), *legend]
        if name in _VERSIONS:
            number, _, words = text.partition(" ")
            about = self.blocks([words, *body], depth + 1)
            return [f"**{_VERSIONS[name]} {number}**", *([""] if about else []), *about]
        if name in _REMARKS:
            if name in {"admonition", "rubric", "topic", "centered"}:
                title, rest = text, body
            else:
                title = "See also" if name == "seealso" else name.capitalize()
                rest = [text, *body]
            return [f"**{title}**", "", *self.blocks(dedent(rest), depth + 1)]
        return None

    def _remark(self, lines: Sequence[str], start: int, depth: int) -> Block | None:
        """A title of up to three words with a colon, and an indented text below it."""
        if not (found := match_title(lines, start)):
            return None
        match, end = found
        if match["colons"] != "::" and not lines[start + 1].strip():
            return None
        body = lines[start + 1 : end]
        literal = match["colons"] == "::"
        if literal and match["title"].lower() not in EXAMPLES:
            # No code has formulas for Sphinx.
            if not any(":math:`" in line for line in body):
                return None
            literal = False
        if literal:
            block = block_of_code(body)
        elif match["title"].lower() in EXAMPLES:
            block = self.example(dedent(body), depth)
        else:
            block = self.blocks(dedent(body), depth + 1)
        return end, [f"**{match['title']}**", "", *block]

    def _fields(self, lines: Sequence[str], start: int, depth: int) -> Block | None:
        """Fields that are no parameters, such as `:license: MIT`, as a list.

        One with its text below it gets a title, and `:meta private:` is not shown.
        """
        made: list[str] = []
        position = start
        while position < len(lines) and (match := _FIELD.fullmatch(lines[position])):
            end = end_of_block(lines, position + 1, indent_of(lines[position]))
            name, body = match["name"], dedent(lines[position + 1 : end])
            words = self.blocks([match["text"] or "", *body], depth + 1)
            if match["text"]:
                made += format_item(f"- {name}:", words)
            elif words:
                made += [*([""] if made else []), f"**{name}**", "", *words]
            elif not name.startswith("meta "):
                break
            position = end
        return (position, made) if position > start else None

    def _lines(self, lines: Sequence[str], start: int) -> Block | None:
        """A line block, whose lines begin with a bar and are not joined."""
        made: list[str] = []
        position = start
        while position < len(lines) and (match := _LINE.fullmatch(lines[position])):
            end = position + 1
            while (
                end < len(lines) and lines[end].startswith(" ") and lines[end].strip()
            ):
                if _LINE.fullmatch(lines[end]):
                    break
                end += 1
            words = [match["text"] or "", *lines[position + 1 : end]]
            made.append(self.inline(" ".join(map(str.strip, words))))
            position = end
        # Two blanks break a line of Markdown.
        return (position, [f"{one}  " for one in made]) if len(made) > 1 else None

    def example(self, lines: Sequence[str], depth: int = 0) -> list[str]:
        """The text of an example: what is not a sentence is code."""
        text = "\n".join(lines)
        if any(sign in text for sign in (">>>", "```", "~~~", "::\n", ".. ")):
            return self.blocks(lines, depth)
        made: list[str] = []
        code: list[str] = []
        for part in re.split(r"\n\s*\n", text):
            if _SENTENCE.match(part) and python_or_text(part) == "text":
                made += [*(block_of_code(code) if code else []), "", part, ""]
                code = []
            else:
                code += ["", *part.split("\n")] if code else part.split("\n")
        return [*made, *(block_of_code(code) if code else [])]

    def _list(
        self, lines: Sequence[str], start: int, depth: int, above: Sequence[str]
    ) -> Block | None:
        """The items of a list, with those of the lists in them."""
        first = _ITEM.match(lines[start])
        if not first or depth >= _DEEPEST:
            return None
        indent = len(first["indent"])
        if above and _is_in_role(above[-1], lines[start]):
            return None
        nested = depth and not first["mark"][0].isdigit()
        if above and not nested and not above[-1].rstrip().endswith(":"):
            # In a paragraph, one such line may be a part of a sentence.
            after = start + 1
            while after < len(lines) and indent_of(lines[after]) > indent:
                after += 1
            second = _ITEM.match(lines[after]) if after < len(lines) else None
            if not second or second["indent"] != first["indent"]:
                return None
        items: list[tuple[str, list[str], bool]] = []
        position = start
        while position < len(lines) and (item := _ITEM.match(lines[position])):
            if len(item["indent"]) != indent or _RUN.fullmatch(lines[position]):
                break
            end = _end_of_item(lines, position + 1, indent)
            rest = lines[position + 1 : end]
            inner = [indent_of(line) for line in rest if line.strip()]
            cut = min([n for n in inner if n > indent], default=indent + 4)
            cut = cut if cut < indent + 8 else indent + 4
            if lines[position].rstrip().endswith("::"):
                cut = min(cut, item.end())  # what is deeper is code
            body = [line[min(cut, indent_of(line)) :] for line in rest]
            words = self.blocks([lines[position][item.end() :], *body], depth + 1)
            position = end
            while position < len(lines) and not lines[position].strip():
                position += 1
            items.append((item["mark"], words, position > end))
        return position, _format_list(items)

    def _definitions(
        self, lines: Sequence[str], start: int, depth: int
    ) -> Block | None:
        """Terms, each with a deeper text directly below it, as a list."""
        made: list[str] = []
        position = start
        while position < len(lines) and _defines(lines, position) and depth < _DEEPEST:
            term = self.inline(lines[position].strip())
            # Code is conspicuous already, and stars could not be told apart.
            bold = term if set("`*_") & set(term) else f"**{term}**"
            end = end_of_block(lines, position + 1, indent_of(lines[position]))
            words = self.blocks(dedent(lines[position + 1 : end]), depth + 1)
            made += format_item(f"- {bold}:", words)
            # Without a blank line, Markdown takes the next item for a part of this one.
            made += [""] * ("" in words)
            position = end
            while position < len(lines) and not lines[position].strip():
                position += 1
        return (position, made) if made else None

    def _literal(
        self, lines: Sequence[str], start: int, paragraph: list[str]
    ) -> Block | None:
        """Code below a paragraph that ends in `::`; `paragraph` gets its last line."""
        line = lines[start].rstrip()
        if not line.endswith("::"):
            return None
        end = end_of_block(lines, start + 1, indent_of(line))
        example = lines[start + 1 : start + 2]
        # Without code below it, it is a colon.
        ended = line[:-2].strip() and not "".join(example).strip()
        code = end > start + 1 or (example and _example(example, 0))
        if not code and not ended:
            return None
        if words := line[:-2].strip():
            paragraph.append(f"{words}:")
        # An example may be as deep as the paragraph.
        return end, block_of_code(lines[start + 1 : end]) if end > start + 1 else []


def _defines(lines: Sequence[str], start: int) -> bool:
    """Whether a line is a term, and no sentence that goes on with more indentation."""
    term, below_it = (*lines[start : start + 2], "")[:2]
    deeper = below_it.strip() and indent_of(below_it) > indent_of(term) + 1
    if not deeper or not _TERM.fullmatch(term) or _ITEM.match(below_it):
        return False
    first = below_it.lstrip()[0]
    count = len(term.split())
    return (first.isupper() and count < 7) or (count == 1 and not term.isalpha())


# It ends in no sign that a sentence goes on, or ends, with.
_TERM = re.compile(r"[ ]{0,3}(?![.>|:@#+*-])[^\n]{0,60}[\w)`\]\"'*]")
_SENTENCE = re.compile(r"[A-Z][\w',-]*(?: [\w`',.()-]+){2,}")


def _is_in_role(above: str, line: str) -> bool:
    """Whether a role begins in the line above and ends in this one."""
    before, tick, _ = above.rpartition("`")
    opened = tick and re.search(r":[a-zA-Z][\w.+-]*:\Z", before[-40:])
    return bool(opened) and "`" in line


def _end_of_item(lines: Sequence[str], end: int, indent: int) -> int:
    """The end of an item of a list, whose lines after the first begin at `end`."""
    while end < len(lines) and lines[end].strip():
        # A paragraph of an item may go on with less indentation.
        if indent_of(lines[end]) <= indent and (
            _ITEM.match(lines[end]) or lines[end].lstrip().startswith("..")
        ):
            return end
        end += 1
    return end_of_block(lines, end, indent)


def _format_list(items: Sequence[tuple[str, list[str], bool]]) -> list[str]:
    """A list of Markdown; each item has its mark, its lines, and a blank line or not.

    Markdown counts on from the first number, so a list with other numbers is shown as
    paragraphs.
    """
    numbers = [mark.strip("().") for mark, _, _ in items]
    if numbers[0] == "#":
        numbers = [str(n) for n in range(1, len(items) + 1)]
    first = int(numbers[0]) if numbers[0].isdigit() else 1
    counted = [str(n) for n in range(first, first + len(items))]
    listed = numbers in (counted, ["1"] * len(items))
    made: list[str] = []
    for (mark, words, blank), number in zip(items, numbers, strict=True):
        if not number.isdigit():
            made += format_item(mark.replace("•", "-"), words)
        elif listed:
            made += format_item(f"{number}.", words)
        else:
            made += [f"{number}\\. {words[0] if words else ''}", *words[1:]]
            blank = True
        # Without a blank line, Markdown takes the next item for a part of this one.
        if blank or "" in words:
            made.append("")
    while made and not made[-1]:
        made.pop()
    return made


def format_item(opening: str, lines: Sequence[str]) -> list[str]:
    """The lines as an item of a list, which begins with `opening`."""
    if not lines:
        return [opening]
    apart = bool(_FENCE.fullmatch(lines[0]) or _ITEM.match(lines[0]))
    first = [opening, ""] if apart else [f"{opening} {lines[0]}"]
    rest = lines if apart else lines[1:]
    return [*first, *(f"    {line}" if line else "" for line in rest)]


def _closing_fences(lines: Sequence[str]) -> dict[int, int]:
    """For the first line of each block of code between fences, the last one."""
    found: dict[int, int] = {}
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        match = _FENCE.fullmatch(line)
        if opened < 0 and match:
            opened, mark = number, match["mark"]
        elif (
            match
            and match[0].strip() == match["mark"]
            and match["mark"].startswith(mark)
        ):
            found[opened], opened = number, -1
    return found


def _verbatim(
    lines: Sequence[str], start: int, fences: Mapping[int, int], within: bool
) -> Block | None:
    """A block that Markdown reads as it is: code, a formula, HTML, an admonition.

    Indented lines are code, unless they are `within` a paragraph or begin a list.
    """
    line = lines[start]
    text = line.lstrip()
    if start in fences:
        end = fences[start] + 1
        # As deep as code, a line of a paragraph begins no fence for CommonMark.
        moved = within and line.startswith("    ")
        block = ["", *dedent(lines[start:end]), ""] if moved else list(lines[start:end])
        return end, block
    if _ADMONITION.fullmatch(line):
        end = end_of_block(lines, start + 1, indent_of(line))
        return end, list(lines[start:end])
    if text.startswith("$$") and "$$" not in text[2:]:
        return _read_until(lines, start, "$$")
    if match := _TEX.match(line):
        return _read_until(
            lines, start, "\\]" if match["square"] else f"\\end{{{match['name']}}}"
        )
    if text.startswith("<") and not within:
        end, block = _read_until(lines, start, "")
        return end, block_of_code(block, "text") if is_tree(block) else block
    special = (".. ", ">>>", ":", "@")
    code = line.startswith("    ") and not text.startswith(special)
    if code and not within and not _ITEM.match(line):
        end = end_of_block(lines, start, 3)
        return end, list(lines[start:end])
    return None


def _read_until(lines: Sequence[str], start: int, sign: str) -> Block:
    """The lines up to one with a sign after the first, or to a blank line."""
    end = start + 1
    closed = bool(sign) and sign in lines[start].lstrip()[2:]
    while not closed and end < len(lines) and (lines[end].strip() or sign == "$$"):
        closed = bool(sign) and sign in lines[end]
        end += 1
    return end, list(lines[start:end])


def _code(lines: Sequence[str], start: int) -> Block | None:
    """Code without a fence."""
    apart = not start or not lines[start - 1].strip()
    if apart and lines[start].lstrip().startswith("{%"):  # a template of HTML
        end = _end_of_paragraph(lines, start)
        return end, block_of_code(lines[start:end], "text")
    end = code_at(lines, start) if apart else start
    return (end, block_of_code(lines[start:end], "python")) if end > start else None


def _table(lines: Sequence[str], start: int) -> Block | None:
    """A table that is drawn, as code."""
    grid = bool(_GRID.fullmatch(lines[start]))
    if not grid and not _TABLE.fullmatch(lines[start]):
        return None
    end = start + 1
    borders = 1
    while end < len(lines):
        line = lines[end]
        if grid and not line.lstrip().startswith(("|", "+")):
            break
        if not grid and not line.strip() and borders > 1:
            if _TABLE.fullmatch(lines[end - 1]) and borders != 2:
                break
            if borders == 2 and not any(map(_TABLE.fullmatch, lines[end : end + 3])):
                break
        borders += bool(not grid and _TABLE.fullmatch(line))
        end += 1
    return end, block_of_code(lines[start:end], "text")


def _example(lines: Sequence[str], start: int, within: bool = True) -> Block | None:
    """An example with `>>>` and its result, up to a blank line.

    Unless it is `within` a paragraph, it may begin with comments.
    """
    end = start
    while end < len(lines) and lines[end].startswith("# ") and not within:
        end += 1
    if end == len(lines) or not lines[end].lstrip().startswith(">>>"):
        return None
    indent = indent_of(lines[start])
    while end < len(lines) and lines[end].strip() and indent_of(lines[end]) >= indent:
        end += 1
    return end, block_of_code(lines[start:end], "pycon")


def formulas(body: Sequence[str]) -> list[str]:
    """The formulas of a directive `math` as display formulas."""
    lines = [line for line in body if not _OPTION.fullmatch(line)]
    made: list[str] = []
    parts: list[str] = []
    depth = 0
    for part in re.split(r"\n\s*\n", "\n".join(lines)):
        parts.append(part.strip("\n"))
        depth += part.count("\\begin{") - part.count("\\end{")
        if depth > 0:
            continue  # a blank line within an environment
        if tex := "\n".join(filter(None, parts)):
            made += [*_display(tex), ""]
        parts, depth = [], 0
    if tex := "\n".join(filter(None, parts)):
        made += [*_display(tex), ""]
    return made[:-1]


def _display(tex: str) -> list[str]:
    # Sphinx aligns the lines of a formula, so we do it too.
    if "\\begin{" not in tex and re.search(r"\\\\|(?<!\\)&", tex):
        tex = f"\\begin{{aligned}}\n{tex}\n\\end{{aligned}}"
    return ["$$", *tex.split("\n"), "$$"]
