"""What people write who do not know this engine means what they meant."""

import re
from html import unescape
from pathlib import Path

import pytest
from lxml.html import fromstring
from markdown import Markdown

from labml_txl.literate.equations.extension import FormulaExtension
from labml_txl.literate.equations.math import MathError, Typesetter
from labml_txl.literate.markdown.front_matter import split_front_matter
from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.markdown.note import read
from labml_txl.literate.project.annotate import annotate
from labml_txl.literate.project.localized import LocalizedProject
from labml_txl.literate.project.settings import Project
from labml_txl.literate.render import render
from labml_txl.literate.render.page import assemble
from labml_txl.literate.render.render import escape_stray_tags, render_page
from labml_txl.literate.render.resolve import Site, resolve
from labml_txl.literate.sources.blocks import split
from labml_txl.literate.sources.source import Source
from tests.literate.small import CONFIG, index_modules, must_build, write
from tests.literate.translations import JAPANESE, po


def annotated(folder: Path, files: dict[str, str]) -> LocalizedProject:
    write(folder, {"pkg/__init__.py": "", **files})
    return annotate(Project(folder, modules=("pkg",)))


# Tags


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("a <b>bold</b> word", None),
        ('<a id="here"></a>', None),
        ("<details><summary>a</summary>\n\nb\n\n</details>", None),
        ("<!-- a comment -->", None),
        ("1 < 2 > 1, <https://a.example>, <a@b.example>", None),
        ("List<int> and <module>", "List&lt;int> and &lt;module>"),
        ("</div> and </b>", "&lt;/div> and &lt;/b>"),
        ("<b>open", "&lt;b>open"),
        ("the <input>", "the &lt;input>"),
        ('<input type="checkbox">', None),
        ("m <n : few, <b", "m &lt;n : few, &lt;b"),
        ("<w, x> and <http:/x>", "&lt;w, x> and &lt;http:/x>"),
        ("<b><i>a</b>", "&lt;b>&lt;i>a&lt;/b>"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("a <?xml ?> b <![CDATA[c]]>", "a &lt;?xml ?> b &lt;![CDATA[c]]>"),
        ('<s n="1"/> or <p/>', '&lt;s n="1"/> or &lt;p/>'),
        ('<a id="here"/> a<br/>b', None),
        ("[a `<b>`](c) `a\n<div>` b", None),
        ("<p>, </p>, <b>...</b>", "&lt;p>, &lt;/p>, &lt;b>...&lt;/b>"),
        ("<p>`a`</p> <kbd>/</kbd>", None),
        ("SELECT <col> or <img>", "SELECT &lt;col> or &lt;img>"),
        ('<input type="text">', '&lt;input type="text">'),
        ("a <tr><td>b</td></tr>", "a &lt;tr>&lt;td>b&lt;/td>&lt;/tr>"),
        ("<table><tr><td></td></tr></table>", None),
        ("a <section ...>b</section>", "a &lt;section ...>b&lt;/section>"),
        # A text about HTML, and one with HTML.
        ('the "<b>" of "<b>a</b>"', 'the "&lt;b>" of "&lt;b>a&lt;/b>"'),
        (
            "f('<a href=\"b\"><i>c</i></a>')",
            "f('&lt;a href=\"b\">&lt;i>c&lt;/i>&lt;/a>')",
        ),
        ("any <!-- or --> here", "any &lt;!-- or --> here"),
        ("a\n\n<!-- a comment -->\n\nb", None),
        ("given <p>Hi <i>there</i></p>", "given &lt;p>Hi &lt;i>there&lt;/i>&lt;/p>"),
        ("to <div id='a'>b</div>", "to &lt;div id='a'>b&lt;/div>"),
        ("- <p>a</p>\n\n> <p>b</p>\n\n<div><p>c</p></div>", None),
        ("add <ins>a</ins>, <s> b </s>", "add &lt;ins>a&lt;/ins>, &lt;s> b &lt;/s>"),
        ("a </x> and <b>c</b>", "a &lt;/x> and &lt;b>c&lt;/b>"),
        (
            "</x>\n\n<details>a</details> 2<sup>n</sup>",
            "&lt;/x>\n\n<details>a</details> 2<sup>n</sup>",
        ),
        ("a <br> b, (<br />), into <br>.", "a &lt;br> b, (&lt;br />), into &lt;br>."),
        ("a <br>\nb<br>c\n<br> d", None),
        ("| a |\n|-|\n| b <br> c |", None),
        ("<span id='a'>b</span>, <hr/>.", "&lt;span id='a'>b&lt;/span>, &lt;hr/>."),
        ("such as <hr/>.", "such as &lt;hr/>."),
        ("a\n\n<hr>\n\nb <img src='c'>", None),
        ("x:<a href='y'>y</a>", "x:&lt;a href='y'>y&lt;/a>"),
        ("<div class='a'></div>", "&lt;div class='a'>&lt;/div>"),
        ("see <a href='y'>y</a>, <em>a</em> and <code>b</code>", None),
        ('<p align="center">\n  <img src="a">\n</p>\n<a id="b"></a>', None),
    ],
)
def test_an_unknown_tag_is_shown_as_text(note: str, shown: str | None) -> None:
    assert escape_stray_tags(read(note)).text == (shown or note)


