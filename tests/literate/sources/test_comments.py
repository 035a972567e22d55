"""A comment is text about a program: its page shows what its author wrote."""

import pytest
from markdown import Markdown

from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.render.page import assemble
from labml_txl.literate.sources.blocks import heading_of, split
from labml_txl.literate.sources.sections import convert_sections
from labml_txl.literate.sources.source import Source


def convert_notes(text: str) -> list[str]:
    """The HTML of the note of each block, without line breaks."""
    page = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    notes = [block.note.host for block in split(Source("m.py", text))]
    return [page.reset().convert(note).replace("\n", "") for note in notes if note]


@pytest.mark.parametrize(
    ("comment", "html"),
    [
        # Names, products and patterns of code.
        ("by __init__ and __call__", "<p>by __init__ and __call__</p>"),
        ("*args, **kwargs", "<p>*args, **kwargs</p>"),
        ("2*x + 3*y, x**2 * y**2", "<p>2*x + 3*y, x**2 * y**2</p>"),
        ("self.blocks[idx](x)", "<p>self.blocks[idx](x)</p>"),
        ("_a and __all__", "<p>_a and __all__</p>"),
        ("**bold**, *em*, _em_ and __two words__",
         "<p><strong>bold</strong>, <em>em</em>, <em>em</em> and "
         "<strong>two words</strong></p>"),
        ("**Note:** 2*x, **`a`** and 注**重要**意",
         "<p><strong>Note:</strong> 2*x, <strong><code>a</code></strong> and "
         "注<strong>重要</strong>意</p>"),
        # Dollar signs that begin no formula.
        ("$HOME/$USER is set", "<p>$HOME/$USER is set</p>"),
        ("costs $5 and US$ 7", "<p>costs $5 and US$ 7</p>"),
        (r"^\d+$ and \w+$", r"<p>^\d+$ and \w+$</p>"),
        ("${A}_${B}, $a:$b", "<p>${A}_${B}, $a:$b</p>"),
        *((f"the {tex} is",
           f'<p>the <span class="arithmatex">\\({tex[1:-1]}\\)</span> is</p>')
          for tex in ("$n$", "$x_1$", "$n \\log n$", "$a + b$", "$x = 5$", "$f(x)$")),
        ("the $n$th", '<p>the <span class="arithmatex">\\(n\\)</span>th</p>'),
        (":math:`x^2` of :class:`Lock`",
         '<p><span class="arithmatex">\\(x^2\\)</span> of <code>Lock</code></p>'),
        # Blocks.
        ("Steps:\n- a\n- b", "<p>Steps:</p><ul><li>a</li><li>b</li></ul>"),
        ("a sum\n+ b of two", "<p>a sum+ b of two</p>"),
        ("A title\n~~~~~~~\n\nIts text.", "<h3>A title</h3><p>Its text.</p>"),
        ("A title\n^^^^^^^", "<h3>A title</h3>"),
        ("- a\n  1. b\n- c", "<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>"),
        ("`&#nn;` or &#zz;, `&#38;`",
         "<p><code>&amp;#nn;</code> or &amp;#zz;, <code>&amp;#38;</code></p>"),
        # Banners: their words.
        ("===== #\nBase classes\n===== #", "<p>Base classes</p>"),
        ("=====\nBase\n=====", "<p>Base</p>"),
        ("######## 3.2 ########", "<p>3.2</p>"),
        ("---- The *main* ---------- #", "<p>The <em>main</em></p>"),
        (".........{ IMPORTS      }.........", "<p>IMPORTS</p>"),
        ("... and so on ...", "<p>... and so on ...</p>"),
        ("--- Option 1: this", "<p>--- Option 1: this</p>"),
        ("Errors\n======\ntext", "<h1>Errors</h1><p>text</p>"),
        ("words  # noqa: E501\nand  # more", "<p>wordsand  # more</p>"),
        ("words # type: ignore[a]", "<p>words</p>"),
        ("write # noqa to be quiet", "<p>write # noqa to be quiet</p>"),
        ("#12: x", "<p>#12: x</p>"),
        ('"&nbsp;", x&nbsp;y, &lt;', '<p>"&amp;nbsp;", x&nbsp;y, &amp;lt;</p>'),
        ("Use &nbsp; for blanks", "<p>Use &amp;nbsp; for blanks</p>"),
        ("A:\n\n<x>\n  <y>\n    b",
         '<p>A:</p><div class="highlight"><pre><span></span>'
         "<code>&lt;x&gt;  &lt;y&gt;    b</code></pre></div>"),
        ("- [a]: None (b)\n- c", "<ul><li>[a]: None (b)</li><li>c</li></ul>"),
        ("Words\n\n[a]: https://a.b",
         '<p>Words</p><p>[a]: <a href="https://a.b">https://a.b</a></p>'),
        ("[a]\n\n[a]: https://a.b", '<p><a href="https://a.b">a</a></p>'),
        ("Case 1: a\nb\nCase 2: c\nCase 3.1: d",
         "<p>Case 1: ab<br />Case 2: c<br />Case 3.1: d</p>"),
        ("We could\na = b(c)\nbut not", "<p>We could<code>a = b(c)</code>but not</p>"),
        ("    if a:\n    b(c)\nd", "<pre><code>if a:b(c)</code></pre><p>d</p>"),
        ("a `b`{c} is\n{d}", "<p>a <code>b</code>{c} is{d}</p>"),
        ("a `b`{.c}\n{#d}", '<p id="d">a <code class="c">b</code></p>'),
        ("#hashtag", "<p>#hashtag</p>"),
        ("Words\n#hashtag", "<p>Words#hashtag</p>"),
        ("see https://a.b/c_d_e, or\n(https://f.g/h(i)).",
         '<p>see <a href="https://a.b/c_d_e">https://a.b/c_d_e</a>, or'
         '(<a href="https://f.g/h(i)">https://f.g/h(i)</a>).</p>'),
        ("+---+    +---+\n| a | -> | b |\n+---+    +---+",
         '<div class="highlight"><pre><span></span><code>+---+    +---+'
         "| a | -&gt; | b |+---+    +---+</code></pre></div>"),
        ("```\nwords", '<div class="highlight"><pre><span></span><code>words'
         "</code></pre></div>"),
    ],
)  # fmt: skip
def test_a_comment_shows_what_is_written(comment: str, html: str) -> None:
    lines = "".join(f"# {line}\n" for line in comment.split("\n"))
    assert convert_notes(f"{lines}a = 1\n") == [html]


