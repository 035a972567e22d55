"""What autograd remembers of a result."""

from torch import Tensor


def steps_back(y: Tensor) -> set[str]:
    """The names of all steps that autograd would go back through."""
    found, waiting = set(), [y.grad_fn]
    while waiting:
        step = waiting.pop()
        if step is not None:
            found.add(type(step).__name__)
            waiting += [before for before, _ in step.next_functions]
    return found
