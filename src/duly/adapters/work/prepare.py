"""Making an attempt ready to start: working copy, checkout, prompt, HOME, TMPDIR, environment, log."""

import json
import os
from pathlib import Path
from typing import Final

from duly.adapters.files import git, stage, tree
from duly.adapters.files.removal import remove_tree
from duly.adapters.launch import living
from duly.adapters.launch.environment import (
    ChildEnvironment,
    EnvironmentRequest,
    SecretUnavailableError,
    child_environment,
)
from duly.adapters.launch.events import Output
from duly.adapters.launch.log import LogWriter
from duly.adapters.launch.proof import ExecutionFacts
from duly.adapters.launch.request import Launch
from duly.adapters.work import observe, rendering
from duly.adapters.work.errors import CannotWorkError
from duly.adapters.work.layout import Stage, Workshop, root_of
from duly.adapters.work.observe import LIMITS, refusals
from duly.adapters.work.requests import Part, Prepare, Prepared
from duly.model import placeholders
from duly.model.plan import Home, Isolation
from duly.model.reasons import Reason

_READY: Final = "ready"
_SHOWN_MAX: Final = 2_000


def prepare(workshop: Workshop, request: Prepare) -> Prepared:
    """Return a launch that can be started. Raises CannotWorkError."""
    part = request.part
    with refusals(Reason.STAGING_FAILED):
        _make_attempt(workshop, part)
        environment = _environment(workshop, part)
        return _prepared(workshop, part, environment)


def _prepared(workshop: Workshop, part: Part, environment: ChildEnvironment) -> Prepared:
    values = rendering.values_of(part, workshop)
    prompt = rendering.prompt_of(part, values)
    argv = tuple(placeholders.expand(text, {**values, "prompt": prompt}) for text in part.argv)
    workshop.logs.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = LogWriter(workshop.live_log(part.token), workshop.log_limits, environment.secrets)
    launch = Launch(
        argv=argv,
        cwd=root_of(part, workshop),
        env=environment.values,
        run_token=part.token,
        record=workshop.record(part.token),
        umask=workshop.umask,
    )

    def write_output(output: Output) -> None:
        log.write(output.data)

    return Prepared(
        launch=launch,
        facts=ExecutionFacts(boot_id=living.boot_id(), run_token=part.token, record=launch.record),
        log=log,
        write_output=write_output,
        argv_shown=tuple(_shown(text, environment.secrets) for text in argv),
        prompt_sha256=workshop.bytes.put_bytes(prompt.encode()) if prompt else None,
    )


def _shown(argument: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        argument = argument.replace(secret, "[redacted]")
    return argument if len(argument) <= _SHOWN_MAX else f"{argument[:_SHOWN_MAX]}…"


def _make_attempt(workshop: Workshop, part: Part) -> None:
    """Make the attempt's directory whole, or find it so: its programs share it."""
    here = workshop.stage(part.pin.run_id)
    done = here.attempt(part.fence) / _READY
    if done.exists():
        return
    remove_tree(here.attempt(part.fence))
    here.attempt(part.fence).mkdir(parents=True, mode=0o700)
    here.temporary(part.fence).mkdir(mode=0o700)
    _make_copy(workshop, part, here)
    _check_out(workshop, part, here)
    _write_prompt(workshop, part, here)
    done.touch()


def made_at_ns(part: Part, workshop: Workshop) -> int:
    """Return when the attempt's working copy was complete."""
    done = workshop.stage(part.pin.run_id).attempt(part.fence) / _READY
    return done.stat().st_ctime_ns


def _make_copy(workshop: Workshop, part: Part, here: Stage) -> None:
    if part.work.isolation is Isolation.IN_PLACE:
        here.before(part.fence).write_text(_state_of(part, workshop))
        return
    if observe.works_in_checkout(part.work):
        git.clone_at(Path(part.work.root), part.snapshot.base_commit or "", here.copy(part.fence))
        return
    assert part.snapshot.base_tree is not None
    frozen = observe.manifest(workshop, part.snapshot.base_tree)
    stage.make_copy(here.base, here.copy(part.fence), frozen)


def _state_of(part: Part, workshop: Workshop) -> str:
    """Return how the directory stands, as JSON; without a scope nobody asks what changes in it."""
    if not part.work.write_scope:
        return "{}"
    found = scan_in_place(part, workshop)
    return json.dumps({path: stamp(entry) for path, entry in found.entries.items()})


def scan_in_place(part: Part, workshop: Workshop) -> tree.TreeState:
    """Look at the directory itself, by size, times and mode: its files may be too large to read each time."""
    root = Path(part.work.root)
    inside = workshop.home.is_relative_to(root)
    ignored = [str(workshop.home.relative_to(root))] if inside else []
    return tree.scan(root, LIMITS, ignored=[*ignored, ".git"], is_hashed=False)


def stamp(entry: tree.Entry) -> list[object]:
    """Return what tells two states of one path apart without reading it; a directory's times tell nothing."""
    if entry.kind is tree.Kind.DIRECTORY:
        return [entry.kind.value]
    return [entry.kind.value, entry.size, entry.mode, entry.mtime_ns, entry.sha256]


def _check_out(workshop: Workshop, part: Part, here: Stage) -> None:
    checkout = rendering.repository_of(part, workshop)
    if checkout is None or checkout == here.copy(part.fence):
        return
    repo = Path(part.work.inputs.repo or "")
    git.clone_at(repo, part.snapshot.base_commit or "", checkout)


def _write_prompt(workshop: Workshop, part: Part, here: Stage) -> None:
    prompt = rendering.prompt_of(part, rendering.values_of(part, workshop))
    if prompt:
        here.prompt(part.fence).write_text(prompt, encoding="utf-8")
    for skill in part.work.skills:
        place = here.attempt(part.fence) / "skills" / skill.name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(workshop.bytes.read_bytes(skill.sha256))


def _environment(workshop: Workshop, part: Part) -> ChildEnvironment:
    agent = part.work.agent
    here = workshop.stage(part.pin.run_id)
    variables = rendering.variables_of(part, rendering.values_of(part, workshop))
    try:
        return child_environment(
            EnvironmentRequest(
                node=workshop.environ,
                path=agent.path or None,
                declared={variable.name: variable.value for variable in agent.variables},
                secrets={secret.name: secret.reference for secret in agent.secrets},
                home=_home(workshop, part),
                temporary=here.temporary(part.fence),
                duly=variables,
            )
        )
    except SecretUnavailableError as error:
        raise CannotWorkError(Reason.SECRET_MISSING, error.message, fix=error.fix) from error


def _home(workshop: Workshop, part: Part) -> Path:
    if part.work.agent.home is Home.INHERIT:
        return Path(workshop.environ.get("HOME") or os.path.expanduser("~"))
    home = workshop.private_home(part.pin.automation_id)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return home
