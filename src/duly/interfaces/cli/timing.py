"""`duly when`: what a rule means, before anything is scheduled by it."""

from typing import Any

import click

from duly.adapters.zones import host_zone_name
from duly.interfaces.cli.automations import slot_table
from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Front
from duly.interfaces.cli.printing import data, document, say


@command("when", "duly when '30 2 * * *' --zone America/New_York --from 2027-03-12 -n 4")
@click.argument("rule")
@click.option("--zone", help="IANA zone; else the rule's own, the workspace's, or this host's")
@click.option("--from", "start", help="first instant to look at; else now")
@click.option("-n", "--count", type=click.IntRange(1, 1000), default=10, show_default=True)
def when(
    front: Front, as_json: bool, rule: str, zone: str | None, start: str | None, count: int
) -> None:
    """Say when RULE fires: cron, an RRULE, or one time. Nothing is created."""
    asked = {"rule": rule, "timezone": zone, "start": start, "count": count}
    answer = front.ask("when", {**asked, "fallback_zone": host_zone_name()})
    if as_json:
        document(answer)
        return
    began = f", from {answer['dtstart']}" if answer["dtstart"] else ""
    data(f"{answer['kind']}  {answer['rule']}{began}")
    data(f"zone  {answer['timezone']} (tzdata {answer['tzdata']}), by {answer['holds_on']}")
    data("")
    slot_table(answer["slots"])
    _warn(answer["surprises"])
    if answer["is_complete"]:
        say("there are no more slots")
    elif len(answer["slots"]) < count:
        say("no more slots were found within years: too few dates agree with all of the rule")


def _warn(odd: list[dict[str, Any]]) -> None:
    if odd:
        data("\nnear the next two clock changes")
        slot_table(odd)
