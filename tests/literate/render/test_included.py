"""An equation of the registry within a note."""

from labml_txl.literate.equations.registry import load_registry
from labml_txl.literate.render.resolve import Site, resolve
from labml_txl.literate.sources.source import Source
from tests.literate.small import REGISTRY


def test_an_equation_is_shown_and_its_place_below_leads_to_its_card() -> None:
    site = Site(registry=load_registry([Source("cnt.toml", REGISTRY)]))
    note = "One more:\n\n{{ cnt.next }}\n"
    assert resolve(note, "a/one.md", site, near="", path="one.py", line=1) == (
        "One more:\n\n$$\nn_{t+1} = n_t + 1\n$$\n\n"
        f"[{site.place(site.registry.equations['cnt.next'])}]"
        "(../equations.md#cnt.next){.lit-cite .lit-caption}\n"
    )
