r"""The command `txl completion`: what lets a shell complete the words of `txl`.

```sh
txl completion bash >>~/.bash_completion
txl completion zsh >~/.zfunc/_txl     # a folder of your fpath
txl completion fish >~/.config/fish/completions/txl.fish
```
"""

from dataclasses import dataclass

from labml_txl.options import argument


@dataclass(frozen=True)
class Options:
    """What `txl completion` can be told."""

    shell: str = argument("the shell", choices=("bash", "zsh", "fish"))


def run(options: Options) -> int:
    """Print the script for a shell."""
    from labml_txl.cli import COMMANDS, options_of
    from labml_txl.command_line import completion

    kinds = {name: options_of(name) for name in COMMANDS}
    print(completion(kinds, options.shell), end="")
    return 0
