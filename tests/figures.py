"""The pictures of the figures that one can touch and that show what was measured.

`python -m tests.figures` draws them anew, and writes the data of those that show what
was measured, and the table of the page on the live models. The words of a figure stand
in the `<defs>` of its picture, which are written by hand; what follows them is drawn.
"""

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from labml_txl.literate.recording.records import Record, Slice, read_record
from tests.benchmarks import report
from tests.observed import worked
from tests.observed.weights import NAMES, known_of

LIVE = Path(__file__).parents[1] / "docs" / "live.md"
FIGURES = Path(__file__).parents[1] / "labml_txl" / "figures"


def words(role: str, x: float, y: float, text: str, form: str = "") -> str:
    shown = escape(text, quote=False)
    return f'  <text class="{role}" x="{x:g}" y="{y:g}"{form}>{shown}</text>'


FINE = ' font-size="13"'
CODE = f'{FINE} text-anchor="middle" font-family="ui-monospace, monospace"'


def rows_of(of: Callable[[dict[str, Any]], Iterable[str]]) -> list[list[str]]:
    """A row for each model: its name, and some cells of what was measured of it."""
    return [[title, *of(known_of(name))] for name, title in NAMES.items()]


def losses() -> str:
    """What a character costs the models of the page, as a table."""
    head = ["model", "file", "scenes", "scenes, memory off"]
    head += ["plain Shakespeare", "plain, memory off"]

    def cells(told: dict[str, Any]) -> Iterator[str]:
        yield f"{told['bytes'] / 1e6:.1f} MB"
        for key in ("bits_8", "bits_8_without_memory"):
            yield f"{told['losses'][key]:.2f}"
        for key in ("with", "without"):
            yield f"{told['plain'][key]:.2f}"

    return report.table(head, rows_of(cells))


def returns() -> str:
    """What a name costs that returns, by its distance, as a table."""
    head, counts = ["model"], ["number of names"]
    for one in known_of("xl")["returns"]:
        distances = f"{one['shortest'] + 1} to {one['longest']}"
        head += [f"{distances} back", f"{distances}, memory off"]
        counts += [f"{one['count']:,}", ""]
    rows = rows_of(
        lambda told: (
            f"{one[key]:.1f}" for one in told["returns"] for key in ("with", "without")
        )
    )
    return report.table(head, [*rows, counts])


def borders() -> str:
    """What memory saves in plain text, by the place in a segment, as a table."""
    head = ["model", "first 16 characters", "the other 48"]
    keys = ("first_16", "others")
    return report.table(head, rows_of(lambda t: (f"{t['plain'][k]:.2f}" for k in keys)))


TABLES = {"live": losses, "live-returns": returns, "live-borders": borders}


def page() -> str:
    """The page on the live models with its tables."""
    tables = {name: table() for name, table in TABLES.items()}
    return report.fill(LIVE.read_text(encoding="utf-8"), tables)


def live() -> Iterator[str]:
    """The two curves of the example, as Transformer-XL was recorded to read it."""
    window, left, top, high = 48, 50, 100, 150
    told = known_of("xl")["examples"][0]
    both = {name: told[name] for name in ("with", "without")}
    means = {name: sum(bits) / len(bits) for name, bits in both.items()}
    length = len(told["text"])
    wide = 620 / (length - 2)
    most = 6
    shown = {
        "with": ("with memory", "fig-accent"),
        "without": ("without", "fig-line"),
    }
    for n, (name, (title, role)) in enumerate(shown.items()):
        x = left + 330 * n
        yield words("fig-ink", x, 34, f"{means[name]:.2f}", ' font-size="26"')
        yield words("fig-soft", x + 62, 34, f"bits per character {title}", FINE)
        dashes = ' stroke-dasharray="5 4"' if n else ""
        ends = f'd="M{x:g} 50h50" stroke-width="2"{dashes}'
        yield f'  <path class="{role}" {ends}/>'
    for level in (0, 3, 6):
        y = top + high * (1 - level / most)
        yield f'  <path class="fig-line" d="M{left} {y:g}h620"/>'
        yield words("fig-soft", left - 14, y + 5, f"{level}", CODE)
    for name, (_, role) in shown.items():
        path = ""
        for end in range(8, length, 4):
            kept = both[name][max(0, end - window) : end]
            y = top + high * (1 - min(most, sum(kept) / len(kept)) / most)
            path += f"{'L' if path else 'M'}{left + (end - 1) * wide:.0f} {y:.0f}"
        dashes = ' stroke-dasharray="5 4"' if name == "without" else ""
        lines = f'd="{path}" stroke-width="2"{dashes}'
        yield f'  <path class="{role}" {lines}/>'
    axis = f"Bits per character along a text of {length} characters, mean over 48"
    yield words("fig-soft", left, top + high + 28, axis, FINE)


