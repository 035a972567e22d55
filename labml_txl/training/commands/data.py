"""`txl data TEXT` downloads a text once, and prints its path.

It also prints the lengths of its parts.

```sh
txl data tiny-shakespeare
txl data corpus.txt --vocabulary words
txl data corpus.txt --vocabulary bpe --size 8000
```
"""

from dataclasses import dataclass
from pathlib import Path

from labml_txl.errors import UsageError
from labml_txl.options import argument, option
from labml_txl.training.commands import report


@dataclass(frozen=True)
class Options:
    """The options of `txl data`."""

    text: str = argument(
        "tiny-shakespeare, scenes, enwik8, text8, wikitext-103, or the path of a file, "
        "of a folder or a pattern",
        metavar="TEXT",
    )
    vocabulary: str = option(
        "characters",
        "unit of a token: characters, words, bytes, a tokenizer.json, or bpe to learn "
        "subwords from the text",
    )
    size: int | None = option(None, "tokens of the subwords to learn", shown="8000")
    out: Path | None = option(
        None, "where to write them", metavar="FILE", shown="tokenizer.json"
    )


def run(options: Options) -> int:
    """Download a text, and print the lengths of its parts."""
    from labml_txl.training.corpora import find_text_files, open_corpus
    from labml_txl.training.text.files import TrainingError, replace_file
    from labml_txl.training.text.vocabulary import Subwords

    files = find_text_files(options.text, report)
    for file in files:
        print(file)
    vocabulary = options.vocabulary
    if vocabulary == "bpe":
        goal = options.out or Path("tokenizer.json")
        if goal.exists():
            raise TrainingError(f"{goal} exists: choose another file with --out")
        subwords = Subwords.trained(files, options.size or 8000, report)
        with replace_file(goal) as tokenizer:
            tokenizer.write(subwords.symbols.encode())
        vocabulary = str(goal)
    elif options.size or options.out:
        raise UsageError("--size and --out have no effect without --vocabulary bpe")
    corpus = open_corpus(options.text, vocabulary, report=report)
    print(f"{len(corpus.vocabulary)} {vocabulary}")
    for name in ("train", "validation", "test"):
        print(f"{name:<10} {len(getattr(corpus, name)):>13,} tokens")
    return 0
