"""# Translations that say something else

Finds translations that are complete, but have another meaning: a word has become its
opposite, or a negation or an exception was lost or added. A rule never understands a
sentence. It compares words of which the English has one and the translation should have
the other, so it is meant for a warning, and leaves alone what it does not know.

Words are known for Japanese and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A longer sentence may say the same in many ways.
_MOST_WORDS = 40
_FEW_WORDS = 25


def find_other_meaning(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield what a sentence seems to say otherwise, a line for each fault.

    Both are without their code, formulas and links.
    """
    language, plain = language.partition("-")[0], _NOT_REALLY.sub("", message)
    if language not in NEGATIVE or len(message.split()) > _MOST_WORDS:
        return
    for word in _opposites(plain, translation, language):
        yield f"“{word}” has become its opposite"
    found = NOT.search(plain)
    if found and not NEGATIVE[language].search(translation):
        yield f"“{found[0]}” has no counterpart"
    if word := _added_negation(message, translation, language):
        yield f"“{word}” is negative, the English is not"
    for word in _lost_words(message, translation, language):
        yield f"“{word}” has no counterpart"
    if word := _other_sense(message, translation, language):
        yield f"“{word}” has become its opposite"
    if word := _lost_exception(message, translation):
        yield f"the exception after “{word}” has no counterpart"


# Opposites

