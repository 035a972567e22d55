# ruff: noqa: E501
"""The laws of the lint: what is broken is found, what is sound passes."""

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.literate.i18n import structure
from labml_txl.literate.i18n.entities import compare
from labml_txl.literate.i18n.glossary import load_glossary
from labml_txl.literate.i18n.lint import RULES, Finding, Rule, find_errors, lint_message
from labml_txl.literate.i18n.numbers import find_numbers
from labml_txl.literate.sources.source import LiterateError

LOCALE = Path(__file__).parents[3] / "docs" / "locale"
TERMS = load_glossary(LOCALE, LOCALE)
FORMULA, CODE = re.compile(r"\$[^$]+\$"), re.compile(r"`[^`]+`")
# Of as many sentences a kind, and of these, so many are to be found.
SAMPLE, FOUND = 60, 0.9


@cache
def sentences(language: str) -> list[tuple[str, str]]:
    """The sound translations of a language that say more than a few words."""
    return [
        (entry.msgid, entry.msgstr)
        for path in sorted((LOCALE / language).rglob("*.po"))
        for entry in polib.pofile(str(path))
        if entry.translated() and not entry.obsolete and len(entry.msgid.split()) > 9
    ]


def without(pattern: re.Pattern[str]) -> Callable[[str, str], str]:
    return lambda english, words: pattern.sub("", words, count=1)


def swapped(english: str, words: str) -> str:
    return FORMULA.sub(r"$z_{17}$", words, count=1)


def number(english: str, words: str) -> str:
    bare = re.sub(r"\$[^$]*\$|`[^`]*`|\]\[\d+\]", "", words)
    found = re.search(r"(?<![\w.])\d{2,}(?![\w.])", bare)
    return words.replace(found[0], f"{found[0]}7", 1) if found else words


