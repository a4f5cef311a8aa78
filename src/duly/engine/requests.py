"""What a loop may ask of its driver, and what it hears back; loops are generators that only ask.

The records are positional, unlike others, because a loop yields them like verbs: `yield Write(settle, command)`.
A loop never blocks, sleeps, or reads a clock: what it does is decided by its requests and their answers alone, so the
same loop runs under any driver.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from duly.adapters.launch.events import Output
from duly.adapters.launch.request import Launch
from duly.ledger.api.core import DURABLE, Durability
from duly.ledger.api.tx import Tx
from duly.model.errors import DeadlineExceededError, UnavailableError
from duly.model.ids import RunId
from duly.model.instant import SECOND_US, Instant

Result = TypeVar("Result")

RETRY_US: Final = SECOND_US
RETRY_US_MAX: Final = 30 * SECOND_US


@dataclass(frozen=True, slots=True)
class Write(Generic[Result]):
    """Run `fn(tx, command)` in a transaction; answers its result after the commit, or raises its error."""

    fn: Callable[[Tx, Any], Result]
    command: Any
    durability: Durability = DURABLE


@dataclass(frozen=True, slots=True)
class Read(Generic[Result]):
    """Run `fn(tx, command)` on a reader's snapshot; answers its result."""

    fn: Callable[[Tx, Any], Result]
    command: Any


@dataclass(frozen=True, slots=True)
class Start:
    """Start a child loop, a call to the outside, or a program; answers its `Handle` at once.

    Whatever a loop started ends with it, at the latest.
    """

    what: Any


@dataclass(frozen=True, slots=True)
class Send:
    """Tell a started program something (`Order`)."""

    handle: "Handle"
    message: Any


@dataclass(frozen=True, slots=True)
class Stop:
    """End what runs behind a handle: close a loop, kill a program's tree, drop an outside call's answer.

    A loop or a call says nothing more; a program still tells how it ended, up to `Empty`.
    """

    handle: "Handle"


@dataclass(frozen=True, slots=True)
class Wake:
    """Set a wake key for every loop of this node that listens to it."""

    key: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for one message, one wake key, or an instant; answers `Woke`.

    It may end early, so whoever needs the instant looks at `Woke`. Keys are sticky from the loop's start: a commit
    between a loop's read and its wait is not lost. `until` is wall time (what the ledger's instants mean);
    `until_awake_us` counts while the machine is awake, and is what limits of an execution are measured by.
    """

    handles: tuple["Handle", ...] = ()
    keys: tuple[str, ...] = ()
    until: Instant | None = None
    until_awake_us: int | None = None


Request = Write[Any] | Read[Any] | Start | Send | Stop | Wake | Wait


@dataclass(frozen=True, slots=True)
class Handle:
    """Something a loop started, by number."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Woke:
    """Why a wait ended: a handle's message, a key, or neither (time, or for no reason).

    `at`: wall time. `awake_us` stands still while the machine is suspended, `elapsed_us` goes on; both have no
    meaning but in differences.
    """

    at: Instant
    awake_us: int
    elapsed_us: int
    handle: Handle | None = None
    message: Any = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The last message of a loop or an outside call."""

    value: Any = None
    error: Exception | None = None


Steps = Generator[Request, Any, Result]
"""A loop, or a part of one (`yield from`), that returns `Result`."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A child loop to start; it hears the wake keys that are set from now on. Its one message is `Ended`."""

    steps: Steps[Any]
    keys: tuple[str, ...] = ()
    name: str = "loop"


@dataclass(frozen=True, slots=True)
class Outside:
    """A call to the outside, performed on a pool thread by the performer for its record's type.

    Its one message is `Ended`: the performer's answer, or the error it raised.
    """

    request: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to start, and where its output goes: `write_output` is called on the driver's children thread.

    Its messages are the launcher's events (`adapters.launch.events`), but for output, which is told as `Spoke`. The
    last one is `Ended`, when every pipe is closed and all output is written; with an error if writing failed, and then
    the tree was killed.
    """

    launch: Launch
    write_output: Callable[[Output], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoke:
    """A program wrote output, last at `awake_us`. Told at most ten times a second, however much it writes."""

    awake_us: int


class Order(Enum):
    """What may be sent to a started program."""

    FREEZE = "freeze"
    THAW = "thaw"
    TERMINATE = "terminate"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunKeys:
    """The wake keys that concern one run's holder."""

    run_id: RunId

    @property
    def lost(self) -> str:
        """Another claim was made."""
        return f"lost:{self.run_id}"

    @property
    def cancel(self) -> str:
        """A person asks for the run's end."""
        return f"cancel:{self.run_id}"

    @property
    def deadline(self) -> str:
        """This holder's own deadline passed: it may do nothing until `renewed` or `lost`."""
        return f"deadline:{self.run_id}"

    @property
    def renewed(self) -> str:
        """The row still carries the claim of the holder that heard `deadline`."""
        return f"renewed:{self.run_id}"

    @property
    def every(self) -> tuple[str, ...]:
        """All of them, and the node's `drain`."""
        return (self.lost, self.cancel, self.deadline, self.renewed, DRAIN)


DRAIN: Final = "drain"
"""Set once, when the node stops taking new work."""
WORKED: Final = "worked"
"""Set when a run of this node ended its attempt, an occurrence was answered, or somebody was told."""


def now() -> Steps[Woke]:
    """Answer the instant, without waiting."""
    woke: Woke = yield Wait(until=Instant(0))
    return woke


def rest(delay_us: int, keys: tuple[str, ...] = ()) -> Steps[Woke]:
    """Wait that long while awake, or until one of the keys."""
    woke = yield from now()
    until = woke.awake_us + delay_us
    while woke.awake_us < until and woke.key is None:
        woke = yield Wait(keys=keys, until_awake_us=until)
    return woke


def surely(request: Write[Result] | Read[Result]) -> Steps[Result]:
    """Repeat a read, or a write until its fate is known; only for one whose guard makes the repetition harmless.

    Gives up on no outage: the ledger being full, away, or unsure of its commit is waited out. Raises everything else,
    and DeadlineExceededError, which repetition would not cure.
    """
    delay_us = RETRY_US
    while True:
        try:
            result: Result = yield request
        except DeadlineExceededError:
            raise
        except UnavailableError:
            yield from rest(delay_us)
            delay_us = min(2 * delay_us, RETRY_US_MAX)
        else:
            return result


def read(fn: Callable[[Tx, Any], Result], command: Any) -> Steps[Result]:
    """Read, with the type of the answer."""
    result: Result = yield Read(fn, command)
    return result


def start(what: Loop | Outside | Program) -> Steps[Handle]:
    """Start something, with the type of the answer."""
    handle: Handle = yield Start(what)
    return handle


def wait(wanted: Wait) -> Steps[Woke]:
    """Wait, with the type of the answer."""
    woke: Woke = yield wanted
    return woke


def outside(request: Any) -> Steps[Any]:
    """Perform a call to the outside and answer its value; raises its error."""
    handle = yield from start(Outside(request))
    while True:
        woke = yield from wait(Wait((handle,)))
        if isinstance(woke.message, Ended):
            if woke.message.error is not None:
                raise woke.message.error
            return woke.message.value
