"""The shape of `duly.yaml`: one model for reading, checking and the JSON Schema (decision 0001, section 3)."""

from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
)

from duly.service.definition import duration

NAME_PATTERN: Final = r"^[a-z0-9][a-z0-9._-]{0,62}$"
VARIABLE_PATTERN: Final = r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"
ARGUMENTS_MAX: Final = 256


def _plain(text: str) -> str:
    if any(
        (ord(character) < 32 and character not in "\n\t") or ord(character) == 127
        for character in text
    ):
        raise ValueError("control characters are not allowed")
    return text


def _duration(text: str) -> str:
    duration.read(text)
    return text


def _argv(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError(
            'a command is a list of arguments; no shell reads it. Write [sh, -c, "…"] if you want one'
        )
    return value


# A value that may be a word or a mapping is checked against the one shape it looks like, so that only that shape's
# faults are told. The tags start with "=", which no field name does: pointers leave them out.
def _shape_of(value: Any) -> str:
    if isinstance(value, dict):
        return "=bounded" if "bounded" in value else "=mapping"
    return "=plain"


_BY_SHAPE: Final = Discriminator(_shape_of)
Text = Annotated[str, StringConstraints(min_length=1, max_length=4096), AfterValidator(_plain)]
LongText = Annotated[str, StringConstraints(max_length=200_000), AfterValidator(_plain)]
Duration = Annotated[str, AfterValidator(_duration), Field(examples=["90s", "15m", "2h", "1d"])]
VariableName = Annotated[str, StringConstraints(pattern=VARIABLE_PATTERN)]
Argv = Annotated[list[Text], BeforeValidator(_argv), Field(min_length=1, max_length=ARGUMENTS_MAX)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=1024), AfterValidator(_plain)]


class Shape(BaseModel):
    """A mapping of a definition: unknown names are refused, types are not guessed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Schedule(Shape):
    """When it is due: exactly one of `rrule`, `cron`, `once`."""

    rrule: Text | None = Field(
        None, description="RFC 5545 recurrence rule", examples=["FREQ=DAILY;BYHOUR=9"]
    )
    cron: Text | None = Field(
        None, description="five-field cron expression", examples=["0 9 * * 1-5"]
    )
    seconds_first: bool | None = Field(
        None, description="true: the cron expression has six fields, seconds first"
    )
    once: Text | None = Field(
        default=None, description="one local time, or one instant with an offset"
    )
    dtstart: Text | None = Field(
        None, description="local start of an RRULE; default: when it was created"
    )
    timezone: Text | None = Field(default=None, description="IANA zone; default: the workspace's")
    tolerance: Duration | None = Field(
        None, description="lateness up to which a slot still counts as on time"
    )


class Window(Shape):
    """Which business period a slot's work is for, and which span it reads."""

    period: Text | None = Field(
        None, description="hour, day, week, month, slot, or a strftime pattern"
    )
    covers: Literal["current", "previous", "since_last_slot"] | None = None


class Inputs(Shape):
    """What the work reads."""

    version: Text | None = Field(
        None, description="input version; a new one makes the same window's work new"
    )
    sources: list[Glob] | None = Field(
        None, max_length=1000, description="globs beneath the first of `cwds`"
    )
    repo: Text | None = Field(
        default=None, description="git repository; checked out at a frozen commit"
    )


class Prompt(Shape):
    """What an agent is asked: text, or a file frozen with the revision."""

    text: LongText | None = None
    file: Text | None = None
    params: dict[VariableName, Text] | None = None
    skills: list[Text] | None = Field(default=None, max_length=100)


class AgentTimeouts(Shape):
    """Limits of one execution."""

    start: Duration | None = None
    silence: Duration | None = None
    wall: Duration | None = None


class Agent(Shape):
    """Which program does the work, and what it sees."""

    driver: Literal["command"] = "command"
    command: Argv
    home: Literal["private", "inherit"] | None = None
    restart: Literal["proven", "safe"] | None = None
    env: dict[VariableName, Annotated[str, AfterValidator(_plain)]] | None = None
    secrets: dict[VariableName, Text] | None = Field(
        None, description="`env:NAME` or `file:/path`, never a value"
    )
    timeouts: AgentTimeouts | None = None