def halved(english: str, words: str) -> str:
    return words[: len(words) // 2]


def english_left(english: str, words: str) -> str:
    plain = re.sub(r"[`$*<\[].*", "", english)
    return f"{words[: len(words) // 2]} {plain}"


def term(english: str, words: str) -> str:
    if not re.search(r"\battention\b", english, re.IGNORECASE):
        return words
    return re.sub(
        "注意力", "关注", re.sub("アテンション|注意(?!力)(?:機構)?", "気配り", words)
    )


def mark(english: str, words: str) -> str:
    return words.replace("**", "", 1) if "**" in words else words.replace("*", "", 1)


KINDS: Mapping[str, Callable[[str, str], str]] = {
    "a formula is gone": without(FORMULA),
    "a formula is another one": swapped,
    "a number is another one": number,
    "a link is gone": lambda english, words: re.sub(
        r"\[([^\[\]]*)\]\[\d+\]", r"\1", words, count=1
    ),
    "code is gone": without(CODE),
    "a term is another word": term,
    "English is left": english_left,
    "it stops in the middle": halved,
    "a placeholder is gone": without(re.compile(r"\{\w+\}")),
    "a mark is gone": mark,
}


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_nine_of_ten_broken_sentences_are_found(language: str) -> None:
    missed = {}
    for kind, spoil in KINDS.items():
        broken = [
            (english, spoil(english, words))
            for english, words in sentences(language)
            if spoil(english, words) != words
        ]
        broken = broken[:: max(1, len(broken) // SAMPLE)][:SAMPLE]
        count = sum(bool(lint_message(*pair, language, TERMS)) for pair in broken)
        if count < FOUND * len(broken):
            missed[kind] = (count, len(broken))
    assert missed == {}


TWO = (
    "The memory keeps the hidden states of the previous segment. "
    "Attention reads them, and no gradient flows back into them."
)
TWO_ZH = "记忆保存前一个片段的隐藏状态。注意力读取这些状态，但梯度不会回传到其中。"
SOUND = [
    # Titles, names and identifiers may stay as they are.
    *(
        (text, text, language)
        for language in ("ja", "zh", "fr", "xx")
        for text in ("PyTorch", "`relative_mha.py`", "BERT", "$x$", "AdamW, RMSprop")
    ),
    ("Attention Is All You Need", "Attention Is All You Need", "zh"),
    ("Dai: *Attentive Language Models Beyond a Context*.", "Dai：*Attentive Language Models Beyond a Context*。", "ja"),
    # Numbers with units and separators of their own, and a version.
    ("It has 41 million of them.", "它有 4,100 万个。", "zh"),
    ("It has 285 million of them.", "それは2億8500万個あります。", "ja"),
    ("Release 4.35.2 has 12 million of them.", "4.35.2 版有 1200 万个。", "zh"),
    # The memory of a machine is another one.
    ("They would travel to main memory.", "它们要往返于内存。", "zh"),
    # Other languages.
    (TWO, "La mémoire garde les états cachés du segment précédent. L'attention les lit, "
     "et aucun gradient n'y reflue.", "fr"),
    (TWO, "메모리는 이전 세그먼트의 은닉 상태를 보관합니다. 어텐션은 그것을 읽지만 "
     "기울기는 되돌아가지 않습니다.", "ko"),
    (TWO, "Память хранит скрытые состояния предыдущего сегмента. Внимание читает их, "
     "но градиент туда не течёт.", "ru"),
    ("It says \"to be or not to be\" to us.", "它对我们说“to be or not to be”。", "zh"),
    ("The loss consists of these parts:", "損失は次の部分からなります。", "ja"),
]  # fmt: skip
BROKEN = [
    ("empty", TWO, " \n\u3000 ", "zh"),
    ("untranslated", TWO, f" {TWO}\n", "fr"),
    ("untranslated", TWO, "记忆保存隐藏状态。Attention reads them, and no gradient flows.", "zh"),
    ("untranslated", TWO, "La mémoire garde the hidden states of the previous segment.", "fr"),
    ("truncated", TWO, TWO_ZH[:-1] + "……", "zh"),
    ("truncated", TWO, TWO_ZH[:-3] + "，", "zh"),
    ("end", "This loss moves the compression.", "这个损失推动压缩", "zh"),
    ("end", "The loss consists of these parts:", "损失由这些部分组成", "zh"),
    ("end", "This loss moves the compression.", "这个损失推动压缩：", "zh"),
    ("end", "The loss consists of these parts:", "损失由这些部分组成。", "zh"),
    ("end", "In the code:", "Dans le code", "fr"),
    ("end", "Try:", "試す", "ja"),
    ("mixed", "Use `a` instead of `b`.", "`a` instead of `b` を使います。", "ja"),
    ("span", "It is read from [the file][1] once.", "[只从文件中读取一次。][1]", "zh"),
    ("misplaced", "Of 9 tokens, 3 segments.", "9 个片段，3 个词元。", "zh"),
    ("long", "A short note on size.", "说明" * 40 + "。", "zh"),
    ("formula", "Compress $n_{cm}$ of them.", "压缩其中的一些。", "zh"),
    ("formula", "So that $$a + b$$ holds.", "因此 $a + b$ 成立。", "zh"),
    ("foreign", "Compress $n$ of them.", "压缩其中的 $n$ 个，即 $n$ 个。", "zh"),
    ("code", "Pass `mem_len` to `forward`.", "将 `mem_len` 传给它。", "zh"),
    ("code", "See [`memory`][1] for it.", "参见[记忆][1]。", "zh"),
    ("placeholder", "Lines {numbers}", "{number}行目", "ja"),
    ("link", "See [the code][1] and [them][txl.k].", "见[代码][1]。", "zh"),
    ("link", "See [the code][1] of it.", "参见PyTorch[代码][1]。", "zh"),
    ("link", "See [the code][1] of it.", "参见代码[\u3000][1]。", "zh"),
    ("link", "In [PyTorch][1] by [the paper][2].", "按[论文][1]用 [PyTorch][2] 实现。", "zh"),
    ("markup", "It is <b>good</b>.", "很<b>好。", "zh"),
    ("emphasis", "It is **very** good.", "它非常好。", "zh"),
    ("brackets", "Take $x$ (a vector).", "取 $x$（一个向量。", "zh"),
    ("brackets", "Take the vector.", "取「向量。", "ja"),
    ("meaning", "Do not shuffle the segments.", "セグメントはシャッフルしてください。", "ja"),
    ("number", "It has 41 million of them.", "它有 4,100 亿个。", "zh"),
    ("number", "It has 285 million of them.", "它有 2亿8600万 个。", "zh"),
    ("number", "It falls below 0.6 after a while.", "しばらくすると0.7を下回ります。", "ja"),
    ("term", "The memory is long.", "内存很长。", "zh"),
    ("term", "The second term is big.", "第2用語は大きいです。", "ja"),
    ("name", "The Transformer learns.", "变压器会学习。", "zh"),
]  # fmt: skip


def test_each_rule_has_an_example_that_it_finds_and_sound_ones_pass() -> None:
    assert [one for one in SOUND if lint_message(*one, TERMS)] == []
    missed = [
        (code, english, words)
        for code, english, words, language in BROKEN
        if code not in {f.code for f in lint_message(english, words, language, TERMS)}
    ]
    assert missed == []
    assert {code for code, *_ in BROKEN} == {*RULES}


def test_a_build_finds_each_error_of_the_lint() -> None:
    checked = set()
    for _, english, words, language in BROKEN:
        errors = [f for f in lint_message(english, words, language) if is_error(f)]
        if words.strip():
            assert find_errors(english, words, language) == errors
            checked |= {one.code for one in errors}
    assert checked == {code for code, rule in RULES.items() if is_error(rule)} - {
        "empty"
    }


def is_error(one: Finding | Rule) -> bool:
    return one.severity == "error"


# Sentences that a reader would take for sound, each with another meaning or with words
# that were left: of each kind some, in both languages.
SUBTLE = [
    # English words are left between placeholders, code or formulas.
    ("{share} of {total} pages are done.", "{share} of {total} 页已完成。", "zh"),
    ("Compares `mem_len` with `seq_len`.", "比较 `mem_len` with `seq_len`。", "zh"),
    (
        "Use `bos` instead of `pad` here.",
        "ここでは `bos` instead of `pad` を使います。",
        "ja",
    ),
    ("The sum is $a$ plus $b$.", "总和为 $a$ plus $b$。", "zh"),
    ("From line {first} to line {last}", "{first} to {last} 行目", "ja"),
    ("Both $x$ and $y$ are vectors.", "$x$ and $y$ はどちらもベクトルです。", "ja"),
    ("`a` is faster than `b` on a CPU.", "在 CPU 上，`a` is faster than `b`。", "zh"),
    # A link has swallowed its clause.
    (
        "[The shift][1] moves each row to the left, so the distances agree.",
        "[移位将每一行向左移动，因此距离一致][1]。",
        "zh",
    ),
    (
        "After the last step, [the loss][1] is printed with its perplexity.",
        "[最后一步之后会打印损失及其困惑度][1]。",
        "zh",
    ),
    (
        "The values come from [a recorded run][1] on one core.",
        "[値は、1コアで記録された実行から得たものです][1]。",
        "ja",
    ),
    (
        "Read [the paper][1] before you change the mask.",
        "[マスクを変更する前に論文を読んでください][1]。",
        "ja",
    ),
    (
        "A test in [the suite][1] holds both to the definition.",
        "[测试会把两者与定义比较；它在测试集中][1]。",
        "zh",
    ),
    (
        "The [memory][1] is returned by the model, and the caller keeps it.",
        "[メモリはモデルが返し、呼び出し側が保持します][1]。",
        "ja",
    ),
    # A number or a name has moved to another noun.
    (
        "A model of {layers} layers with {heads} heads.",
        "{heads} 层、{layers} 个头的模型。",
        "zh",
    ),
    ("It has 12 layers and 8 heads in all.", "共有 8 层和 12 个头。", "zh"),
    (
        "Reads 64 tokens and 16 segments at once.",
        "一度に16トークンと64セグメントを読みます。",
        "ja",
    ),
    ("`n` layers of `m` tokens are kept.", "保留 `m` 层的 `n` 个词元。", "zh"),
    (
        "Of {a} tokens, {b} segments are made.",
        "{b}個のトークンから{a}個のセグメントを作ります。",
        "ja",
    ),
    ("With 4 heads and 2 layers it is small.", "2ヘッド、4層なので小さいです。", "ja"),
    # What is excepted has become what is meant, or a bound is turned round.
    ("All but the last token are hidden.", "只有最后一个词元被隐藏。", "zh"),
    ("All parameters but $f_c$ are frozen.", "所有参数 $f_c$ 均被冻结。", "zh"),
    (
        "All parameters except $u$ are trained.",
        "パラメータ$u$をすべて学習させます。",
        "ja",
    ),
    ("It keeps all but the first row.", "最初の行をすべて保持します。", "ja"),
    ("A segment has at most 512 tokens.", "一个片段至少有 512 个词元。", "zh"),
    (
        "Give at least two lengths here.",
        "ここには高々2つの長さを指定してください。",
        "ja",
    ),
    # A word has the sense of another field.
    ("The position of a token is encoded.", "词元的头寸被编码。", "zh"),
    ("A bias is added to each query.", "各クエリに偏見を足します。", "ja"),
    ("The dropout is 0.1 in training.", "训练时退学率为 0.1。", "zh"),
    ("It runs with a batch of eight.", "以八炉货运行。", "zh"),
    ("The gradient is zero at this point.", "此处坡度为零。", "zh"),
    ("The projection of the keys has no bias.", "键的预测没有偏置。", "zh"),
    ("The kernel of the convolution is wide.", "畳み込みの果仁は幅が広いです。", "ja"),
    ("A checkpoint is written every minute.", "检查站每分钟写入一次。", "zh"),
    ("Each epoch takes a minute or two.", "各時代は1、2分かかります。", "ja"),
    ("The residual is added at the end.", "最後に残留物を足します。", "ja"),
    ("The tokens are drawn with this seed.", "用这颗种籽抽签得到词元。", "zh"),
]
# As above, of the kinds that are told by the words around a number or a placeholder.
TURNED = [
    ("Either `mean` or `conv` is allowed.", "允许 either `mean` or `conv`。", "zh"),
    ("Let $u$ be the bias without $v$.", "令 $u$ 为 without $v$ 的偏置。", "zh"),
    ("`rate` below `least` is ignored.", "`rate` below `least` は無視されます。", "ja"),
    ("A batch of 16 samples, 128 tokens long.", "128 个样本的批次，每个长 16 个词元。", "zh"),
    ("Layer {layer} has {heads} heads.", "第 {heads} 层有 {layer} 个头。", "zh"),
    ("{steps} updates of {tokens} tokens each.", "{tokens}回の更新、各{steps}トークンです。", "ja"),
    ("`width` features in `depth` layers.", "`depth` 个特征，`width` 层。", "zh"),
    ("All but two of the runs finished.", "終わったのは2つの実行だけです。", "ja"),
    ("All heads except the first are removed.", "只移除第一个头。", "zh"),
    ("Use no fewer than 3 segments.", "セグメントは最大3つまで使ってください。", "ja"),
    ("The loss must be less than 2.5 here.", "此处损失必须大于 2.5。", "zh"),
    ("The loss is greater than 2.5 here.", "ここで損失は2.5未満です。", "ja"),
    # A negation or an exception is gone.
    ("The memory is not trained.", "记忆会被训练。", "zh"),
    ("The mask is never stored.", "マスクは常に保存されます。", "ja"),
    ("It works without a cache.", "キャッシュがあると動きます。", "ja"),
    ("Every row but the first is shifted.", "最初の行を含むすべての行を動かします。", "ja"),
    ("All heads but one attend to the past.", "所有的头，包括一个头，都关注过去。", "zh"),
    # Small numbers, units and comparisons are others.
    ("It was trained with 3 seeds.", "5つの乱数シードで学習させました。", "ja"),
    ("The model has 6 layers.", "模型有 8 层。", "zh"),
    ("It takes 40 minutes in all.", "全部で40秒かかります。", "ja"),
    ("The file has 12 MB.", "这个文件有 12 GB。", "zh"),
    ("It costs 2.6 bits instead of 3.7.", "2.6ビットではなく3.7ビットかかります。", "ja"),
    ("It falls from 3.1 to 2.4 bits.", "2.4ビットから3.1ビットになります。", "ja"),
    ("It falls from 3.1 to 2.4 bits.", "它从 2.4 比特降到 3.1 比特。", "zh"),
    # Two names or formulas have changed places.
    ("The keys have $K$ rows and the queries $L$.", "キーは$L$行、クエリは$K$行あります。", "ja"),
    ("Head {head} of layer {layer}", "第 {head} 层的头 {layer}", "zh"),
    ("`keep` selects the states, and `join` adds the segment.", "`join` 选择状态，`keep` 加上片段。", "zh"),
    # English words are left.
    ("It reaches further, but it is less precise.", "遠くまで届きますが、less preciseです。", "ja"),
    # A word has become its opposite.
    ("It is slightly worse than the mean.", "平均よりわずかに優れています。", "ja"),
    ("It is stored before each step.", "各ステップの後に保存します。", "ja"),
    ("Memories are cut after the update.", "记忆在更新之前被截断。", "zh"),
    ("Only the last layer has one.", "只有第一层有。", "zh"),
    ("The model is trained on it: training takes an hour.", "評価には1時間かかります。", "ja"),
    ("The loss falls with the length.", "损失随长度上升。", "zh"),
    ("The smallest rate is taken.", "最大の率が使われます。", "ja"),
    ("Each row moves to the left.", "各行は右に移動します。", "ja"),
    ("Put it beside the row, in parallel.", "请逐个放在这一行旁边。", "zh"),
    # So it has in one of several sentences, in which both words occur.
    ("After the step, it waits. Then it is put before the row.", "在这一步之后等待。然后放在这一行的后面。", "zh"),
    ("It is not read. No query attends to it.", "読み込まれません。クエリがアテンションを向けます。", "ja"),
    # A clause in brackets, or a word with a hyphen, stays English.
    ("The run stops here (see the list above).", "実行はここで止まります（see the list above）。", "ja"),
    ("Loss on held-out text", "held-out 文本上的损失", "zh"),
    # Another word is emphasized, or is named.
    ("It trains *only* the compression functions.", "圧縮*関数*だけを学習させます。", "ja"),
    ("Head {head} of layer {layer} is bright.", "第 {head} 层的第 {layer} 个注意力头很亮。", "zh"),
    ("A longer segment costs more.", "更短的片段代价更高。", "zh"),
]  # fmt: skip
# Sound translations of the same kinds of sentences.
FREE = [
    ("{share} of {total} pages are done.", "{total} 页中已完成 {share} 页。", "zh"),
    ("Compares `mem_len` with `seq_len`.", "比较 `mem_len` 和 `seq_len`。", "zh"),
    ("Use `bos` instead of `pad` here.", "ここでは`pad`の代わりに`bos`を使います。", "ja"),
    ("The sum is $a$ plus $b$.", "和は$a$と$b$を足したものです。", "ja"),
    ("From line {first} to line {last}", "{first}行目から{last}行目まで", "ja"),
    ("Both $x$ and $y$ are vectors.", "$x$ 和 $y$ 都是向量。", "zh"),
    ("“To be or not to be” is the prompt.", "提示是“To be or not to be”。", "zh"),
    ("In *State of the Art*, it is used.", "*State of the Art*で使われています。", "ja"),
    ("[The shift][1] moves each row to the left, so the distances agree.",
     "[移位][1]将每一行向左移动，因此距离一致。", "zh"),
    ("After the last step, [the loss][1] is printed.", "最后一步之后会打印[损失][1]。", "zh"),
    ("The values come from [a recorded run][1].", "値は[記録された実行][1]から得たものです。", "ja"),
    ("See [what a returning name costs][1].", "[戻ってくる名前のコスト][1]を参照してください。", "ja"),
    ("See [the paper][1].", "[論文][1]を参照。", "ja"),
    ("[Queries come from the segment only, never from memory][1].",
     "[クエリはセグメントだけから作り、メモリからは作りません][1]。", "ja"),
    ("A model of {layers} layers with {heads} heads.", "{layers} 层、{heads} 个头的模型。", "zh"),
    ("A model of {layers} layers with {heads} heads.", "有 {heads} 个头、{layers} 层的模型。", "zh"),
    ("It has 12 layers and 8 heads in all.", "ヘッドは8個、層は12層あります。", "ja"),
    ("Reads 64 tokens and 16 segments at once.", "16個のセグメントと64個のトークンを一度に読みます。", "ja"),
    ("`n` layers of `m` tokens are kept.", "保留 `n` 层，每层 `m` 个词元。", "zh"),
    ("Of {a} tokens, {b} segments are made.", "{a} 个词元分成 {b} 个片段。", "zh"),
    ("The memory never holds more than 3 states.", "メモリに入る状態は、3個までです。", "ja"),
    ("A model without memory uses the segment only.", "メモリのないモデルが使うのは、セグメントに限られます。", "ja"),
    ("It was trained with 3 seeds, twice as many as two.", "用三个种子训练，是 2 的两倍。", "zh"),
    ("It takes 90 seconds.", "1分30秒（90秒）かかります。", "ja"),
    ("It falls from 3.1 to 2.4 bits.", "3.1ビットから2.4ビットに下がります。", "ja"),
    ("The keys have $K$ rows and the queries $L$.", "クエリは$L$行、キーは$K$行あります。", "ja"),
    ("Head {head} of layer {layer} is shown.", "显示第 {layer} 层的第 {head} 个头。", "zh"),
    ("As an *induction head* does.", "*induction head*のように動きます。", "ja"),
    ("Every row but the first is shifted.", "除第一行外，每一行都要移动。", "zh"),
    ("All but the last token are hidden.", "除最后一个词元外，其余均被隐藏。", "zh"),
    ("All but the last token are hidden.", "最後のトークン以外はすべて隠されます。", "ja"),
    ("All parameters but $f_c$ are frozen.", "除 $f_c$ 外，所有参数都被冻结。", "zh"),
    ("All parameters except $u$ are trained.", "$u$を除くすべてのパラメータを学習させます。", "ja"),
    ("It keeps all but the first row.", "仅丢弃第一行，保留其余各行。", "zh"),
    ("A segment has at most 512 tokens.", "一个片段最多有 512 个词元。", "zh"),
    ("A segment has at most 512 tokens.", "セグメントのトークンは512個以下です。", "ja"),
    ("Give at least two lengths here.", "ここには長さを2つ以上指定してください。", "ja"),
    ("The position of a token is encoded.", "词元的位置被编码。", "zh"),
    ("A bias is added to each query.", "各クエリにバイアスを足します。", "ja"),
    ("The dropout is 0.1 in training.", "训练时 dropout 为 0.1。", "zh"),
    ("It runs with a batch of eight.", "バッチサイズ8で実行します。", "ja"),
    ("The gradient is zero at this point.", "この点で勾配は0です。", "ja"),
    ("A checkpoint is written every minute.", "每分钟写入一个检查点。", "zh"),
    ("The arrow keys move the selection.", "矢印キーで選択を移動します。", "ja"),
    ("This holds for most of the tokens.", "对大多数词元来说都是如此。", "zh"),
    ("Head {head} of layer {layer}: {share}", "第 {layer} 层的第 {head} 个头：{share}", "zh"),
    ("A batch of 16 samples, 128 tokens long.", "16 个样本的批次，每个长 128 个词元。", "zh"),
    ("Of the 12 layers, 8 are cached.", "12 层中的 8 层被缓存。", "zh"),
    ("Layer {layer} has {heads} heads.", "第 {layer} 层有 {heads} 个头。", "zh"),
    ("All but two of the runs finished.", "2つを除いてすべての実行が終わりました。", "ja"),
    ("All heads except the first are removed.", "除第一个头外，其他头都被移除。", "zh"),
    ("It may not be less than 2.5 here.", "此处不能小于 2.5。", "zh"),
    ("The mask of a segment after memory.", "片段之前有记忆时的掩码。", "zh"),
    ("It rises before it falls.", "上がってから下がります。", "ja"),
    ("The last value is kept.", "上一个值被保留。", "zh"),
    ("The [live][1] page is small.", "[動く][1]のページは小さいです。", "ja"),
    ("A convolution (or a dilated convolution) is kept.", "畳み込み（または拡張畳み込み、dilated convolution）を残します。", "ja"),
    ("More than half remain.", "过半仍然保留。", "zh"),
    ("The first has less than 0.7, both have more.", "1つ目は0.7に届かず、両方で0.7を超えます。", "ja"),
]  # fmt: skip


def test_most_reversed_meanings_are_found_and_free_translations_pass() -> None:
    missed = [one for one in SUBTLE if not lint_message(*one, TERMS)]
    told = [one for one in FREE if lint_message(*one, TERMS)]
    assert len(SUBTLE) >= 34
    assert len(FREE) >= 35
    assert len(missed) <= len(SUBTLE) // 12, missed
    assert [one for one in TURNED if not lint_message(*one, TERMS)] == []
    assert told == []


# For each rule on what belongs together, in each language: a sentence, a translation in
# which other things do, and a free one in which the same do.
STRUCTURE = {
    ("find_swallowed", "ja"): ("The [second memory](cm.md) holds what is older than that, in fewer slots.", "[2つ目のメモリはそれより古いものを、より少ないスロットに収めます](cm.md)。", "それより古いものは、[2つ目のメモリ](cm.md)が、より少ないスロットに収めます。"),
    ("find_swallowed", "zh"): ("The [second memory](cm.md) holds what is older than that, in fewer slots.", "[第二个记忆用更少的槽保存更旧的内容](cm.md)。", "更旧的内容由[第二个记忆](cm.md)保存，用的槽更少。"),
    ("find_moved_parts", "ja"): ("See [the mask](a.md) and [the optimizer](b.md).", "[オプティマイザ](a.md)と[マスク](b.md)を参照。", "[オプティマイザ](b.md)と[マスク](a.md)を参照。"),
    ("find_moved_parts", "zh"): ("It is the *column* that moves, not the matrix.", "移动的是列，而不是*矩阵*。", "移动的不是矩阵，而是*列*。"),
    ("find_exchanged", "ja"): ("Adam needs 7 hours, and Muon on the same device 5.", "Adamは5時間、同じデバイスのMuonは7時間かかります。", "Muonは同じデバイスで5時間、Adamは7時間かかります。"),
    ("find_exchanged", "zh"): ("The encoder has 7 blocks, and the decoder 5.", "编码器有 5 个块，解码器有 7 个。", "解码器有 5 个块，编码器有 7 个。"),
    ("find_left_over", "ja"): ("The cache is read first.", "まずキャッシュを読み込みます。このオプティマイザの状態は、次の実行のためにファイルへ保存されます。", "まず読み込むのはキャッシュです。"),
    ("find_left_over", "zh"): ("The cache is read first. The state of the optimizer is then written to a file for the next run.", "首先读取缓存。", "首先读取缓存。随后把优化器的状态写入文件，供下一次运行使用。"),
    ("find_turned_condition", "ja"): ("If the vocabulary is larger, the matrix of the embeddings grows.", "埋め込みの行列が大きければ、語彙も増えます。", "埋め込みの行列は、語彙が大きければ、それだけ大きくなります。"),
    ("find_turned_condition", "zh"): ("The optimizer is reset when the device changes.", "当优化器重置时，设备会改变。", "设备一改变，优化器就会重置。"),
    ("find_turned_comparison", "ja"): ("The encoder is wider than the decoder.", "デコーダはエンコーダより幅があります。", "エンコーダはデコーダより幅があります。"),
    ("find_turned_comparison", "zh"): ("The encoder is wider than the decoder.", "解码器比编码器更宽。", "编码器比解码器更宽。"),
    ("find_lost_words", "ja"): ("The cache is kept for the whole run.", "実行の間、ずっと残ります。", "キャッシュは実行の間ずっと残ります。"),
    ("find_lost_words", "zh"): ("The cache is kept for the whole run.", "在整个运行期间都保留。", "缓存在整个运行期间都保留。"),
    ("find_left_out", "ja"): ("The gradient is added to the weights, and the attention scores of all heads are divided by a constant.", "勾配を重みに加えます。", "勾配を重みに加え、全ヘッドのアテンションスコアは定数で割ります。"),
    ("find_left_out", "zh"): ("The gradient is added to the weights, and the attention scores of all heads are divided by a constant.", "把梯度加到权重上。", "把梯度加到权重上，所有注意力头的注意力分数都除以一个常数。"),
}  # fmt: skip


def test_each_rule_on_structure_has_an_example_and_allows_a_free_order() -> None:
    rules = {rule.__name__: rule for _, rule in structure.RULES}
    assert {name for name, _ in STRUCTURE} == {*rules}
    for (name, language), (english, wrong, right) in STRUCTURE.items():
        compared = compare(english, wrong, TERMS, language)
        assert [*rules[name](compared)], (name, language)
        assert lint_message(english, right, language, TERMS) == []
        # Another language has none of the words, so nothing is told apart by them.
        assert not lint_message(english, right, "xx", TERMS)


# As `SUBTLE`, of the kinds that are told by a word which needs a counterpart.
NEEDED = [
    ("Not only the queries are projected.", "クエリだけが射影されます。", "射影されるのはクエリに限りません。", "ja"),
    ("Not only the queries are projected.", "只投影查询。", "投影的不仅是查询。", "zh"),
    ("The loss hardly changes afterwards.", "その後、損失は大きく変わります。", "その後、損失はほとんど変わりません。", "ja"),
    ("The loss hardly changes afterwards.", "此后损失剧烈变化。", "此后损失几乎不变。", "zh"),
    ("Few tokens attend so far back.", "何個かのトークンはそこまで前にアテンションを向けます。", "そこまで前にアテンションを向けるトークンは、わずかです。", "ja"),
    ("Few tokens attend so far back.", "有几个词元会关注这么远。", "很少有词元会关注这么远。", "zh"),
    ("It is not impossible that it helps.", "それが役立つのは不可能です。", "それが役立つこともあり得ます。", "ja"),
    ("It is not impossible that it helps.", "它不可能有帮助。", "它也许有帮助，并非不可能。", "zh"),
    ("Set it to 3 unless you have two devices.", "デバイスが2つない場合を除き、3にします。", "デバイスが2つある場合を除き、3にします。", "ja"),
    ("Set it to 3 unless you have two devices.", "除非你没有两个设备，否则设为 3。", "除非你有两个设备，否则设为 3。", "zh"),
    ("It is faster without a mask.", "マスクがないと、速くなりません。", "マスクがないほうが、速くなります。", "ja"),
    ("It is faster without a mask.", "没有掩码就无法更快。", "没有掩码时更快。", "zh"),
    ("It stops unless a test fails.", "テストが失敗すると停止します。", "テストが失敗しない限り停止します。", "ja"),
    ("It stops unless a test fails.", "测试失败时就停止。", "除非测试失败，否则就停止。", "zh"),
    ("The cache is written by the caller.", "キャッシュは呼び出し側が書き込みません。", "キャッシュに書き込むのは呼び出し側です。", "ja"),
    ("The cache is written by the caller.", "调用方无法写入缓存。", "由调用方写入缓存。", "zh"),
    ("The newest block is read.", "最も古いブロックを読みます。", "読むのは最新のブロックです。", "ja"),
    ("The newest block is read.", "读取最旧的块。", "读取的是最新的块。", "zh"),
    ("Each row of the mask has one head.", "マスクの各行に頭部が1つあります。", "マスクの各行にヘッドが1つあります。", "ja"),
    ("The key of a position is cached.", "某个职务的钥匙被缓存。", "某个位置的键被缓存。", "zh"),
    ("It is kept if the device is free, for the next batch.", "次のバッチのために残されていれば、デバイスは空きます。", "デバイスが空いていれば、次のバッチのために残します。", "ja"),
    ("With `c`, it is kept in a file if the device is free.", "如果 `c` 保存在文件中，设备就空闲。", "如果给出 `c`，而且设备空闲，就保存在文件中。", "zh"),
    ("It does not necessarily help.", "決して役に立ちません。", "役に立つとは限りません。", "ja"),
    ("It is not always faster.", "它从不更快。", "它不一定更快。", "zh"),
    ("You do not have to reset it.", "リセットしないでください。", "リセットする必要はありません。", "ja"),
    ("You do not have to reset it.", "不要重置它。", "不必重置它。", "zh"),
    ("It is more than 12 times as fast.", "12倍近い速さです。", "12倍以上の速さです。", "ja"),
    ("It is more than 12 times as fast.", "速度将近 12 倍。", "速度是 12 倍多。", "zh"),
    ("No fewer than 64 are needed.", "所需的不超过 64 个。", "所需的至少有 64 个。", "zh"),
    ("Unless you set it, each run draws different batches.", "設定すると、実行のたびに異なるバッチが選ばれます。", "設定しない限り、実行のたびに異なるバッチが選ばれます。", "ja"),
    ("Two of the heads are kept.", "保留其中三个头。", "保留其中两个头。", "zh"),
    ("The layer below adds to it.", "次の層がそれに足します。", "下の層がそれに足します。", "ja"),
    ("The layer below adds to it.", "下一层再加上它。", "下面一层再加上它。", "zh"),
]  # fmt: skip


def test_a_negation_needs_a_counterpart() -> None:
    for english, wrong, right, language in NEEDED:
        assert lint_message(english, wrong, language, TERMS), wrong
        assert not lint_message(english, right, language, TERMS), right


def test_the_time_of_the_lint_is_linear_in_the_length() -> None:
    def steps(text: str, other: str) -> int:
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            lint_message(text, other, "ja", TERMS)
        finally:
            sys.setprofile(None)
        return calls

    for piece in (
        "a *b* ",
        "[a](b) ",
        "not never without ",
        "If it, key. ",
        "7 and 8 ",
    ):
        short, long = (steps(piece * n, "鍵、" * n) for n in (20, 80))
        assert long < 8 * short, piece


def test_a_different_formula_or_link_is_reported_once() -> None:
    english = "The [relative shift][1] by $i + M - j$ of [all][2] [0, 1]."
    sound = "按 $i + M - j$ [相对移位][1]和[全部][2] [0, 1]。"
    for was, new, wanted in (
        ("+ M", "- M", [("formula", "the formula $i - M - j$ is not in the English")]),
        ("+ M", "(", [("formula", "the formula $i ( - j$ is not in the English")]),
        ("][1]", "][3]", [("link", "the link [3] is not in the English")]),
        # Which of the two links is the wrong one cannot be known.
        (
            "][1]",
            "][2]",
            [
                ("foreign", "[2] occurs more often than in the English"),
                ("link", "][1] is missing"),
            ],
        ),
    ):
        found = lint_message(english, sound.replace(was, new), "zh")
        assert [(one.code, one.message) for one in found] == wanted
    assert lint_message(english, sound, "zh") == []


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["ja", "zh", "fr"]))
def test_the_lint_accepts_any_text(
    source: str, translation: str, language: str
) -> None:
    for one in lint_message(source, translation, language, TERMS):
        assert one.severity in {"error", "warning"}


def test_a_number_of_any_length_is_compared_or_left_out() -> None:
    english = "It has 12 layers and 41 million parameters in all."
    for digits in (5_000, 1_100_000):
        for text in ("9" * digits, "9," * digits, f"{'9' * digits}億"):
            lint_message(english, f"全部で{text}層です。", "ja")
            lint_message(text, english, "ja")


@given(st.permutations(["$a$", "$b_1$", "`c`", "[甲][1]", "[乙][txl.scores]"]))
def test_the_order_of_formulas_and_links_may_change(parts: list[str]) -> None:
    source = "Take $a$ and $b_1$ and `c`, [one][1], [two][txl.scores]."
    assert lint_message(source, f"取{'、'.join(parts)}。", "zh") == []


def test_a_glossary_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    for text, why in {
        "names = 'x'": "names: expected a list of words",
        "[[term]]\nja = {}": "a term has no english",
        "[[term]]\nenglish = ['a']\nja = []": "a, ja: expected",
        "[[terms]]": "terms is unknown",
        "names = ": "not valid TOML: Invalid value",
    }.items():
        tmp_path.joinpath("glossary.toml").write_text(text, encoding="utf-8")
        with pytest.raises(LiterateError, match=f"^glossary.toml:1: {why}"):
            load_glossary(tmp_path, tmp_path)


def test_the_place_of_a_number_ends_before_the_point_of_its_sentence() -> None:
    text = "2. Write 3.5, 10, or 1,000."
    found = [(float(number), text[slice(*at)]) for number, at in find_numbers(text)]
    assert found == [(2, "2"), (3.5, "3.5"), (10, "10"), (1000, "1,000")]
