"""Service loops that must not end: one that dies is started again, and the node gives up when that is no cure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from duly.engine.node import Node
from duly.engine.requests import Ended, Handle, Loop, Steps, Wait, Woke, now, rest, start, wait

_DOUBLINGS_MAX: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A loop of the node itself; returning, it has done its duty (after a drain), and is not started again.

    Without a vital one a node is no good; any other is started again for ever, and `doctor` shows its deaths.
    """

    name: str
    make: Callable[[Node], Steps[None]]
    keys: tuple[str, ...] = ()
    is_vital: bool = True


def kept_alive(service: Service, node: Node) -> Steps[None]:
    """Run a service loop until it returns; restart it after a death, later and later, and give up after too many."""
    settings, deaths = node.settings, 0
    while True:
        born = yield from now()
        handle = yield from start(Loop(service.make(node), service.keys, service.name))
        died, error = yield from _end_of(handle)
        if error is None:
            return
        node.died_us[service.name] = died.awake_us
        deaths = 1 if died.awake_us - born.awake_us >= settings.deaths_within_us else deaths + 1
        if deaths >= settings.deaths_max and service.is_vital:
            node.verdict = f"the {service.name} died {deaths} times in a row, last of {error!r}"
            return
        yield from rest(settings.restart_us * 2 ** min(deaths - 1, _DOUBLINGS_MAX))


def _end_of(handle: Handle) -> Steps[tuple[Woke, Exception | None]]:
    while True:
        woke = yield from wait(Wait((handle,)))
        if isinstance(woke.message, Ended):
            return woke, woke.message.error
