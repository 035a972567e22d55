"""The case with numbers that the pages work through, computed by the package's code.

Three queries, two states in memory, two features and one head: small enough to compute
by hand. `python -m tests.observed.worked` writes its tables into the pages of the
papers, and draws its pictures. The tests hold the same tables to the notes of the code.
"""

from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor

from labml_txl.models import FeedForward, RelativeAttention
from labml_txl.models.compression import (
    Compression,
    MaxPooling,
    MeanPooling,
    MostUsedCompression,
)
from labml_txl.models.compressive import CompressiveTransformerLayer
from labml_txl.models.distances import DistanceKeys
from labml_txl.models.embeddings import sinusoids
from labml_txl.models.memory import update_memory
from tests.benchmarks import report

DOCS = Path(__file__).parents[2] / "docs"
PAPERS = DOCS / "papers"
FIGURES = DOCS / "figures"

TOKENS = ("Mrs.", "Harker", "sat", "down", "and")
# The input of the layer: the last L of these states are the segment, those before them
# the memory.
STATES = ((1, 0), (1, 1), (0, 1), (-1, 1), (0, -1))
U, V = (1, 0), (0, 1)
L, M = 3, 2
K = M + L
RATE = 2


def layer() -> RelativeAttention:
    """The attention: W_q exchanges both features, all other projections copy them."""
    attention = RelativeAttention(1, 2, 0.0)
    with torch.no_grad():
        attention.query.weight.copy_(torch.eye(2).flip(0))
        for one in (
            attention.key,
            attention.value,
            attention.output,
            attention.distances.projection,
        ):
            one.weight.copy_(torch.eye(2))
        attention.output.bias.zero_()
        attention.content_bias.copy_(torch.tensor([U]))
        attention.distances.position_bias.copy_(torch.tensor([V]))
    attention.double().eval()
    return attention


def compressive(compress: Compression) -> CompressiveTransformerLayer:
    """A layer with this attention: without a norm before it, as in the papers."""
    layer_ = CompressiveTransformerLayer(
        d_model=2,
        self_attn=layer(),
        feed_forward=FeedForward(2, 2, 0.0),
        dropout_prob=0.0,
        compress=compress,
        norm="post",
    )
    return layer_.double().eval()


class Case:
    """All numbers of the case: tables `[L, K]`, and vectors `[…, 2]`."""

    @torch.no_grad()
    def __init__(self) -> None:
        attention = layer()
        h = torch.tensor(STATES, dtype=torch.float64)
        x = h[:, None]
        q = attention.split_heads(attention.query(x[M:]))
        k = attention.split_heads(attention.key(x))
        distances: DistanceKeys = attention.distances(K - 1, 0)
        nothing = DistanceKeys(*(torch.zeros_like(one) for one in distances))
        u = attention.content_bias.clone()

        def sum_of(with_u: bool, given: DistanceKeys) -> Tensor:
            """What `scores` adds up, without its scale."""
            attention.content_bias.copy_(u if with_u else torch.zeros_like(u))
            found: Tensor = attention.scores(q, k, given)[0, 0] / attention.scale
            return found

        a = sum_of(False, nothing)
        by_query = DistanceKeys(distances.keys, nothing.bias)
        by_all = DistanceKeys(nothing.keys, distances.bias)
        self.terms = {
            "a": a,
            "b": sum_of(False, by_query) - a,
            "c": sum_of(True, nothing) - a,
            "d": sum_of(False, by_all) - a,
        }
        self.total = sum_of(True, distances)
        self.scores = attention.scores(q, k, distances)[0, 0]
        self.weights = attention.weights(self.scores[None, None])[0, 0]
        self.h, self.q, self.k = h, q[0, 0], k[0, 0]
        self.R = distances.keys[0].T.flip(0)  # the key of distance r in row r
        self.by_distance = (q @ distances.keys)[0, 0]
        self.attended = attention(x[M:], x, x)[:, 0]
        self.memory = update_memory([x[:M]], [x[M:]], M)[0][:, 0]
        # The states that left the memory, the slot that they become, and what each
        # query gets of both: attention by content alone.
        self.old = h[:M]
        self.slots = {
            "mean": MeanPooling(RATE, 2)(x[:M])[:, 0],
            "maximum": MaxPooling(RATE, 2)(x[:M])[:, 0],
        }
        # What the model does after the segment: the attention that each old state has
        # received, and the one that most-used compression keeps.
        most_used = compressive(MostUsedCompression(RATE, 2))
        self.usage = most_used.usage(x[M:], x[:M], None)[:M, 0]
        kept, _, slot = most_used.compress_oldest(x[M:], x[:M], x[:0], M)
        self.kept, self.slots["most used"] = kept[:, 0], slot[:, 0]
        self.wanted_weights = (self.q @ self.old.T * attention.scale).softmax(-1)
        self.wanted = self.wanted_weights @ self.old

    def loss(self, kind: str) -> Tensor:
        """The mean squared difference of both features, for each query.

        A single slot gets the whole weight of every query, so each query gets the slot.
        """
        lost: Tensor = self.slots[kind] - self.wanted
        return lost.square().mean(1)