# What begins HTML, or what a parser of HTML stops at.
OPENINGS = [
    *("<!", "<![", r"(?<![ \t])", "<![CDATA[", "<!x", "<!DOCTYPE >", "<!--", "<!-->"),
    *("<?", '<?xml version="1.0"?>', "</", "</>", "</p>", "</div>", "</div", "<div>"),
    *("<p", "<pre>", "<script>", "<style", "<textarea>", "<td>", "<svg>", "<h1", "<&"),
    *("<@>", "<[/p]>", "<b", '<a href="', '<s n="1"/>', "&#", "&#x", "<", "{x}"),
]
# Places for them; the words after them must be on the page.
PLACES = [
    *("alpha\n{} beta", "{} alpha beta", "alpha {} beta", "alpha beta {}"),
    *("a:\n\n- b {} alpha\n- {} beta", "a:\n\n- {}\n\n  alpha\n- beta"),
    *("| a | b |\n|---|---|\n| {} alpha | c |\n| d | {} beta |", "> {} alpha {} beta"),
    *("a `{}` alpha `` {} `` beta `{}", "a `b\n{}` alpha\nbeta", "## {} alpha beta"),
    *("- `{}` alpha\n- `{}` beta", "**alpha `{}`**{} beta", "$a {} b$ alpha beta"),
    *("a\n\n    {} alpha\n\nbeta", "a\n```\n{} alpha\n```\nbeta"),
    *("$a\n{} b$ alpha beta", "$$\n{} b\n$$\n\nalpha beta"),
    *("[a `{}`](https://a.example) alpha beta", "[alpha {}](https://a.example) beta"),
]


@pytest.mark.parametrize("opening", OPENINGS)
def test_text_that_looks_like_html_loses_no_word(tmp_path: Path, opening: str) -> None:
    lines = ['r"""Words."""\n']
    for n, place in enumerate(PLACES):
        note = place.replace("{}", opening)
        comment = "".join(f"# {line}".rstrip() + "\n" for line in note.split("\n"))
        docstring = "".join(f"    {line}\n" for line in note.split("\n"))
        lines.append(f"{comment}x{n} = 1\n")
        lines.append(f'def f{n}():\n    r"""\n{docstring}    """\n')
    site = annotated(tmp_path, {"pkg/a.py": "\n\n".join(lines)})
    page = site.page("pkg/a.md")
    host = Markdown(extensions=[*EXTENSIONS, "toc"], extension_configs=EXTENSIONS)
    written = render_page(page, site.site, lambda fault: None)
    html = host.convert(split_front_matter(written)[1])
    rows = {row.get("id"): row for row in fromstring(html).xpath("//*[@id]")}
    assert len(page.sections) == 2 * len(PLACES) + 1
    for section in page.sections[1:]:
        (note,) = rows[section.anchor].xpath("./div[@class='lit-note']")
        words = note.text_content()
        assert ("alpha" in words, "beta" in words) == (True, True), words
        # And no sign of ours is on the page.
        assert not re.search("[\ufdd0-\ufdef]", html)


