"""The small project in other languages: its catalogs, as translators write them."""

from collections.abc import Mapping
from typing import NamedTuple

JAPANESE = """\
name = "日本語"
english = "Japanese"

[search]
languages = ["ja"]
separator = '''[\\s\\-、。，．]+|\
(?<=[ァ-ヶー])(?![ァ-ヶー])|(?<![ァ-ヶー])(?=[ァ-ヶー])|\
(?<=[一-龠々])(?![一-龠々])|(?<![一-龠々])(?=[一-龠々])'''
"""
CHINESE = """\
name = "中文"
english = "Chinese (simplified)"
tag = "zh-Hans"

[search]
languages = ["zh"]
separator = '[\\s\\-，。\\u200b]+'
"""


class Fuzzy(NamedTuple):
    """A translation that nobody has looked at since the English changed."""

    text: str


def po(language: str, entries: Mapping[str, str | Fuzzy], head: str = "") -> str:
    """A PO file with these translations."""
    lines = [
        *('msgid ""', 'msgstr ""', f'"Language: {language}\\n"'),
        *('"Content-Type: text/plain; charset=UTF-8\\n"', head),
    ]
    for message, found in entries.items():
        fuzzy = isinstance(found, Fuzzy)
        text = found.text if isinstance(found, Fuzzy) else found
        lines += ["", *(["#, fuzzy"] if fuzzy else [])]
        lines += [f"msgid {_quoted(message)}", f"msgstr {_quoted(text)}"]
    return "\n".join(line for i, line in enumerate(lines) if line or i > 4) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return f'"{escaped}"'


COUNTER_JA: Mapping[str, str | Fuzzy] = {
    "The counter": "カウンター",
    "A counter that knows how many things there were, and nothing more than that.": (
        "いくつあったかを覚えているだけのカウンターです。"
    ),
    "Keeps the count $n_t$.": "数 $n_t$ を保ちます。",
    "The next count, $n_{t+1} = n_t + 1$.": "次の数は $n_{t+1} = n_t + 1$ です。",
    "One more than before:": "前より一つ多い数：",
}
HOME_JA: Mapping[str, str | Fuzzy] = {
    "Counting": "数える",
    "We count with `Counter`, and $1 + 1 = 2$.": (
        "`Counter` で数えます。$1 + 1 = 2$ です。"
    ),
}
SITE_JA: Mapping[str, str | Fuzzy] = {
    "Counting": "数え方",
    "Contents": "目次",
    "Language: {language}": "言語：{language}",
    "Copy the code": "コードをコピー",
    "Permalink to {anchor}": "{anchor} への固定リンク",
    "not translated yet": "未翻訳",
    "the original has changed": "英語版が更新されました",
    "{share} % of this page is translated.": "このページの {share} % が翻訳済みです。",
    "Read this page in {language}": "このページを{language}で読む",
}
