"""Annotated code, drawings and notebooks of others are content: nothing of them runs.

What a browser would find is judged on the built pages, by a parser of HTML.
"""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lxml import html

from labml_txl.literate.security.trusted import mark_html, strip_marks
from labml_txl.literate.sources.source import LiterateError, read
from tests.literate.small import FILES, REGISTRY, must_build, txl, write

SETTINGS = """\
site_name: Hostile
theme: material
plugins:
  - literate:
      modules: [pkg]
      notebooks: [tutorials]
      equations: [papers]
"""
# What the registry says, and what it says instead.
WORSE = {
    "On Counting": "On <script>alert(20)</script> counting",
    "A. Author": "A <img src=x onerror=alert(21)>",
    "How many there were at step $t$.": "A number, [a](javascript:alert(22)).",
    'The next count"': 'The <form action=//evil.example>next</form>"',
    "The next count is one more.": "Text <script>alert(23)</script>.",
}
# Each is the end of a paragraph of its own.
# In a note of its own: where a note speaks of tags, all of its tags are text.
GOOD = "Good: <b>bold</b> <kbd>K</kbd> <details><summary>s</summary>more</details>"
NOTES = [
    "Words. <!--><script>alert(1)</script>-->",
    "A `tick\n<script>alert(2)</script>` over lines",
    "A $dollar\n<script>alert(3)</script>$ over lines",
    "<scr<script>ipt>alert(4)</script>",
    "<svg><script>alert(5)</script></svg>",
    "<img src=x onerror=alert(6)> <b onclick=alert(7)>b</b> words{onclick=alert(8)}",
    "<meta a<b http-equiv=refresh content='0;url=//evil.example'>",
    '<p id="__labels">{}</p> <i id="__cards">{}</i> <b data-md-component="x">h</b>',
    '<a href="javascript:alert(9)">a</a> [b](javascript:alert(10))',
    "<form action=//evil.example><input name=q><button>b</button></form>",
    '<div style="position: fixed; inset: 0">over all</div>',
    "<iframe src=//evil.example></iframe><object data=x></object><base href=//e.io>",
    mark_html("<script>alert(11)</script>"),
    mark_html("<img src=x onerror=alert(14)>"),
    '<div class="lit-side"><script>alert(12)</script></div>',
    '<figure class="lit-figure"><script>alert(13)</script></figure>',
    '<div class="md-overlay">over all</div>',
    "<plaintext> <xmp> <textarea> <noscript><style>*{display:none}</style></noscript>",
]
DRAWING = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="alert(1)"
  style="position: fixed; fill: red">
<style>body { display: none }</style><script>alert(2)</script>
<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><form><input/></form></body>
</foreignObject><plaintext>p</plaintext>
<a href="javascript:alert(3)"><text x="1" y="1" style="z-index: 9">word</text></a>
<image href="https://evil.example/x.png"/><use href="data:image/svg+xml,x#a"/>
<rect width="3" height="3" fill="url(https://evil.example/#f)"
  style="position:fixed;background:url(//evil.example)"/>
<animate attributeName="href" values="javascript:alert(4)"/>
<g class="md-overlay" overflow="visible" data-md-component="x">
<a href="#x" ping="//evil.example" target="_top"><text>a</text></a></g>
<rect mask="image-set('//evil.example/x.png' 1x)" filter="u\\72l(//evil.example)"
  style="mask-image: image-set('//evil.example/x.png' 1x)"/>
<path d="M0 0h9"/></svg>
"""
NOTEBOOK = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # A tutorial
#
# Words <script>alert(1)</script>.

# %%
x = 1
"""
FORBIDDEN = {
    *("meta", "form", "button", "iframe", "object", "base", "style", "plaintext"),
    *("textarea", "foreignobject", "xmp", "link", "embed", "noscript"),
}