# Titles and descriptions in the head of a docstring

HEAD = '''\
"""
---
title: The lock
summary: >
  How a lock is made,
  in two lines.
---

# Locks of $n$ doors

Some words about `<doors>`.
"""
'''


def test_the_head_of_a_docstring_is_the_head_of_its_page(tmp_path: Path) -> None:
    found = annotated(tmp_path, {"pkg/lock.py": HEAD})
    page = next(page for page in found.pages if page.path == "pkg/lock.md")
    assert page.title == "The lock"
    assert page.description == "How a lock is made, in two lines."
    markdown = found.entry("pkg/lock.md").markdown
    assert markdown.startswith('---\ntitle: "The lock"\n')
    headings = [line for line in markdown.split("\n") if line.startswith("#")]
    assert headings == ["# Locks of $n$ doors {#locks-of-n-doors}"]
    assert "summary" not in markdown
    assert "Some words about" in markdown


# Links


@pytest.mark.parametrize(
    ("address", "goal"),
    [
        ("b.html", "b.md"),
        ("b.html#Lock", "b.md#Lock"),
        ("index.html", "index.md"),
        ("sub/", "sub/index.md"),
        ("sub", "sub/index.md"),
        ("../pkg/b.html", "b.md"),
        ("https://a.example/b.html", "https://a.example/b.html"),
    ],
)
def test_a_link_to_a_html_file_leads_to_the_page(
    tmp_path: Path, address: str, goal: str
) -> None:
    files = {
        "pkg/a.py": f'"""# A\n\nSee [there]({address}) for more.\n"""\n',
        "pkg/b.py": '"""# B"""\n',
        "pkg/sub/__init__.py": '"""# Sub"""\n',
    }
    markdown = annotated(tmp_path, files).entry("pkg/a.md").markdown
    assert f"See [there]({goal}) for more." in markdown


# Files


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Words\nand $$ x", {(2, "$$")}),
        ("Words\n\n\\frac{1}{2} of it", {(3, r"\frac")}),
        ("$x$ and\n\\begin{cases} a", {(2, r"\begin")}),
        (r"\( \alpha + 1 \]" "\n" r"and \( x^2 \]", {(1, r"\("), (2, r"\(")}),
        ("\\[\n\\[ x^2\n\\)", {(1, r"\["), (2, r"\[")}),
        (r"\begin{a} $x$ \end{a} \frac{1}{2}", {(1, r"\begin"), (1, r"\frac")}),
        # What may be something else is not told.
        (r"\(no TeX\), \[a_b\](c), \[0\] and $\alpha$ \[1\], \d+ `\(^\)`", set()),
        ("`\\frac{1}`, C:\\Users, 5$ and 6$\n\n    \\frac{1}", set()),
    ],
)
def test_tex_outside_of_formulas_is_reported_with_its_line(
    tmp_path: Path, words: str, told: set[tuple[int, str]]
) -> None:
    faults = annotated(tmp_path, {"pkg/a.py": f'r"""# A\n\n{words}\n"""\n'}).faults
    found = [(f.line - 2, f.message.split(" is outside")[0]) for f in faults]
    assert ({*found}, len(found)) == (told, len(told))


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("the $$x$$, then", "the $\\displaystyle x$, then"),
        (r"the \[x^2\], then", "the $\\displaystyle x^2$, then"),
        (r"a $\text{b $c$ d}$ e", r"a $\text{b \(c\) d}$ e"),
        ("- item\n  $$x$$\n- next", "- item\n    $$x$$\n- next"),
        ("So:\n\n    $$\n    x\n    $$", "So:\n$$\nx\n$$"),
        ("> \\[\n> n\n> \\]", "> \n> $$\n> n\n> $$"),
    ],
)
def test_a_formula_is_written_as_markdown_reads_it(note: str, shown: str) -> None:
    text = resolve(read(note), "a.md", Site(), near="", path="a.py", line=1).host
    assert "\n".join(line for line in text.split("\n") if line.strip()) == shown


