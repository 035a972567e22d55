"""The laws of taking over translations of another system."""

import json
from pathlib import Path

import polib
import pytest

from labml_txl.cli import main
from labml_txl.literate.i18n.importing import Imported, align, load_json, put
from labml_txl.literate.i18n.labels import LABELS
from labml_txl.literate.i18n.lint.glossary import Glossary, load_glossary
from labml_txl.literate.sources.source import LiterateError
from tests.literate import small

ZERO, ONE = (f"<span translate=no>_^_{n}_^_</span>" for n in range(2))
ENGLISH = f'<p>The rate is {ZERO} in <a href="a.html">the code</a> of {ONE}.</p>\n'
CHINESE = f'<p>在 {ONE} 的<a href="a.html">代码</a>中，速率为 {ZERO}。</p>\n'
OURS = "The rate is $c$ in [the code][1] of `Compress`."


def taken(
    catalog: dict[str, str], *messages: str, language: str = "zh"
) -> list[Imported]:
    pages = [("page", message) for message in messages]
    return align(catalog, pages, language, Glossary())


def test_formulas_and_links_are_those_of_our_message() -> None:
    (entry,) = taken({ENGLISH: CHINESE}, "Something else.", OURS)
    (block,) = entry.blocks
    assert block.state == "imported"
    assert block.text == "在 `Compress` 的[代码][1]中，速率为 $c$。"


def test_what_fits_no_message_is_kept_with_its_reason() -> None:
    (entry,) = taken({ENGLISH: CHINESE}, "Something else.")
    assert [block.state for block in entry.blocks] == ["kept"]
    assert entry.blocks[0].reason == "no message of ours says this"


def test_an_entry_in_markdown_is_found_by_its_words() -> None:
    message = "It is `a_long_name.of_something(with_arguments)`."
    (entry,) = taken({message: message.replace("It is", "这是")}, message)
    assert [block.message for block in entry.blocks] == [message]


def test_a_long_block_is_found_by_words_that_come_back_in_it() -> None:
    words = [f"word{number * number % 23}" for number in range(300)]
    english, message = (" ".join([first, *words]) for first in ("Theirs", "Ours"))
    (entry,) = taken({english: "词" * 300}, "Something else.", message)
    assert [block.message for block in entry.blocks] == [message]


def test_a_formula_is_never_made_up() -> None:
    (entry,) = taken({ENGLISH: CHINESE}, OURS.replace("`Compress`", "$a$ and $b$"))
    assert [block.state for block in entry.blocks] == ["kept"]
    assert not entry.blocks[0].text


def test_a_broken_block_is_refused_and_its_neighbour_is_not() -> None:
    english = f"<p>It is good.</p>\n{ENGLISH}"
    broken = CHINESE.replace(ONE, ZERO)
    (entry,) = taken({english: f"<p>很好。</p>\n{broken}"}, OURS, "It is good.")
    good, bad = entry.blocks
    assert (good.state, good.text) == ("imported", "很好。")
    assert bad.state == "refused"
    assert "placeholder" in bad.reason
    assert "placeholder" in {finding.code for finding in entry.findings}


def test_blocks_that_do_not_match_are_refused() -> None:
    (entry,) = taken({"<p>It is good.</p>": "<h1>很好</h1>"}, "It is good.")
    assert [block.state for block in entry.blocks] == ["refused"]


def test_what_is_put_into_a_file_is_fuzzy_and_overwrites_nothing() -> None:
    (entry,) = taken({ENGLISH: CHINESE}, OURS)
    file = f'msgid ""\nmsgstr ""\n\nmsgid "{OURS}"\nmsgstr ""\n'
    once, left = put(file, entry.blocks)
    assert not left
    (new,) = polib.pofile(once)
    assert new.fuzzy
    twice, left = put(once, entry.blocks)
    assert twice == once
    assert left == list(entry.blocks)


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"{", 1, "JSON"),
        (b'{\n"a"', 2, "JSON"),
        (b"[]", 1, "object"),
        (b'{"a": 1}', 1, "int"),
        ("\xff".encode(), 1, "JSON"),
        (b"\xff", 1, "UTF-8"),
    ],
)
def test_a_file_that_is_no_catalog_is_told_in_one_line(
    tmp_path: Path, data: bytes, line: int, said: str
) -> None:
    path = tmp_path / "catalog.json"
    path.write_bytes(data)
    with pytest.raises(LiterateError, match=said) as error:
        load_json(path)
    assert str(error.value).startswith(f"{path.as_posix()}:{line}: ")
    assert "\n" not in str(error.value)