def offenders(page: html.HtmlElement) -> list[str]:
    """What may run or take over, among the elements of a part of a page."""
    found = []
    for element in page.iter():
        tag = element.tag if isinstance(element.tag, str) else ""
        given = {name.lower(): value for name, value in element.attrib.items()}
        addresses = [given.get(name, "") for name in ("href", "src", "xlink:href")]
        if (
            tag.lower() in FORBIDDEN
            or (tag == "script" and not given.get("src", "").startswith("../"))
            or any(name.startswith("on") for name in given)
            or given.get("id", "").startswith("__")
            or any("data-md-" in name for name in given)
            or "position" in given.get("style", "")
            or any(
                name.startswith("md-over") for name in given.get("class", "").split()
            )
            or any("evil" in one for one in given.values())
            or any("javascript:" in one or "evil" in one for one in addresses)
        ):
            found.append(html.tostring(element, encoding="unicode")[:120])
    return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    registry = REGISTRY
    for good, bad in WORSE.items():
        assert good in registry
        registry = registry.replace(good, bad)
    words = "\n\n".join(NOTES)
    comment = "\n#\n".join(
        "\n".join(f"# {line}" for line in note.split("\n")) for note in NOTES
    )
    words = f"# A module\n\nSee [it][cnt.next].\n\n![A drawing](bad.svg)\n\n{words}\n"
    shown = [
        {
            "image/svg+xml": DRAWING,
            "text/html": "<script>alert(1)</script>",
            "application/javascript": "alert(2)",
            "text/plain": "a figure",
        },
        {"text/markdown": "**b** <meta http-equiv=refresh content=0>"},
        {"image/png": 'x"><meta/http-equiv="refresh"/content="0">'},
    ]
    about = {form: {"alt": 'A "figure'} for form in ("image/svg+xml", "image/png")}
    outputs = [
        {
            "output_type": "display_data",
            "data": data,
            "metadata": {form: about[form] for form in data if form in about},
        }
        for data in shown
    ]
    title = {"cell_type": "markdown", "source": "# A tutorial", "id": "a"}
    code = {"cell_type": "code", "source": "x = 1", "id": "b", "execution_count": 1}
    cells = [{**title, "metadata": {}}, {**code, "metadata": {}, "outputs": outputs}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    files = {
        "mkdocs.yml": SETTINGS,
        "docs/index.md": "# Home\n",
        "docs/pkg/bad.svg": DRAWING,
        "pkg/__init__.py": f'r"""{words}"""\n\n{comment}\nx = 1\n\n# {GOOD}\ny = 2\n',
        "papers/counting.toml": registry,
        'pkg/a"onload="alert(1).py': '"""# Quoted"""\n\nx = 1\n',
        "tutorials/first.py": NOTEBOOK,
        "tutorials/first.ipynb": json.dumps(notebook),
    }
    write(folder, files)
    must_build(folder)
    return folder / "site"


# The template's switch for wrapping code, as it is written.
WRAP = '<button class="lit-wrap" type="button" aria-pressed="false">Wrap code</button>'


def test_nothing_of_a_note_a_drawing_or_a_notebook_runs(site: Path) -> None:
    found, articles = {}, 0
    for file in site.rglob("index.html"):
        page = html.fromstring(file.read_text(encoding="utf-8").replace(WRAP, "", 1))
        for article in page.iter("article"):
            articles += 1
            if bad := offenders(article):
                found[file.name, file.parent.name] = bad
        # The rule of the page knows no script that a note has.
        for script in page.iter("script"):
            assert "alert" not in (script.text or "")
    assert found == {}
    assert articles >= 4
    text = site.joinpath("pkg/index.html").read_text(encoding="utf-8")
    for good in ("<b>bold</b>", "<kbd>K</kbd>", "<summary>s</summary>", ">word</text>"):
        assert good in text
    assert 'd="M0 0h9"' in text


def test_what_is_published_beside_the_pages_is_sanitised_too(site: Path) -> None:
    drawing = site.joinpath("pkg/bad.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawing).tag.endswith("svg")
    assert offenders(html.fromstring(drawing)) == []
    notebook = json.loads(site.joinpath("tutorials/first.ipynb").read_text())
    outputs = notebook["cells"][-1]["outputs"]
    assert [sorted(output["data"]) for output in outputs] == [
        ["image/svg+xml", "text/plain"],
        ["text/markdown"],
        ["image/png"],
    ]
    stored = "".join(outputs[0]["data"]["image/svg+xml"])
    assert offenders(html.fromstring(stored)) == []
    assert "<meta" not in "".join(outputs[1]["data"]["text/markdown"])


def test_text_of_an_author_is_never_taken_for_html_of_the_engine() -> None:
    assert strip_marks(mark_html("<b>")) == "<b>"
    assert mark_html(mark_html("<b>")) == mark_html("<b>")


def test_a_file_that_is_no_text_of_the_project_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"root/a.py": "# coding: rot13\nk = 1\n", "secret.py": "x = 1\n"})
    root = tmp_path / "root"
    root.joinpath("b.py").symlink_to(tmp_path / "secret.py")
    escaped = b"# coding: unicode_escape\nx = '\\ud800'\n"
    write(root, {"c.py": "# coding: undefined\n", "d.py": escaped})
    root.joinpath("e.po").mkdir()
    refused = [("b.py", "outside the project"), ("e.po", "a folder")]
    refused += [(name, "unknown encoding") for name in ("a.py", "c.py", "d.py")]
    for name, words in refused:
        with pytest.raises(LiterateError, match=words):
            read(root / name, root)


@pytest.mark.parametrize("host", ["mkdocs", "zensical"])
def test_a_link_out_of_the_project_is_not_published(tmp_path: Path, host: str) -> None:
    root = tmp_path / "root"
    write(root, FILES)
    tmp_path.joinpath("secret.txt").write_text("secret")
    root.joinpath("docs/a.txt").symlink_to(tmp_path / "secret.txt")
    done = txl(root, "export", "--to", "site", "--host", host)
    assert done.returncode == 1
    assert "docs/a.txt:1: a link to itself or to a file outside" in done.stderr
    assert "Traceback" not in done.stderr
