"""`duly serve` and `duly tick`: the commands that work."""

import click

from duly.interfaces.cli.command import command
from duly.interfaces.cli.front import Front, ServeOptions
from duly.interfaces.cli.printing import document, say


@command("serve", "duly serve --bind 127.0.0.1:8750")
@click.option("--bind", metavar="HOST:PORT", help="default: 127.0.0.1, any free port")
@click.option("--no-http", is_flag=True, help="work only; commands cannot reach this process")
@click.option("-q", "--quiet", is_flag=True, help="no line on stderr when a run starts or ends")
def serve(front: Front, as_json: bool, bind: str | None, no_http: bool, quiet: bool) -> int:
    """Work on what is due until stopped. SIGTERM drains: running work may end; a second one kills it."""
    del as_json
    return front.serve(ServeOptions(bind=bind, has_http=not no_http, is_quiet=quiet))


@command("tick", "* * * * * duly tick    (a line of a crontab)")
def tick(front: Front, as_json: bool) -> None:
    """Answer what is due, work on it until it is settled, and exit: for cron and the like."""
    did = front.tick()
    if as_json:
        document({"did": did})
    elif not did:
        say("a server owns this data directory and does that itself")