NEXT = "next-letter"


def next_letter_data() -> str:
    """What Transformer-XL expects at the letter that the live page opens on.

    The text is shown from the name in the memory on, with a gap in its middle.
    """
    example = known_of("xl")["examples"][0]
    text, look = example["text"], example["looks"][0]
    at, mem = look["at"], look["regions"]["mem"]
    border = at + 1 - look["regions"]["own"]
    first = text[look["from"] : look["from"] + 8]
    last = text[border - 3 : border]

    def told(kind: str) -> dict[str, Any]:
        right = round(2 ** -example[kind][at], 4)
        return {"letters": look["next"][kind], "right": right}

    data = {
        "first": first,
        "found": look["pair"]["key"],
        "skipped": mem - len(first) - len(last),
        "last": last,
        "segment": text[border : at + 1],
        "right": text[at + 1],
        "back": at - look["from"] - look["pair"]["key"],
        "with": told("with"),
        "without": told("without"),
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def next_letter() -> Iterator[str]:
    """The end of the text, and both sets of predictions."""
    data = json.loads(next_letter_data())
    signs = {"\n": "↵", " ": "␣"}
    x = 10.0
    memory, segment = ("fig-accent", "fig-fill"), ("fig-accent3", "fig-fill3")
    parts = [(data["first"], *memory), (data["last"], *memory)]
    for n, (letters, ink, fill) in enumerate([*parts, (data["segment"], *segment)]):
        if n != 1:
            yield words(ink, x, 22, "segment" if n else "memory", FINE)
        for letter in letters:
            yield f'  <rect class="{fill}" x="{x:g}" y="30" width="26" height="32"/>'
            yield f'  <path class="{ink}" d="M{x:g} 30h26v32h-26z"/>'
            yield words("fig-ink", x + 13, 51, signs.get(letter, letter), CODE)
            x += 28
        x += 14
        if n == 0:
            yield words("fig-soft", x, 51, f"… {data['skipped']} more …", FINE)
            x += 110
    box = f'd="M{x - 12:g} 30h26v32h-26z" stroke-dasharray="4 3"'
    yield f'  <path class="fig-pen" {box}/>'
    yield words("fig-ink", x + 1, 51, "?", CODE)
    for column, (kind, title) in enumerate(
        (("with", "with memory"), ("without", "without memory"))
    ):
        left = 10 + 350 * column
        yield words("fig-ink", left, 106, title, ' font-weight="600"')
        for n, (letter, share) in enumerate(data[kind]["letters"]):
            y = 118 + 32 * n
            role = "fig-accent2" if letter == data["right"] else "fig-line"
            yield words("fig-ink", left + 10, y + 17, signs.get(letter, letter), CODE)
            bar = f'd="M{left + 28} {y + 12}h{max(1.0, 230 * share):.0f}"'
            yield f'  <path class="{role}" stroke-width="16" {bar}/>'
            place = left + 38 + max(1.0, 230 * share)
            yield words("fig-ink", place, y + 17, f"{share:.0%}", FINE)


# Four terms, in the last segment that the recorded run read.

OBSERVED = "docs/observations/labml_txl.models.relative_attention.json"
QUERIES = 12
TERMS = {"a": "content", "b": "position", "c": "content_bias", "d": "position_bias"}


def observed() -> Record:
    """What `txl observe` recorded of the attention that its page explains."""
    root = FIGURES.parents[1]
    return read_record(root / OBSERVED, root)


def recorded(record: Record, name: str, head: int) -> tuple[Slice, int]:
    """The slice of a head in the first passage, and its number of columns.

    Term c has one row a head: there, all heads are one slice.
    """
    method = "forward" if name == "weights" else "scores"
    value = next(
        one
        for one in record.values
        if (one.function, one.name) == (f"RelativeAttention.{method}", name)
    )
    heads = [axis.name for axis in value.axes].index("heads")
    at = (0, 0 if value.rows == heads else head)
    return next(one for one in value.slices if one.at == at), value.extent[1]


def four_terms_data() -> str:
    """The last queries of the recorded segment: its four terms in every head.

    Term c is the same for every query, and term d for every pair of one distance: each
    stands here once.
    """
    record = observed()
    scores = next(v for v in record.values if v.name == "content")
    heads, _, keys = (axis.size for axis in scores.axes[1:])
    d_k = next(v for v in record.values if v.name == "q").axes[-1].size

    def codes(name: str, head: int) -> tuple[float, float, str]:
        one, width = recorded(record, TERMS[name], head)
        # What is hidden is no part of any score.
        given = bytes(
            code if n % width <= width - QUERIES + n // width else 0
            for n, code in enumerate(one.codes[-QUERIES * width :])
        )
        if name == "c":
            given = one.codes[head * width : (head + 1) * width]
        if name == "d":
            # The last query sees all distances, the farthest first.
            given = one.codes[: -width - 1 : -1]
        return one.low, one.step, b64encode(given).decode()

    # Of two passages, the first one's tokens come first.
    run, labels = record.run, scores.axes[-1].labels[:keys]
    data = {
        "run": {"name": run.name, "data": run.data, "step": run.step},
        "command": "txl observe",
        "keys": labels,
        "queries": QUERIES,
        "memory": keys - scores.axes[2].size,
        "d_k": d_k,
        "heads": [{name: codes(name, head) for name in TERMS} for head in range(heads)],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def four_terms() -> Iterator[str]:
    """The first head and the last 40 keys: four terms, their sum, and the weights."""
    data = json.loads(four_terms_data())
    record, shown, size = observed(), 40, 8.0
    high, n_keys = QUERIES * size, len(data["keys"])
    seen = torch.ones(QUERIES, n_keys, dtype=torch.bool).tril(n_keys - QUERIES)
    seen = seen[:, -shown:]
    tables: dict[str, torch.Tensor] = {}
    for name in (*TERMS, "return", "weights"):
        one, width = recorded(record, TERMS.get(name, name), 0)
        table = torch.tensor(one.values(), dtype=torch.float64).view(-1, width)
        table = table[:1].expand(QUERIES, -1) if name == "c" else table[-QUERIES:]
        tables[name] = table[:, -shown:] / (
            math.sqrt(data["d_k"]) if name in TERMS else 1
        )
    most = torch.stack([tables[name][seen].abs().max() for name in TERMS]).max()
    shares = {name: tables[name] / most for name in TERMS}
    shares["their sum, the scores"] = (
        tables["return"] / tables["return"][seen].abs().max()
    )
    shares["after the softmax"] = tables["weights"].sqrt()
    for n, (name, share) in enumerate(shares.items()):
        x, y = 10 + n % 2 * 350, 24 + n // 2 * (high + 40)
        role = f"fig-term-{name}" if name in TERMS else "fig-accent"
        title = f"({name}) {TERMS[name].replace('_', ' ')}" if name in TERMS else name
        yield words("fig-ink", x, y - 6, title, ' font-size="14"')
        levels = (3 * share.clamp(-1, 1) * seen).round().int()
        lines: dict[int, list[str]] = {}
        for i, row in enumerate(levels.tolist()):
            start = float(x)
            # A run of one level is a line; where it is 0, there is none.
            for level, run in groupby(row):
                wide = size * len([*run])
                if level:
                    line = f"M{start:g} {y + (i + 0.5) * size:g}h{wide:g}"
                    lines.setdefault(level, []).append(line)
                start += wide
        for level, drawn_ in sorted(lines.items()):
            form = f'stroke-width="{size:g}" stroke-opacity="{abs(level) / 3:.2f}"'
            ink = role if level > 0 else "fig-line"
            yield f'  <path class="{ink}" {form} d="{"".join(drawn_)}"/>'
        box = f"M{x:g} {y:g}h{shown * size:g}v{high:g}h{-shown * size:g}z"
        yield f'  <path class="fig-line" d="{box}"/>'
    text = "".join(data["keys"][-QUERIES:])
    about = f"Rows: the queries of “{text}”. Columns: the last {shown} keys."
    yield words("fig-soft", 10, 24 + 3 * (high + 40) - 12, about, ' font-size="13"')


RECONSTRUCTION = "attention-reconstruction"


def rows(codes: list[Any], width: int) -> torch.Tensor:
    """The numbers of a recorded tensor, in rows."""
    low, step, given = codes
    steps = torch.tensor([*b64decode(given)], dtype=torch.float64)
    found: torch.Tensor = (low + step * steps).view(-1, width)
    return found


def read_by_content(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The weights of a head and its output, without positions."""
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
    return weights, weights @ v


def attention_reconstruction() -> Iterator[str]:
    """The first head, and the query of which the model's convolution loses most."""
    data = json.loads((FIGURES / f"{RECONSTRUCTION}.json").read_text(encoding="utf-8"))
    d_k, head = data["d_k"], data["heads"][0]
    chosen = next(n for n, f in enumerate(data["functions"]) if f["name"] == "conv1d")
    q, k, v = (rows(head[name], d_k) for name in "qkv")
    k_cm, v_cm = (rows(codes, d_k) for codes in head["slots"][chosen])
    (weights, wanted), (on_slots, got) = (
        read_by_content(q, *memories) for memories in ((k, v), (k_cm, v_cm))
    )
    losses = (got - wanted).square().mean(1)
    n = int(losses.argmax())
    signs = [{"\n": "↵", " ": "␣"}.get(letter, letter) for letter in data["old"]]
    blocks = ["".join(signs[i] for i in of) for of in data["functions"][chosen]["of"]]
    asks = {"\n": "↵", " ": "␣"}.get(data["queries"][n], data["queries"][n])
    about = f"Attention of the query {asks}: its loss is {losses[n]:.2g}"
    yield words("fig-ink", 10, 20, about, ' font-size="15" font-weight="600"')
    for y, title, labels, shares, role in (
        (48, "weights of the old states", signs, weights[n], "fig-fill"),
        (122, "weights of the slots", blocks, on_slots[n], "fig-fill2"),
    ):
        wide = 680 / len(labels)
        yield words("fig-soft", 10, y, title, FINE)
        for at, (label, share) in enumerate(zip(labels, shares.tolist(), strict=True)):
            x, high = 10 + at * wide, 44 * share
            bar = f'y="{y + 52 - high:.1f}" width="{wide - 4:g}" height="{high:.1f}"'
            yield f'  <rect class="{role}" x="{x:g}" {bar}/>'
            box = f"M{x:g} {y + 8}h{wide - 4:g}v44h{4 - wide:g}z"
            yield f'  <path class="fig-line" d="{box}"/>'
            yield words("fig-ink", x + wide / 2 - 2, y + 35, label, CODE)
    most = float(torch.stack([wanted[n], got[n]]).abs().max())
    for column, (title, values, role) in enumerate(
        (
            ("output over the old states", wanted[n], "fig-accent"),
            ("output over the slots", got[n], "fig-accent2"),
            ("their difference", got[n] - wanted[n], "fig-ink"),
        )
    ):
        x, wide = 10 + 232 * column, 214 / d_k
        yield words("fig-soft", x, 196, title, FINE)
        yield f'  <path class="fig-line" d="M{x} 242h214"/>'
        bars = "".join(
            f"M{x + (i + 0.5) * wide:.1f} 242v{-38 * value / most:.1f}"
            for i, value in enumerate(values.tolist())
        )
        form = 'stroke="currentColor" stroke-width="4"'
        yield f'  <path class="{role}" {form} d="{bars}"/>'


TELL = "tell-wait-ask"


def tell_wait_ask() -> Iterator[str]:
    """What both models answer to a question, and how often they are right."""
    data = json.loads((FIGURES / f"{TELL}.json").read_text(encoding="utf-8"))
    key, value, distance = (data["recorded"][n] for n in ("key", "value", "distance"))
    # Code is not translated, so the words within it have another font.
    waits = f"… {distance - 2} other tokens …"
    between = f'<tspan font-family="system-ui, sans-serif">{waits}</tspan>'
    form = CODE.replace(' text-anchor="middle"', "")
    asks = f"k{key + 1}=v{value + 1} {between} ?k{key + 1} → ?"
    yield words("fig-ink", 10, 20, "", form).replace("></text>", f">{asks}</text>")
    for n, model in enumerate(data["models"]):
        y = 34 + 70 * n
        yield words("fig-ink", 10, y + 16, model["name"], ' font-weight="600"')
        for v, share in enumerate(model["recorded"]["answers"]):
            x, high = 10 + 86 * v, 34 * share
            bar = f'y="{y + 58 - high:.1f}" width="78" height="{high:.1f}"'
            yield f'  <rect class="fig-fill" x="{x}" {bar}/>'
            role = "fig-accent" if v == value else "fig-line"
            yield f'  <path class="{role}" d="M{x} {y + 24}h78v34h-78z"/>'
            yield words("fig-ink", x + 39, y + 46, f"v{v + 1} {share:.0%}", CODE)
    top, high, left = 200, 100, 50
    wide = 620 / data["distances"][-1]
    about = "Right answers by the tokens between fact and answer"
    yield words("fig-soft", left, top - 8, about, FINE)
    for level in (0, 1):
        y = top + high * (1 - level)
        yield f'  <path class="fig-line" d="M{left} {y}h620"/>'
        yield words("fig-soft", left - 24, y + 5, f"{level:.0%}", CODE)
    for model, role, dashes in zip(
        data["models"],
        ("fig-pen", "fig-pen"),
        ("", ' stroke-dasharray="2 3"'),
        strict=True,
    ):
        points = zip(data["distances"], model["accuracy"], strict=True)
        path = "L".join(
            f"{left + d * wide:.0f} {top + high * (1 - a):.0f}" for d, a in points
        )
        yield f'  <path class="{role}" d="M{path}" stroke-width="2"{dashes}/>'
    for far in data["distances"][7::8]:
        yield words("fig-soft", left + far * wide, top + high + 18, f"{far}", CODE)


def worked_score() -> Iterator[str]:
    """The states of the worked case, and the terms of its first query."""
    case = worked.Case()
    number, names = worked.number, [*case.terms]
    left, wide = 130, 84
    yield words("fig-soft", 10, 60, "states", FINE)
    for n, token in enumerate(worked.TOKENS):
        x, role = left + n * wide, "fig-fill" if n < worked.M else "fig-fill3"
        yield words("fig-ink", x + 32, 20, token, FINE + ' text-anchor="middle"')
        for row, value in enumerate(case.h[n].tolist()):
            y = 28 + 24 * row
            yield f'  <rect class="{role}" x="{x}" y="{y}" width="64" height="24"/>'
            yield f'  <path class="fig-line" d="M{x} {y}h64v24h-64z"/>'
            yield words("fig-ink", x + 32, y + 17, number(value), CODE)
    rows = [(f"({name})", case.terms[name][0]) for name in names]
    rows += [("sum", case.total[0]), ("÷ √2", case.scores[0])]
    rows += [("weight", case.weights[0])]
    for row, (name, values) in enumerate(rows):
        y = 110 + 26 * row
        yield words("fig-soft", 10, y, name, FINE)
        for n in range(worked.M + 1):
            shown_ = number(float(values[n]))
            yield words("fig-ink", left + n * wide + 32, y, shown_, CODE)
    query = worked.TOKENS[worked.M]
    yield words("fig-soft", left + 3 * wide, 110, f"the query is “{query}”", FINE)


DRAWN: Mapping[str, Callable[[], Iterator[str]]] = {
    NEXT: next_letter,
    "live": live,
    "four-terms": four_terms,
    RECONSTRUCTION: attention_reconstruction,
    TELL: tell_wait_ask,
    "worked-score": worked_score,
}
DATA: Mapping[str, Callable[[], str]] = {
    NEXT: next_letter_data,
    "four-terms": four_terms_data,
}


def drawn(name: str) -> str:
    """The picture of a figure, with the words that stand in it now."""
    before, end, _ = (FIGURES / f"{name}.svg").read_text("utf-8").partition("</defs>\n")
    return f"{before}{end}{chr(10).join(DRAWN[name]())}\n</svg>\n"


if __name__ == "__main__":
    for figure, data in DATA.items():
        (FIGURES / f"{figure}.json").write_text(data(), encoding="utf-8")
    for figure in DRAWN:
        (FIGURES / f"{figure}.svg").write_text(drawn(figure), encoding="utf-8")
    LIVE.write_text(page(), encoding="utf-8")
