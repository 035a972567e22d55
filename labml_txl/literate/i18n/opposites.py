"""# Opposites

Pairs of English words whose confusion turns the meaning of a sentence round, and how a
translation shows that it has one of them. A sentence with one word of a pair is suspect
if its translation has a word for the other one and none for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
# A longer text may say the same in many ways.
_MOST_WORDS = 25


def find_opposites(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield the words of a message whose opposites are in the translation."""
    if len(message.split()) > _MOST_WORDS:
        return
    for code, first, second, one, other in _ROWS:
        if code != language.partition("-")[0]:
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
