"""`txl data TEXT` downloads a text once, and prints its path.

It also prints the lengths of its parts.

```sh
txl data tiny-shakespeare
txl data corpus.txt --vocabulary words
```
"""

from dataclasses import dataclass

from labml_txl.options import argument, option
from labml_txl.training.commands import report
from labml_txl.training.config import CHOICES


@dataclass(frozen=True)
class Options:
    """The options of `txl data`."""

    text: str = argument(
        "tiny-shakespeare, scenes, enwik8, text8, wikitext-103, or the path of a file",
        metavar="TEXT",
    )
    vocabulary: str = option(
        "characters", "unit of a token", choices=CHOICES["vocabulary"]
    )


def run(options: Options) -> int:
    """Download a text, and print the lengths of its parts."""
    from labml_txl.training.corpora import open_corpus, text_files

    for file in text_files(options.text, report):
        print(file)
    corpus = open_corpus(options.text, options.vocabulary, report=report)
    print(f"{len(corpus.vocabulary)} {options.vocabulary}")
    for name in ("train", "validation", "test"):
        print(f"{name:<10} {len(getattr(corpus, name)):>13,} tokens")
    return 0
