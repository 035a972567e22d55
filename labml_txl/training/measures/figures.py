r"""# Figures for a page

A plot as an SVG for this site: its parts name their role, ink or line or accent, and
the page gives each role a colour that suits its scheme.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from labml_txl.training.text.cache import written_whole

Points = Sequence[tuple[float, float]]

# The roles that lines have, and how they are dashed: colour alone tells nothing to
# those who do not see it.
ROLES = (("fig-accent2", "6 3"), ("fig-accent", "none"))
MIDDLE, END = 'font-size="12" text-anchor="middle"', 'font-size="12" text-anchor="end"'


def page_figure(
    path: Path,
    lines: Mapping[str, Points],
    across: str,
    title: str,
    words: str,
    ends: Mapping[str, float],
) -> Path:
    r"""Draw up to two lines of shares, from 0 to 1.

    `across` names the axis, and `ends` says for each line where a dotted line stands.
    `words` tell the figure to those who do not see it. Writes the file `path`, and
    returns it.
    """
    most = max(x for points in lines.values() for x, _ in points)

    def place(x: float, y: float) -> str:
        return f"{50 + 560 * x / most:.1f} {250 - 200 * y:.1f}"

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 306">',
        f"  <title>{escape(title)}</title>",
        f"  <desc>{escape(words)}</desc>",
        label("fig-ink", 8, 18, title, 'font-size="14" font-weight="600"'),
    ]

    # The grid, with its numbers.
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        line = f"M{place(0, share)}H610"
        parts.append(f'  <path class="fig-line" d="{line}" stroke-width="0.5"/>')
        parts.append(label("fig-soft", 44, 254 - 200 * share, f"{share:.0%}", END))
    for x in range(0, int(most) + 1, 32):
        parts.append(label("fig-soft", 50 + 560 * x / most, 268, str(x), MIDDLE))
    parts.append(label("fig-ink", 330, 294, across, MIDDLE))

    for (name, points), (role, dashes) in zip(lines.items(), ROLES, strict=False):
        drawn = "L".join(place(x, y) for x, y in points)
        parts.append(
            f'  <path class="{role}" d="M{drawn}" stroke-width="2.5" '
            f'stroke-dasharray="{dashes}"/>'
        )
        parts.append(
            f'  <path class="{role}" d="M{place(ends[name], 0)}V50" stroke-width="1" '
            'stroke-dasharray="1 4"/>'
        )
        words_at = 50 + 560 * min(ends[name], most) / most
        end = f"{name}: {ends[name]:.0f}"
        parts.append(label(role, words_at, 42, end, MIDDLE))
    with written_whole(path) as file:
        file.write("\n".join([*parts, "</svg>", ""]).encode())
    return path


def label(role: str, x: float, y: float, words: str, form: str) -> str:
    r"""Words in a figure, with a role and at a place."""
    shown = escape(words, quote=False)
    return f'  <text class="{role}" x="{x:.1f}" y="{y:.1f}" {form}>{shown}</text>'
