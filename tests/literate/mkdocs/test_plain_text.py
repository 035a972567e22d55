"""Text of contributors outside of messages is plain text: names, lists, settings."""

import re
from pathlib import Path

import pytest

from labml_txl.literate.export.text import Entry, render_contents
from labml_txl.literate.i18n.languages import is_name, read_language, write_settings
from labml_txl.literate.render.translations import find_translators
from labml_txl.literate.sources.source import LiterateError
from tests.literate.security.payloads import HOST, JS, PAYLOADS
from tests.literate.small import write

# Settings of languages, and names


REFUSED = {
    f"name = '<img src=x onerror={JS}>'": "1: name = '<img src=x onerror=ran()>'",
    f"name = '[x](//{HOST}/)'": "1: name = ",
    "name = 7": "1: name = 7",
    "name = 'Deutsch'\nenglish = 'German |'": "2: english = 'German |'",
    "name = 'Deutsch'\ntag = 'de\" x=\"'": "2: tag = ",
    "name = 'Deutsch'\ntheme = '../../main'": "2: theme = '../../main'",
    "name = 'Deutsch'\ndirection = 'up'": "2: direction = 'up'",
    "name = 'Deutsch'\n[search]\nlanguages = ['<b>']": "3: languages = ['<b>']",
    "name = 'Deutsch'\n[search]\nlanguages = 'de'": "3: languages = 'de'",
    "name = 'Deutsch'\n[search]\nlanguages = [['de']]": "3: languages = [['de']]",
    "name = ['Deutsch']": "1: name = ['Deutsch']",
    "name = 'Deutsch'\n[search]\nseparator = '('": "3: separator = '('",
    "name = 'Deutsch'\nsearch = 'de'": "1: search = 'de'",
    **{
        f"name = 'Deutsch'\n[search]\nseparator = '{pattern}'": "3: separator = "
        # A group would become a part of the split text, repeated groups and what can
        # match in several ways take long, the next line leaves no words, and the rest
        # is not valid in a browser.
        for pattern in (
            *(
                "a?a?a?b",
                "[^x]+y",
                r"[\s]?[\s]?",
                ".+",
                r"[\s\S]",
                "|",
                r"\s*",
                "^",
                "/",
            ),
            *("(a)", "(?:a+)+", "(?:a|a)*b", r"\s*\s*\s*b", "a+b+", "a++", "a{2,}"),
            *("(?i)a", "(?P<x>a)", r"\A", "[a", "a" * 401, r"(?=a+)", "(?<=a|b)c"),
        )
    },
}


def test_a_setting_that_is_no_plain_text_is_refused(tmp_path: Path) -> None:
    wrong = []
    for text, told in REFUSED.items():
        write(tmp_path, {"de/language.toml": text})
        with pytest.raises(LiterateError) as error:
            read_language(tmp_path / "de/language.toml", tmp_path)
        if not re.match(
            rf"de/language\.toml:{re.escape(told)}.*: write ", str(error.value)
        ):
            wrong.append((text, str(error.value)))
    assert wrong == []
    for text in ("a = " + "[" * 3000, f"a = {'1' * 5000}", "name = "):
        write(tmp_path, {"de/language.toml": text})
        with pytest.raises(
            LiterateError, match=r"\Ade/language.toml:1: not valid TOML"
        ):
            read_language(tmp_path / "de/language.toml", tmp_path)
    # The folder of a language is its code.
    write(tmp_path, {"a b/language.toml": "name = 'X'"})
    with pytest.raises(LiterateError, match="write the code of a language"):
        read_language(tmp_path / "a b/language.toml", tmp_path)


def test_the_separators_of_the_search_that_we_and_the_theme_use_are_allowed(
    tmp_path: Path,
) -> None:
    theme = r"""[\s\-,:!=\[\]()"/]+|(?!\b)(?=[A-Z][a-z])|\.(?!\d)|&[lg]t;"""
    texts = [write_settings(code) for code in ("ja", "zh", "de")]
    texts.append(f"name = 'Deutsch'\n[search]\nseparator = '''{theme}'''")
    for text in texts:
        write(tmp_path, {"de/language.toml": text})
        read_language(tmp_path / "de/language.toml", tmp_path)


def test_names_of_translators_may_be_in_any_script_without_markup() -> None:
    hidden = ["\u3164", "\u115f\u1160", "\uffa0", "A\u17b5", "\U00013441", "A\u200b"]
    piled = ["A" + "\u0323\u0329" * 9]
    assert [name for name in [*hidden, *piled] if is_name(name)] == []
    names = ["日本語", "Português do Brasil", "සිංහල", "தமிழ்", "Bahasa (Indonesia)"]
    assert [name for name in [*names, "اردو"] if not is_name(name)] == []
    signs = set("<>[]{}\\`\"'$&;:")
    assert [p for p in PAYLOADS if is_name(p) and signs & set(p)] == []
    heads = [f'"Last-Translator: {payload} <a@b.c>\\n"' for payload in PAYLOADS]
    assert all(map(is_name, find_translators(heads)))
    heads = ['"Last-Translator: Ana O\'Neill-Nuñez <a@b.c>\\n"', "# 山田 太郎 <c@d.e>"]
    assert find_translators(heads) == ("Ana O'Neill-Nuñez", "山田 太郎")


# Lists and other systems


def test_llms_txt_contains_plain_text_and_addresses_of_the_site() -> None:
    entry = Entry(f"x](//{HOST}/) <b>", f"<img src=x onerror={JS}>", "https://a.b/c.md")
    text = render_contents("S](x)", "<i>", {"[P": [entry]})
    assert text == (
        "# S\\](x)\n\n> \\<i>\n\n## \\[P\n\n"
        f"- [x\\](//{HOST}/) \\<b>](https://a.b/c.md): \\<img src=x onerror={JS}>\n"
    )
