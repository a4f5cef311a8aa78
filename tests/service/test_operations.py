"""The registry and the modules that hold operations name the same ones."""

import importlib
import pkgutil

import pytest

from duly.model.errors import NotFoundError, ValidationError
from duly.service import commands, queries
from duly.service.operations import REGISTRY


def _operations():
    for package in (commands, queries):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            yield from getattr(importlib.import_module(found.name), "OPERATIONS", ())


def test_every_operation_of_every_module_is_in_the_registry_once():
    names = [operation.name for operation in _operations()]
    assert sorted(names) == list(REGISTRY.names)


@pytest.mark.parametrize("name", REGISTRY.names)
def test_an_operation_is_found_under_its_name(name):
    operation = REGISTRY.find(name)
    assert operation.name == name
    assert operation.summary and operation.version >= 1


@pytest.mark.parametrize("name", REGISTRY.names)
def test_an_unknown_name_in_a_request_is_refused(name):
    with pytest.raises(ValidationError) as refused:
        REGISTRY.find(name).carry_out(None, {"no_such_field": 1})
    assert "/no_such_field" in {fault.pointer for fault in refused.value.faults}


def test_an_unknown_operation_is_not_found():
    with pytest.raises(NotFoundError):
        REGISTRY.find("automation.explode")
