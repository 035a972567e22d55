r"""The number that `\eqref` shows is the one beside the equation."""

from labml_txl.literate.equations.math import Formula, Typesetter
from labml_txl.literate.equations.references import replace_references

PAGE = [
    r"\ref{c} and \eqref{b}, \eqref{d}, \eqref{nothing}",
    r"\begin{align} a \label{a} \\ \begin{matrix} 1 \\ 2 \end{matrix} \label{b} \\"
    r" e \notag \\ \end{align}",
    r"\begin{align*} x \label{x} \\ y \end{align*}",
    r"\begin{equation} \label{c} z \end{equation}",
    r"x \tag{7a} \label{d}",
    r"\eqref{x}",
]


def test_a_reference_shows_the_number_of_its_equation() -> None:
    first, *rest, last = replace_references(PAGE)
    assert first == r"\text{4} and \text{(2)}, \text{(7a)}, \eqref{nothing}"
    assert (rest, last) == (PAGE[1:-1], PAGE[-1])


def test_as_many_rows_are_numbered_as_katex_counts() -> None:
    typesetter = Typesetter()
    try:
        html = typesetter.typeset(
            [Formula(tex, True) for tex in replace_references(PAGE)]
        )
    finally:
        typesetter.close()
    assert [text.count('class="eqn-num"') for text in html] == [0, 3, 0, 1, 0, 0]
    assert "(7a)" in html[0]