WAYS = r"""# Ways to write $x^2$, \(x^2\)

The length \(n\) of \(O(n)\), \( \frac{a}{b} \) and \[x^2\] within words.
For $y = \text{if $x_{i}$ is}$ too. The $$z$$, if $\alpha $ is.

\[ a = b + c \]

- an item \(d_k\)

    \[
    z = \text{so $z$ is}

    + 1
    \]

- an item
  $$x$$
- another

    \begin{gather}
    a
    \end{gather}

| a \(p(x_i|y)\) | b |
|---|---|
| \(x = 1\) | \(snake_case\) |

\begin{align}
x &= 1 & \text{if $y^2$ is}
\end{align}

It costs $5-$10 a month, $1,000 or $2,000, as `$5-$10`.
"""
MONEY = " $5-$10 a month, $1,000 or $2,000, as $5-$10."


def test_every_notation_of_formulas_is_rendered_and_prices_are_not(
    tmp_path: Path,
) -> None:
    found = annotated(tmp_path, {"pkg/a.py": f'r"""{WAYS}"""\n'})
    assert found.faults == ()
    assert found.pages[-1].title == "Ways to write x^2, x^2"
    html, faults = convert(found.entry("pkg/a.md").markdown)
    assert faults == []
    assert html.count('class="katex"') == 17
    words = re.sub(r"(?s)<lit-tex>.*?</lit-tex>|<math.*?</math>", "", html)
    words, _, money = words.partition("<p>It costs")
    assert unescape(re.sub("<[^>]*>", "", money)).rstrip() == MONEY
    assert re.findall(r"[$\\|]|\([a-z_]+\)", words) == ["(snake_case)"]


def convert(page: str) -> tuple[str, list[MathError]]:
    """The HTML of a page, and which of its formulas cannot be set."""
    typesetter = Typesetter()
    try:
        extensions = [*EXTENSIONS, FormulaExtension(typesetter)]
        made = Markdown(extensions=extensions, extension_configs=EXTENSIONS)
        return made.convert(split_front_matter(page)[1]), typesetter.faults
    finally:
        typesetter.close()


def test_a_file_may_say_its_encoding(tmp_path: Path) -> None:
    words = '# -*- coding: latin-1 -*-\n"""# Größe"""\n'.encode("latin-1")
    write(tmp_path, {"pkg/a.py": words, "pkg/b.py": b"# coding: nothing\na = 1\n"})
    found = annotate(Project(tmp_path, modules=("pkg",)))
    assert [page.title for page in found.pages] == ["Größe"]
    assert [*map(str, found.faults)] == ["pkg/b.py:1: unknown encoding: nothing"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (("b.py", "b/__init__.py"), "pkg/b.py:1: pkg/b/__init__.py has the same"),
        (("foo.py", "Foo.py"), "pkg/foo.py:1: pkg/Foo.py has the same address"),
    ],
)
def test_the_first_of_two_pages_with_one_address_is_kept(
    tmp_path: Path, files: tuple[str, str], told: str
) -> None:
    write(tmp_path, {f"pkg/{name}": f"a = '{name}'\n" for name in files})
    found = annotate(Project(tmp_path, modules=("pkg",)))
    assert len(found.pages) == 1
    (fault,) = found.faults
    assert str(fault).startswith(told)


BRANCHES = "".join(f"    elif x == {n}:\n        return {n}\n" for n in range(1_200))


@pytest.mark.parametrize(
    "code",
    [
        f"def f(x):\n    if x == 0:\n        return 0\n{BRANCHES}",
        "x = (" + " + ".join(f'"{n}"' for n in range(1_200)) + ")\n",
        f"x = y{'.z()' * 900}\n",
        f"x = {'y if y else ' * 900}z\n",
        f"x = {'lambda: ' * 900}y\n",
        "def f():\n    '''A half \\ud800 of one.'''\n",
        "x = '\\ud800'\n",
    ],
    ids=[
        *("branches", "terms", "calls", "conditions", "functions"),
        *("half a character", "half a character in code"),
    ],
)
def test_code_that_is_long_or_odd_is_shown(tmp_path: Path, code: str) -> None:
    write(tmp_path, {"pkg/a.py": f'"""# A"""\n{code}'})
    found = annotate(Project(tmp_path, modules=("pkg",)))
    assert found.faults == ()
    assert found.entry("pkg/a.md").markdown.encode()