@pytest.mark.parametrize(
    ("comment", "above", "code"),
    [
        ("if a:\n    b = 1", "", "if a:\n    b = 1"),
        ("Now\n  b = f(1)", "Now", "b = f(1)"),
        ("Now\n if a:\n     f(b)", "Now", "if a:\n    f(b)"),
        ("Or?\nb: int = 1", "Or?", "b: int = 1"),
        ("So:\nf(a, *, b=1, ...)", "So:", "f(a, *, b=1, ...)"),
        ("So:\n\nf(a)\nreturn b\n\n# And\nb = 2", "So:",
         "f(a)\nreturn b\n\n# And\nb = 2"),
        ("# So:\nfrom a import b\n\n# If\n# it is.\n\nif b:\n    c = 1", "",
         "# So:\nfrom a import b\n\n# If\n# it is.\n\nif b:\n    c = 1"),
    ],
)  # fmt: skip
def test_code_without_a_fence_keeps_its_lines(
    comment: str, above: str, code: str
) -> None:
    fenced = f"```python\n{code}\n```"
    shown = "\n\n".join(filter(None, (above, fenced)))
    lines = "".join(f"# {line}\n" for line in comment.split("\n"))
    (block,) = split(Source("m.py", f"{lines}a = 1\n"))
    assert block.note.text == shown
    # So it does in a docstring.
    assert convert_sections(comment, "bold") == shown


@pytest.mark.parametrize(
    "text",
    [
        *("note: this\nor: that", "one, two\nor = not three", "return values\nx"),
        *("see f(x)\nor g(x)", "a (b)\n= c", "import it (once),\n  and go", "x = 1"),
        *("words (more)\n    deeper (words)", "a = b\nis what\nc = d says"),
    ],
)
def test_sentences_are_no_code(text: str) -> None:
    lines = "".join(f"# {line}\n" for line in text.split("\n"))
    (block,) = split(Source("m.py", f"{lines}a = 1\n"))
    assert block.note.text == text == convert_sections(text, "bold")


def test_a_remark_such_as_fixme_does_not_divide_a_comment() -> None:
    assert convert_notes("# One,\n#FIXME: two\n# three.\n#b = 1\na = 1\n") == [
        "<p>One,FIXME: twothree.</p>"
    ]


def test_a_numbered_list_goes_on_after_code() -> None:
    assert convert_notes("# 1. Load\na = 1\n# 2. Train\nb = 2\n") == [
        "<ol><li>Load</li></ol>",
        '<ol start="2"><li>Train</li></ol>',
    ]


def test_an_incomplete_character_reference_hides_nothing() -> None:
    words = "Numeric entities (``&#nnnn;`` and ``&#hhhh;``) and\n# &#x or &#."
    source = Source("m.py", f"# {words}\na = 1\n\n\n# Below.\nb = 2\n")
    page = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    notes = [block.note.host for block in split(source)]
    blocks = [f'<div markdown="1">\n\n{note}\n\n</div>' for note in notes]
    html = page.convert("\n\n".join(blocks))
    assert html.count("</div>") == len(notes) == html.count("<div>")
    assert "<p>Below.</p>" in html
    assert "<code>&amp;#hhhh;</code>) and\n&amp;#x or &amp;#." in html


