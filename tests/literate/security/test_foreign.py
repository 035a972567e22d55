"""A translation cannot do anything but translate, whatever reads it."""

import re
import time
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import Markdown
from markdown_it import MarkdownIt

from labml_txl.literate.i18n.lint import lint_message
from labml_txl.literate.markdown.host import EXTENSIONS
from labml_txl.literate.security.elements import Elements, elements, is_plain
from labml_txl.literate.security.foreign import find_foreign
from tests.literate.security.payloads import (
    EXTENDED,
    HOST,
    IN_MARKDOWN,
    MSGSTR,
    PAYLOADS,
    TOGETHER,
)

ENGLISH = "These are *words* and [a link][1] with $x_1$ and `code`."
TRANSLATED = "これは*言葉*と[リンク][1]、$x_1$と`code`です。"
# English that has signs of its own, which a translation might put together anew.
WITH_SIGNS = (
    "These are words.",
    ENGLISH,
    "An interval [0, 1] and `Counter<int>` with $a<b$ and $c>d$.",
    'A <span class="x">word</span> and **two** of *three* at https://a.example/b.',
    "Code `<img src=x onerror=ran()>` and ![a picture][1]",
    "{count} of {total} & more",
    # Signs that extensions read, which many projects use.
    "At 10:20:30 in [0, 1]: C++ and a++, a == b == c, 1 ~ 2 ~ 3 ~ 4, @a and #1 here",
    "*[HTML]: A language.",
)
# A page with these words, and the extensions of somebody's project.
ABBREVIATED = "A page says HTML, and 言葉.\n\n"
OTHERS: dict[str, dict[str, object]] = {
    **{name: {} for name in ("abbr", "def_list", "footnotes", "tables")},
    **{f"pymdownx.{name}": {} for name in ("emoji", "keys", "mark", "progressbar")},
    "pymdownx.magiclink": {
        **{"repo_url_shorthand": True, "social_url_shorthand": True},
        **{"user": "reader", "repo": "things"},
    },
    "pymdownx.tilde": {},
}
PLACES = ("{}", "# {}", "- {}", "> {}", "| {} |\n|---|\n| {} |", "1. {}\n\n    {}")


# Of a long cell, the page makes a card, whose labels are the words of the head.
_LABELS = re.compile(r' data-(?:cards|label)="[^"]*"')


def rendered(message: str, places: tuple[str, ...] = PLACES) -> Elements:
    """What a browser finds in a message, in each place, in either Markdown."""
    found = Elements()
    for place in places:
        text = place.replace("{}", message.replace("][1]", "](../other.md)"))
        found += elements(_LABELS.sub("", markdown().reset().convert(text)))
        found += elements(extended().reset().convert(ABBREVIATED + text))
        found += elements(commonmark().render(text))
    return found


@cache
def markdown() -> Markdown:
    # Headings have the addresses of the English ones: the engine sees to that.
    extensions = ["tables", "fenced_code", "admonition", *EXTENSIONS]
    return Markdown(extensions=extensions, extension_configs=EXTENSIONS)


@cache
def extended() -> Markdown:
    return Markdown(extensions=[*OTHERS], extension_configs=OTHERS)


@cache
def commonmark() -> MarkdownIt:
    """GitHub's dialect, which also makes links of bare addresses."""
    reader = MarkdownIt("commonmark", {"html": True, "linkify": True})
    return reader.enable(["table", "strikethrough", "linkify"])


def brings(message: str, translation: str) -> Elements:
    """What a translation that passes brings; on a page it stands on one line."""
    if find_foreign(message, translation):
        return Elements()
    return rendered(" ".join(translation.split())) - rendered(message)


def test_elements_are_parsed_as_by_a_browser() -> None:
    for html, found in {
        '<p>a<br />b <img alt="c" src="d" />': {"<p>", "<br>", '<img alt src="d">'},
        "<!--><b>x</b>": {"<!---->", "<b>"},
        "<!-- x --!><i>y</i>": {"<!-- x -->", "<i>"},
        "<b\n/onclick=x>y": {'<b onclick="x">'},
        '<a href="java\tscript:x">y</a>': {'<a href="java\tscript:x">'},
        '<a href="&#106;avascript:x">y</a>': {'<a href="javascript:x">'},
        '<a title="x>y" href=z>y</a>': {'<a href="z" title>'},
        "<b \0x=1 漢>z": {'<b 漢="" \ufffdx="1">'},
        "a < b &lt;i&gt; & c": set(),
    }.items():
        assert {*elements(html).elements()} == found
    # What a browser mends is not plain.
    broken = ["<!--><b>x</b>", "<b>x", "x</div>", "<p>x<p title='\">'>", "a <x"]
    assert [html for html in broken if is_plain(html)] == []
    assert is_plain('<p>a &amp; b<br />c <img alt="d" src="e" /></p>')


