"""Laws of every page in every language, read from the files of the built site.

Each page is parsed once; each test walks over all of them, and names every offender.
"""

import ast
import gzip
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from tests.site.built import PUBLISHED
from tests.site.links import Published, page_of
from tests.site.pages import (
    EQUATIONS,
    FOLDERS,
    LANGUAGES,
    NOT_FOUND,
    ROOT,
    every,
    modules,
)

LOST = [f"{folder}{NOT_FOUND}" for folder in FOLDERS]
ALL = [folder + path for folder in FOLDERS for path in every()]
PICTURE = "meta[@property='og:image']/@content"
# What a page must have, seen from its head, and how often.
HEAD = {
    "title": (1, 1),
    "meta[@name='description']/@content": (1, 1),
    "meta[@property='og:title']/@content": (1, 1),
    "meta[@property='og:description']/@content": (1, 1),
    "meta[@property='og:type']/@content": (1, 1),
    "meta[@property='og:site_name']/@content": (1, 1),
    PICTURE: (0, 1),
    "meta[@name='twitter:card']/@content": (1, 1),
    # And in its body: one heading of the first level, in its main part.
    "//h1": (1, 1),
    "//main": (1, 1),
    "//main//h1": (1, 1),
}


def having(name: str) -> str:
    """The condition of XPath that an element has a class."""
    return f"contains(concat(' ', normalize-space(@class), ' '), ' {name} ')"


def text_of(element: Any) -> str:
    return str(element.text_content())


def language_of(path: str) -> Any:
    return next(one for one in reversed(LANGUAGES) if path.startswith(one.folder))


def english_of(path: str) -> str:
    return path.removeprefix(language_of(path).folder)


# Which pages there are, and what leads where


def test_the_pages_and_the_sitemap_match_the_sources(
    published: Published,
) -> None:
    assert sorted(published.pages) == sorted([*ALL, *LOST])
    links = published.files["sitemap.xml"].links
    listed = sorted(link.goal for link in links if link.kind == "loc")
    assert listed == sorted(PUBLISHED + path for path in ALL)


def test_every_link_has_a_target(published: Published) -> None:
    assert published.broken() == []


def test_all_pages_but_the_error_page_have_relative_links_only(
    published: Published,
) -> None:
    moved = published.at("https://anywhere.example/some/folder/")
    assert moved.broken([file for file in moved.files if file not in LOST]) == []


def test_nothing_is_loaded_from_another_host(published: Published) -> None:
    links = {"stylesheet", "icon", "preload"}
    found = [
        f"{path}: {goal}"
        for path, tree in published.pages.items()
        for goal in [
            *tree.xpath("//*/@src | //*/@srcset | //*/@poster | //object/@data"),
            *(e.get("href") for e in tree.iter("link") if e.get("rel") in links),
        ]
        if re.match(r"(https?:)?//", goal)
    ]
    assert found == []


def test_menu_and_head_link_to_the_page_in_each_language(
    published: Published,
) -> None:
    wrong = []
    for file, ends in published.files.items():
        if ends.tree is None:
            continue
        path = page_of(file)
        lost = file in LOST
        there = {
            one.tag: PUBLISHED + one.folder + ("" if lost else english_of(path))
            for one in LANGUAGES
        }
        goals: dict[str, list[str]] = {"canonical": [], "og:url": [], "alternate": []}
        for link in ends.links:
            goals.setdefault(link.kind, []).append(link.goal)
        menu = {tag: published.whole(file, to) for tag, to in ends.languages.items()}
        found = (menu, goals["canonical"], goals["og:url"], sorted(goals["alternate"]))
        own, others = [PUBLISHED + path], sorted([*there.values(), there["en"]])
        wanted = (there, *(([], [], []) if lost else (own, own, others)))
        if found != wanted:
            wrong.append(f"{file}: {found} instead of {wanted}")
    assert wrong == []


