"""A translation cannot do anything but translate."""

from functools import cache
from pathlib import Path

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown import Markdown

from labml_txl.literate.i18n.catalog import State
from labml_txl.literate.i18n.files.po import load_catalog
from labml_txl.literate.i18n.labels import LABELS, fields
from labml_txl.literate.i18n.lint.guard import fault, joint_faults
from labml_txl.literate.markdown.elements import Elements, elements, is_plain
from labml_txl.literate.render.render import EXTENSIONS
from tests.literate.i18n.lint.payloads import HOST, JS, MSGSTR, PAYLOADS, TOGETHER
from tests.literate.tongues import po

ROOT = Path(__file__).parents[4]
ENGLISH = "These are *words* and [a link][1] with $x_1$ and `code`."
TRANSLATED = "これは*言葉*と[リンク][1]、$x_1$と`code`です。"
PLACES = ("{}", "# {}", "- {}", "> {}", "| {} |\n|---|\n| {} |", "1. {}\n\n    {}")


def rendered(message: str, places: tuple[str, ...] = PLACES) -> Elements:
    """What a browser finds in a message, in each place, as MkDocs shows it."""
    found = Elements()
    for place in places:
        html = markdown().reset().convert(place.replace("{}", message))
        found += elements(html)
    return found


@cache
def markdown() -> Markdown:
    # Headings have the addresses of the English ones: the engine sees to that.
    extensions = ["tables", "fenced_code", "admonition", *EXTENSIONS]
    return Markdown(extensions=extensions, extension_configs=EXTENSIONS)


def linked(message: str) -> str:
    """The message as it stands on a page."""
    return message.replace("][1]", "](../other.md)")


# What a browser finds


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (
            '<p>a<br />b <img alt="c" src="d" /></p>',
            ["<p>", "<br>", '<img alt src="d">'],
        ),
        ("<!--><b>x</b>", ["<!---->", "<b>"]),
        ("<!-- x --!><i>y</i>", ["<!-- x -->", "<i>"]),
        ("<b\n/onclick=x>y", ['<b onclick="x">']),
        ('<a href="java\tscript:x">y</a>', ['<a href="java\tscript:x">']),
        ('<a href="&#106;avascript:x">y</a>', ['<a href="javascript:x">']),
        ('<a title="x>y" href=z>y</a>', ['<a href="z" title>']),
        ("<b \0x=1 漢>z", ['<b 漢="" \ufffdx="1">']),
        ("a < b &lt;i&gt; & c", []),
    ],
)
def test_elements_are_those_that_a_browser_finds(html: str, found: list[str]) -> None:
    assert sorted(elements(html).elements()) == sorted(found)


@pytest.mark.parametrize(
    "html", ["<!--><b>x</b>", "<b>x", "x</div>", "<p>x<p title='\">'>", "a <x"]
)
def test_what_a_browser_mends_is_not_plain(html: str) -> None:
    assert not is_plain(html)
    assert is_plain('<p>a &amp; b<br />c <img alt="d" src="e" /></p>')


# One message


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_is_refused_or_nothing_but_text(payload: str) -> None:
    for message, words in (("These are words.", "言葉"), (ENGLISH, TRANSLATED)):
        for translation in (payload, words + payload, f"{words} {payload}"):
            if not fault(message, translation):
                # A quotation mark that ends an attribute does no harm in Markdown.
                assert rendered(linked(translation)) <= rendered(linked(message))


@pytest.mark.parametrize(
    "translation",
    [
        f"<!--><script>{JS}</script>",
        f"<!-- x --!><img onerror={JS}>",
        f'<!--><iframe srcdoc="<script>{JS}</script>">',
        f"<!--><svg onload={JS}>",
        f"<span autofocus tabindex=0 onfocus={JS}>",
        f"<wbr onmouseover={JS}>",
        f"<em onclick={JS}>言葉</em>",
        f'[言葉][1]{{: href="javascript:{JS}" }}',
        f"[言葉][1]{{: onmouseover={JS} }}",
        f"*言葉*{{: onmouseover={JS} }}",
        f"[詳細]: javascript:{JS}",
        f"[図]: //{HOST}/x.png",
        f'<span onmouseover="{JS}">言葉</span>',
        '<span style="position:fixed;inset:0">',
        r"\(\href{javascript:x y}{a b}\)",
    ],
)
def test_what_was_alive_once_is_refused(translation: str) -> None:
    assert fault(ENGLISH, translation)
    assert fault("Words.", translation)


def test_formulas_code_and_links_are_those_of_the_english() -> None:
    assert fault(ENGLISH, TRANSLATED) == ""
    for old, new in (
        ("$x_1$", "$x_2$"),
        ("`code`", "`other`"),
        ("[リンク][1]", "[リンク][1]と[リンク][1]"),
        ("[リンク][1]", "[リンク][txl.scores]"),
        ("*言葉*", "*言葉*と*言葉*"),
    ):
        assert fault(ENGLISH, TRANSLATED.replace(old, new)), new