class Check(Shape):
    """A command with a time limit of its own."""

    command: Argv
    timeout: Duration | None = None


CheckOrArgv = Annotated[
    Annotated[Argv, Tag("=plain")] | Annotated[Check, Tag("=mapping")], _BY_SHAPE
]


class Expect(Shape):
    """What completes a run."""

    artifact: (
        Annotated[bool | Text, Field(description="true: `result_artifact`; or a path")] | None
    ) = None
    verify: CheckOrArgv | None = None
    exit: list[Annotated[int, Field(ge=0, le=255)]] | None = Field(
        None, min_length=1, max_length=32
    )


class SideEffectPolicy(Shape):
    """What may be changed outside."""

    remote_write: Literal["denied"] | None = None
    overwrite_same_artifact: Literal["allowed", "denied"] | None = None


class Allow(Shape):
    """Up to so many runs at once."""

    allow: int = Field(ge=1, le=100)


class LatestOptions(Shape):
    """How old the newest missed slot may be."""

    max_age: Duration


class Latest(Shape):
    """Run the newest missed slot."""

    latest: LatestOptions


class BoundedOptions(Shape):
    """How many missed slots, how old."""

    count: int = Field(ge=1, le=100)
    max_age: Duration


class Bounded(Shape):
    """Run the newest missed slots as a chain."""

    bounded: BoundedOptions


class Retry(Shape):
    """Attempts for transient failures."""

    attempts: int | None = Field(default=None, ge=1, le=20)
    delay: Duration | None = None
    max_delay: Duration | None = None


class Notify(Shape):
    """Who is told of failed, needs-review and missed."""

    command: Argv


PromptChoice = Annotated[
    Annotated[LongText, Tag("=plain")] | Annotated[Prompt, Tag("=mapping")], _BY_SHAPE
]
OverlapChoice = Annotated[
    Annotated[Literal["skip", "queue_one"], Tag("=plain")] | Annotated[Allow, Tag("=mapping")],
    _BY_SHAPE,
]
CatchUpChoice = Annotated[
    Annotated[Literal["none", "latest"], Tag("=plain")]
    | Annotated[Latest, Tag("=mapping")]
    | Annotated[Bounded, Tag("=bounded")],
    _BY_SHAPE,
]


class Document(Shape):
    """One automation, as written in `duly.yaml`."""

    job_key: Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
    name: Text | None = None
    description: LongText | None = None
    enabled: bool | None = None
    valid_from: Text | None = None
    valid_until: Text | None = None
    schedule: Schedule | None = None
    window: Window | None = None
    inputs: Inputs | None = None
    prompt: PromptChoice | None = None
    agent: Agent
    cwds: list[Text] | None = Field(default=None, min_length=1, max_length=16)
    isolation: Literal["staged", "in_place"] | None = None
    precheck: CheckOrArgv | None = None
    expect: Expect | None = None
    write_scope: list[Glob] | None = Field(default=None, max_length=1000)
    side_effect_policy: SideEffectPolicy | None = None
    result_artifact: Text | None = None
    overlap: OverlapChoice | None = None
    catch_up: CatchUpChoice | None = None
    retry: Retry | None = None
    notify: Notify | None = None
    deadline: Duration | None = None
    priority: int | None = Field(default=None, ge=-100, le=100)
    labels: dict[Annotated[str, StringConstraints(pattern=NAME_PATTERN)], Text] | None = None


# Named in the design and decided in shape, but not built: refused by name, so that nobody thinks they are honoured.
RESERVED: Final[dict[str, str]] = {
    "/triggers": "webhook and external triggers",
    "/session": "persistent sessions",
    "/concurrency": "concurrency groups",
    "/approvals": "approvals",
    "/risk": "risk classes",
    "/needs": "dependencies between automations",
    "/budgets": "budgets",
    "/degrade": "degradation plans",
    "/delivery": "deliveries",
    "/schedule/when": "schedules in plain words",
    "/schedule/rdate": "extra dates",
    "/schedule/exdate": "excluded dates",
    "/agent/model": "a model for the command driver",
    "/agent/profile": "agent profiles",
    "/agent/permissions": "permission profiles",
    "/agent/requires": "node requirements",
    "/expect/finish": "the gateway's finish call",
    "/overlap/replace": "replacing a running window",
    "/overlap/parked": "counting parked runs",
}