def site(folder: Path) -> Path:
    """A project of one page with a language."""
    docs = folder / "docs"
    (docs / "locale" / "zh").mkdir(parents=True)
    (docs / "locale" / "zh" / "language.toml").write_text('name = "中文"\n')
    (docs / "index.md").write_text("# A page\n\nThe rate is $c$ in it.\n")
    config = folder / "mkdocs.yml"
    config.write_text("site_name: A site\nplugins:\n  - literate\n")
    return config


def test_import_and_lint_work_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(site(tmp_path))
    catalog = tmp_path / "catalog.json"
    content = {f"<p>The rate is {ZERO} in it.</p>": f"<p>其中速率为 {ZERO}。</p>"}
    catalog.write_text(json.dumps(content), encoding="utf-8")
    words = ["i18n", "import", str(catalog), "--lang", "zh", "-f", config, "--json"]
    assert main(words) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert entry["findings"] == []
    assert entry["blocks"][0]["state"] == "imported"
    path = tmp_path / "docs" / "locale" / "zh" / "index.po"
    (said,) = [one for one in polib.pofile(str(path)) if one.msgstr]
    assert said.fuzzy
    assert said.msgstr == "其中速率为 $c$。"

    sound = path.read_text(encoding="utf-8").replace("#, fuzzy\n", "")
    path.write_text(sound, encoding="utf-8")
    assert main(["i18n", "lint", "zh", "-f", config]) == 0
    capsys.readouterr()
    path.write_text(sound.replace("为 $c$", "为"), encoding="utf-8")
    assert main(["i18n", "lint", "-f", config]) == 1
    lines = path.read_text(encoding="utf-8").splitlines()
    number = 1 + next(i for i, one in enumerate(lines) if "rate is $c$" in one)
    # The line of the message, and not of the comments above it.
    place = f"docs/locale/zh/index.po:{number}: error"
    reason = LABELS["fault_formula"]
    told = f"{place} formula {reason}: $c$ is missing\n"
    assert told in capsys.readouterr().out
    # In the language of the translator, once somebody has translated it.
    small.write(
        tmp_path,
        {"docs/locale/zh/site.po": f'msgid "{reason}"\nmsgstr "公式与英文不同"\n'},
    )
    assert main(["i18n", "lint", "-f", config]) == 1
    told = f"{place} formula 公式与英文不同: $c$ is missing\n"
    assert told in capsys.readouterr().out
    path.write_text(sound.replace("其中速率", "<b>其中</b>速率"), encoding="utf-8")
    assert main(["i18n", "lint", "-f", config]) == 1
    told = f"{place} foreign {LABELS['fault_foreign']}: <b> is not in the English\n"
    assert told in capsys.readouterr().out
    assert main(["i18n", "lint", "de", "-f", config]) == 2
    assert "no language de" in capsys.readouterr().err


def test_a_glossary_of_ones_own_comes_before_the_other(tmp_path: Path) -> None:
    path = tmp_path / "glossary.toml"
    path.write_text('[[term]]\nenglish = ["memory"]\nzh = { use = ["内存"] }\n')
    other = tmp_path / "other.toml"
    other.write_text('[[term]]\nenglish = ["memory"]\nzh = { never = ["内存"] }\n')
    own = load_glossary(path)
    assert not list(own.before(load_glossary(other)).check("memory", "内存", "zh"))
    assert list(load_glossary(other).before(own).check("memories", "x", "zh")) == []
    assert list(load_glossary(other).before(own).check("memory", "内存", "zh"))


def test_a_glossary_that_is_wrong_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "glossary.toml"
    for text in ("[", "words = 1", "[[term]]", '[[term]]\nenglish=["a"]\nzh = 1'):
        path.write_text(text)
        with pytest.raises(LiterateError) as error:
            load_glossary(path)
        assert "\n" not in str(error.value)


def test_quiet_leaves_out_what_is_no_fault_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(site(tmp_path))
    path = tmp_path / "docs" / "locale" / "zh" / "index.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        'msgid "The rate is $c$ for $n$ of them."\n'
        'msgstr "对于其中 $n$ 个，速率为 $c$。"\n\n'
        'msgid "The memory is $m$ at first."\n'
        'msgstr "最初的记忆就是这个。"\n',
        encoding="utf-8",
    )
    assert main(["i18n", "lint", "zh", "-f", config]) == 1
    everything = capsys.readouterr().out.splitlines()
    assert main(["i18n", "lint", "zh", "--quiet", "-f", config]) == 1
    faults = capsys.readouterr().out.splitlines()
    assert [line for line in everything if " info " not in line] == faults
    assert any(" info order " in line for line in everything)
    assert any(" error formula " in line for line in faults)