def test_a_warning_has_its_style_in_every_language(tmp_path: Path) -> None:
    english = "Warning: this deletes the file."
    files = {
        "pkg/a.py": f"# {english}\nx = 1\n# Not a Warning: y.\ny = 2\n",
        "docs/locale/ja/language.toml": JAPANESE,
        "docs/locale/ja/pkg/a.po": po("ja", {english: "警告：ファイルを削除します。"}),
    }
    site = annotated(tmp_path, files)
    for localized in (site, site.select_language(site.languages[1])):
        text = localized.entry("pkg/a.md").markdown
        (warning,) = re.findall(r"lit-warning.*?</div>", text, re.DOTALL)
        assert "警告" in warning or english in warning
        assert text.count("lit-block") > 1


def test_a_comment_in_brackets_is_a_note_only_with_a_formula(tmp_path: Path) -> None:
    code = "a = [\n    # one\n    1,\n    # $x^2$,\n    # squared\n    2,\n]\n"
    write(tmp_path, {"pkg/a.py": f'"""# A"""\n{code}'})
    (page,) = annotate(Project(tmp_path, modules=("pkg",))).pages
    assert [section.block.note.text for section in page.sections] == [
        "",
        "$x^2$,\nsquared",
    ]
    shown = "".join(line.text for s in page.sections for line in s.block.code)
    assert "# one" in shown


# Pictures


def test_a_picture_beside_a_module_is_published_and_a_missing_one_is_reported(
    tmp_path: Path,
) -> None:
    note = (
        '"""# Pictures\n\n![One](one.png) ![Two](deep/two.svg)\n\n'
        '<img src="one.png" alt="again"> <img src="gone.png">\n\n'
        "[![Badge](https://badge.example/a.svg)](https://a.example)\n"
        '![Known](https://img.example/b.png) `![x](code.png)`\n"""\n'
    )
    # A browser looks below the address of the page, and the host finds its own links.
    guide = (
        '# Guide\n\n<img src="../one.png"> ![One](one.png) `<img src="x.png">`\n\n'
        '<p><img alt="" src="one.png"></p>\n\n![B](https://badge.example/b.svg)\n'
    )
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'
    settings = CONFIG.replace("src/counting", "pkg") + (
        "      trusted: [https://img.example]\n"
    )
    write(
        tmp_path,
        {"mkdocs.yml": settings, "docs/index.md": "# Home\n", "pkg/a.py": note},
        {"docs/guide.md": guide, "docs/one.png": b""},
        {"pkg/one.png": b"\x89PNG", "pkg/deep/two.svg": svg, "pkg/other.png": b""},
    )
    done = must_build(tmp_path)
    told = re.findall(r"WARNING -  (.*)", done.stderr)
    blocked = "add the host to `trusted`, or copy the picture"
    assert sorted(told) == [
        "docs/guide.md:5: there is no picture one.png: looked for docs/guide/one.png",
        "docs/guide.md:7: the policy of the page blocks pictures of badge.example: "
        f"{blocked}",
        "pkg/a.py:5: there is no picture gone.png: "
        "looked for pkg/gone.png and docs/pkg/a/gone.png",
        "pkg/a.py:7: the policy of the page blocks pictures of badge.example: "
        f"{blocked}",
    ]
    site = tmp_path / "site"
    # The browser looks for the address in HTML below that of the page.
    for place in ("pkg/one.png", "pkg/a/one.png"):
        assert site.joinpath(place).read_bytes() == b"\x89PNG"
    assert not site.joinpath("pkg/other.png").exists()
    assert "<path" in site.joinpath("pkg/a/index.html").read_text(encoding="utf-8")