def test_next_and_previous_visit_every_page_once(
    published: Published,
) -> None:
    for one in LANGUAGES:
        way, here = [one.folder], one.folder
        while following := beside(published, here).get("next"):
            assert beside(published, following)["prev"] == here
            way.append(here := following)
            assert len(way) <= len(every()), "the way goes round in circles"
        assert [path for path, times in Counter(way).items() if times > 1] == []
        # An appendix has no page before or after it.
        pages = [one.folder + path for path in every()]
        assert {path for path in pages if beside(published, path)} - {*way} == set()


def test_the_footer_of_a_stop_follows_the_reading_order(published: Published) -> None:
    goal = f"//a[{having('lit-route__next')}]/@href"
    wrong, count = [], 0
    for path, tree in published.pages.items():
        for to in tree.xpath(goal):
            count += 1
            stop = published.whole(f"{path}index.html", to).removeprefix(PUBLISHED)
            if (next_page := beside(published, path).get("next")) != stop:
                wrong.append(f"{path}: {next_page} instead of {stop}")
    assert count > len(LANGUAGES)
    assert wrong == []


def beside(published: Published, path: str) -> dict[str, str]:
    """Which pages a page names as the next and as the previous one."""
    found = published.pages[path].xpath(f"//a[{having('md-footer__link')}][@rel]")
    whole = {
        e.get("rel"): published.whole(f"{path}index.html", e.get("href")) for e in found
    }
    return {rel: goal.removeprefix(PUBLISHED) for rel, goal in whole.items()}


def test_every_page_is_within_reach_of_the_home_page(published: Published) -> None:
    reached, ahead = set(), [""]
    while ahead:
        path = ahead.pop()
        if path in reached or path not in published.pages:
            continue
        reached.add(path)
        for goal in published.pages[path].xpath("//a/@href"):
            whole = published.whole(f"{path}index.html", goal).partition("#")[0]
            ahead.append(unquote(whole.removeprefix(PUBLISHED)))
    assert {*ALL} - reached == set()


# What a page says of itself


def test_the_head_and_one_heading_say_what_the_page_is(published: Published) -> None:
    wrong = []
    for path, tree in published.pages.items():
        one = language_of(path)
        (head,) = tree.xpath("/html/head")
        for what, (least, most) in HEAD.items():
            found = head.xpath(what)
            texts = [e if isinstance(e, str) else text_of(e) for e in found]
            if not least <= len(found) <= most or not all(map(str.strip, texts)):
                wrong.append(f"{path}: {what}: {texts}")
        (description,) = head.xpath("meta[@name='description']/@content") or [""]
        if not (50 if one.tag == "en" else 15) <= len(description) <= 160:
            wrong.append(f"{path}: a description of {len(description)} characters")
        if tree.get("lang") != one.tag:
            wrong.append(f"{path}: {tree.get('lang')}")
        if not all(p.startswith(PUBLISHED) for p in head.xpath(PICTURE)):
            wrong.append(f"{path}: the picture has no whole address")
    assert wrong == []


def test_ids_are_unique_and_the_same_in_all_languages(
    published: Published,
) -> None:
    wrong = {}
    for path, tree in published.pages.items():
        ids = Counter(tree.xpath("//@id"))
        if twice := [one for one, times in ids.items() if times > 1]:
            wrong[path] = twice
        ours, theirs = (
            [one for one in page.xpath("//main//@id") if not one.startswith("__")]
            for page in (tree, published.pages[english_of(path)])
        )
        if ours != theirs:
            wrong[f"{path} and its English"] = sorted({*ours} ^ {*theirs}) or ["order"]
    assert wrong == {}