def number(value: float, digits: int = 2) -> str:
    """A number as the pages print it, with a true minus sign.

    Zeros at its end say that it was rounded, so an exact 1 or 0.5 has none.
    """
    text = f"{value:.{digits}f}"
    if abs(value - round(value, 1)) < 1e-9:
        text = f"{round(value, 1) or 0:g}"
    return text.replace("-", "−")


def vector(values: Tensor | tuple[float, ...]) -> str:
    """`(0.84, 0.54)`."""
    numbers = values.tolist() if isinstance(values, Tensor) else values
    return f"({', '.join(number(one) for one in numbers)})"


def states(case: Case) -> str:
    """The five tokens: their states, and the queries of the segment."""
    rows = [
        [
            token,
            "memory" if n < M else "segment",
            vector(case.h[n]),
            vector(case.q[n - M]) if n >= M else "–",
        ]
        for n, token in enumerate(TOKENS)
    ]
    head = ["token", "belongs to", r"state $\mathbf h$ = key $k$ = value", "query $q$"]
    return report.table(head, rows)


def encodings(case: Case) -> str:
    """The encoding of each distance."""
    rows = [[f"{r}", vector(one)] for r, one in enumerate(case.R)]
    return report.table(["distance $r$", r"$\mathbf R_r = (\sin r, \cos r)$"], rows)


def one_query(case: Case, i: int = 0) -> str:
    """The scores of one query: a column for each key that it sees."""
    keys = range(M + i + 1)
    sums = {"sum": case.total, "÷ √2": case.scores, "weight": case.weights}
    tables = {f"({name})": one for name, one in case.terms.items()} | sums
    rows = [["distance", *(f"{i + M - j}" for j in keys)]]
    for name, table in tables.items():
        rows.append([name, *(number(float(table[i, j])) for j in keys)])
    return report.table(["key", *(TOKENS[j] for j in keys)], rows)


def seen(table: Tensor, hidden: str = "–") -> list[list[str]]:
    """A table of scores by key, without what a query must not see."""
    return [
        [number(float(value)) if j <= M + i else hidden for j, value in enumerate(row)]
        for i, row in enumerate(table)
    ]


def by_key(table: Tensor) -> str:
    """A table with a row for each query and a column for each key."""
    rows = [[TOKENS[M + i], *row] for i, row in enumerate(seen(table))]
    return report.table(["query", *TOKENS], rows)


def by_distance(case: Case) -> str:
    """Term (b) before the shift: a column for each distance, the farthest first."""
    head = ["query", *(f"distance {r}" for r in range(K - 1, -1, -1))]
    rows = [
        [TOKENS[M + i], *(number(float(value)) for value in row)]
        for i, row in enumerate(case.by_distance)
    ]
    return report.table(head, rows)


def distances() -> str:
    """How far each key is from each query."""
    table = torch.arange(L)[:, None] + M - torch.arange(K)
    return by_key(table.double())


def reconstruction(case: Case) -> str:
    """What each query gets of both old states, and of the slot in their place."""
    head = [
        "query",
        "weights of the two states",
        "their output",
        "output of the slot",
        "squared difference",
    ]
    slot = vector(case.slots["mean"][0])
    rows = [
        [
            TOKENS[M + i],
            ", ".join(number(float(w)) for w in case.wanted_weights[i]),
            vector(case.wanted[i]),
            slot,
            number(float(loss), 3),
        ]
        for i, loss in enumerate(case.loss("mean"))
    ]
    return report.table(head, rows)


