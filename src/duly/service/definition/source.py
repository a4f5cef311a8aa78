"""YAML text to plain data, with the line of every value; what YAML would silently change is refused."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent, Event, NodeEvent
from yaml.reader import ReaderError

from duly.model.errors import Fault, ValidationError
from duly.recurrence.faults import shown

# Reading costs about a second for each half MiB, whatever is in it.
BYTES_MAX: Final = 524_288
DEPTH_MAX: Final = 32
VALUES_MAX: Final = 5_000
FILE_VALUES_MAX: Final = 50_000
DOCUMENTS_MAX: Final = 2_000
_TOO_MUCH: Final = "more than 5,000 values in one definition, or nested more than 32 deep"
_TOO_MANY: Final = "more than 2,000 definitions, or 50,000 values, in one file"
_TAG: Final = "tag:yaml.org,2002:"
_TEXT: Final = _TAG + "str"
# Which values are read as more than text. YAML would read 010 as 8, 1:30 as 90, and `!!int x` not at all.
_PLAIN: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        _TEXT: re.compile(".*", re.DOTALL),
        _TAG + "int": re.compile("-?(0|[1-9][0-9]{0,17})", re.ASCII),
        _TAG + "float": re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}", re.ASCII),
        _TAG + "bool": re.compile("true|false|yes|no|on|off", re.IGNORECASE),
        _TAG + "null": re.compile("|~|null", re.IGNORECASE),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One document: plain data, and `lines[pointer]`, counted from 1 (RFC 6901 pointers)."""

    data: dict[str, Any]
    lines: dict[str, int]


class _Measure:
    """What has come so far of a file. Raises ValidationError as soon as it is more than may be meant."""

    def __init__(self) -> None:
        """Start before the first event."""
        self._values = self._file_values = self._documents = self._depth = 0

    def count(self, event: Event) -> None:
        """Take one event into account."""
        if isinstance(event, CollectionStartEvent):
            self._depth += 1
        elif isinstance(event, CollectionEndEvent):
            self._depth -= 1
        if isinstance(event, NodeEvent):
            self._values += 1
            self._file_values += 1
        elif isinstance(event, yaml.DocumentStartEvent):
            self._values = 0
            self._documents += 1
        # A mapping's names are events as well as its values.
        if self._values > 2 * VALUES_MAX or self._depth > DEPTH_MAX + 1:
            raise _refused(_TOO_MUCH, "flatten it", _line(event))
        if self._documents > DOCUMENTS_MAX or self._file_values > 2 * FILE_VALUES_MAX:
            raise _refused(_TOO_MANY, "split it into several files", _line(event))


def _line(event: Event) -> int | None:
    return event.start_mark.line + 1 if event.start_mark else None


class _Bounded(yaml.SafeLoader):
    """YAML's core types without timestamps (`2026-12-25` stays the text that was written), and not without end."""

    def __init__(self, text: str) -> None:
        """Read nothing yet."""
        super().__init__(text)
        self._measure = _Measure()

    def get_event(self) -> Event:
        """Measure what comes, so that no more is read than may be meant."""
        event: Event = super().get_event()  # type: ignore[no-untyped-call]
        self._measure.count(event)
        return event


_Bounded.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _TAG + "timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(text: str) -> list[Source]:
    """Return the documents of a file. Raises ValidationError with every fault that keeps it from being read."""
    if len(text.encode()) > BYTES_MAX:
        raise _refused(
            "the file is larger than 512 KiB", "split it, or move long prompts into files"
        )
    _look_ahead(text)
    try:
        return _read(text, _Bounded)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise _refused(f"not YAML: {error.problem}", "check quotes and indentation", line) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _refused("not YAML: a control character", "write plain UTF-8 text", line) from None
    except RecursionError:
        raise _refused(_TOO_MUCH, "flatten it") from None


def _look_ahead(text: str) -> None:
    """Refuse what is too much thirty times sooner, where libyaml is there; faults of the text are told by who reads it.

    Python's own parser, which names faults better, takes seconds to come as far.
    """
    if not yaml.__with_libyaml__:
        return
    measure = _Measure()
    try:
        events: Iterable[Event] = yaml.parse(text, Loader=yaml.CSafeLoader)
        for event in events:
            measure.count(event)
    except (yaml.YAMLError, UnicodeError):
        return


def _read(text: str, loader_type: type[_Bounded]) -> list[Source]:
    loader = loader_type(text)
    try:
        return [_document(loader, node) for node in _nodes(loader)]
    finally:
        loader.dispose()


def _nodes(loader: _Bounded) -> Iterator[yaml.Node]:
    while loader.check_node():
        node = loader.get_node()
        assert node is not None
        yield node


def _document(loader: _Bounded, node: yaml.Node) -> Source:
    lines: dict[str, int] = {}
    faults: list[Fault] = []
    _walk(node, "", lines, faults)
    if not isinstance(node, yaml.MappingNode):
        faults.append(
            Fault(
                pointer="",
                message="a definition is a mapping",
                fix="start with `job_key: …`",
                line=1,
            )
        )
    if faults:
        raise ValidationError(faults)
    return Source(data=loader.construct_document(node), lines=lines)


def _walk(node: yaml.Node, pointer: str, lines: dict[str, int], faults: list[Fault]) -> None:
    """Note the line of every value, and find what the loader would hide: repeated keys, deep or shared nodes."""
    line = node.start_mark.line + 1
    if pointer.count("/") > DEPTH_MAX or len(lines) > VALUES_MAX:
        # Aliases can name the same branch again and again: a small file may stand for billions of values.
        if not any(fault.message == _TOO_MUCH for fault in faults):
            faults.append(Fault(pointer=pointer, message=_TOO_MUCH, fix="flatten it", line=line))
        return
    lines[pointer] = line
    if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
        _walk_mapping(node, pointer, lines, faults)
    elif isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
        for place, item in enumerate(node.value):
            _walk(item, f"{pointer}/{place}", lines, faults)
    elif not (isinstance(node, yaml.ScalarNode) and _is_plain(node)):
        faults.append(
            Fault(
                pointer=pointer,
                message=f"{shown(str(node.value))} is neither text, a decimal number, true nor false",
                fix="quote it, or write it plainly",
                line=line,
            )
        )


def _is_plain(node: yaml.ScalarNode) -> bool:
    """Say whether a value is read as what it looks like."""
    pattern = _PLAIN.get(node.tag)
    return pattern is not None and pattern.fullmatch(node.value) is not None


def _walk_mapping(
    node: yaml.MappingNode, pointer: str, lines: dict[str, int], faults: list[Fault]
) -> None:
    seen: set[str] = set()
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        below = f"{pointer}/{escape(name)}"
        if not isinstance(key, yaml.ScalarNode) or key.tag != _TEXT:
            faults.append(
                Fault(
                    pointer=below,
                    message=f"the name {shown(name)} is not text",
                    fix="quote it",
                    line=line,
                )
            )
        elif name in seen:
            faults.append(
                Fault(pointer=below, message=f"`{name}` is given twice", fix="keep one", line=line)
            )
        seen.add(name)
        _walk(value, below, lines, faults)


def escape(name: str) -> str:
    """Return a name as one reference token of a pointer (RFC 6901 §3)."""
    return name.replace("~", "~0").replace("/", "~1")


def _refused(message: str, fix: str, line: int | None = None) -> ValidationError:
    return ValidationError([Fault(pointer="", message=message, fix=fix, line=line)])
