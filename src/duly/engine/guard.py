"""The one place where any error is caught: it becomes a recorded end of what it ended, and of nothing else."""

from collections.abc import Callable
from typing import Any

from duly.engine.requests import Ended, Request, Steps


def advance(steps: Steps[Any], answer: Ended) -> Request | Ended:
    """Give a loop its answer and return what it asks next, or how it ended."""
    try:
        if answer.error is not None:
            return steps.throw(answer.error)
        return steps.send(answer.value)
    except StopIteration as stop:
        return Ended(value=stop.value)
    except Exception as error:  # a bug ends the loop it is in, not the node
        return Ended(error=error)


def call(fn: Callable[..., Any], *arguments: Any) -> Ended:
    """Call something that may fail in any way."""
    try:
        return Ended(value=fn(*arguments))
    except Exception as error:  # whoever asked decides what the failure means
        return Ended(error=error)
