"""YAML text to plain data, with the line of every value; what YAML would silently change is refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml
from yaml.reader import ReaderError

from duly.model.errors import Fault, ValidationError

BYTES_MAX: Final = 1_048_576
DEPTH_MAX: Final = 32
VALUES_MAX: Final = 20_000
_TOO_MUCH: Final = "more than 20,000 values, or nested more than 32 deep"
_NOT_TEXT: Final = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One document: plain data, and `lines[pointer]`, counted from 1 (RFC 6901 pointers)."""

    data: dict[str, Any]
    lines: dict[str, int]


class _TextDates(yaml.SafeLoader):
    """YAML's core types without timestamps: `2026-12-25` stays the text that was written."""


_TextDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _NOT_TEXT + "timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(text: str) -> list[Source]:
    """Return the documents of a file. Raises ValidationError with every fault that keeps it from being read."""
    if len(text.encode()) > BYTES_MAX:
        raise _refused("the file is larger than 1 MiB", "split it, or move long prompts into files")
    try:
        return _read(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        raise _refused(f"not YAML: {error.problem}", "check quotes and indentation", line) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _refused("not YAML: a control character", "write plain UTF-8 text", line) from None
    except RecursionError:
        raise _refused(_TOO_MUCH, "flatten it") from None


def _read(text: str) -> list[Source]:
    loader = _TextDates(text)
    try:
        return [_document(loader, node) for node in _nodes(loader)]
    finally:
        loader.dispose()


def _nodes(loader: _TextDates) -> Iterator[yaml.Node]:
    while loader.check_node():
        node = loader.get_node()
        assert node is not None
        yield node


def _document(loader: _TextDates, node: yaml.Node) -> Source:
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
    if isinstance(node, yaml.MappingNode):
        _walk_mapping(node, pointer, lines, faults)
    elif isinstance(node, yaml.SequenceNode):
        for place, item in enumerate(node.value):
            _walk(item, f"{pointer}/{place}", lines, faults)


def _walk_mapping(
    node: yaml.MappingNode, pointer: str, lines: dict[str, int], faults: list[Fault]
) -> None:
    seen: set[str] = set()
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        below = f"{pointer}/{escape(name)}"
        if not isinstance(key, yaml.ScalarNode) or key.tag != _NOT_TEXT + "str":
            faults.append(
                Fault(
                    pointer=below,
                    message=f"the name {name!r} is not text",
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