def test_signs_that_nobody_sees_are_refused() -> None:
    assert "U+202E" in fault("Words.", "言葉\u202e。")
    assert "U+0002" in fault("Words.", "言葉\u0002。")
    assert fault("Words.", "\u2067מילים\u2069.") == ""


def test_an_address_in_plain_words_is_one_too() -> None:
    assert fault("Words.", f"言葉 https://{HOST}/ です。")
    assert fault("Words.", f"www.{HOST}")


def test_a_label_keeps_its_blanks_as_they_are() -> None:
    english = LABELS["share_banner"]
    assert fields("{share} %") == fields(english)
    for wrong in ("{share:>99}", "{share!r}", "{share.x}", "{share[0]}", "{share"):
        assert fields(wrong) != fields(english)


# Messages beside each other


@pytest.mark.parametrize(("first", "last"), TOGETHER)
def test_two_messages_do_no_harm_together(first: str, last: str) -> None:
    page = {"First.": first, "Middle.": "中の word と [words]。", "Last.": last}
    alone = {m: t for m, t in page.items() if not fault(m, t)}
    left = {m: t for m, t in alone.items() if m not in joint_faults(alone)}
    words = rendered("\n\n".join(left.values()), PLACES[:1])
    assert words <= rendered("\n\n".join(left), PLACES[:1])
    assert "Middle." in left


# Whatever stands in a message


@pytest.mark.parametrize("text", ["\\", "Worte\\", "Worte\\ "])
def test_a_backslash_at_the_end_is_refused_for_it_ends_no_heading(text: str) -> None:
    assert "backslash" in fault("These are words.", text)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["These are words.", ENGLISH]), MSGSTR)
def test_whatever_it_says_a_message_brings_no_element(message: str, text: str) -> None:
    if not fault(message, text):
        # On a page, a message stands on one line.
        shown = linked(" ".join(text.split()))
        assert not rendered(shown) - rendered(linked(message))


@settings(max_examples=200, deadline=None)
@given(st.lists(MSGSTR, min_size=2, max_size=4))
def test_whatever_they_say_messages_together_bring_none(texts: list[str]) -> None:
    page = {f"Message {n} is *words*.": text for n, text in enumerate(texts)}
    alone = {m: t for m, t in page.items() if t.strip() and not fault(m, t)}
    left = {m: t for m, t in alone.items() if m not in joint_faults(alone)}
    shown = "\n\n".join(" ".join(t.split()) for t in left.values())
    english = "\n\n".join(left)
    assert not rendered(shown, PLACES[:1]) - rendered(english, PLACES[:1])


# In the files


def test_a_catalog_shows_english_and_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "de" / "a.po"
    file.parent.mkdir()
    file.write_text(po("de", {"One word.": "<b>Ein</b> Wort.", "Two.": "Zwei."}))
    catalog = load_catalog(tmp_path, "de", "a", tmp_path)
    assert catalog("One word.") == "One word."
    assert catalog.look("One word.").state is State.FAULTY
    assert catalog("Two.") == "Zwei."
    told = "de/a.po:6: <b> is not in the English: take it out"
    assert [*map(str, catalog.faults)] == [told]
    assert catalog.without_translations()("Two.") == "Two."


def test_no_translation_of_ours_is_refused() -> None:
    count = 0
    for path in sorted((ROOT / "docs/locale").rglob("*.po")):
        live = {
            entry.msgid: entry.msgstr
            for entry in polib.pofile(str(path))
            if entry.msgstr and not entry.fuzzy and not entry.obsolete
        }
        assert [(m, why) for m, t in live.items() if (why := fault(m, t))] == []
        assert joint_faults(live) == {}
        count += len(live)
    assert count > 5_000


@given(st.text(":.+-ab&;9 /\u0130", max_size=12))
def test_no_address_is_left_out_whatever_its_scheme(text: str) -> None:
    found = elements(f'<a href="{text}">')
    assert any(element.startswith("<a href=") for element in found), found


# Controls, blanks that are letters, and signs that hide a text in another one.
UNSEEN = [0x202A, 0x2061, 0x2064, 0x2800, 0x3164, 0xFFFC, 0xE0041, 0xFE0F, 0xE000, 0x1C]


def test_no_line_break_and_no_unseen_sign_is_new() -> None:
    breaks = ["\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"]
    signs = [*breaks, *map(chr, UNSEEN)]
    assert [s for s in signs if not fault("Code of the figure", f"図{s}x = 1")] == []
    assert [
        s for s in "\u200c\u200d\u200e\u2067\u2069" if fault("Words", f"а{s}б")
    ] == []
