"""# Translations that say something else

Finds translations that are complete, but have another meaning: a word has become its
opposite, a negation or an exception was lost, a small number or a unit is another one,
or two numbers or names have changed places. A rule never understands a sentence. It
compares words of which the English has one and the translation should have the other,
so it is meant for a warning, and leaves alone what it does not know.

Words are known for Japanese and Chinese. Small numbers and exchanged ones are compared
in all languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from labml_txl.literate.i18n.glossary import Place

# A longer text may say the same in many ways.
_MOST_WORDS = 30
# In a longer one, what belongs together may be sentences apart.
_MOST_CHARACTERS = 1_000


def find_other_meaning(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield what a translation seems to say otherwise, a sentence for each fault.

    Both are without their code, formulas and links.
    """
    language = language.partition("-")[0]
    if len(message.split()) <= _MOST_WORDS:
        for word in _opposites(message, translation, language):
            yield f"“{word}” has become its opposite"
        if word := _lost_negation(message, translation, language):
            yield f"“{word}” has no counterpart"
    if word := _lost_exception(message, translation, language):
        yield f"the exception after “{word}” has no counterpart"


def find_other_numbers(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield small numbers and units that are others, as above."""
    if found := _small_numbers(message, translation):
        yield "{} became {}".format(*found)
    known = language.partition("-")[0] in _NEGATIVE
    if known and (units := _units(message, translation)):
        yield "the unit {} became {}".format(*units)


# Opposites

# In each row, a language, two words as regular expressions, and what stands for each of
# them. After a `~` is what may stand for it, but is too common to tell.
_TABLE = """
ja  before  after(?:wards)?  前に|以前~前|先|まで|ないうち|から  [のた]後に|以後~後|あと|から|たら|次
zh  before  after(?:wards)?  之前(?!有)|以前~前|先|原|没  之后|以后~后|完|经|过
zh  more  less|fewer  更多|多于~多|不少  更少|[^不]少于~低|小|短|减
ja  larger|greater|bigger  smaller  大き  小さ
zh  larger|greater|bigger  smaller  更大|大于~大|超  更小|小于~小|低
ja  longer  shorter  長く|長い~長  短く|短い~短|少|近
zh  longer  shorter  更长~长|再  更短~短|少|近
ja  better|best  worse|worst  優れ|良い|良く~良|上|高  劣|悪い|悪く~悪|下|低
zh  better|best  worse|worst  更好|优于~好|优|高  更差|不如|劣于|[^误偏方]差(?![异别值])~差|坏|低
ja  faster  slower  速く|速い~速  遅く|遅い~遅
zh  faster  slower  更快|快于~快  更慢|慢于~慢
ja  higher  lower  高く|高い~高  低く|低い~低|小|下
zh  higher  lower  更高~高  更低~低|小|下
ja  first  last  最初|先頭~第|初|先|1|まず  最後|末尾~後|末|最|前
zh  first  last  第一|首先~首|初|先|头|1|一  最后|末尾~后|末|上|近
ja  left  right  左  右
zh  left  right  左  右
ja  above  below  上記|上の~上  下記|下の~下
zh  above  below  上面|上方|上述~上  下面|下方|下述~下|以
ja  increases?|rises?|grows?  decreases?|falls?|shrinks?  増え|増加~増|上|大|長|伸  減る|減少~減|下|小|短
zh  increases?|rises?|grows?  decreases?|falls?|shrinks?  增加|上升~增|大|长  减少|下降~减|小|短|低
ja  always  never  常に|いつも  決して~ない|ず|ません
zh  always  never  总是|始终  从不|绝不|永远不
ja  trains?|training  evaluates?|evaluation  学習|訓練  評価
zh  trains?|training  evaluates?|evaluation  训练  评估|评测
ja  encoders?  decoders?  エンコーダ  デコーダ
zh  encoders?  decoders?  编码器  解码器
ja  inputs?  outputs?  入力  出力
zh  inputs?  outputs?  输入  输出
ja  minimum|smallest|least  maximum|largest|most  最小|最低~小|少  最大|最高~大|多|最も
zh  minimum|smallest|least  maximum|largest|most  最小|最低|最少~小|少|至  最大|最高|最多~大|多|高
"""  # noqa: E501
_ROWS = [line.split("  ") for line in _TABLE.strip().splitlines()]


def _opposites(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield the words of a message whose opposites are in the translation."""
    for code, first, second, one, other in _ROWS:
        if code != language:
            continue
        for word, opposite, right, wrong in (
            (first, second, one, other),
            (second, first, other, one),
        ):
            found = re.search(rf"\b(?:{word})\b", message, re.IGNORECASE)
            if (
                found
                and not re.search(rf"\b(?:{opposite})\b", message, re.IGNORECASE)
                and re.search(wrong.partition("~")[0], translation)
                and not re.search(right.replace("~", "|"), translation)
            ):
                yield found[0]


# Negations and exceptions

_NOT = re.compile(
    r"\b(?:[Nn]ot|[Nn]ever|[Cc]annot|[Nn]othing|[Nn]either|nor|[Ww]ithout|[Nn]o)\b"
    r"|n't\b"
)
# These are often said positively.
_NOT_REALLY = re.compile(
    r"\b(?:(?:no|not) (?:more|less|fewer|later|longer|only|until)|nothing but|no other"
    r"|or (?:not|no|without)|is not ours?)\b",
    re.IGNORECASE,
)
# All that may stand for a negation, in words or as a part of one.
_NEGATIVE = {
    "ja": re.compile(
        "な[いくかけしどきにみ]|ません|ぬ|(?<![はま必])ず|[無非未不外除欠禁失免別違限切止消省]"
        "|だけ|のみ|しか|まで|オフ|ゼロ|やめ|異な"
    ),
    "zh": re.compile("[不没無无非未勿别否禁除仅只免缺失零空外停避关去异省取]"),
}
_BUT = re.compile(
    r"\b(all|every|each|any|everything|every\w*)\b[^.,;:]{0,80}? but (?:for )?"
    r"(?:the|a|an|one|two|three|its|those|this|that)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    "除|以外|の外|之外|另外|のほか|残り|其余|其他|别的|まで|目以降|不(?!例外|论|管)"
)


def _lost_negation(message: str, translation: str, language: str) -> str:
    """The negation of a message whose translation has none at all, or `""`."""
    found = _NOT.search(_NOT_REALLY.sub("", message))
    negative = _NEGATIVE.get(language)
    if not found or not negative or negative.search(translation):
        return ""
    return found[0]


def _lost_exception(message: str, translation: str, language: str) -> str:
    """The “all” of an “all but”, if the translation excepts nothing, or `""`."""
    found = _BUT.search(message)
    if not found or language not in _NEGATIVE or _EXCEPT.search(translation):
        return ""
    return found[1]


# Numbers

_DIGIT = re.compile(
    r"(?<![A-Za-z0-9_.,\-−–/:$\\^{(+])([2-9])(?![.,\-–:/]?\d)(?![A-Za-z_$+)}])"
)
# Numbers as words, at the beginning of a word, and as characters.
_IN_WORDS = {
    2: "two|twice|second|both|half|pair|double|couple|twin",
    3: "three|third|thrice|triple",
    4: "four|quarter",
    5: "five|fifth",
    6: "six",
    7: "seven",
    8: "eight",
    9: "nine",
}
_CHARACTERS = dict(zip(range(2, 10), "二三四五六七八九", strict=True)) | {2: "二两双対"}


def _small_numbers(message: str, translation: str) -> tuple[str, str] | None:
    """A digit of the message that is missing, and another one in its place."""
    translation = translation.translate({0xFF10 + n: 0x30 + n for n in range(10)})
    ours, theirs = (
        {int(n) for n in _DIGIT.findall(text)} for text in (message, translation)
    )
    gone = [n for n in ours if not re.search(f"[{n}{_CHARACTERS[n]}]", translation)]
    new = [
        n
        for n in theirs
        if str(n) not in message
        and not re.search(rf"\b(?:{_IN_WORDS[n]})", message, re.IGNORECASE)
    ]
    if not gone or not new:
        return None
    return str(min(gone)), str(min(new))


# In each row, a unit in English and in the other languages.
_UNITS = """
seconds?  秒
minutes?|min  分(?!の|[は布散類别为割])|分钟
hours?  時間|小时
days?  日(?!本)|天
ms|milliseconds?  ミリ秒|毫秒|ms
kB|kilobytes?  kB|KB|キロバイト|千字节
MB|megabytes?  MB|メガバイト|兆字节
GB|gigabytes?  GB|ギガバイト|吉字节
bits?  ビット|比特|位
bytes?  (?<![キロメガギ])バイト|字节
%|percent  [%％割]|パーセント|百分
pixels?|px  ピクセル|像素|px
weeks?  週|周
months?  か月|ヶ月|カ月|月
years?  年
"""
_UNITS_OF = [line.split("  ") for line in _UNITS.strip().splitlines()]


def _units(message: str, translation: str) -> tuple[str, str] | None:
    """A unit after a number that is missing, and another one in its place."""
    gone, new = [], []
    for english, other in _UNITS_OF:
        ours = re.compile(rf"(?<![A-Za-z])(?:{english})(?![A-Za-z])")
        theirs = re.search(rf"(?<![\d.,])\d[\d.,]*+ ?(?:{other})", translation)
        if match := re.search(rf"(?<![\w.,])\d[\d.,]*+ ?({english})(?!\w)", message):
            if not re.search(other, translation) and not ours.search(translation):
                gone.append(match[1])
        elif theirs and not ours.search(message):
            new.append(re.sub(r"^[\d., ]+", "", theirs[0]))
    return (gone[0], new[0]) if gone and new else None


# What has changed places

# A number, a formula, code or a placeholder.
_ONE = (
    r"((?<![\d.])\d[\d.,]*\d|(?<![\d.])\d|\$[^$\n]{1,80}\$|`[^`\n]{1,80}`|\{\w{1,40}\})"
)
_INSTEAD = re.compile(
    rf"{_ONE}[^.,;]{{0,20}}? (?:instead of|rather than) [^.,;]{{0,12}}?{_ONE}"
)
_INTO = re.compile(
    rf"(?:from|turns?|maps?|compress\w*) (?:about )?{_ONE}[^.,;]{{0,20}}?"
    rf" (?:in)?to (?:about )?{_ONE}"
)


def find_turned_round(
    message: str, translation: str, language: str
) -> Iterator[tuple[str, str]]:
    """Yield two numbers or names, one instead of the other or from one to the other.

    Both texts contain their code and formulas.
    """
    if language.partition("-")[0] not in _NEGATIVE or len(message) > _MOST_CHARACTERS:
        return

    def after(words: str) -> str:
        return rf"(?<![\d.]){re.escape(words)}(?![.,]?\d)"

    pairs = [
        (first, second)
        for pattern in (_INSTEAD, _INTO)
        for first, second in pattern.findall(message)
        if len(_places(first, message)) == len(_places(second, message)) == 1
    ]
    for first, second in pairs:
        one, other = after(first), after(second)
        instead = (
            rf"{one}[^、。]{{0,12}}?(?:では?なく|の代わり)[^。]*?{other}"
            rf"|{other}[^，。]{{0,12}}?(?:不是|而非|代替|取代)[^，。]{{0,6}}?{one}"
        )
        into = (
            rf"{other}[^、。]{{0,12}}?[をから][^、。]{{0,10}}?{one}[^、。]{{0,12}}?[にへ]"
            rf"|[从由把将][^，。]{{0,6}}?{other}[^，。]{{0,12}}?[到至为降升成]"
            rf"[^，。]{{0,6}}?{one}"
        )
        turned = instead if (first, second) in _INSTEAD.findall(message) else into
        if re.search(turned, translation):
            yield first, second


def find_exchanged(
    message: str,
    translation: str,
    objects: Sequence[str],
    terms: Mapping[str, tuple[Sequence[Place], Sequence[Place]]],
) -> Iterator[tuple[str, str]]:
    """Yield two of the objects, each of which is now beside the term of the other.

    `objects` are numbers, names, formulas and placeholders. `terms` are those of
    `Glossary.places`. A term or an object that occurs more than once tells nothing.
    """
    if len(message) > _MOST_CHARACTERS:
        return
    once = {
        term: (here[0], there[0])
        for term, (here, there) in terms.items()
        if len(here) == len(there) == 1
    }
    beside: dict[str, tuple[str, str]] = {}
    for raw in dict.fromkeys(objects):
        ours, theirs = (_places(raw, text) for text in (message, translation))
        if len(ours) == len(theirs) == 1:
            now = _nearest(translation, theirs[0], {t: at[1] for t, at in once.items()})
            was = _nearest(message, ours[0], {t: at[0] for t, at in once.items()})
            if was and now:
                beside[raw] = was, now
    for (one, (was, now)), (other, there) in combinations(beside.items(), 2):
        if was != now and there == (now, was):
            yield one, other


def _places(raw: str, text: str) -> list[Place]:
    """Where an object or a number is in a text."""
    pattern = re.escape(raw)
    if raw[0].isdigit():
        pattern = rf"(?<![\d.,A-Za-z_]){pattern}(?![.,]?\d|[A-Za-z_])"
    return [match.span() for match in re.finditer(pattern, text)]


_COMMA = re.compile(r"[,;:.、，。；：]|\b(?:and|but|while|whereas)\b")


def _nearest(text: str, place: Place, terms: Mapping[str, Place]) -> str:
    """The term that is clearly nearer to a place than all others, or `""`."""

    def distance(at: Place) -> int:
        left, right = sorted((place, at))
        between = text[left[1] : right[0]]
        return len(between) + 8 * len(_COMMA.findall(between))

    ordered = sorted((distance(at), term) for term, at in terms.items())
    if len(ordered) > 1 and ordered[0][0] * 1.5 + 1 < ordered[1][0]:
        return ordered[0][1]
    return ""
