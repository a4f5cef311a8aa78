"""What each field of `duly.yaml` means and defaults to: the words of its JSON Schema and of docs/definitions.md."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from duly.service.definition.document import RESERVED, Document

SCHEMA_ID: Final = "urn:duly:schema:definition:1"
NO_DEFAULT: Final = "-"

# Where the mappings of the model stand in a definition. A check stands in two places.
_PLACES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Document": "",
        "Schedule": "schedule",
        "Window": "window",
        "Inputs": "inputs",
        "Prompt": "prompt",
        "Agent": "agent",
        "AgentTimeouts": "agent.timeouts",
        "Check": "check",
        "Expect": "expect",
        "SideEffectPolicy": "side_effect_policy",
        "Allow": "overlap",
        "Latest": "catch_up",
        "LatestOptions": "catch_up.latest",
        "Bounded": "catch_up",
        "BoundedOptions": "catch_up.bounded",
        "Retry": "retry",
        "Notify": "notify",
    }
)

# field: (default, meaning). A default of "-" says that there is none.
FIELDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "job_key": ("required", "the automation's name for good: `a-z 0-9 . _ -`, up to 63"),
        "name": (NO_DEFAULT, "a title for people"),
        "description": (NO_DEFAULT, "what it is for"),
        "enabled": ("true", "false: created, or kept, without coming slots"),
        "valid_from": (NO_DEFAULT, "no slot before this local time, or instant with an offset"),
        "valid_until": (NO_DEFAULT, "no slot from this time on; catching up obeys it too"),
        "schedule": ("by hand only", "when it is due: exactly one of `rrule`, `cron`, `once`"),
        "schedule.rrule": (NO_DEFAULT, "a recurrence rule of RFC 5545, hourly or slower"),
        "schedule.cron": (NO_DEFAULT, "a cron line with five fields"),
        "schedule.seconds_first": ("false", "true: the cron line has six fields, seconds first"),
        "schedule.once": (NO_DEFAULT, "one local time, or one instant with an offset"),
        "schedule.dtstart": ("when it is created", "local start of an `rrule`"),
        "schedule.timezone": ("the workspace's", "an IANA zone, such as `Europe/Berlin`"),
        "schedule.tolerance": ("5m", "lateness up to which a slot counts as on time; least 30s"),
        "window": ("by the rule", "which business period a slot's work is for"),
        "window.period": (
            "the longest of month, week, day that no two slots share, else slot",
            "`hour`, `day`, `week`, `month`, `slot`, or a strftime pattern such as `%Y`",
        ),
        "window.covers": (
            "current",
            "the span that is read: the period itself, the one before, or since the last slot",
        ),
        "inputs": (NO_DEFAULT, "what the work reads"),
        "inputs.version": ('"0"', "input version; another one makes the same window new work"),
        "inputs.sources": ('["**"]', "globs beneath the first of `cwds`: what is copied"),
        "inputs.repo": (NO_DEFAULT, "a git repository; the run reads it at one frozen commit"),
        "prompt": (NO_DEFAULT, "what an agent is asked, as text; or a mapping"),
        "prompt.text": (NO_DEFAULT, "the text"),
        "prompt.file": (NO_DEFAULT, "a file with the text, frozen with the revision"),
        "prompt.params": (NO_DEFAULT, "values for `{name}` in the text"),
        "prompt.skills": (NO_DEFAULT, "files that the agent finds beside its prompt; frozen too"),
        "agent": ("required", "which program does the work, and what it sees"),
        "agent.driver": ("command", "how the program is driven"),
        "agent.command": ("required", "the program and its arguments, with placeholders"),
        "agent.home": ("private", "its HOME: one of its own, or `inherit` yours"),
        "agent.restart": (
            "proven",
            "`safe`: you vouch that a program that died in the middle may be started again",
        ),
        "agent.env": (NO_DEFAULT, "environment variables as written"),
        "agent.secrets": (
            NO_DEFAULT,
            "variables by reference: `env:NAME` or `file:/path`, never a value",
        ),
        "agent.timeouts": (NO_DEFAULT, "limits of one attempt's program"),
        "agent.timeouts.start": ("10m", "how long its start may take, or wait for what is missing"),
        "agent.timeouts.silence": ("no limit", "how long it may print nothing"),
        "agent.timeouts.wall": ("1h", "how long it may take in all"),
        "cwds": ('["."]', "directories; the work's root is the first, paths are beneath it"),
        "isolation": (
            "staged",
            "a copy, of which only files in scope are published; or `in_place`: the directory itself",
        ),
        "precheck": (NO_DEFAULT, "a command asked first: 0 there is work, 77 there is none"),
        "check.command": ("required", "the command and its arguments"),
        "check.timeout": ("5m", "how long it may take"),
        "expect": ("the artifact, if one is named", "what completes a run"),
        "expect.artifact": (
            "true if `result_artifact` is named",
            "the file has to be written anew, and not be empty",
        ),
        "expect.verify": (NO_DEFAULT, "a command that has to exit with 0"),
        "expect.exit": (NO_DEFAULT, "exit codes that count as done, though unverified"),
        "write_scope": ("the artifact, if one is named", "globs of files that it may change"),
        "side_effect_policy": (NO_DEFAULT, "what may be changed outside"),
        "side_effect_policy.remote_write": ("denied", "whether it may change other systems"),
        "side_effect_policy.overwrite_same_artifact": (
            "allowed",
            "whether a published artifact may be replaced by the same window's new one",
        ),
        "result_artifact": (NO_DEFAULT, "the result file beneath the root, with placeholders"),
        "overlap": (
            "skip",
            "what becomes of a slot while an earlier run is live: `skip`, `queue_one`, or allow",
        ),
        "overlap.allow": (NO_DEFAULT, "so many runs at once, 1 to 100; more are refused"),
        "catch_up": (
            "none",
            "what becomes of missed slots: `none`, `latest`, or a mapping with limits",
        ),
        "catch_up.latest": (NO_DEFAULT, "the newest missed slot runs"),
        "catch_up.latest.max_age": ("required", "if it is not older than this"),
        "catch_up.bounded": (NO_DEFAULT, "the newest missed slots run one after the other"),
        "catch_up.bounded.count": ("required", "so many, 1 to 100"),
        "catch_up.bounded.max_age": ("required", "if they are not older than this"),
        "retry": (NO_DEFAULT, "attempts after failures that may pass and changed nothing"),
        "retry.attempts": ("1", "attempts in all, 1 to 20"),
        "retry.delay": ("30s", "wait before the second; it doubles with each"),
        "retry.max_delay": ("10m", "the longest wait"),
        "notify": ("DULY_NOTIFY, or nobody", "who is told of failed, needs-review, missed"),
        "notify.command": (
            "required",
            "run with DULY_NOTICE (text) and DULY_NOTICE_FILE (JSON, also as `{notice}`)",
        ),
        "deadline": ("no limit", "how long a run may wait for its turn before it fails"),
        "priority": ("0", "-100 to 100; higher runs are taken first"),
        "labels": (NO_DEFAULT, "names and texts of your own, kept with the definition"),
    }
)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of one definition, with meaning and default of every field, and the reserved ones."""
    made = _without_null(Document.model_json_schema())
    for name, shape in ((made["title"], made), *made["$defs"].items()):
        place = _PLACES[name]
        for field, found in shape["properties"].items():
            found["description"] = _description(_below(place, field))
        if name in _TAKES_RESERVED:
            shape["properties"] |= dict(_reserved(place))
        shape.pop("title")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "duly.yaml",
        **made,
    }