# In each row, a language, two words as regular expressions, and what stands for each of
# them. After a `~` is what may stand for it, but is too common to tell. The second word
# after a `>` has no row of its own: it only explains what stands for the opposite.
_TABLE = r"""
ja  before  after(?:wards)?  前に|以前~前|先|まで|ないうち|から  [のた]後に|以後~後|あと|から|たら|次
zh  before  after(?:wards)?  之前(?![有说])|以前|前面~前|先|原|没  之后|以后|后面~后|完|经|过
zh  more  less|fewer  更多|多于~多|不少  更少|[^不]少于~低|小|短|减|不到|不足
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
zh  above  below  上面|上方|上述|高一层|上一层~上  下面|下方|下述|低一层|下一层~下|以|低
ja  increases?|rises?|grows?  decreases?|falls?|shrinks?  増え|増加|上が~増|上|大|長|伸  減る|減少|下が~減|下|小|小|短
zh  increases?|rises?|grows?  decreases?|falls?|shrinks?  增加|上升~增|大|长  减少|下降~减|小|短|低
ja  always  never  常に|いつも  決して~ない|ず|ません
zh  always  never  总是|始终  从不|绝不|永远不
ja  trains?|training  evaluates?|evaluation  学習|訓練  評価
zh  trains?|training  evaluates?|evaluation  训练  评估|评测
ja  encoders?  decoders?  エンコーダ  デコーダ
zh  encoders?  decoders?  编码器  解码器
ja  inputs?  outputs?  入力  出力
zh  inputs?  outputs?  输入  输出
ja  newest|latest  oldest|earliest  最新|最も新し~新  最古|最も古|最も早~古
zh  newest|latest  oldest|earliest  最新~新  最旧|最老|最早~旧
ja  nearest|closest  farthest|furthest  最も近|一番近~近  最も遠|一番遠~遠
zh  nearest|closest  farthest|furthest  最近~近  最远~远
zh  sums?  products?  之和|总和~和|加  之积|乘积~积|乘
ja  sums?  products?  [のが]和|総和~和|足|合計  [のが]積|乗算~積|掛
ja  in parallel|side by side  one (?:by one|after another)|in turn  並列|並行|並べ~同時|一度に  順番に|1つずつ~順
zh  in parallel|side by side  one (?:by one|after another)|in turn  并行|并排|同时~并  逐个|依次|轮流~逐
ja  next  previous|preceding  次の~次|後|続|来  前の|直前~前
zh  next  previous|preceding  下一~下|后|接  前一|上一~前|上
ja  upper|highest|top  lower|lowest|bottom  上側|上位|最上~上|高  下側|下位|最下~下|低
zh  upper|highest|top  lower|lowest|bottom  上层|最高|最上~上|高|顶  下层|最低|最下~下|低|底
ja  fewer|less  more  より少な|減ら~少|小|下|減  より多|増や|増え~多|大|増
ja  most of  few of|a few of  ほとんど(?!あり)|大半|大部分~多  ごく一部|わずか~少
zh  most of  few of|a few of  大多数|大部分~多  少数|极少~少
ja  inside|within  outside|beyond  内側|の中~内|中|まで|以内|離  外側|の外~外|超
zh  inside|within  outside|beyond  之内|以内~内|中|里|不  之外|以外~外|超
ja  include[sd]?|including  exclude[sd]?|excluding  含~入  除外|除い~除
zh  include[sd]?|including  exclude[sd]?|excluding  包括|包含~含  排除|除去~除
ja  keeps?|kept  drop(?:s|ped)?|discard(?:s|ed)?  残|保持~保存|保|その  捨て|破棄~除|ドロップ
zh  keeps?|kept  drop(?:s|ped)?|discard(?:s|ed)?  保留|保持~存|留|保|仍  丢弃|舍弃~丢|弃
ja  adds?|added  subtract(?:s|ed)?  加え|加算|足し~足|加  引い|引き|減算~引
zh  adds?|added  subtract(?:s|ed)?  加上|相加~加  减去|相减~减
ja  multipl(?:y|ied|ies)  divid(?:e|ed|es)  掛け|乗算~積|乗|掛  割っ|割り|除算~割|分
zh  multipl(?:y|ied|ies)  divid(?:e|ed|es)  乘以|相乘~乘  除以|相除~除|分
ja  starts?|begins?  ends?|stops?  始ま|開始~始|から|先頭  終わ|終了|停止~終
zh  starts?|begins?  ends?|stops?  开始|开头~始|从|起|首  结束|停止~止|末|尾
ja  enable[sd]?  disable[sd]?  有効~オン  無効~オフ
zh  enable[sd]?  disable[sd]?  启用|开启~打开  禁用|关闭|停用~关
ja  absolute  relative  絶対  相対
zh  absolute  relative  绝对  相对
ja  positive  negative  正の~正|陽  負の~負|陰
zh  positive  negative  正数|为正~正  负数|为负~负
ja  wider|wide  narrower|narrow  広~幅|大  狭~小
zh  wider|wide  narrower|narrow  更宽~宽|大  更窄|窄~小
ja  deeper|deep  shallower|shallow  深~多  浅~少
zh  deeper|deep  shallower|shallow  深~多  浅~少
ja  stronger|strongly  weaker|weakly  強~大  弱~小
zh  stronger|strongly  weaker|weakly  强~大  弱~小
ja  easier|easy  harder|hard|difficult  簡単|容易|やすい~易|やす  難し|困難|にくい~難|にく
zh  easier|easy  harder|hard|difficult  更容易|容易~易|方便|简单  更难|困难~难|不易|不容易
ja  past  future  過去~前  未来~後|将来
zh  past  future  过去~前|以往  未来~后|将来
ja  rows?  columns?  行  列
zh  rows?  columns?  行  列
ja  forward  backward  順伝播~前|順|進  逆伝播~逆|後|戻
zh  forward  backward  前向~前|正向  反向~后|逆|回
ja  rare  frequent  まれ|低頻度~珍  頻繁|高頻度~頻|よく|多
zh  rare  frequent  罕见|低频|少见~稀  频繁|高频|常见~常|多
ja  often|usually  rarely|seldom  しばしば|頻繁に|たいてい~多|よく|普通|通常  めったに~まれ|少
zh  often|usually  rarely|seldom  经常|通常|往往~常|多  很少|极少~少|罕
ja  maximum|max  minimum|min  最大~大|上限  最小~小|下限
zh  maximum|max  minimum|min  最大~大|上限  最小~小|下限
ja  key  value  キー  バリュー~値
ja  (?:less|fewer|smaller) than  (?:more|greater|larger) than  未満|より小さ|より少な~小|少|下|届|満|達|短|低|以内  超え|より大き|より多~以上|超|大|多|上|高
zh  (?:less|fewer|smaller) than  (?:more|greater|larger) than  小于|少于|低于|不到~少|小|低|不足|短|不超  大于|多于|超过|高于~多|大|高|长|余|以上|超
ja  first  >seconds?|two|next|then|both  最初|第1|第一|1つ目|1番目|[^第]1つ~初|先|まず|1番  第[2二]|2つ目|2番目
zh  first  >seconds?|two|next|then|both  第一|首先|第 1~首|初|先|头|最前|最左  第二|第 2(?!\d)
ja  second  >third|3  第[2二]|2つ目|2番目~2|次|二|秒|もう|別|後  第[3三]|3つ目|3番目
zh  second  >third|3  第二|第 2~另|二|秒|两|2|次|后  第三|第 3(?!\d)
ja  third  >fourth|4  第[3三]|3つ目|3番目~3|三  第[4四]|4つ目|4番目
zh  third  >fourth|4  第三|第 3~三|3  第四|第 4(?!\d)
ja  only  >not (?:\w+ )?only|not just|too|also|besides|even|not  だけ(?!で[はもな])|のみ(?!な)|しか~限|ただ|唯  だけで(?:は|も)?な|だけとは限|のみな|ばかりか
zh  only  >not (?:\w+ )?only|not just|too|also|besides|even|not  (?<!不)[只仅](?!不)~限|唯|才  不[只仅单光]
ja  unless  >even if|even when|although|if  限り|なければ|除~以外  ても
zh  unless  >even if|even when|although|if|less|least  除非~否则|不|没|未|只有|外|小  即使|如果
ja  although|though|even though  >because|since|as  が、|のに|ながら|ても|とはいえ|けれど|もの[のか]|しかし|ただし~が|一方|でも  からです|ためです|[だる]から、|ので
zh  although|though|even though  >because|since|as  虽|尽管|但|却|即使|不过|而~可  因为|由于
ja  minimum|smallest|least  maximum|largest|most  最小|最低~小|少  最大|最高~大|多|最も
zh  minimum|smallest|least  maximum|largest|most  最小|最低|最少~小|少|至  最大|最高|最多~大|多|高
"""  # noqa: E501
_ROWS = [line.split("  ") for line in _TABLE.strip().splitlines()]