def test_each_formula_is_rendered_with_mathml(published: Published) -> None:
    wrong = []
    for path, tree in published.pages.items():
        for formula in tree.xpath(f"//*[{having('katex')}]"):
            mathml = formula.xpath(f".//*[{having('katex-mathml')}]//math/*")
            html = formula.xpath(f".//*[{having('katex-html')}]/*")
            if not mathml or not html:
                wrong.append(f"{path}: {text_of(formula)[:80]}")
        unset = f"{having('arithmatex')} and not(.//*[{having('katex')}])"
        for e in tree.xpath(f"//*[{having('katex-error')} or {unset}]"):
            wrong.append(f"{path}: {text_of(e)[:80]}")
        words = tree.xpath(
            "//main//text()[not(ancestor::code or ancestor::pre or ancestor::annotation"
            " or ancestor::script or ancestor::*[contains(@font-family, 'monospace')])]"
        )
        wrong += [
            f"{path}: {word.strip()[:80]}"
            for word in words
            if re.search(r"\\[([a-zA-Z]+", word)
        ]
    assert wrong == []


def test_every_figure_and_picture_has_a_description(published: Published) -> None:
    wrong = []
    for path, tree in published.pages.items():
        article = "//article//"
        drawn = tree.xpath(
            f"{article}svg[not(ancestor::*[{having('katex')}] or ancestor::button or "
            "ancestor::summary or ancestor::a or ancestor::svg or @aria-hidden='true' "
            f"or ancestor-or-self::*[{having('twemoji')}])]"
        )
        for figure in drawn:
            words = figure.get("aria-label", "")
            # A drawing with links is a group, so that each link is read. Languages
            # without blanks need fewer characters.
            role = "group" if figure.xpath(".//a") else "img"
            if figure.get("role") != role or len(words) < 15:
                wrong.append(f"{path}: {words!r}")
        pictures = tree.xpath(f"{article}img/@alt")
        if len(pictures) != len(tree.xpath(f"{article}img")):
            wrong.append(f"{path}: a picture without words")
    assert wrong == []


# The code beside the notes


def blocks(tree: Any) -> Iterator[tuple[Any, dict[int, str]]]:
    """The blocks that have code, and their lines by number."""
    for block in tree.xpath(f"//*[{having('lit-block')}]"):
        lines = block.xpath(f".//*[{having('lit-code')}]//*[@data-n]")
        if lines:
            yield block, {int(e.get("data-n")): text_of(e) for e in lines}


def test_every_line_of_code_is_shown_once_as_it_is_in_the_file(
    published: Published,
) -> None:
    wrong = []
    for path, file in modules().items():
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        # A note is a string that is a statement of its own; all others are code.
        statements = {
            node.lineno
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.stmt)
            and not (
                isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            )
        }
        for folder in FOLDERS:
            shown = [*blocks(published.pages[folder + path])]
            numbers = Counter(n for _, code in shown for n in code)
            twice = [n for n, times in numbers.items() if times > 1]
            other = [
                n
                for _, code in shown
                for n, line in code.items()
                if line.removesuffix("\n") != lines[n - 1]
            ]
            missing = sorted(statements - {*numbers})
            if twice or other or missing:
                wrong.append(f"{folder}{path}: {twice=} {other=} {missing=}")
    assert wrong == []


def test_each_block_has_a_permalink_and_a_link_to_its_lines(
    published: Published,
) -> None:
    wrong = []
    for path, file in modules().items():
        tree = published.pages[path]
        name = file.relative_to(ROOT).as_posix()
        for block, code in blocks(tree):
            goals = block.xpath(f".//a[{having('lit-link')}]/@href")
            # The code of an introduction is reached by the link of its words.
            own = block.get("id").removesuffix(".code")
            if [unquote(goal) for goal in goals] != [f"#{own}"]:
                wrong.append(f"{path}: {block.get('id')} has the permalinks {goals}")
            first, last = min(code), max(code)
            (source,) = block.xpath(f".//a[{having('lit-source')}]")
            label = f"{first}–{last}" if last > first else f"{first}"
            goal = f"/blob/main/{name}#L{first}-L{last}"
            if not source.get("href").endswith(goal) or text_of(source) != label:
                wrong.append(f"{path}: {source.get('href')} {text_of(source)}")
    assert wrong == []


# The page of equations