def table() -> str:
    """Return every field with its default and meaning, as a table for docs/definitions.md."""
    rows = [f"| `{field}` | {_code(default)} | {said} |" for field, (default, said) in _rows()]
    return "\n".join(["| field | default | meaning |", "|---|---|---|", *rows, ""])


def _rows() -> Iterator[tuple[str, tuple[str, str]]]:
    for field, row in FIELDS.items():
        for shown in _shown(field):
            yield shown, row


def _shown(field: str) -> list[str]:
    """Return the names by which a person writes a field."""
    if not field.startswith("check."):
        return [field]
    return [f"{place}.{field.removeprefix('check.')}" for place in ("precheck", "expect.verify")]


# `overlap` is a word or a mapping; its reserved names stand in the mapping. Nothing else is that ambiguous.
_TAKES_RESERVED: Final = frozenset({"Document", "Schedule", "Agent", "Expect", "Allow"})


def _reserved(place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for pointer, what in RESERVED.items():
        *path, field = pointer.strip("/").split("/")
        if ".".join(path) == place:
            yield field, {"description": f"Reserved for {what}; not built yet.", "not": {}}


def _description(field: str) -> str:
    default, meaning = FIELDS[field]
    text = meaning[:1].upper() + meaning[1:] + "."
    if default == NO_DEFAULT:
        return text
    return f"{text} Required." if default == "required" else f"{text} Default: {default}."


def _code(default: str) -> str:
    is_value = " " not in default and default not in (NO_DEFAULT, "required")
    return f"`{default}`" if is_value else default


def _below(place: str, field: str) -> str:
    return f"{place}.{field}" if place else field


def _without_null(shape: Any) -> Any:
    """Return a schema without the null that stands for an absent field; in YAML such a field is left out."""
    if isinstance(shape, list):
        return [_without_null(one) for one in shape if one != {"type": "null"}]
    if not isinstance(shape, dict):
        return shape
    found = {name: _without_null(one) for name, one in shape.items() if name != "default"}
    choices = found.get("anyOf")
    if isinstance(choices, list) and len(choices) == 1:
        del found["anyOf"]
        found |= choices[0]
    if isinstance(found.get("title"), str) and "properties" not in found:
        del found["title"]
    return found