def _opposites(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield the words of a message whose opposites are in the translation."""
    for code, first, second, one, other in _ROWS:
        if code != language:
            continue
        both = (first, second.removeprefix(">"), one, other)
        turned = (second, first, other, one)
        for word, opposite, right, wrong in (both, turned)[: 2 - (second[0] == ">")]:
            found = re.search(rf"\b(?:{word})\b", message, re.IGNORECASE)
            if (
                found
                and not re.search(rf"\b(?:{opposite})\b", message, re.IGNORECASE)
                and re.search(wrong.partition("~")[0], translation)
                and not re.search(right.replace("~", "|"), translation)
            ):
                yield found[0]


# Negations and exceptions

NOT = re.compile(
    r"\b(?:not|never|cannot|neither|nor|no|none|nobody|nowhere)\b|n't\b", re.IGNORECASE
)
# These are often said positively.
_NOT_REALLY = re.compile(
    r"\b(?:(?:no|not) (?:more|less|fewer|later|longer|only|until)|nothing but|no other"
    r"|no difference|need not|not need|why not|than without|never negative"
    r"|never \w+ (?:more|less)|or (?:not|no|without)|is not ours?"
    r"|not (?:impossible|un\w+))\b"
    # Two negations, which are one statement.
    r"|\b(?:not|never|nothing|no|cannot)\b[^.,;:]{0,60}?"
    r"\b(?:until|without|unless|forget|ignored?|differs?|prevents?)\b",
    re.IGNORECASE,
)
# All that may stand for a negation, in words or as a part of one.
NEGATIVE = {
    "ja": re.compile(
        "(?<!少)な(?:[いくしきさ]|けれ|かっ)|ません|ぬ|(?<![はま必わ])ず(?![つれらっ])"
        "|[無非未禁失省]|不(?!要な)|しか(?!し)|以外|異な|別のもの|いいえ|[^\\d.]0[^\\d.]"
    ),
    "zh": re.compile("不(?![同仅断])|不同于|[没无非未勿别禁]|(?<!是)否|上限|超出|除此"),
}
_BUT = re.compile(
    r"\b(all|every|each|any|everything|every\w*)\b[^.,;:]{0,80}? but (?:for )?"
    r"(?:the|a|an|one|two|three|its|those|this|that)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    "除|以外|の外|之外|另外|ほか|他の|残り|其余|其他|别的|まで|目以降|不(?!例外|论|管)"
)


def _lost_exception(message: str, translation: str) -> str:
    """The “all” of an “all but”, if the translation excepts nothing, or `""`."""
    found = _BUT.search(message)
    if not found or _EXCEPT.search(translation):
        return ""
    return found[1]


# A negation of a verb that no word of the English accounts for.
_ADDED = {
    "ja": re.compile("(?:ません|ない|なかった)(?:でした)?(?=[。、]|$)"),
    "zh": re.compile("(?<!有)没有|无法|(?<!是)不(?:能|会|需|应该|可以|是|必)"),
}
_REASONS = """
    no not none nor neither never nothing nobody nowhere without cannot only few
    less fewer hardly barely rarely seldom little but except unless until instead
    rather fail* lack* miss* ignor* forg* too(?=\\s\\w) los* un* in* im* dis* non*
    drop* leav* left omit* skip* remov* delet* exclu* differ* hid* empty zero stop*
    refus* forbid* prevent* avoid* free constant fixed must requir* need* off
    outside beyond whether has have may if end* wrong absent yet alone apart out
    hard difficult regardless any* whatever even still same equal remain* keep* kept
    should least most before all stay* while break* identical always every* just
    than depend* last sav* half as together
"""
_ACCOUNTED = re.compile(
    rf"\b(?:{'|'.join(_REASONS.split())})\b|n't".replace("*", r"\w*"), re.IGNORECASE
)


def _added_negation(message: str, translation: str, language: str) -> str:
    """A negation of a translation whose message has nothing negative, or `""`."""
    found = _ADDED[language].search(translation)
    short = len(message.split()) <= _FEW_WORDS
    return found[0] if found and short and not _ACCOUNTED.search(message) else ""


# In each row, words that have to have a counterpart, and what it may be in a language.
_LOST = r"""
ja  not only  だけで|加え|のみな|ばかり|に限|に留ま|にとどま|限らず
zh  not only  不仅|不只|不单|不光|不限|除|不止|并非只|并不只
ja  hardly|barely|scarcely  ほとんど|ほぼ|あまり|わずか|ごく|さほど|大して|かろうじて|まず
zh  hardly|barely|scarcely  几乎|很少|不怎么|极少|不太|基本|勉强|难得|难以|差不多|不大
ja  rarely|seldom  めったに|まれ|稀|ほとんど|あまり|少な
zh  rarely|seldom  很少|极少|罕|少见|难得|不常|几乎
ja  [Ff]ew(?= \w+ (?!to\b|times)\w+)  少|わずか|ほとんど|数えるほど|限られ|あまり|まれ
zh  [Ff]ew(?= \w+ (?!to\b|times)\w+)  少|寥寥|不多|没几|无几|几乎没|有限|只有
ja  at least|(?:no|not) (?:fewer|less) than  早くて|少な[くい]とも|以上|最低|最小|せめて|つは|下ら|必ず|いずれか|下回ら|未満
zh  at least|(?:no|not) (?:fewer|less) than  至少|以上|最少|起码|少于|低于|最低|小于|必|不到|不为零
ja  at most(?= \S)  最大|最多|多くても|高々|たかだか|以下|以内|まで|上限|せいぜい|超え|ても|限
zh  at most(?= \S)  最多|至多|超过|以内|以下|之内|最大|上限|大于|最长|最坏|最高|只|不能|到|不会|至
ja  (?<!and )without(?! it\b)  な[いくしけか]|ず|ません|無|未|抜き|なし|省|外|除|ぬ|やめ|限|まま
zh  (?<!and )without(?! it\b)  不|没|无|非|未|免|除|缺|去|省|禁|始终
ja  always  常に|いつ|必ず|つね|決ま|どの|どんな|ずっと|毎|すべて|一貫|変わら|限
zh  always  总|始终|一直|永远|必|都|恒|每|一定|从来|无论|不变|均
ja  not necessarily|not always|need not always  とは限|わけでは|必ずしも|場合も|こともあ|とも限
zh  not necessarily|not always|need not always  不一定|未必|不总|并不|并非|不见得|不是
ja  (?:do|does) not (?:have|need) to|need not  不要|必要は?|要り|いりません|なくて|なくと|なしで|せずに|まで?もな|ません
zh  (?:do|does) not (?:have|need) to|need not  不必|无需|无须|不需|不用|不一定|没必要|没有必要|可以不|即可|也可
ja  (?<!no )(?<!not )more than(?= \d)  超|以上|より|余|上回|あまり|強|多|まで|以下|以内
zh  (?<!no )(?<!not )more than(?= \d)  超|以上|多|不止|大|高于|余|逾
ja  unless  限|なければ|除|以外|ない|なけ|ず|異な|違|例外|満た
zh  unless  除非|否则|不|没|未|只有|外|才|无|小于|大于|低于|高于
ja  almost|nearly  ほぼ|ほとんど|近|くらい|ほど|も|弱|わずか|ばかり
zh  almost|nearly  几乎|近|差不多|将近|接近|快|基本|大致|约
ja  only  不要|必要はな|だけ|のみ|しか|限|ただ|唯|初めて|すぎ|ばかり|まで|てから|専|単|ほか|なら|はじめて|わずか|こそ|なけれ|なくな|以外|破棄|捨て|さえ|とどま|足り
zh  only  不必|无需|不需|只|仅|唯|才|单|就|限|不过|独|光|专|纯|再|除非|别无|前提
"""  # noqa: E501
_LOST_ROWS = [
    (code, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), re.compile(there))
    for code, words, there in (row.split("  ") for row in _LOST.strip().splitlines())
]
_SOME = re.compile(r"\b(?:an?|the|every|last|first|how|not|so|very) \Z", re.IGNORECASE)


def _lost_words(message: str, translation: str, language: str) -> Iterator[str]:
    """Yield words of a message that nothing in its translation stands for."""
    # “Different” looks like a negation.
    other = translation
    if re.search(r"\bdiffer", message):
        other = re.sub("異な|違|不同", "", translation)
    for code, words, there in _LOST_ROWS:
        found = code == language and words.search(message)
        if not found or there.search(other):
            continue
        # “a few” and “the few” are some.
        if not _SOME.search(message, 0, found.start()):
            yield found[0]


# A double negation of which only one is left, and an exception that is negated twice.
_DOUBLE = re.compile(
    r"\bnot (?:impossible|unlikely|unable|unclear|unnecessary|unimportant|unrelated)\b"
)
_UNLESS = re.compile(r"\b[Uu]nless\b([^,.;]*)")
_EXCEPTED = {
    "ja": re.compile("(?:ない|なかった)(?:場合|とき|時|もの|限り)?を(?:除|のぞ)"),
    "zh": re.compile("除非[^，。；]{0,30}?(?:不(?![同足等])|没)"),
}
# What is possible without something has become impossible without it.
_WITHOUT = re.compile(r"\b[Ww]ithout\b")
_REQUIRED = {
    "ja": re.compile(
        "(?:ないと|なければ|なしでは|なくては)[^。]{0,30}?(?:ません|ない|なかった)"
    ),
    "zh": re.compile("(?:没有|不用|缺少)[^。]{0,20}?(?:无法|不能|不可|就不)"),
}


def _other_sense(message: str, translation: str, language: str) -> str:
    """A double negation that has become a single one or the reverse, or `""`."""
    found = _DOUBLE.search(message)
    if found and len(NEGATIVE[language].findall(translation)) == 1:
        return found[0]
    excepted = _UNLESS.search(message)
    negative = excepted and re.search(
        r"\b(?:not?|un\w+|without|missing|lack\w*|fail\w*)\b|n't", excepted[1]
    )
    if excepted and not negative and _EXCEPTED[language].search(translation):
        return "unless"
    without = _WITHOUT.search(message)
    other = NOT.search(message) or re.search(
        r"\b(?:hardly|ha(?:s|ve) to|must)\b", message
    )
    if without and not other and _REQUIRED[language].search(translation):
        return without[0]
    return ""
