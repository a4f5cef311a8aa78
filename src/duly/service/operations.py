"""Every operation that Duly has."""

from typing import Final

from duly.service.commands import add, definitions
from duly.service.commands import runs as run_commands
from duly.service.queries import automations, contract, explain, logs, premises, runs, status
from duly.service.registry import Registry

REGISTRY: Final = Registry(
    operation
    for module in (
        add,
        definitions,
        run_commands,
        automations,
        contract,
        explain,
        logs,
        premises,
        runs,
        status,
    )
    for operation in module.OPERATIONS
)
