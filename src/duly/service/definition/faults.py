"""What is wrong with a document, told so that it can be mended: pointer, line, message, and what to write instead."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic import ValidationError as ShapeError

from duly.model.errors import Fault
from duly.service.definition.document import NAME_PATTERN, RESERVED, VARIABLE_PATTERN
from duly.service.definition.source import escape

_MESSAGES: Final[Mapping[str, str]] = {
    "missing": "`{name}` is missing",
    "string_type": "`{name}` must be text",
    "int_type": "`{name}` must be a whole number",
    "bool_type": "`{name}` must be true or false",
    "list_type": "`{name}` must be a list",
    "model_type": "`{name}` must be a mapping",
    "dict_type": "`{name}` must be a mapping",
    "string_pattern_mismatch": "`{name}` has a character that names may not have",
}
_PATTERNS: Final[Mapping[str, str]] = {
    NAME_PATTERN: "use a-z 0-9 . _ -, at most 63, a letter or digit first",
    VARIABLE_PATTERN: "use letters, digits and _, no digit first",
}
_FIXES: Final[Mapping[str, str]] = {
    "string_type": 'quote it: "…"',
    "model_type": "write names and values below it, indented",
    "list_type": "write [a, b]",
}


def of(error: ShapeError, shape: type[BaseModel]) -> list[Fault]:
    """Return one fault for each error, with pointers into the document; union tags are left out."""
    return [_fault(item, shape) for item in error.errors(include_url=False)]


def with_lines(faults: Sequence[Fault], lines: Mapping[str, int]) -> list[Fault]:
    """Add to each fault the line of the nearest value that stands in the file; order is the file's."""
    placed = [replace(fault, line=fault.line or _line(fault.pointer, lines)) for fault in faults]
    return sorted(placed, key=lambda fault: (fault.line or 0, fault.pointer))


def _line(pointer: str, lines: Mapping[str, int]) -> int | None:
    while pointer and pointer not in lines:
        pointer = pointer.rpartition("/")[0]
    return lines.get(pointer)


def _fault(item: Any, shape: type[BaseModel]) -> Fault:
    path = [str(part) for part in item["loc"] if not str(part).startswith("=") and part != "[key]"]
    pointer = "".join(f"/{escape(part)}" for part in path)
    name, kind = (path[-1] if path else "document"), item["type"]
    if kind == "extra_forbidden":
        return _unknown(pointer, name, _names_beside(path, shape))
    if kind == "value_error":
        return Fault(pointer=pointer, message=f"`{name}`: {item['ctx']['error']}")
    message = _MESSAGES.get(kind, "`{name}`: " + item["msg"][:1].lower() + item["msg"][1:])
    fix = _FIXES.get(kind) or _PATTERNS.get(item.get("ctx", {}).get("pattern", ""), "")
    return Fault(pointer=pointer, message=message.replace("{name}", name), fix=fix)


def _unknown(pointer: str, name: str, known: Sequence[str]) -> Fault:
    if pointer in RESERVED:
        return Fault(
            pointer=pointer,
            message=f"`{name}` is not supported yet ({RESERVED[pointer]})",
            fix="leave it out; Duly refuses what it cannot honour",
        )
    near = get_close_matches(name, known, n=1)
    fix = (
        f"did you mean `{near[0]}`?"
        if near
        else f"known here: {', '.join(known)}"
        if known
        else "leave it out"
    )
    return Fault(pointer=pointer, message=f"`{name}` is not a known field", fix=fix)


def _names_beside(path: Sequence[str], shape: type[BaseModel]) -> list[str]:
    """Return the field names that are known where the last part of `path` stands."""
    shapes = [shape]
    for part in path[:-1]:
        fields = [each.model_fields[part] for each in shapes if part in each.model_fields]
        shapes = [inner for field in fields for inner in _shapes_in(field.annotation)]
    return [name for each in shapes for name in each.model_fields]


def _shapes_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [shape for part in get_args(annotation) for shape in _shapes_in(part)]