HEADER = "# ---\n# jupyter:\n#   jupytext:\n#     text_format: py\n# ---\n"


@pytest.mark.parametrize(
    "comment",
    [
        "# coding: utf-8\n",
        "# vim: set fileencoding=utf-8 :\n",
        "# Copyright (c) 2020 Somebody\n# Released under terms\n",
        "#\n# Licensed under the Apache License\n#\n",
        "# SPDX-License-Identifier: MIT\n",
        "# %%\n",
        "# In[3]:\n",
        "# sphinx_gallery_thumbnail_number = 2\n",
        "# noinspection PyUnresolvedReferences\n",
        "# + [markdown]\n# -\n",
        '# + {"tags": ["hide"]}\n',
        HEADER,
    ],
)
def test_comments_for_tools_are_not_notes(comment: str) -> None:
    text = f"{comment}\nimport os\n\na = 1\n"
    source = Source("m.py", text)
    page = assemble(source, split(source), module="m", path="m.md")
    assert convert_notes(text) == []
    assert page.description == "The annotated source of m."
    # The page collapses it with the imports.
    assert [line.text for line in page.folded[1]] == ["a = 1"]


def test_copyright_words_are_notes_unless_they_begin_a_licence() -> None:
    assert convert_notes("a = 1\n# The copyright is printed.\nb = 1\n") == [
        "<p>The copyright is printed.</p>"
    ]


@pytest.mark.parametrize("banner", ["# ######## 3.2 ########", "# ### Part 3 ###"])
def test_a_comment_above_a_definition_does_not_take_its_heading(banner: str) -> None:
    (*_, block) = split(Source("m.py", f"a = 1\n{banner}\ndef f():\n    return 1\n"))
    assert heading_of(block) == ("f", 2)
    assert block.note.text in ("", "### Part 3 ###")


def test_two_blank_lines_separate_a_comment_from_a_definition() -> None:
    text = "a = 1\n# === #\n# Base\n# === #\n\n\n{}class A: pass\n"
    for own in ("", "# Its own.\n"):
        _, banner, block = split(Source("m.py", text.format(own)))
        assert (banner.note.text, banner.opens, banner.scope) == ("Base", "", "")
        assert (block.note.text, block.opens) == (own[2:].strip(), "class")
    # So is a banner directly above it, or above its comment.
    text = "a = 1\n# ..........{ ONE }..........\n# Its own.\nclass A:\n    b = 1\n"
    _, banner, block = split(Source("m.py", text))
    assert (banner.note.text, banner.opens) == ("ONE", "")
    assert (block.note.text, block.opens) == ("Its own.", "class")
    # One blank line does not separate them.
    _, block = split(Source("m.py", "a = 1\n# Its own.\n\ndef f(): pass\n"))
    assert (block.note.text, block.opens) == ("Its own.", "function")


def test_a_page_has_one_heading_of_the_first_level() -> None:
    text = '"""Words.\n\n# One\n"""\na = 1\n# # Two\n\n\nclass A:\n    """# Three\n\n'
    text += '    # Four\n    """\n    def f():\n        """Five.\n\n        # Six\n'
    text += '        """\n        # # Seven\n        b = 1\n'
    notes = [block.note.text for block in split(Source("m.py", text))]
    assert "\n".join(notes).replace("\n\n", "\n").split("\n") == [
        *("Words.", "## One", "## Two", "## Three", "### Four", "Five.", "#### Six"),
        "#### Seven",
    ]


def test_private_functions_and_methods_have_headings_and_ids() -> None:
    text = "a = 1\ndef __f(): pass\nclass A:\n    def __g(self): pass\n"
    source = Source("m.py", f"{text}    def __init__(self): pass\n")
    page = assemble(source, split(source), module="m", path="m.md")
    found = [(section.anchor, section.heading) for section in page.sections]
    assert found == [("m", ""), ("m.__f", "__f"), ("A", "A"), ("A.__g", "__g")]


def test_the_theme_leaves_the_id_of_a_private_function_of_a_package() -> None:
    source = Source("a/__init__.py", "a = 1\ndef __getattr__(b):\n    'It.'\n")
    page = assemble(source, split(source), module="a", path="a/index.md")
    assert [section.anchor for section in page.sections] == ["init", "init.__getattr__"]


def test_a_heading_below_an_anchor_is_the_heading_of_its_class() -> None:
    text = 'class A:\n    """\n    <a id="A"></a>\n\n    ## The A\n    """\n'
    block = split(Source("m.py", f"a = 1\n{text}"))[1]
    assert heading_of(block) == ("", 0)
    assert convert_notes(text) == ['<p><a id="A"></a></p><h2>The A</h2>']
