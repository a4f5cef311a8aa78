"""The clock watch: looks for suspends and steps of the clock, writes them down, and wakes whoever must look again."""

from typing import Final

from duly.engine.node import Node
from duly.engine.requests import Steps, Wake, Write, rest, surely
from duly.transactions.nodes import ClockStep, note_clock_step

CLOCK: Final = "clock"


def clock_watch(node: Node) -> Steps[None]:
    """Watch for ever. After a gap the keeper renews, the scanner looks for slots, the rescuer holds back."""
    settings = node.settings
    while True:
        woke = yield from rest(settings.clock_look_us)
        node.clocks.observe(woke, settings.clock_step_us)
        if not node.clocks.unwritten:
            continue
        yield Wake(CLOCK)
        while node.clocks.unwritten:
            gap = node.clocks.unwritten[0]
            step = ClockStep(
                owner=node.owner,
                wall_us=gap.shown_us,
                elapsed_us=gap.real_us,
                kind=gap.kind.value,
            )
            yield from surely(Write(note_clock_step, step))
            del node.clocks.unwritten[0]