def pages(case: Case) -> dict[Path, dict[str, str]]:
    """The tables of each page of the papers, by the names of their places."""
    return {
        PAPERS / "transformer_xl.md": {
            "worked-states": states(case),
            "worked-distances": encodings(case),
            "worked-query": one_query(case),
            "worked-weights": by_key(case.weights),
        },
        PAPERS / "compressive_transformer.md": {
            "worked-reconstruction": reconstruction(case),
        },
    }


# Pictures


INK = ' font-size="13" text-anchor="middle"'
ENDS = INK.replace("middle", "end")
MONO = f'{INK} font-family="ui-monospace, monospace"'


def text(role: str, x: float, y: float, words: str, form: str = INK) -> str:
    return f'  <text class="{role}" x="{x:g}" y="{y:g}"{form}>{words}</text>'


def box(x: float, y: float, value: str, role: str = "fig-fill", wide: int = 40) -> str:
    """A number in a box."""
    return "\n".join(
        (
            f'  <rect class="{role}" x="{x:g}" y="{y:g}" width="{wide}" height="24"/>',
            f'  <path class="fig-line" d="M{x:g} {y:g}h{wide}v24h-{wide}z"/>',
            text("fig-ink", x + wide / 2, y + 17, value, MONO),
        )
    )


def column(x: float, y: float, values: Tensor, role: str = "fig-fill") -> str:
    """A vector: its numbers in boxes, one below the other."""
    return "\n".join(
        box(x, y + 24 * n, number(float(one)), role) for n, one in enumerate(values)
    )


def svg(width: float, height: float, title: str, lines: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">'
    )
    return "\n".join([head, f"  <title>{title}</title>", *lines, "</svg>"]) + "\n"


def kept(case: Case) -> str:
    """A layer with its input, and the part of this input that becomes its memory."""
    step, left = 48, 34
    wide = K * step + 44

    def x(n: float) -> float:
        return left + step * n

    lines = [
        text("fig-soft", x(M) + 1.5 * step - 4, 16, "output, for the layer above"),
        f'  <path class="fig-line" d="M{x(0) - 26} 44h{wide}v30h-{wide}z"/>',
        text("fig-ink", x(2) + 20, 64, "layer: attention, feed-forward network"),
        text("fig-soft", x(K), 134, "input of the layer", LEFT),
        text("fig-soft", 4, 238, "input for the", LEFT),
        text("fig-soft", 4, 254, "next segment", LEFT),
    ]
    for n, token in enumerate(TOKENS):
        if n >= M:
            lines.append(arrow(x(n) + 20, 42, 22))
        lines += [
            arrow(x(n) + 20, 100, 78),
            column(x(n), 106, case.h[n], "fig-fill3" if n >= M else "fig-fill"),
            text("fig-ink", x(n) + 20, 172, token),
        ]
    for n in range(M):
        lines += [
            arrow(x(L + n) + 20, 180, 212, "fig-accent"),
            column(x(L + n), 216, case.memory[n]),
            text("fig-ink", x(L + n) + 20, 282, TOKENS[L + n]),
        ]
    for n in range(L):
        lines += [box(x(K + n), 216 + 24 * row, "…", "fig-fill3") for row in range(2)]
    lines += [
        text("fig-soft", x(1) + 20, 196, "these three are not kept"),
        text("fig-accent", x(L) - 10, 216, "the last two are kept", ENDS),
        text("fig-soft", x(L) + 44, 302, "memory"),
        text("fig-soft", x(K) + 68, 302, "segment"),
    ]
    return svg(x(K + L), 312, "The input of a layer becomes its memory", lines)


LEFT = ' font-size="13"'


def arrow(x: float, start: float, end: float, role: str = "fig-line") -> str:
    """A vertical arrow."""
    tip = 5 if end < start else -5
    head = f"M{x - 4:g} {end + tip:g}L{x:g} {end:g}L{x + 4:g} {end + tip:g}"
    path = f"M{x:g} {start:g}V{end:g}{head}"
    return f'  <path class="{role}" d="{path}" stroke-width="1.5" fill="none"/>'


