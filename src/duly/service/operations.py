"""Every operation that Duly has, and the module that holds it."""

from typing import Final

from duly.service.registry import Registry

REGISTRY: Final = Registry(
    {
        "automation.add": "duly.service.commands.add",
        "automation.apply": "duly.service.commands.definitions",
        "automation.delete": "duly.service.commands.definitions",
        "automation.pause": "duly.service.commands.definitions",
        "automation.restore": "duly.service.commands.definitions",
        "automation.resume": "duly.service.commands.definitions",
        "automation.export": "duly.service.queries.automations",
        "automation.list": "duly.service.queries.automations",
        "automation.next": "duly.service.queries.automations",
        "automation.show": "duly.service.queries.automations",
        "effects.resolve": "duly.service.commands.runs",
        "run.start": "duly.service.commands.runs",
        "runs.cancel": "duly.service.commands.runs",
        "runs.resolve": "duly.service.commands.runs",
        "runs.resume": "duly.service.commands.runs",
        "runs.contract": "duly.service.queries.contract",
        "runs.difference": "duly.service.queries.difference",
        "runs.events": "duly.service.queries.runs",
        "runs.list": "duly.service.queries.runs",
        "runs.show": "duly.service.queries.runs",
        "explain": "duly.service.queries.explain",
        "logs.read": "duly.service.queries.logs",
        "audit.verify": "duly.service.queries.premises",
        "db.backup": "duly.service.queries.premises",
        "db.check": "duly.service.queries.premises",
        "doctor": "duly.service.queries.premises",
        "schema.show": "duly.service.queries.premises",
        "version": "duly.service.queries.premises",
        "status": "duly.service.queries.status",
        "when": "duly.service.queries.when",
    }
)
