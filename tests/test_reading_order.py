"""The path through the site: its stops, and the time that reading them takes."""

import ast
import io
import re
import tokenize
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[1]
PATH = (ROOT / "docs/path.md").read_text(encoding="utf-8")


class Amount(NamedTuple):
    """What there is to read: words, formulas, figures and tables, and lines of code."""

    words: int = 0
    shown: int = 0
    lines: int = 0

    def minutes(self) -> float:
        return self.words / 200 + self.shown / 2 + self.lines / 20


def amount(text: str, more_lines: int = 0) -> Amount:
    """What a text in Markdown has, without its front matter and solutions."""
    text = re.sub(r"\A---\n.*?\n---\n|<details.*?</details>", "", text, flags=re.S)
    fences = re.compile(r"^```\w*\n(.*?)^```", re.S | re.M)
    lines = more_lines + sum(len(code.splitlines()) for code in fences.findall(text))
    text = fences.sub("", text)
    text, tables = re.subn(r"(?:^ *\|.*\n)+", "", text, flags=re.M)
    shown = len(re.findall(r"^\{\{ |^\$\$\n.*?^\$\$|!\[", text, re.M | re.S)) + tables
    text = re.sub(r"!\[[^]]*\]|\]\([^)]*\)|<!--.*?-->|\{\{.*?\}\}|\$[^$]*\$", " ", text)
    return Amount(len(re.findall(r"[A-Za-z][\w'’-]*", text)), shown, lines)


def page(path: Path, skip: Collection[str]) -> Amount:
    sections = re.split(r"^(?=## )", path.read_text("utf-8"), flags=re.M)
    for name in skip:
        assert any(one.startswith(f"## {name}") for one in sections), (path, name)
    out = tuple(f"## {name}" for name in (*skip, "Reference"))
    return amount("".join(one for one in sections if not one.startswith(out)))


def module(path: Path) -> Amount:
    """The notes and docstrings of a module, its code, and what to keep of it."""
    source = path.read_text("utf-8")
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    notes = "\n".join(ast.get_docstring(node) or "" for node in nodes)
    lines = sum(bool(line.strip()) for line in source.splitlines())
    lines -= notes.count("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("# ["):
            notes += token.string.lstrip("# ") + "\n"
            lines -= token.line.lstrip().startswith("#")
    last = (path.parent / "exercises" / f"{path.stem}.md").read_text("utf-8")
    return amount(notes + last.partition("## Exercises")[0], lines)


def notebook(path: Path) -> Amount:
    """The text of a notebook, the code that is not collapsed, and its plots."""
    source = path.read_text("utf-8").partition("# ## Try it")[0]
    cells = [one.partition("\n") for one in re.split(r"^# %%", source, flags=re.M)[1:]]
    text = "\n".join(body for head, _, body in cells if "markdown" in head)
    code = "\n".join(body for head, _, body in cells if not head.strip())
    found = amount(
        re.sub(r"^# ?", "", text, flags=re.M),
        sum(bool(line.strip()) for line in code.splitlines()),
    )
    return found._replace(shown=found.shown + source.count('tags=["plot"]'))


def test_times_of_the_reading_order_follow_from_the_length_of_pages() -> None:
    front = yaml.safe_load(PATH.split("---\n")[1])["route"]
    rows = re.findall(r"^    \[[^]]*\]\(([\w/.]+)\) · (\d+) minutes$", PATH, re.M)
    assert rows == [(stop["page"], f"{stop['minutes']}") for stop in front]
    # Each has a picture, and a question that can be answered after it.
    stops = re.findall(r"^1\. !\[[^]]+\]\(figures/\w+\.svg\)$", PATH, re.M)
    questions = re.findall(r"^    [A-Z].*\?$", PATH, re.M)
    assert len(stops) == len(questions) == len(front)
    wrong = {}
    for stop in front:
        folder, _, name = stop["page"].rpartition("/")
        source = f"{name.removesuffix('.md')}.py"
        if folder == "models":
            found = module(ROOT / "labml_txl/models" / source)
        elif folder == "notebooks":
            found = notebook(ROOT / "notebooks" / source)
        else:
            found = page(ROOT / "docs" / stop["page"], stop.get("skip", ()))
        if abs(found.minutes() - stop["minutes"]) > 0.6:
            wrong[stop["page"]] = (stop["minutes"], round(found.minutes(), 1), found)
    assert wrong == {}
    # The sum that the page gives, and where the button of the first page leads.
    hours, minutes = divmod(round(sum(stop["minutes"] for stop in front), -1), 60)
    words = ("no", "ten", "twenty", "thirty", "forty", "fifty")[minutes // 10]
    told = f"Together they are {('no', 'one', 'two', 'three')[hours]} hours and {words}"
    assert f"{told} minutes" in " ".join(PATH.split())
    home = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert f"[Start: {front[0]['minutes']} minutes]({front[0]['page']})" in home