def heat(title: str, table: Tensor, x: float, y: float, size: float) -> list[str]:
    """A heat map between −1 and 1: a path for each level, a rectangle for each run."""
    shapes: dict[int, str] = {}
    levels = (table.clamp(-1, 1) * 4).round().int()
    for i, row in enumerate(levels.tolist()):
        start = 0
        for n, (one, other) in enumerate(pairwise([*row, None])):
            if one == other:
                continue
            if one:
                place = f"M{x + start * size:g} {y + i * size * 1.5:g}"
                wide = (n + 1 - start) * size
                path = f"{place}h{wide:g}v{size * 1.5:g}h-{wide:g}z"
                shapes[one] = shapes.get(one, "") + path
            start = n + 1
    lines = [
        f'  <path class="fig-fill{"2" * (level < 0)}" d="{path}" '
        f'fill-opacity="{abs(level) / 4:g}"/>'
        for level, path in sorted(shapes.items())
    ]
    lines.append(text("fig-ink", x, y - 8, title, ' font-size="13"'))
    return lines


def waves() -> str:
    """R itself: the encodings of 64 distances in 16 features."""
    d, far, size, left = 16, 64, 6.0, 6
    low = 26 + d // 2 * size * 1.5 + 34
    end = low + d // 2 * size * 1.5
    R = sinusoids(torch.arange(far), d).T  # [features, distances]
    lines = heat("sines, the fastest first", R[: d // 2], left, 26, size)
    lines += heat("cosines, the fastest first", R[d // 2 :], left, low, size)
    for r in range(0, far, 10):
        x = left + (r + 0.5) * size
        lines.append(text("fig-soft", x, end + 16, f"{r}", MONO))
    words = "distance r"
    lines.append(text("fig-soft", left + far * size / 2, end + 34, words))
    return svg(left + far * size + 4, end + 46, "The encodings of 64 distances", lines)


def block() -> str:
    """The layer of the paper, from its input to its output; its parts are links."""
    middle, wide = 212, 208

    def linked(page: str, *lines: str) -> list[str]:
        return [f'  <a href="../models/{page}">', *lines, "  </a>"]

    def part(y: float, words: str, page: str) -> list[str]:
        place = f'x="{middle - wide / 2:g}" y="{y:g}" width="{wide}" height="34"'
        return linked(
            page,
            f'  <rect class="fig-line" {place}/>',
            text("fig-ink", middle, y + 22, words),
        )

    def around(low: float, high: float) -> str:
        """The residual connection, past a part."""
        x = middle + wide / 2 + 24
        path = f"M{middle:g} {low:g}H{x:g}V{high:g}H{middle + 6:g}"
        return f'  <path class="fig-line" d="{path}" stroke-width="1.5" fill="none"/>'

    lines = [
        text("fig-ink", middle, 20, "new states h, for the layer above"),
        arrow(middle, 60, 28),
        *part(60, "layer norm", "transformer_xl.md#TransformerXLLayer"),
        arrow(middle, 118, 96),
        text("fig-ink", middle, 124, "+", ' font-size="18" text-anchor="middle"'),
        arrow(middle, 154, 130),
        *part(154, "feed-forward network", "feed_forward.md"),
        around(206, 118),
        arrow(middle, 222, 190),
        *part(222, "layer norm", "transformer_xl.md#TransformerXLLayer"),
        arrow(middle, 280, 258),
        text("fig-ink", middle, 286, "+", ' font-size="18" text-anchor="middle"'),
        arrow(middle, 316, 292),
        *part(316, "attention with the four terms", "relative_attention.md"),
        around(368, 280),
        *linked(
            "distances.md",
            text("fig-ink", 4, 326, "R: distances", LEFT),
            text("fig-soft", 4, 342, "in every layer", LEFT),
        ),
        f'  <path class="fig-line" d="M101 333H{middle - wide / 2:g}"/>',
        arrow(middle, 384, 352, "fig-accent3"),
        text(
            "fig-accent3",
            132,
            400,
            "segment: queries, keys and values",
            LEFT,
        ),
        arrow(120, 420, 352, "fig-accent"),
        *linked(
            "memory.md",
            text("fig-accent", 40, 438, "memory: keys and values, no gradient", LEFT),
        ),
    ]
    return svg(416, 446, "A layer of Transformer-XL", lines)


def drawings() -> dict[Path, str]:
    """The pictures by their files."""
    case = Case()
    return {
        FIGURES / "worked_memory.svg": kept(case),
        FIGURES / "encodings.svg": waves(),
        FIGURES / "layer.svg": block(),
    }


def main() -> None:
    """Write the tables into the pages, and draw the pictures."""
    for path, tables in pages(Case()).items():
        report.write(path, tables)
    for path, drawn in drawings().items():
        path.write_text(drawn, "utf-8")


if __name__ == "__main__":
    main()
