"""# Labels

The texts that the engine itself puts on pages, such as the names of links, the heads of
tables and the buttons of the script, each with a key. The engine ships translations of
them. The catalog of the page `site` has those that it lacks, and may have others. The
engine replaces the names in braces by values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter

from labml_txl.literate.i18n.catalog import Catalog, State
from labml_txl.literate.i18n.lint import RULES
from labml_txl.literate.i18n.plurals import form_of

LABELS: Mapping[str, str] = {
    # An annotated page.
    "permalink": "Permalink to {anchor}",
    "imports_line": "imports, line {number}",
    "imports_lines": "imports, lines {numbers}",
    "source_line": "Source, line {number}",
    "source_lines": "Source, lines {numbers}",
    "no_description": "The annotated source of {module}.",
    "given": "About {names}",
    "given_shapes": "Shapes of a run",
    "shapes": "Shapes of a run: {way}.",
    # The page of equations.
    "equations_title": "Equations",
    "equations_description": (
        "Every equation of the papers that the code implements: its symbols, the lines "
        "that compute it and its tests."
    ),
    "equations_order": (
        "Each equation is shown once, as in its paper. Below it are the lines of code "
        "that compute it, and the tests that compare this code with a definition in "
        "plain loops. A table of symbols follows the equations of each paper."
    ),
    "equation_uses": "Name, lines and tests",
    # The link from a line of an algorithm to the code that does the same.
    "line_code": "code",
    "computed_in": "Computed in {places}",
    "explained_in": "Explained in {places}",
    "proved_by": "Tested by {tests}",
    "place_line": "{name}, line {number}",
    "place_lines": "{name}, lines {numbers}",
    "section": "§ {number}",
    "appendix": "Appendix {letter}",
    "algorithm": "Algorithm {number}",
    "algorithm_line": "Algorithm {number}, line {line}",
    "algorithm_and": "Algorithm {number}, lines {first} and {last}",
    "algorithm_to": "Algorithm {number}, lines {first} to {last}",
    "symbols": "Symbols",
    "symbol": "Symbol",
    "meaning": "Meaning",
    "in_the_code": "In the code",
    "equation_caption": "{place}: {title}",
    "equation_key": "{place}: {key}",
    # A page as plain Markdown and as a notebook.
    "origin": "From {file}.",
    "origin_published": (
        "From {file}, which is shown [beside its notes]({address}) on the site."
    ),
    "figure": "Figure: {words}",
    "see_figure": "See it",
    "named_in_code": "In the code: {names}.",
    "as_a_command": "As a command, the module runs this:",
    "pages": "Pages",
    # Collapsed code of tutorials, by the tag of its cell.
    "code_plot": "Code of the figure",
    "code_claim": "Check of the statement above",
    "code_check": "Check of your answer",
    "code_solution": "Solution",
    "code_parameters": "Parameters that you can change",
    "code_imports": "Imports",
    # The templates.
    "notebook": "Notebook",
    "notebooks": "Notebooks",
    "colab": "Open in Colab",
    "markdown": "Markdown",
    "source": "Source",
    "edit": "Edit",
    # The link that opens a new issue in the repository.
    "ask": "Ask about this page",
    "ask_title": "Question about {page}",
    "ask_text": "Page: {address}\nLanguage: {language}\n\nMy question:",
    "contents": "Contents",
    "wrap": "Wrap code",
    "breadcrumbs": "Breadcrumbs",
    # The order of reading that a page of the site lists.
    "route": "The path",
    "route_stop": "Stop {number} of {count} · {minutes} min",
    "route_minutes": "{title}, {minutes} minutes",
    "route_previous": "Stop before: {title}",
    "route_next": "Next stop: {title}",
    "route_start": "Start: {title}",
    "route_on": "Go on: {title}",
    "not_found": "Page not found",
    "not_found_text": "There is no page at this address. It may have moved.",
    "home": "home",
    "language": "Language",
    "language_now": "Language: {language}",
    "translate": "Translate this site",
    "offer": "Read this page in {language}",
    "share_banner": "{share} % of this page is translated.",
    "share_banner_help": "The rest is not translated. You can help to translate it.",
    "mark_missing": "not translated yet",
    "mark_fuzzy": "the original has changed",
    "mark_faulty": "the translation has a fault",
    "mark_faulty_why": "the translation has a fault: {why}",
    # The panel of a translated page.
    "sentences": "The original and its translation",
    "sentence_edit": "Edit this translation",
    "sentence_next": "Next sentence",
    "sentence_previous": "Previous sentence",
    # The rules of the lint, by their codes.
    **{f"fault_{code}": rule.meaning for code, rule in RULES.items()},
    # The page that shows how much is translated.
    "progress_title": "Translations",
    "progress_description": (
        "How much of this site is translated: each language and page, what is missing, "
        "and who translated."
    ),
    "progress_about": (
        "What is not translated, or no longer fits the original, is shown as written."
    ),
    "progress_people": "Translated by {names}.",
    "progress_left": "{count} message is not translated.",
    "progress_page": "Page",
    "progress_translated": "Translated",
    "progress_missing": "Missing",
    "progress_fuzzy": "To be checked",
    "progress_faulty": "Faulty",
    "progress_site": "Navigation and labels",
    "progress_edit": "Edit the translation of {page}",
    # The script.
    "copy": "Copy the code",
    "copy_link": "Copy the link",
    "copied": "Copied",
    "enlarge": "Enlarge",
    "close": "Close",
    "formula": "Formula. Press Enter for its symbols.",
    "uses": "uses here: {count}",
    "defined": "defined in line {number}",
    "definition": "definition",
    "documentation": "documentation",
    "choose_symbol": "Symbols of this formula",
    "names_of_symbol": "In the code:",
    "unnamed": "No name in the code stands for it.",
    "equations_of_symbol": "In the equations:",
    # The card of an observed value.
    "observed_at": "Value at line {number}",
    "range": "range {least} … {most}",
    "mean": "mean {mean}",
    "deviation": "standard deviation {deviation}",
    "unreal": "no finite element",
    "heat_map": (
        "Heat map: {rows} by {columns}. The arrow keys choose the element that is read."
    ),
    # Values that have no colour in the heat map: "276 × −∞, 1 × NaN".
    "hatched": "Hatched: {values}",
    "all_tokens": "All tokens",
    "row_sum": "the row adds up to {sum}",
    "run": "{name}, {data}, step {step}, seed {seed}",
    "record_again": "Record it again:",
    "on_disk": "Open the site over HTTP to see what this name held.",
    "unread": "What this name held cannot be read.",
}


# The labels of a number of things have a second form in English, and as many in
# another language as it needs.
PLURALS: Mapping[str, str] = {"progress_left": "{count} messages are not translated."}


@dataclass(frozen=True)
class Labels:
    """The labels in one language.

    `catalog` is that of the page `site`, filled from the engine's; by default,
    the labels are in English.
    """

    catalog: Catalog = field(default_factory=Catalog)

    def __call__(self, name: str, /, **values: object) -> str:
        """The label with this key, its braces replaced by the values."""
        return self.pattern(name).format(**values)

    def count(self, name: str, count: int) -> str:
        """The label of a number of things, in the form that the number takes."""
        english = (LABELS[name], PLURALS[name])
        found = self.catalog.look_up(english[0])
        forms, index = found.forms, form_of(self.catalog.language, count)
        translated = found.state is State.TRANSLATED and len(forms) > index
        text = forms[index] if translated else english[count != 1]
        # A form for a single number may leave it out.
        known = fields(text) in ([], fields(english[1]))
        return (text if known else english[count != 1]).format(count=count)

    def fault(self, code: str) -> str:
        """The description of a rule of the lint, by its code."""
        return self(f"fault_{code}")

    def mark(self, state: str, why: str = "") -> str:
        """Why a message is in English: its state and, if it has one, its fault."""
        if state == "faulty" and why:
            return self("mark_faulty_why", why=self.fault(why))
        return self(f"mark_{state}")

    def of_lines(self, label: str, lines: range, /, **values: object) -> str:
        """The label for one line or for several; `label` is the start of its key."""
        if len(lines) == 1:
            return self(f"{label}_line", number=lines[0], **values)
        return self(f"{label}_lines", numbers=numbers(lines), **values)

    def pattern(self, name: str) -> str:
        """The label with its braces, for a script that replaces them later.

        If a translation does not have the same braces, the English label is used.
        """
        english = LABELS[name]
        found = self.catalog(english)
        return found if fields(found) == fields(english) else english


def numbers(lines: range) -> str:
    """A range of lines as text: `64–75`."""
    return f"{lines[0]}–{lines[-1]}" if len(lines) > 1 else str(lines[0])


def fields(pattern: str) -> list[str]:
    """The sorted fields in the braces of a label; `["!"]` if it is not valid."""
    try:
        parts = [*Formatter().parse(pattern)]
        return sorted(
            f"{name}{f'!{how}' if how else ''}{f':{form}' if form else ''}"
            for _, name, form, how in parts
            if name is not None
        )
    except ValueError:
        return ["!"]
