"""# Numbers

Compares the numbers of a message with those of its translation, and their units. A
number may have a unit of its script, as in 4100万 for “41 million”, a small one may be
written as a word, and a number may occur fewer times: it is another one only if there
is a new one instead. Units are known for Japanese and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from labml_txl.literate.markdown.message import Place

# A number, and the commas and points at its end. No group leaves these out: after a
# possessive repetition, groups end wrongly in Python 3.11.2.
_NUMBER = re.compile(
    r"(?<![A-Za-z\d_.,])(?:\d++(?:[.,]++\d++)*+(?: ?[千万萬億亿])?)++[.,]*+"
    r"(?![A-Za-z_])"
)
_DIGITS = re.compile(r"(\d[\d,.]*) ?([千万萬億亿]?)")
_SIZES = {"千": 10**3, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "": 1}
_SCALES = [Decimal(10) ** n for n in (0, 3, 6, 9, -3, -6, -9)]
# More characters in a row are a hash or noise, and too large for a Decimal.
_LONGEST = 100
_NOISE = re.compile(rf"([\d,.]{{{_LONGEST + 1}}})[\d,.]++")
_NARROW = {0xFF10 + n: 0x30 + n for n in range(10)}
_TO_DIGITS = str.maketrans("一二两三四五六七八九", "1223456789")
# Numbers as words, at the beginning of a word, and as characters.
_WORDS = {
    2: ("two|twice|second|both|half|pair|double|couple|twin", "二两双対"),
    3: ("three|third|thrice|triple", "三"),
    4: ("four|quarter", "四"),
    5: ("five|fifth", "五"),
    6: ("six", "六"),
    7: ("seven", "七"),
    8: ("eight", "八"),
    9: ("nine", "九"),
}


def cut_noise(text: str) -> str:
    """The text without the ends of rows of digits that are too long for a number."""
    return _NOISE.sub(r"\1", text)


def find_numbers(text: str) -> Iterator[tuple[Decimal, Place]]:
    """The numbers in a text, and where they are; 2億8500万 is a single one."""
    for match in _NUMBER.finditer(text.translate(_NARROW)):
        words = match[0].rstrip(".,")
        parts = _DIGITS.findall(words)
        digits = [part.replace(",", "") for part, _ in parts]
        # A number with several points is a version.
        if len(words) <= _LONGEST and all(part.count(".") < 2 for part in digits):
            sizes = (_SIZES[size] for _, size in parts)
            pairs = zip(digits, sizes, strict=True)
            number = sum((Decimal(d) * n for d, n in pairs), Decimal())
            yield number, (match.start(), match.start() + len(words))


def find_other_numbers(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield numbers and units that are others, a line for each fault.

    Both texts are without their code, formulas and links.
    """
    for rule in (
        (_large, _small, _units)
        if language.partition("-")[0] in _KNOWN
        else (_large, _small)
    ):
        if found := rule(message, translation):
            yield "{} became {}".format(*found)


def _large(message: str, translation: str) -> tuple[str, str] | None:
    ours, theirs = (
        [number for number, _ in find_numbers(text)] for text in (message, translation)
    )

    def count(value: Decimal, among: list[Decimal]) -> int:
        scaled = {value * scale for scale in _SCALES}
        return sum(other in scaled for other in among)

    gone = {n for n in ours if (n > 9 or n % 1) and count(n, theirs) < count(n, ours)}
    new = {n for n in theirs if (n > 9 or n % 1) and not count(n, ours)}
    if not gone or not new:
        return None
    were, are = (", ".join(f"{n:f}" for n in sorted(found)) for found in (gone, new))
    return were, are


_DIGIT = re.compile(
    r"(?<![A-Za-z0-9_.,\-−–/:$\\^{(+])([2-9])(?![.,\-–:/]?\d)(?![A-Za-z_$+)}])"
)


def _small(message: str, translation: str) -> tuple[str, str] | None:
    """A digit of the message that is missing, and another one in its place."""
    translation = translation.translate(_NARROW)
    ours, theirs = (
        {int(n) for n in _DIGIT.findall(text)} for text in (message, translation)
    )
    words = message.lower().split()
    for n, (known, signs) in _WORDS.items():
        if known.partition("|")[0] in words:
            ours.add(n)
        before = "(?<![第一二三四五六七八九十])"
        if re.search(rf"{before}[{signs}][个つ项次层行列种個倍]", translation):
            theirs.add(n)
    gone = [n for n in ours if not re.search(f"[{n}{_WORDS[n][1]}]", translation)]
    new = [
        n
        for n in theirs
        if str(n) not in message
        and not re.search(rf"\b(?:{_WORDS[n][0]})", message, re.IGNORECASE)
    ]
    return (str(min(gone)), str(min(new))) if gone and new else None


# In each row, a unit in English and in the other languages.
_UNITS = """
seconds?  秒
minutes?|min  分(?!の|[は布散類别为割])|分钟
hours?  時間|小时
days?  日(?!本)|天
ms|milliseconds?  ミリ秒|毫秒|ms
kb|kilobytes?  kb|キロバイト|千字节
mb|megabytes?  mb|メガバイト|兆字节
gb|gigabytes?  gb|ギガバイト|吉字节
bits?  ビット|比特|位
bytes?  (?<![キロメガギ])バイト|字节
%|percent  [%％割]|パーセント|百分
points?  ポイント|点|个百分点
pixels?|px  ピクセル|像素|px
weeks?  週|周
months?  か月|ヶ月|カ月|月
years?  年
"""
_UNITS_OF = [line.split("  ") for line in _UNITS.strip().splitlines()]
_KNOWN = {"ja", "zh"}


def _units(message: str, translation: str) -> tuple[str, str] | None:
    """The unit after a number, and another one that the number has instead."""
    message, translation = message.lower(), translation.translate(_TO_DIGITS).lower()
    for n, (known, _) in _WORDS.items():
        message = re.sub(rf"\b{known.partition('|')[0]}\b", str(n), message)
    for english, other in _UNITS_OF:
        for match in re.finditer(
            rf"(?<![\w.,])(\d[\d.,]*+)[ -]?({english})\b", message
        ):
            number = rf"(?<![\d.,]){re.escape(match[1])} ?"
            if re.search(rf"{number}(?:{other}|{english})", translation):
                continue
            for unit, wrong in _UNITS_OF:
                now = re.search(rf"{number}({wrong})", translation)
                both = re.search(rf"{number}-?(?:{unit})\b", message)
                if now and not both and unit != english:
                    return f"the unit {match[2]}", now[1]
    return None