def test_every_equation_links_to_its_code_and_tests(
    published: Published,
) -> None:
    wrong = []
    tree = published.pages[EQUATIONS]
    keys = tree.xpath(f"//section[{having('lit-equation')}]/@id")
    written = {
        f"{table['paper']['key']}.{name}"
        for table in registry()
        for name in table["equations"]
    }
    assert {*keys} ^ written == set()
    introductions = {path.rstrip("/").rpartition("/")[2] for path in modules()}
    for key in keys:
        (section,) = tree.xpath(f"//section[@id='{key}']")
        if len(section.xpath(f".//*[{having('katex-display')}]")) != 1:
            wrong.append(f"{key} is not shown once")
        inner = section.xpath(".//a[starts-with(@href, '..')]")
        proofs = section.xpath(".//a[contains(@href, '/blob/main/tests/')]")
        if not inner or not proofs:
            wrong.append(f"{key}: {len(inner)} lines, {len(proofs)} proofs")
        for link in inner:
            goal, _, anchor = link.get("href").partition("#")
            page = published.whole("equations/index.html", goal).removeprefix(PUBLISHED)
            (block,) = published.pages[page].xpath("//*[@id=$id]", id=unquote(anchor))
            cites = block.xpath(f".//a[contains(@href, '#{key}')]")
            # An introduction tells of an equation and computes nothing.
            computes = anchor in introductions or re.search(r"\d$", text_of(link))
            if not cites or not computes:
                wrong.append(f"{key}: {link.get('href')} {text_of(link)}")
        for link in proofs:
            file, line = re.findall(r"/blob/main/(.+\.py)#L(\d+)", link.get("href"))[0]
            lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
            markers = "\n".join(lines[: int(line) - 1]).rpartition("\n\n")[2]
            test = f"def {text_of(link).strip()}("
            if key not in markers or not lines[int(line) - 1].startswith(test):
                wrong.append(f"{key}: {link.get('href')} is not {test}")
    assert wrong == []


def registry() -> list[dict[str, Any]]:
    """The equations of the papers, as they are written down."""
    files = sorted((ROOT / "labml_txl" / "equations").glob("*.toml"))
    return [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]


def test_every_symbol_has_a_row_with_its_meaning_and_names_of_the_models(
    published: Published, symbols: dict[str, list[str]]
) -> None:
    tree = published.pages[EQUATIONS]
    wanted = {
        f"sym-{table['paper']['key']}-{name}": symbol.get("names", [])
        for table in registry()
        for name, symbol in table["symbols"].items()
    }
    assert symbols == wanted
    for css in symbols:
        (row,) = tree.xpath(f"//tr[@id='{css}']")
        assert row.xpath(f".//*[{having('katex')}]"), css
        assert text_of(row.xpath("td")[1]).strip(), css
    used = tree.xpath(f"//*[{having('katex-html')}]//*[starts-with(@class, 'sym-')]")
    assert {e.get("class").split()[0] for e in used} - {*symbols} == set()
    files = (ROOT / "labml_txl" / "models").rglob("*.py")
    names = {w for f in files for w in re.findall(r"\w+", f.read_text("utf-8"))}
    # `.key` is the attribute alone.
    ours = {name.removeprefix(".") for row in symbols.values() for name in row}
    assert ours - names == set()


def test_no_page_is_heavier_than_41_kilobytes(published: Published) -> None:
    weights = {
        path: len(gzip.compress((published.folder / path / "index.html").read_bytes()))
        for path in ALL
    }
    assert {path: size for path, size in weights.items() if size > 41 * 1024} == {}


def test_a_page_has_each_long_shape_of_its_formulas_once(published: Published) -> None:
    shared = 0
    for path in ALL:
        html = (published.folder / path / "index.html").read_text(encoding="utf-8")
        used = set(re.findall(r'<use href="#(lit-shape-\d+)"', html))
        made = dict(re.findall(r'<path id="(lit-shape-\d+)" d="([^"]+)"/>', html))
        assert used <= set(made), path
        assert len(made) == html.count('id="lit-shape-') == len({*made.values()}), path
        shared += len(used)
    assert shared
