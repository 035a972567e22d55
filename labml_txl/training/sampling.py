"""# Sampling

How a text is continued: the options of `txl generate` that concern the sampling.
"""

from dataclasses import dataclass
from typing import Any

from labml_txl.options import fields_of, option
from labml_txl.training.text.files import SettingError


@dataclass(frozen=True)
class Choice:
    """The settings of `choose`, which explains them."""

    temperature: float = option(
        1.0,
        "0 takes the most likely token, 1 samples from the distribution of the model",
        zero=True,
    )
    top_k: int | None = option(None, "sample from the k most likely tokens")
    top_p: float | None = option(
        None, "sample from the most likely tokens with this total probability"
    )
    min_p: float | None = option(
        None, "sample from tokens with this share of the highest probability"
    )

    def settings(self) -> dict[str, Any]:
        """The arguments of `choose`."""
        return {name: getattr(self, name) for name in fields_of(Choice)}


@dataclass(frozen=True)
class Sampling(Choice):
    """How the tokens of a continuation are drawn.

    - `repetition_penalty`: see `penalize`. It concerns the prompt, too.
    - `stop`: a text before which the continuation ends.
    - `samples`: the number of continuations.
    - `seed`: the same seed gives the same text.

    Raises `SettingError` for values out of range.
    """

    repetition_penalty: float = option(
        1.0, "factor by which tokens that occurred become less likely; 1 is none"
    )
    stop: str | None = option(None, "text before which the continuation ends")
    samples: int = option(1, "continuations of the prompt")
    seed: int | None = option(
        None, "random seed; the same seed gives the same text", zero=True, below=2**63
    )

    def __post_init__(self) -> None:
        from labml_txl.models.language_model import check_sampling

        try:
            check_sampling(0, self.repetition_penalty, **self.settings())
        except ValueError as error:
            raise SettingError(str(error)) from None
        if self.samples < 1 or self.stop == "":
            raise SettingError("samples must be at least 1, and stop not empty")
