"""The command `txl export --to web RUN`: a page that runs a model of yours.

```sh
txl export --to web runs/short --out page
python -m http.server --directory page
```

The folder contains the weights with 8 bits, a description of the model, the scripts,
and a page with the element `<txl-model src="model.json"></txl-model>`. Any web server
can serve it. `labml_txl.training` writes the weights, and `labml_txl.literate` has the
scripts; neither imports the other.
"""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.options import argument, option

PACKAGE = Path(__file__).parent
ELEMENT, LABEL = "txl-model", "A model that runs in this page"

# The colours of the element on a page without the theme, which may define others: its
# CSS variables, and the names of those of the site.
COLOURS = {
    **{
        name: name
        for name in (
            *("--md-default-fg-color", "--md-default-bg-color", "--md-code-bg-color"),
            *("--lit-accent2", "--lit-fill"),
            *("--lit-lit", "--lit-lit-bg", "--lit-shape"),
        )
    },
    "--lit-soft": "--md-default-fg-color--light",
    "--lit-line": "--md-default-fg-color--lightest",
    "--lit-accent": "--md-typeset-a-color",
}


def colours() -> str:
    """The style sheet of the element."""
    from labml_txl.literate.colours import (
        DARK,
        DARK_LOOK,
        LIGHT,
        LIGHT_LOOK,
        style_terms,
    )

    schemes = []
    for number, scheme in enumerate((LIGHT | LIGHT_LOOK, DARK | DARK_LOOK)):
        terms = {f"--lit-{a}": term[number] for a, term in style_terms("abcd").items()}
        own = {own: scheme[name] for own, name in COLOURS.items()} | terms
        schemes.append(" ".join(f"{name}: {colour};" for name, colour in own.items()))
    light, dark = schemes
    return (
        f":host {{ --md-code-font-family: ui-monospace; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :host {{ {dark} }} }}\n"
    )


PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<link rel="icon" href="data:,">
<style>
  :root {{ color-scheme: light dark; font: 125%/1.5 system-ui, sans-serif; }}
  body {{ max-width: 76rem; margin: 0 auto; padding: .8rem; }}
  h1 {{ font-size: 1.2rem; font-weight: 600; }}
  txl-model {{ min-height: 23.4rem; }}
</style>
<script defer src="live.js"></script>
<main>
<h1>{name}</h1>
<txl-model src="model.json"></txl-model>
</main>
</html>
"""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command-line options of this command."""

    run: Path = argument("folder of a run, or a checkpoint", metavar="RUN")
    to: str = argument("a page that runs the model", positional=False, choices=("web",))
    out: Path = option(Path("page"), "output folder", metavar="FOLDER")
    name: str = option("", "name of the model on the page", shown="the name of the run")
    text: str | None = option(
        None, "a corpus or a UTF-8 file", shown="the text that the model was trained on"
    )


def run(options: Options) -> int:
    """Write the page of a run, and print the paths of the files."""
    if options.out.exists() and not options.out.is_dir():
        message = f"{options.out} is not a folder: choose another path with --out"
        raise UsageError(message)
    from labml_txl.training.corpora import (
        choose_text,
        cut_part,
        open_corpus,
    )
    from labml_txl.training.runs import web
    from labml_txl.training.runs.checkpoint import restore
    from labml_txl.training.text.files import replace_file

    model, known = restore(options.run, "cpu")
    web.check(known)
    words = known.words
    text = choose_text(known.config.text, options.text)
    corpus = open_corpus(text, words.kind, words.symbols)
    folder = options.run if options.run.is_dir() else options.run.parent
    name = options.name or folder.resolve().name
    command = f"txl export --to web {options.run}"
    goal = options.out / "model.json"
    web.write(model, known, cut_part(corpus, "validation"), goal, command, name)
    texts = scripts() | {"index.html": render_page(name)}
    for file, text in texts.items():
        with replace_file(options.out / file) as written:
            written.write(text.encode())
    for file in (goal.name, "model.safetensors", *texts):
        print(options.out / file)
    return 0


def render_page(name: str) -> str:
    """The HTML of a page that contains only the model."""
    from html import escape

    from labml_txl.literate.security.policy import write_policy

    return PAGE.format(name=escape(name), policy=write_policy(()))


def scripts() -> dict[str, str]:
    """The scripts of the element and of its worker, with the labels of the element."""
    from labml_txl.literate.export.script import bundle_script, bundle_worker
    from labml_txl.literate.render.figures import read_figures

    figure = read_figures(PACKAGE, ("figures",), "")["live"]
    drawing = ET.fromstring(figure.drawing.text)
    labels = {e.get("data-word"): "".join(e.itertext()).strip() for e in drawing.iter()}
    words = {name: text for name, text in labels.items() if name}
    own = {"words": words, "label": LABEL, "style": colours()}
    return {
        "live.js": bundle_script(figure, "", ELEMENT, own),
        "live.worker.js": bundle_worker(figure),
    }
