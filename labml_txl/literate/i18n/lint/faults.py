r"""# What may be wrong with a translation

One table: the code of each fault, how severe it can be, and what a page says of it. The
lint, the labels of the site and `txl i18n lint` know no other.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Fault(NamedTuple):
    """A kind of fault: its severities, and what it says in English.

    A translation with an `error` is not shown; at one with a `warning` somebody should
    look; `info` need not be changed.
    """

    severities: str
    meaning: str


FAULTS: Mapping[str, Fault] = {
    "empty": Fault("error", "there is no translation"),
    "untranslated": Fault("error, warning", "English was left in it"),
    "truncated": Fault("error", "it stops in the middle, or is far too short"),
    "end": Fault("warning", "there is no full stop at its end"),
    "long": Fault("warning", "it is much longer than the English"),
    "formula": Fault("error", "the formulas are not those of the English"),
    "code": Fault("error", "the code is not that of the English"),
    "placeholder": Fault("error", "what stands in braces is not that of the English"),
    "image": Fault("error", "the pictures are not those of the English"),
    "attributes": Fault("error", "the lists in braces are not those of the English"),
    "link": Fault("error", "the links are not those of the English"),
    "citation": Fault("error", "the links to equations are not those of the English"),
    "exchanged": Fault("error", "two links have changed places"),
    "link-words": Fault("error, warning", "a link has no words, or too many"),
    "title": Fault("warning", "the title of a paper was translated"),
    "order": Fault("info", "formulas and code come in another order"),
    "nested-link": Fault("error", "a link stands within a link"),
    "outside": Fault("error", "words stand outside the block that they belong to"),
    "list": Fault("error", "an item stands outside its list"),
    "markup": Fault("error", "a tag is not closed, not opened or lost"),
    "emphasis": Fault("error, warning", "the emphasis is not that of the English"),
    "brackets": Fault("error", "brackets, dollars or backticks do not pair"),
    "block": Fault("error", "a sign at the start of a line begins a new block"),
    "leftover": Fault("error", "signs of a machine were left in it"),
    "entity": Fault("error", "it holds an entity of HTML"),
    "torn": Fault("error", "a name is torn in two"),
    "hole": Fault("error, warning", "something is missing between two words"),
    "foreign": Fault("error", "it holds what the English does not"),
    "question": Fault("warning", "it asks, and the English does not"),
    "script": Fault("error, warning", "it holds letters of another language"),
    "repeated": Fault("error", "a sentence stands in it twice"),
    "number": Fault("warning", "a number is not that of the English"),
    "term": Fault("warning", "a term is not that of the glossary"),
    "name": Fault("warning", "a name is not written as in the English"),
    "twice": Fault("warning", "the message stands in its file twice"),
}


def label_of(code: str) -> str:
    """The name of the label that says what a code means."""
    return f"fault_{code.replace('-', '_')}"
