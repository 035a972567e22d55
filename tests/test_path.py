"""The path, and what the pages on the papers say about numbers and about code."""

import json
import re
from collections.abc import Iterator

from tests.test_ground import ROOT

DOCS = ROOT / "docs"
PATH = DOCS.joinpath("path.md").read_text(encoding="utf-8")
STOPS = re.findall(r"^\| (\d+) \| \[[^]]+\]\(([^)#]+)[^)]*\) \|", PATH, re.MULTILINE)


def page(name: str) -> str:
    """The text of a page of prose, in one line."""
    text = DOCS.joinpath(name).read_text(encoding="utf-8")
    return " ".join(text.split())


def in_order(names: list[str], text: str) -> Iterator[int]:
    """Where each name first occurs in the text."""
    return (text.index(name) for name in names)


def test_path_home_navigation_and_models_have_one_order() -> None:
    pages = [page for _, page in STOPS]
    models = [page.removeprefix("models/") for page in pages if "models/" in page]
    listed = ROOT.joinpath("labml_txl/models/__init__.py").read_text(encoding="utf-8")
    places = [*in_order([f"({name})" for name in models], listed)]
    assert places == sorted(places), models

    prose = [page for page in pages if "/" not in page or page.startswith("papers/")]
    navigation = ROOT.joinpath("mkdocs.yml").read_text(encoding="utf-8")
    named = [page for page in prose if page != "measured.md"]
    places = [*in_order(named, navigation)]
    assert places == sorted(places), named

    home = DOCS.joinpath("index.md").read_text(encoding="utf-8")
    steps = re.findall(r"^## \d\. \[[^]]+\]\(([^)#]+)", home, re.MULTILINE)
    code = [pages.index(step) for step in steps if step.startswith("models/")]
    assert len(steps) == 6
    assert {*steps} <= {*pages}
    assert code == sorted(code), steps


def test_both_shifts_of_the_page_give_the_same_scores() -> None:
    text = DOCS.joinpath("papers/left_or_right.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert "assert" in code
    exec(code, {})


# What `txl recall` and `txl recall --task copy` printed, with seed 1.
RECALL = json.loads(ROOT.joinpath("tests/benchmarks/recall.json").read_text("utf-8"))


def test_what_the_pages_say_about_recall_is_what_was_measured() -> None:
    vanilla, compressive = (
        {int(d): 100 * share for d, share in RECALL["copy"][name].items()}
        for name in ("Transformer-XL", "Compressive Transformer")
    )
    assert min(share for d, share in vanilla.items() if d <= 128) > 99
    assert max(share for d, share in vanilla.items() if d >= 176) < 100 / 8 + 2
    said = f"at 144 tokens {vanilla[144]:.0f} percent are right, at 160 tokens "
    assert f"{said}{vanilla[160]:.0f} percent" in page("papers/transformer_xl.md")
    assert min(share for d, share in compressive.items() if d <= 240) > 99
    said = f"up to 240 tokens and {compressive[256]:.0f} percent at 256"
    assert said in page("papers/compressive_transformer.md")

    vanilla, compressive = (
        {int(d): 100 * share for d, share in RECALL["key-value"][name].items()}
        for name in ("Transformer-XL", "Compressive Transformer")
    )
    alt = f"{vanilla[80]:.0f} at 80, {vanilla[96]:.0f} at 96, and chance from there on"
    assert min(share for d, share in vanilla.items() if d <= 64) > 98.5
    assert max(share for d, share in vanilla.items() if d > 96) < 100 / 8 + 3
    assert max(share for d, share in compressive.items() if d >= 192) < 100 / 8 + 3
    middle = [share for d, share in compressive.items() if 64 <= d <= 160]
    between = f"between {min(middle):.0f} and {max(middle):.0f} from 64 to 160 tokens"
    ends = f"{compressive[32]:.0f} percent at 32 tokens, {compressive[48]:.0f} at 48"
    for name in ("papers/transformer_xl.md", "papers/compressive_transformer.md"):
        missing = [words for words in (alt, between, ends) if words not in page(name)]
        assert not missing, name
    # "About two thirds" of what is in the compressed memory.
    assert all(abs(share - 200 / 3) < 7 for share in middle)
