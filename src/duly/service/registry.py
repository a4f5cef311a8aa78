"""The operation registry: everything a person or program can ask for, by name, with its records, scope and promises."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic import ValidationError as ShapeError

from duly.model.errors import NotFoundError, ValidationError
from duly.service.definition import faults
from duly.service.desk import Desk


class Request(BaseModel):
    """Input of an operation: unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(BaseModel):
    """Output of an operation."""

    model_config = ConfigDict(frozen=True)


class Scope(Enum):
    """What a token must allow; each includes the ones before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    APPROVER = "approver"
    ADMIN = "admin"


Asked = TypeVar("Asked", bound=Request)
Told = TypeVar("Told", bound=Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[Asked, Told]):
    """One operation. `changes`: it writes. `is_idempotent`: asked again with the same key it answers the same."""

    name: str
    summary: str
    request: type[Asked]
    answer: type[Told]
    scope: Scope
    changes: bool
    is_idempotent: bool
    run: Callable[[Desk, Asked], Told]
    version: int = 1

    def carry_out(self, desk: Desk, body: Mapping[str, Any]) -> Told:
        """Check the body and run the operation. Raises ValidationError with every fault at once."""
        try:
            request = self.request.model_validate(body)
        except ShapeError as error:
            raise ValidationError(faults.of(error, self.request)) from None
        return self.run(desk, request)


def query(
    name: str,
    summary: str,
    request: type[Asked],
    answer: type[Told],
    run: Callable[[Desk, Asked], Told],
) -> Operation[Asked, Told]:
    """Return an operation that only reads; whoever may look may ask it."""
    return Operation(
        name=name,
        summary=summary,
        request=request,
        answer=answer,
        scope=Scope.VIEWER,
        changes=False,
        is_idempotent=True,
        run=run,
    )


def command(
    name: str,
    summary: str,
    request: type[Asked],
    answer: type[Told],
    run: Callable[[Desk, Asked], Told],
) -> Operation[Asked, Told]:
    """Return an operation that changes something, and may be repeated: the second time finds it done."""
    return Operation(
        name=name,
        summary=summary,
        request=request,
        answer=answer,
        scope=Scope.OPERATOR,
        changes=True,
        is_idempotent=True,
        run=run,
    )


class Registry:
    """All operations by name, each loaded when it is first asked for.

    A command line needs one of them, and the input and output models of all cost it half a second.
    """

    def __init__(self, modules: Mapping[str, str]) -> None:
        """Know which module (with its tuple `OPERATIONS`) holds which operation."""
        self._modules = MappingProxyType(dict(modules))

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, sorted."""
        return tuple(sorted(self._modules))

    def find(self, name: str) -> Operation[Any, Any]:
        """Return an operation. Raises NotFoundError."""
        module = self._modules.get(name)
        if module is None:
            raise NotFoundError(f"there is no operation {name}", fix="`duly --help` lists them")
        found: Iterable[Operation[Any, Any]] = importlib.import_module(module).OPERATIONS
        return next(operation for operation in found if operation.name == name)
