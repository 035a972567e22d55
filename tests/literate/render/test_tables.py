"""Tables of sentences become cards, and names in tables stay on one line."""

import pytest
from markdown import Markdown

from labml_txl.literate.markdown.host import EXTENSIONS

NAME = '<span class="lit-whole">Transformer-XL</span>'


def test_a_name_with_a_short_end_is_not_divided_in_a_table() -> None:
    page = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    html = page.convert(
        "A Transformer-XL.\n\n"
        "| Transformer-XL and Transformer-XLの | back-propagation |\n| --- | --- |\n"
        "| *Transformer-XL* [a](b.md) Transformer-XL | `Transformer-XL` |\n"
    )
    assert "<p>A Transformer-XL.</p>" in html
    assert f"<th>{NAME} and {NAME}の</th>" in html
    assert "<th>back-propagation</th>" in html
    assert f'<td><em>{NAME}</em> <a href="b.md">a</a> {NAME}</td>' in html
    assert "<td><code>Transformer-XL</code></td>" in html


def test_a_long_name_in_code_is_divided_after_an_underscore_only() -> None:
    page = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    html = page.convert("- [`test_a_name_of_many_words`](a.md) and `a_short_name`\n")
    name = "test_<wbr />a_<wbr />name_<wbr />of_<wbr />many_<wbr />words"
    assert f"<code>{name}</code>" in html
    assert "<code>a_short_name</code>" in html


SENTENCE = "A sentence of more than forty letters, which needs a line."


@pytest.mark.parametrize(
    ("rows", "cards"),
    [
        (f"| a | {SENTENCE} |", True),
        # Chinese letters are as wide as two.
        (f"| a | {'字' * 21} |", True),
        (f"| a | {'字' * 20} |", False),
        # Six columns together are no sentences, and TeX is longer than its formula.
        (f"| a | b | c | d | e | {SENTENCE} |", False),
        (r"| a | $\operatorname{softmax}(\mathbf{Q}\mathbf{K}^\top)$ |", False),
        (r"| a | <b title='long long long long long long long'>b</b> |", False),
        (f"| {SENTENCE[:30]} | {SENTENCE[:30]} | {SENTENCE[:30]} |", True),
        ("| 1 | 2 |", False),
    ],
)
def test_a_table_of_sentences_has_labels_for_cards(rows: str, cards: bool) -> None:
    columns = rows.count(" | ") + 1
    heads = "|".join(f" head $n_{n}$ " for n in range(columns))
    page = Markdown(extensions=[*EXTENSIONS], extension_configs=EXTENSIONS)
    html = page.convert(f"|{heads}|\n|{'---|' * columns}\n{rows}\n")
    assert html.count("<tr>") == 2
    assert ('<table data-cards="">' in html) is cards
    assert html.count(f'data-label="head n_{columns - 1}"') == cards