def test_a_payload_is_refused_or_plain_text() -> None:
    assert [
        (message, payload)
        for payload in (*PAYLOADS, *IN_MARKDOWN, *EXTENDED)
        for message in WITH_SIGNS
        for before in ("", "言葉", "言葉 ")
        if brings(message, before + payload)
    ] == []
    # Those that live in Markdown are refused beside any English.
    assert [p for p in IN_MARKDOWN if not find_foreign("Words.", p)] == []


def test_half_a_payload_is_refused_by_itself() -> None:
    pairs = [
        pair for pair in TOGETHER if not any(find_foreign("Words.", t) for t in pair)
    ]
    assert pairs == []


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(WITH_SIGNS), MSGSTR)
def test_no_message_adds_elements_or_addresses(message: str, text: str) -> None:
    assert not brings(message, text)


def test_translations_keep_the_formulas_code_and_links_of_the_english() -> None:
    assert find_foreign(ENGLISH, TRANSLATED) == ""
    changed = [
        ("$x_1$", "$x_2$"),
        ("`code`", "`other`"),
        ("[リンク][1]", "[リンク][1]と[リンク][1]"),
        ("[リンク][1]", "[リンク][txl.scores]"),
        ("*言葉*", "*言葉*と*言葉*"),
    ]
    passed = [
        new
        for old, new in changed
        if not find_foreign(ENGLISH, TRANSLATED.replace(old, new))
    ]
    assert passed == []


# Controls, blanks that are letters, and signs that hide a text in another one.
# Noncharacters are marks of the engine.
UNSEEN = [
    *(0x202A, 0x2061, 0x2064, 0x2800, 0x3164, 0xFFFC, 0xE0041, 0xFE0F, 0xE000, 0x1C),
    *(0xFDD0, 0xFFFE, 0xF0041),
]


def test_translations_add_no_line_breaks_or_invisible_characters() -> None:
    breaks = ["\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"]
    signs = [*breaks, *map(chr, UNSEEN)]
    assert [s for s in signs if not find_foreign("Code of it", f"図{s}x = 1")] == []
    needed = ["\u200c", "\u200d", "\u200e", "\u2067y\u2069"]
    assert [s for s in needed if find_foreign("Words", f"x{s}y")] == []
    assert "not closed" in find_foreign("Words", "x\u2067y")


def test_text_in_any_script_passes_but_overlapping_characters_do_not() -> None:
    # A pile is found wherever it ends, and whatever stands between its characters.
    for pile in (
        *("\u0301" * 99, "\u0323" + "\u0329" * 190 + "。", "。" + "\u0301" * 9),
        *("\u0301\u200d" * 9, "\u0301\u0300\u20dd" * 3 + "\u3000", "\u0e47" * 8),
        "\U0001d165" * 9,
    ):
        assert "combining" in find_foreign("Words", f"W{pile}x"), ascii(pile)
    assert [
        word for word in ("ấ", "ที่", "हिन्दी", "שָׁ") if find_foreign("Words", word)
    ] == []
    english = "The pair [a, b] with a < b and c > d."
    swallowing = ["<!-- []>", "<?x []>", "<!x []>", "<p []", "<script []", "</p []"]
    assert [
        begun for begun in swallowing if not find_foreign(english, f"{begun}言葉")
    ] == []
    assert find_foreign(english, "a < bとc > dの組[a, b]。") == ""
    # A name of the English is no address.
    assert find_foreign("With Node.js.", "これはNode.jsです。") == ""
    assert "evil.example" in find_foreign("With Node.js.", "言葉はevil.example/x")
    assert find_foreign("Words.", f"言葉 https://{HOST}/ です。")
    # A host without a scheme, without a dot, or in another script.
    for bare in (
        "//例え.みんな/a",
        "//localhost/a",
        "語//x",
        "ftp://例え",
        "https:////a",
    ):
        assert find_foreign("Words.", f"言葉 {bare} です。"), bare
        at = "See https://a.example/b."
        assert find_foreign(at, f"{bare} https://a.example/b"), bare
        assert find_foreign(at, f"言葉 {bare.replace('//', 'https://', 1)} です。"), (
            bare
        )
    assert (
        find_foreign("See https://a.example/b.", "https://a.example/b を見る。") == ""
    )


def test_no_translation_takes_long_to_refuse() -> None:
    begin = time.process_time()
    for sign in ("[", "(", "`", "$x", "<a ", "*a", "a.", "\\(", "{", "<!--", "|", "「"):
        find_foreign(ENGLISH, sign * 6_000)
        find_foreign(ENGLISH, sign * 600)
    english = (
        "A sentence that is long, and says more than one thing to its reader. " * 12
    )
    for sign in ("a-", "a.", "-", "a.1", "_", "「", "「a", "1,", "*"):
        size = 20 * len(english) // len(sign)
        lint_message(english, sign * size, "ja")
        lint_message(english, sign * (size // 5), "ja")
    assert time.process_time() - begin < 3


@given(st.text(":.+-ab&;9 /\u0130", max_size=12))
def test_addresses_of_every_scheme_are_compared(text: str) -> None:
    found = elements(f'<a href="{text}">')
    assert any(element.startswith("<a href=") for element in found), found
