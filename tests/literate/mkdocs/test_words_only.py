"""What strangers write outside of messages is words too: names, lists, settings."""

from pathlib import Path

import pytest

from labml_txl.literate.export.text import Entry, contents
from labml_txl.literate.i18n.languages import is_name, language
from labml_txl.literate.mkdocs.policy import digest, policy, secured
from labml_txl.literate.render.progress import translators
from labml_txl.literate.sources.source import LiterateError
from tests.literate.i18n.payloads import HOST, JS, PAYLOADS

# The settings of a language


def settings(folder: Path, text: str, code: str = "de") -> Path:
    file = folder / code / "language.toml"
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"name = '<img src=x onerror={JS}>'", "1: name = '<img src=x onerror=ran()>'"),
        (f"name = '[x](//{HOST}/)'", "1: name = "),
        ("name = 7", "1: name = '7'"),
        ("name = 'Deutsch'\nenglish = 'German |'", "2: english = 'German |'"),
        ("name = 'Deutsch'\ntag = 'de\" x=\"'", "2: tag = "),
        ("name = 'Deutsch'\ntheme = '../../main'", "2: theme = '../../main'"),
        ("name = 'Deutsch'\nlocale = 'de DE'", "2: locale = 'de DE'"),
        ("name = 'Deutsch'\ndirection = 'up'", "2: direction = 'up'"),
        ("name = 'Deutsch'\n[search]\nlanguages = ['<b>']", "3: languages = '<b>'"),
        ("name = 'Deutsch'\n[search]\nseparator = '('", "3: separator = '('"),
        ("name = 'Deutsch'\nsearch = 'de'", "1: search = 'de'"),
    ],
)
def test_a_setting_that_is_no_plain_text_is_refused(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(LiterateError) as error:
        language(settings(tmp_path, text), tmp_path)
    assert str(error.value).startswith(f"de/language.toml:{told}")
    assert ": write " in str(error.value)


def test_the_folder_of_a_language_is_its_code(tmp_path: Path) -> None:
    with pytest.raises(LiterateError, match="write the code of a language"):
        language(settings(tmp_path, "name = 'X'", "a b"), tmp_path)


@pytest.mark.parametrize(
    "name",
    ["日本語", "Português do Brasil", "සිංහල", "தமிழ்", "Bahasa (Indonesia)", "اردو"],
)
def test_names_of_languages_are_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_payload_is_a_name(payload: str) -> None:
    assert not is_name(payload) or not set(payload) & set("<>[]{}\\`\"'$&;:")
    assert all(map(is_name, translators([f'"Last-Translator: {payload} <a@b.c>\\n"'])))


def test_people_are_named_as_they_are() -> None:
    heads = ['"Last-Translator: Ana O\'Neill-Nuñez <a@b.c>\\n"', "# 山田 太郎 <c@d.e>"]
    assert translators(heads) == ("Ana O'Neill-Nuñez", "山田 太郎")


# Lists and other systems


def test_the_list_of_pages_holds_words_and_its_own_addresses() -> None:
    entry = Entry(f"x](//{HOST}/) <b>", f"<img src=x onerror={JS}>", "https://a.b/c.md")
    text = contents("S](x)", "<i>", {"[P": [entry]})
    assert text == (
        "# S\\](x)\n\n> \\<i>\n\n## \\[P\n\n"
        f"- [x\\](//{HOST}/) \\<b>](https://a.b/c.md): \\<img src=x onerror={JS}>\n"
    )


# The rule of a page


def test_the_rule_knows_scripts_of_templates_and_of_the_english_only() -> None:
    frame = (
        "<head><meta charset=utf-8></head><script>one()</script><script src=a></script>"
    )
    page = frame + "<script>two()</script><script>three()</script>"
    whole = secured(page, frame, "<script>two()</script>")
    assert digest("one()") in whole
    assert digest("two()") in whole
    assert digest("three()") not in whole
    # A preview serves each page with one more script.
    assert "'unsafe-inline'; script-src-attr 'none';" in secured(
        page, frame, preview=True
    )
    assert whole.index("Content-Security-Policy") < whole.index("<script>")


def test_the_rule_is_strict_and_names_hosts_only_where_it_is_told_to() -> None:
    strict = policy([])
    for rule in (
        *("default-src 'none'", "script-src 'self';", "connect-src 'self';"),
        *("worker-src 'self'", "img-src 'self' data:", "object-src 'none'"),
        *("script-src-attr 'none'", "base-uri 'none'"),
        *("form-action 'none'", "frame-src 'none'"),
    ):
        assert rule in strict
    assert "script-src 'self' https://cdn.example;" in policy(
        [], ["https://cdn.example"]
    )
    frame = '<head></head><script src="https://cdn.example/a.js"></script>'
    assert "https://cdn.example" in secured(frame, frame).partition(">")[2]
