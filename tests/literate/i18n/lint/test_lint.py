# ruff: noqa: E501
"""The laws of the lint: what is broken is found, what is sound passes."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labml_txl.cli import main
from labml_txl.literate.i18n.lint.faults import FAULTS
from labml_txl.literate.i18n.lint.findings import Finding, lint_message
from labml_txl.literate.i18n.lint.glossary import project_glossary
from tests.literate.small import write

P = "<span translate=no>_^_{}_^_</span>"
P0, P1, P2 = (P.format(number) for number in range(3))


# The terms of this project.
TERMS = project_glossary(Path(__file__).parents[4] / "docs" / "locale")


def errors(source: str, translation: str, language: str) -> list[Finding]:
    found = lint_message(source, translation, language, TERMS)
    return [one for one in found if one.severity == "error"]


MEMORY = "The memory keeps $m$ old states of each layer, and $n$ is the segment length."
TWO = (
    "The memory keeps the hidden states of the previous segment. "
    "Attention reads them, and no gradient flows back into them."
)
TWO_JA = (
    "メモリは前のセグメントの隠れ状態を保持します。"
    "アテンションはそれらを読みますが、勾配はそこへ逆流しません。"
)
TWO_ZH = "记忆保存前一个片段的隐藏状态。注意力读取这些状态，但梯度不会回传到其中。"

GOOD = [
    # What is filled in later.
    ("{place}: {title}", "{place}：{title}", "ja"),
    ("{place}: {title}", "{place}：{title}", "zh"),
    ("Translated by {names}.", "翻訳：{names}。", "ja"),
    # Sentences that reorder their formulas.
    (MEMORY, "$n$ をセグメント長とすると、メモリは各層の古い状態を $m$ 個保持します。", "ja"),
    (MEMORY, "设 $n$ 为片段长度，记忆为每一层保存 $m$ 个旧状态。", "zh"),
    (TWO, TWO_JA, "ja"),
    (TWO, TWO_ZH, "zh"),
    # Titles, names and identifiers.
    *(
        (text, text, language)
        for language in ("ja", "zh", "fr", "xx")
        for text in (
            "Transformer XL",
            "PyTorch",
            "`relative_mha.py`",
            "softmax",
            "BERT",
            "Attention Is All You Need",
            "Transformer-XL: Attentive Language Models Beyond a Fixed-Length Context",
            "<h1>Compressive Transformer</h1>",
            "d_model",
            "$x$",
            P0,
            "AdamW, RMSprop",
        )
    ),
    (
        "This implements [Attention Is All You Need][1] in [PyTorch][2].",
        "これは [Attention Is All You Need][1] の [PyTorch][2] による実装です。",
        "ja",
    ),
    (
        "It follows the paper *Attention is all you need*.",
        "本文遵循论文《Attention is all you need》。",
        "zh",
    ),
    # Full-width marks beside formulas and for half-width ones.
    ("Multiply $Q$ (the queries) by $K^\\top$.", "将 $Q$（查询）与 $K^\\top$ 相乘。", "zh"),
    ("Multiply $Q$ (the queries) by $K^\\top$.", "$Q$（クエリ）に$K^\\top$を掛けます。", "ja"),
    ("It is causal: `mask[i, j]` is true.", "因果的：`mask[i, j]` 为真。", "zh"),
    # Lines broken elsewhere; spaces at the end.
    (TWO.replace(". ", ".\n"), TWO_ZH + "  \n", "zh"),
    ("The scores are\n$a + b$ in all.", "全部分数为\n$a + b$。", "zh"),
    # Shorter than the English, as Chinese is.
    ("It is easy to see that this holds for every layer.", "显然各层均成立。", "zh"),
    ("This is an implementation of Transformer XL in PyTorch.", "Transformer XL 的 PyTorch 实现。", "zh"),
    # Numbers as words and with other separators.
    ("It takes 1,024 tokens in two steps.", "它分两步处理 1024 个词元。", "zh"),
    ("There are two losses and 3 layers.", "損失は2つ、層は３つあります。", "ja"),
    # A gloss in brackets.
    (
        "Segment-level recurrence mends context fragmentation.",
        "片段级递归(segment-level recurrence mechanism)解决上下文碎片化(context fragmentation)。",
        "zh",
    ),
    # One letter before a bracket is no item of a list.
    ("The paper (of 2024) has it.", "论文（2024 年）里有。", "zh"),
    # Items of a list, with and without a full stop.
    ("The size of the vocabulary.", "語彙の大きさ", "ja"),
    ("- item one\n- item two", "- 第一项\n- 第二项", "zh"),
    # HTML.
    (
        f"<p>The <a href=\"a.html\">length</a> is {P0}, where {P1} is the layer.</p>\n",
        f"<p>{P1} を層とすると、<a href=\"a.html\">長さ</a>は {P0} です。</p>",
        "ja",
    ),
    (
        f"<ul><li>{P0} is the size</li>\n<li>{P1} is the <em>rate</em></li></ul>\n",
        f"<ul><li>{P0} 是大小</li>\n<li>{P1} 是<em>速率</em></li></ul>\n",
        "zh",
    ),
    (f"<p>{P0} is a list of tensors.</p>", f"<p>{P0} est une liste de tenseurs.</p>", "fr"),
    ("<p>Here&#x27;s the training code.</p>", "<p>训练代码在此。</p>", "zh"),
    # Other languages.
    (TWO, "La mémoire garde les états cachés du segment précédent. L'attention les lit, "
     "et aucun gradient n'y reflue.", "fr"),
    (TWO, "메모리는 이전 세그먼트의 은닉 상태를 보관합니다. 어텐션은 그것을 읽지만 "
     "기울기는 되돌아가지 않습니다.", "ko"),
    (TWO, "Память хранит скрытые состояния предыдущего сегмента. Внимание читает их, "
     "но градиент туда не течёт.", "ru"),
    ("Introduction", "Introduction", "fr"),
    # Questions, quotations, prices and intervals.
    ("Where does the memory go?", "记忆去了哪里？", "zh"),
    ("It says \"to be or not to be\" to us.", "它对我们说“to be or not to be”。", "zh"),
    ("It costs 5 $ a day, or less.", "每天 5 $ 或更少。", "zh"),
    ("The interval [0, 1) is open on the right.", "区间 [0, 1) 右侧为开。", "zh"),
    ("Use `*args` and `**kwargs` with a * b.", "`*args` と `**kwargs` を a * b とともに使います。", "ja"),
    ("See [the scores][txl.scores] and [home][1].", "[スコア][txl.scores]と[ホーム][1]を参照。", "ja"),
    ("Cloned from <https://example.org/a_b_c>.", "克隆自 <https://example.org/a_b_c>。", "zh"),
    ("Read [][1] first.", "まず [][1] を読んでください。", "ja"),
    ("Install with `pip install labml_txl`.", "用 `pip install labml_txl` 安装。", "zh"),
    ("**Note** that this *is* slow.", "**注意**，这*的确*很慢。", "zh"),
    ("See https://example.org/a for more.", "详见 https://example.org/a 。", "zh"),
    ("{{ name }} wins", "{{ name }} 获胜", "zh"),
    ("100 % done", "完成 100 %", "zh"),
    ("50%25 of it", "其中 50%25", "zh"),
]  # fmt: skip

BAD = [
    # What is filled in later.
    ("placeholder", "{place}: {title}", "{place}：", "ja"),
    ("placeholder", "Lines {numbers}", "{number}行目", "ja"),
    ("placeholder", "Lines {numbers}", "第 {numbers}–{numbers} 行", "zh"),
    # Nothing there.
    ("empty", TWO, "", "ja"),
    ("empty", TWO, " \n\u3000 ", "zh"),
    # English left.
    ("untranslated", TWO, TWO, "ja"),
    ("untranslated", TWO, TWO, "zh"),
    ("untranslated", TWO, TWO, "fr"),
    ("untranslated", TWO, f" {TWO}\n", "zh"),
    ("untranslated", TWO, TWO.replace("Attention", "The attention"), "zh"),
    ("untranslated", "Compression operation", "Compression operation", "ja"),
    ("untranslated", "Introduction", "Introduction", "zh"),
    ("untranslated", "Memory", "Memory", "ja"),
    ("untranslated", TWO, "记忆保存隐藏状态。Attention reads them, and no gradient flows.", "zh"),
    ("untranslated", "Read on in [The memory](a.md).", "请阅读[The memory](a.md)。", "zh"),
    ("untranslated", TWO, "记忆（the hidden states of the segment）保存隐藏状态。", "zh"),
    ("untranslated", TWO, "メモリは the hidden states of the previous segment を保持します。", "ja"),
    ("untranslated", TWO, "La mémoire garde the hidden states of the previous segment, "
     "et l'attention les lit.", "fr"),
    ("untranslated", f"<h2>Training</h2><p>The size is {P0} here.</p>",
     f"<h2>训练</h2><p>The size is {P0} here.</p>", "zh"),
    # Stopped in the middle.
    ("truncated", TWO, "记忆保存前一个片段的", "zh"),
    ("truncated", TWO, "メモリは前のセグメントの隠れ状態を", "ja"),
    ("truncated", TWO, TWO_ZH[: len(TWO_ZH) // 2], "zh"),
    ("truncated", TWO, TWO_JA[: len(TWO_JA) // 2], "ja"),
    ("truncated", TWO, "记忆。", "zh"),
    ("truncated", TWO, "La mémoire.", "fr"),
    ("truncated", TWO, TWO_ZH[:-1] + "……", "zh"),
    ("truncated", MEMORY, "$m$ $n$", "zh"),
    ("truncated", TWO, TWO_ZH[:-3] + "，", "zh"),
    ("end", "This loss moves the compression.", "这个损失推动压缩", "zh"),
    ("long", "A short note on size.", "说明" * 40 + "。", "zh"),
    # Formulas.
    ("formula", MEMORY, "记忆为每一层保存 $m$ 个旧状态，这是片段长度。", "zh"),
    ("formula", "Compress $n_{cm}$ of them.", "压缩其中的 $n_m$ 个。", "zh"),
    ("formula", "Compress $n$ of them.", "压缩其中的 $n$ 个，即 $n$ 个。", "zh"),
    ("formula", "Compress some of them.", "压缩其中的 $n$ 个。", "zh"),
    ("formula", "So that $$a + b$$ holds.", "因此 $a + b$ 成立。", "zh"),
    ("formula", "So $a < b$ holds.", "因此 $a＜b$ 成立。", "zh"),
    # Code.
    ("code", "Pass `mem_len` to `forward`.", "将 `mem_len` 传给它。", "zh"),
    ("code", "It is {{ cnt.next }} here.", "它在这里。", "zh"),
    ("code", "Pass `mem_len` to it.", "将 `内存长度` 传给它。", "zh"),
    ("code", "<p>Pass <code>x</code> on.</p>", "<p>传递 <code>y</code>。</p>", "zh"),
    # Placeholders.
    ("placeholder", f"The rate is {P0} of {P1}.", f"速率为 {P0}。", "zh"),
    ("placeholder", f"The rate is {P0}.", f"速率为 {P1}。", "zh"),
    ("placeholder", f"The rate is {P0}.", f"速率为 {P0}{P0}。", "zh"),
    ("placeholder", f"The rate is {P0}.", "速率为 _^_0_^_。", "zh"),
    # Pictures and attribute lists.
    ("image", "See ![it][1] here.", "看这里。", "zh"),
    ("attributes", "A button{ .wide } here", "一个按钮", "zh"),
    # Links.
    ("link", "See [the code][1] and [the page][2].", "见[代码][1]。", "zh"),
    ("link", "See [the code][1].", "见[代码][2]。", "zh"),
    ("link", "See [the code][1].", "见[代码][1]和[代码][1]。", "zh"),
    ("link", "See the code.", "见[代码](https://example.org)。", "zh"),
    ("link", '<p>See <a href="a.html">it</a>.</p>', '<p>见<a href="b.html">它</a>。</p>', "zh"),
    ("link", "See [the code][1].", "见[代码] [1]。", "zh"),
    ("link", "See [the code][1].", "见代码][1]。", "zh"),
    ("citation", "By [the scores][txl.scores].", "由分数可得。", "zh"),
    ("citation", "By [the scores][txl.scores].", "由[分数][txl.score]可得。", "zh"),
    ("exchanged", "In [PyTorch][1] by [the paper][2].", "按[论文][1]用 [PyTorch][2] 实现。", "zh"),
    ("link-words", "See [the code][1] now.", "现在看[][1]代码。", "zh"),
    ("link-words", "Use [PyTorch][1] for this model.",
     "[请使用 PyTorch 来构建和训练这个模型，它非常适合这个任务][1]。", "zh"),
    ("title", "See [Attention Is All You Need][1].", "见[注意力就是你所需要的一切][1]。", "zh"),
    # Order.
    ("order", MEMORY, "设 $n$ 为片段长度，记忆为每一层保存 $m$ 个旧状态。", "zh"),
    ("order", f"Here {P0} and {P1} are sizes.", f"这里 {P1} 和 {P0} 是大小。", "zh"),
    # Markup of HTML.
    ("nested-link", '<p><a href="a">A</a> in <a href="b">it</a></p>',
     '<p><a href="b">其中的 <a href="a">甲</a></a></p>', "zh"),
    ("nested-link", "In [it][1] by [them][2].", "[由[他们][2]][1]。", "zh"),
    ("outside", "<p>It is good.</p>", "<p>很好</p>。", "zh"),
    ("outside", "<p>It is good.</p>\n<p>So be it.</p>", "<p>很好。</p>就这样。<p></p>", "zh"),
    ("outside", "<ul><li>one</li></ul>", "<ul>甲<li>乙</li></ul>", "zh"),
    ("list", "<ul><li>first thing</li></ul>", "<li>第一</li>", "zh"),
    ("markup", "<p>It is good.</p>", "<p>很好。", "zh"),
    ("markup", "<p>It is good.</p>", "很好。</p>", "zh"),
    ("markup", "<p>It is <em><strong>good</strong></em>.</p>",
     "<p><em><strong>很好</em></strong>。</p>", "zh"),
    ("markup", "<p>It is good.</p>\n<p>So be it.</p>", "<p>很好。就这样。</p>", "zh"),
    ("markup", "<p>It is good.</p>", "<p>很好。<p>", "zh"),
    ("markup", "<h2>It is good</h2>", "<h3>很好</h3>", "zh"),
    ("markup", '<p>See <a href="a">it</a>.</p>', '<p>见<a href="a">它。</p>', "zh"),
    ("markup", '<p>See <a href="a">it</a>.</p>', '<p>见<a href="a>它</a>。</p>', "zh"),
    ("markup", "<p>It is good.</p>", "很好。", "zh"),
    ("markup", "It is good.", "<p>很好。</p>", "zh"),
    # Markup of Markdown.
    ("emphasis", "It is **very** good.", "它**非常好。", "zh"),
    ("emphasis", "It is *very* good.", "它*非常*好*。", "zh"),
    ("emphasis", "It is **very** good.", "它非常好。", "zh"),
    ("emphasis", "It is _very_ good.", "它_非常_好。", "zh"),
    ("emphasis", "It is **a *b* c** good.", "它**甲 *乙** 丙* 好。", "zh"),
    ("brackets", "Take $x$ (a vector).", "取 $x$（一个向量。", "zh"),
    ("brackets", "Take the vector.", "取「向量。", "ja"),
    ("brackets", "Take the vector $x$ first.", "先取向量 $x。", "zh"),
    ("brackets", "Take the vector `x` first.", "先取向量 `x。", "zh"),
    ("brackets", "Take the vector.", "取[向量。", "zh"),
    ("block", "It is good.", "# 很好。", "zh"),
    ("block", "It is good.", "- 很好。", "zh"),
    ("block", "It is good.", "> 很好。", "zh"),
    ("block", "It is good.", "1. 很好。", "zh"),
    ("block", "It is good. It is fast.", "很好。\n\n很快。", "zh"),
    # What machines leave.
    *(
        ("leftover", "It is good.", f"很好{rest}。", "zh")
        for rest in ("@@", "@@ 12", "%5e", "%5E0", "_ ^ _ 0 _ ^ _", "{0}", "<unk>",
                     "\ufffd", "\u200b", "\\u30c8", "[UNK]", "##ing", "⟦1⟧", "</s>")
    ),
    ("leftover", "It is good.", "Translation: 很好。", "zh"),
    ("leftover", "It is good.", "翻訳：よいです。", "ja"),
    ("leftover", "It is good and fast.", "以下是翻译：很好，很快。", "zh"),
    ("entity", "It&#x27;s <em>good</em>.", "它&amp;#x27;很<em>好</em>。", "zh"),
    ("entity", "It is good.", "很&quot;好&quot;。", "zh"),
    ("entity", "<p>It is good.</p>", "<p>很&lt;b&gt;好&amp;amp;。</p>", "zh"),
    ("torn", "It runs in PyTorch.", "它在 Py Torch 中运行。", "zh"),
    ("torn", "The Compressive Transformer", "Compressive Trans former", "zh"),
    ("torn", "<p>The <a href=\"x\">Transformer XL</a></p>",
     "<p>Transfor <a href=\"x\">mer XL</a></p>", "zh"),
    ("torn", "Train on [Tiny Shakespeare][1] data.", "用 Tiny [Shakespeare][1] 数据训练。", "zh"),
    ("torn", "The [Transformer][1] learns.", "Trans[former][1] 会学习。", "zh"),
    # Sentences with a hole.
    ("hole", "If the length is $n$, stop.", "長さがの場合$n$、止めます。", "ja"),
    ("hole", "Use $n$, where $n$ is the length.", "使用 $n$，$n$ 其中是长度。", "zh"),
    ("hole", "It is good.", "很好，，真的。", "zh"),
    ("question", "Use $n$, where $n$ is it.", "使用 $n$，$n$ 在哪里。", "zh"),
    # Scripts.
    ("script", "It is good.", "とても好。", "zh"),
    ("script", "It keeps the memory.", "它為我們記憶這個。", "zh"),
    ("script", "It keeps the memory.", "这个会保存我们的メモリです。", "ja"),
    ("script", "It keeps the memory of each layer.", "它为每一层保存前一个片段的全部隐藏状态与记忆。", "ja"),
    ("script", "It is good.", "很 хорошо 好。", "zh"),
    ("script", "It is good.", "C'est 好 bon.", "fr"),
    # Repetition.
    ("repeated", TWO, "记忆保存前一个片段的隐藏状态。记忆保存前一个片段的隐藏状态。", "zh"),
    # Numbers, terms and names.
    ("number", "It has 512 states.", "它有 521 个状态。", "zh"),
    ("term", "The memory is long.", "内存很长。", "zh"),
    ("term", "The probability of dropping out.", "退学的概率。", "zh"),
    ("term", "Scale scores by it.", "用它音阶分数。", "zh"),
    ("term", "The second term is big.", "第2用語は大きいです。", "ja"),
    ("term", "Linear projections of $x$.", "$x$ の線形予測。", "ja"),
    ("term", "All positions are fixed.", "所有头寸都是固定的。", "zh"),
    ("term", "The bias of the layer.", "该层的偏见。", "zh"),
    ("name", "The Transformer learns.", "变压器会学习。", "zh"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "translation", "language"), GOOD)
def test_a_sound_translation_has_no_error(
    source: str, translation: str, language: str
) -> None:
    assert errors(source, translation, language) == []


@pytest.mark.parametrize(("code", "source", "translation", "language"), BAD)
def test_a_fault_is_found_by_its_code(
    code: str, source: str, translation: str, language: str
) -> None:
    found = lint_message(source, translation, language, TERMS)
    assert code in {one.code for one in found}, found


def test_each_finding_has_a_severity_of_its_code() -> None:
    assert [
        (one, source, translation)
        for _, source, translation, language in BAD
        for one in lint_message(source, translation, language, TERMS)
        if one.severity not in FAULTS[one.code].severities
    ] == []


def test_exchanged_formulas_are_information_and_no_error() -> None:
    source = f"Each layer has {P0} where {P1} is its number."
    found = lint_message(source, f"每层有 {P1}，{P0} 是层号。", "zh", TERMS)
    assert [(one.severity, one.code) for one in found] == [("info", "order")]


# Sound translations that need no second look.
CLEAN = [
    # A full-width semicolon is a semicolon.
    ("It has several parts;", "它有几个部分；", "zh"),
    ("It has several parts:", "いくつかの部分があります：", "ja"),
    # The title of a paper stays English, whatever terms are in it.
    ("*Attention Is All You Need* has them.", "*Attention Is All You Need*有它们。", "zh"),
    (
        "Dai: *Attentive Language Models Beyond a Fixed-Length Context*. ACL 2019.",
        "Dai：*Attentive Language Models Beyond a Fixed-Length Context*、ACL 2019。",
        "ja",
    ),
    # The memory of a machine is another one.
    ("They would travel to main memory.", "它们要往返于主存。", "zh"),
    ("Both are the same piece of memory.", "两者是同一块内存。", "zh"),
    ("How many is a matter of memory:", "多少取决于机器的内存：", "zh"),
    ("The memory is a matter of memory.", "记忆取决于内存。", "zh"),
    ("**Rows in memory.** It needs the least memory.", "**内存中的行**。内存最少。", "zh"),
    ("A state falls out of memory.", "一个状态离开了记忆。", "zh"),
    ("Memories can be recalled.", "记忆可以回忆起来。", "zh"),
    # Large numbers have units of their own.
    ("It has 41 million of them.", "它有 4,100 万个。", "zh"),
    ("It has 235 million of them.", "它有 2.35 亿个。", "zh"),
    ("90, 5 and 5 million of them", "其中的9000万、500万、500万", "ja"),
    ("It has 285 million of them.", "それは2億8500万個あります。", "ja"),
    ("It has 274.2 million of them.", "それは2億7,420万個あります。", "ja"),
    # A version is no number, and stays what it is.
    ("Release 4.35.2 has 12 million of them.", "4.35.2 版有 1200 万个。", "zh"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "translation", "language"), CLEAN)
def test_a_sound_translation_needs_no_second_look(
    source: str, translation: str, language: str
) -> None:
    assert lint_message(source, translation, language, TERMS) == []


@pytest.mark.parametrize(
    ("code", "source", "translation"),
    [
        ("truncated", "It has several parts.", "它有几个部分；"),
        ("term", "Here is *the memory of it* again.", "这里又是*它的内存*。"),
        ("term", "How much memory is enough?", "多少内存才够？"),
        ("term", "A memory was learned.", "学到了一个回忆。"),
        ("number", "It has 41 million of them.", "它有 4100 个。"),
        ("number", "It has 41 million of them.", "它有 4,100 亿个。"),
        ("number", "It has 285 million of them.", "它有 2亿8600万 个。"),
        ("number", "Release 4.35.2 has them.", "4.36.2 版有它们。"),
    ],
)
def test_what_looks_like_one_of_these_is_still_found(
    code: str, source: str, translation: str
) -> None:
    assert code in {one.code for one in lint_message(source, translation, "zh", TERMS)}


def test_every_code_is_in_the_table_and_has_an_example() -> None:
    # What is foreign to the English has tests of its own;
    # what stands twice is a fault of a file, and its example is the next test.
    assert {code for code, *_ in BAD} | {"foreign", "twice"} == {*FAULTS}


def test_a_message_that_stands_in_its_file_twice_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = 'msgid "The rate."\nmsgstr "速率。"\n'
    write(
        tmp_path,
        {
            "mkdocs.yml": "site_name: A site\nplugins:\n  - literate\n",
            "docs/index.md": "The rate.\n",
            "docs/locale/zh/language.toml": 'name = "中文"\n',
            "docs/locale/zh/index.po": f"{entry}\n{entry}",
        },
    )
    words = ["i18n", "lint", "zh", "--json", "-f", str(tmp_path / "mkdocs.yml")]
    assert main(words) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["severity"], told["code"]) == ("warning", "twice")
    assert (told["path"], told["line"]) == ("docs/locale/zh/index.po", 4)
    assert "stands in line 1 too" in told["message"]


@given(st.text(alphabet="ab $`*_[]()<>/p{}\\^01メモリ。，记忆&;!\n", max_size=60))
def test_a_text_is_never_at_fault_beside_its_equal_but_for_english(text: str) -> None:
    found = {one.code for one in errors(text, text, "fr")}
    assert found <= {"untranslated", "script", "empty"}


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["ja", "zh", "fr"]))
def test_no_text_breaks_the_lint(source: str, translation: str, language: str) -> None:
    for one in lint_message(source, translation, language, TERMS):
        assert one.severity in {"error", "warning", "info"}
        assert one.code
        assert "\x00" not in one.message


@given(st.permutations(["$a$", "$b_1$", "`c`", "[甲][1]", "[乙][txl.scores]"]))
def test_order_is_free(parts: list[str]) -> None:
    source = "Take $a$ and $b_1$ and `c`, [one][1], [two][txl.scores]."
    assert errors(source, f"取{'、'.join(parts)}。", "zh") == []