def test_macros_can_be_defined_in_the_settings(tmp_path: Path) -> None:
    settings = CONFIG.replace("src/counting", "pkg") + (
        "      macros: {'\\R': '\\mathbb{R}'}\n"
    )
    note = 'r"""# Numbers\n\nAll $x \\in \\R$.\n"""\n'
    write(
        tmp_path,
        {"mkdocs.yml": settings, "docs/index.md": "# Home\n", "pkg/a.py": note},
    )
    must_build(tmp_path, "--strict")
    html = tmp_path.joinpath("site/pkg/a/index.html").read_text(encoding="utf-8")
    assert "ℝ" in html or 'mathvariant="double-struck">R' in html


def test_folded_lists_are_labelled_by_their_names_in_any_markup() -> None:
    items = "".join(f"    * ``name_{n}``: The number of them.\n" for n in range(9))
    others = "    Raises:\n        OSError: If it is.\n"
    text = f'class A:\n    """Statistics.\n\n{items}\n{others}    """\n\n    x: int\n'
    source = Source("a.py", text)
    page = assemble(source, split(source), module="a", path="a.md")
    (summary,) = re.findall("<summary>(About.*)</summary>", render_page(page, Site()))
    assert summary.startswith("About name_0, name_1,")
    few = text.replace(items, "    * `a`: One.\n\n")
    page = assemble(
        Source("a.py", few), split(Source("a.py", few)), module="a", path=""
    )
    assert "<summary>About a</summary>" in render_page(page, Site())


def test_a_list_of_sentences_is_not_divided() -> None:
    sentences = "Head:\n\n- The `a` is one.\n- `b` is another.\n\n- `c` too.\n"
    assert render.split_names(sentences) == (sentences, "")
    names = "Head.\n\n- `a`: one.\n- `b`: another.\n"
    assert render.split_names(names) == ("Head.\n\n", names.removeprefix("Head.\n\n"))
    # What a sentence announces continues it, unless it is a section with a title.
    for head in ("Head:", "前置き：", "Head..."):
        announced = names.replace("Head.", head)
        assert render.split_names(announced) == (announced, "")
    strings = names.replace("`a`", '`"a"`')
    assert render.split_names(strings) == (strings, "")
    section = f"Head:\n\n**Parameters**\n\n{names.removeprefix('Head.').lstrip()}"
    assert render.split_names(section)[0] == "Head:\n\n"


def test_a_reference_in_brackets_is_a_link_if_its_name_is_known() -> None:
    code = Source("a.py", "class A:\n    def f(self): pass\n")
    site = Site(
        index_modules([("a", code)]),
        {"a": "a.md"},
        {"a": {"A": "A", "A.f": "A.f"}},
        references={"os.walk": "https://docs.example/walk"},
    )
    shown = {
        "See [`A.f`][] or [`a.A`][].": "See [`A.f`](#A.f) or [`a.A`](#A).",
        "[the words][a.A] and [A][]": "[the words](#A) and [A](#A)",
        "[`os.walk`][], [to walk][os.walk]": (
            "[`os.walk`](https://docs.example/walk), "
            "[to walk](https://docs.example/walk)"
        ),
        "[`b.B`][], [words][b.B], x[a][]": "[`b.B`][], [words][b.B], x[a][]",
    }
    for text, wanted in shown.items():
        note = resolve(read(text), "a.md", site, near="a", path="a.py", line=1)
        assert note.text == wanted


def test_a_title_that_a_text_repeats_is_shown_once() -> None:
    head = "---\ntitle: The title\nsummary: One.\n---\n\n*By us.*\n\n"
    note = f"{head}# The title\n\nText.\n\n# More"
    source = Source("a.py", f'"""\n{note}\n"""\n')
    page = assemble(source, split(source), module="a", path="a.md")
    assert page.title == "The title"
    (section,) = page.sections
    assert section.block.note.text == "\n*By us.*\n\nText.\n\n## More"


def test_a_page_without_words_has_a_title(tmp_path: Path) -> None:
    files = {"pkg/__init__.py": "", "pkg/a.py": "class A:\n    x = 1\n"}
    write(tmp_path, files)
    found = annotate(Project(tmp_path, modules=("pkg",)))
    pages = [render_page(page, Site()) for page in found.pages]
    titles = [re.findall("^#+ .*$", page, re.MULTILINE) for page in pages]
    assert titles == [["# Pkg"], ["# A", "## `A` {#h-A}"]]
