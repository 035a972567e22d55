r"""# An annotated example

One number that remembers all numbers before it, the recent ones best.
"""


class RunningAverage:
    r"""Keeps the average $m_t$ of the numbers that it has seen."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        # Nothing has been seen: $m_0 = 0$.
        self.mean = 0.0

    def add(self, x: float) -> float:
        r"""The average after one more number, $x_t$."""
        # The average moves towards the new number:
        # $m_t = m_{t-1} + \alpha\,(x_t - m_{t-1})$.
        self.mean += self.rate * (x - self.mean)
        return self.mean
