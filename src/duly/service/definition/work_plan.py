"""From a document to `Work`: what an occurrence means, with every default filled in and every path resolved."""

import os
import shutil
from pathlib import Path
from typing import Final

from duly.adapters.launch import environment
from duly.model import placeholders
from duly.model.errors import Fault
from duly.model.instant import HOUR_US, MINUTE_US, SECOND_US
from duly.model.plan import (
    Agent,
    Command,
    Expect,
    FrozenFile,
    Home,
    Inputs,
    Isolation,
    Overwrite,
    RemoteWrite,
    Restart,
    Retry,
    Secret,
    Timeouts,
    Variable,
    Work,
)
from duly.policy import scope
from duly.service.definition import document as d
from duly.service.definition import duration
from duly.service.definition.context import Findings, PlanContext

START_US: Final = 10 * MINUTE_US
WALL_US: Final = HOUR_US
CHECK_WALL_US: Final = 5 * MINUTE_US
RETRY_DELAY_US: Final = 30 * SECOND_US
RETRY_DELAY_US_MAX: Final = 10 * MINUTE_US
PROMPT_BYTES_MAX: Final = 1_048_576


def work_of(document: d.Document, context: PlanContext, findings: Findings) -> Work:
    """Return the work part of a plan; faults go to `findings`, and then the result is of no use."""
    cwds = _cwds(document, context, findings)
    _look_for_program(document.agent.command, Path(cwds[0]), findings)
    artifact = _artifact(document, findings)
    write_scope = tuple(document.write_scope or ([artifact] if artifact else []))
    _check_scope(document, artifact, write_scope, findings)
    prompt, params, skills = _prompt(document, context, findings)
    return Work(
        job_key=document.job_key,
        root=cwds[0],
        cwds=cwds,
        isolation=Isolation(document.isolation or "staged"),
        prompt=prompt,
        prompt_params=params,
        skills=skills,
        agent=_agent(document.agent, context, findings),
        inputs=_inputs(document, context, findings),
        precheck=_command(document.precheck, "/precheck", context, findings),
        expect=_expect(document, artifact, context, findings),
        write_scope=write_scope,
        remote_write=RemoteWrite.DENIED,
        overwrite=_overwrite(document),
        result_artifact=artifact,
        retry=_retry(document.retry or d.Retry(), findings),
        notify=_notify(document, context, findings),
    )


def _cwds(document: d.Document, context: PlanContext, findings: Findings) -> tuple[str, ...]:
    found = []
    for place, text in enumerate(document.cwds or ["."]):
        pointer = f"/cwds/{place}" if document.cwds else "/cwds"
        path = (context.base / text).expanduser().resolve()
        if not path.is_dir():
            findings.fault(
                pointer, f"the directory {path} does not exist", "create it, or correct the path"
            )
        elif path == context.home or context.home in path.parents:
            findings.fault(pointer, "the directory is inside DULY_HOME", "agents never work there")
        found.append(str(path))
    return tuple(found)


def _artifact(document: d.Document, findings: Findings) -> str | None:
    """Return the result artifact's path; `expect.artifact` may name it instead."""
    expected = document.expect.artifact if document.expect else None
    if (
        document.result_artifact
        and isinstance(expected, str)
        and expected != document.result_artifact
    ):
        findings.fault(
            "/expect/artifact",
            "names another file than `result_artifact`",
            "write `artifact: true`",
        )
    if expected is True and document.result_artifact is None:
        findings.fault("/expect/artifact", "no `result_artifact` is declared", "name the file here")
    return document.result_artifact or (expected if isinstance(expected, str) else None)


def _check_scope(
    document: d.Document, artifact: str | None, write_scope: tuple[str, ...], findings: Findings
) -> None:
    for place, glob in enumerate(document.write_scope or ()):
        for fault in scope.faults([glob]):
            findings.fault(f"/write_scope/{place}", fault.message, fault.fix)
    if artifact is None:
        return
    pointer = "/result_artifact" if document.result_artifact else "/expect/artifact"
    example = placeholders.expand_path(artifact, dict.fromkeys(placeholders.IN_PATHS, "x"))
    unknown = [_unknown(name) for name in placeholders.unknown_in_path(artifact)]
    faults = [*scope.faults([example]), *unknown]
    for fault in faults:
        findings.fault(pointer, fault.message, fault.fix)
    globs = [
        placeholders.expand_path(glob, dict.fromkeys(placeholders.IN_PATHS, "x"))
        for glob in write_scope
    ]
    if not faults and not scope.matches(globs, example):
        findings.fault(
            pointer, "the artifact lies outside `write_scope`", "add it to `write_scope`"
        )


def _unknown(name: str) -> Fault:
    known = ", ".join(f"{{{each}}}" for each in placeholders.IN_PATHS)
    return Fault(
        pointer="", message=f"{{{name}}} cannot stand in a path", fix=f"known there: {known}"
    )


def _prompt(
    document: d.Document, context: PlanContext, findings: Findings
) -> tuple[str, tuple[Variable, ...], tuple[FrozenFile, ...]]:
    prompt = document.prompt
    if prompt is None:
        return "", (), ()
    if isinstance(prompt, str):
        return prompt, (), ()
    if (prompt.text is None) == (prompt.file is None):
        findings.fault("/prompt", "give either `text` or `file`", "remove one of them")
    text = prompt.text or ""
    if prompt.file is not None:
        text = read_file(context.base / prompt.file, "/prompt/file", findings).decode(
            "utf-8", "replace"
        )
    params = tuple(Variable(name=n, value=v) for n, v in sorted((prompt.params or {}).items()))
    skills = tuple(
        FrozenFile(
            name=Path(name).name,
            sha256=context.keep_bytes(
                read_file(context.base / name, f"/prompt/skills/{i}", findings)
            ),
        )
        for i, name in enumerate(prompt.skills or ())
    )
    return text, params, skills


def read_file(path: Path, pointer: str, findings: Findings) -> bytes:
    """Return a small file's bytes, or note why it cannot be read."""
    try:
        with path.expanduser().open("rb") as file:
            content = file.read(PROMPT_BYTES_MAX + 1)
    except OSError as error:
        findings.fault(pointer, f"{path} cannot be read: {error.strerror}", "correct the path")
        return b""
    if len(content) > PROMPT_BYTES_MAX:
        findings.fault(pointer, f"{path} is larger than 1 MiB", "shorten it")
    return content


def _agent(agent: d.Agent, context: PlanContext, findings: Findings) -> Agent:
    _check_program(agent.command, "/agent/command", context, findings)
    for fault in environment.faults(agent.env or {}, agent.secrets or {}):
        findings.fault(fault.pointer, fault.message, fault.fix)
    return Agent(
        driver=agent.driver,
        argv=tuple(agent.command),
        path=context.path,
        home=Home(agent.home or "private"),
        restart=Restart(agent.restart or "proven"),
        variables=tuple(Variable(name=n, value=v) for n, v in sorted((agent.env or {}).items())),
        secrets=tuple(
            Secret(name=n, reference=r) for n, r in sorted((agent.secrets or {}).items())
        ),
        timeouts=_timeouts(agent.timeouts or d.AgentTimeouts()),
    )


def _timeouts(timeouts: d.AgentTimeouts) -> Timeouts:
    return Timeouts(
        start_us=duration.read(timeouts.start) if timeouts.start else START_US,
        silence_us=duration.read(timeouts.silence) if timeouts.silence else None,
        wall_us=duration.read(timeouts.wall) if timeouts.wall else WALL_US,
    )


def _check_program(argv: list[str], pointer: str, context: PlanContext, findings: Findings) -> None:
    """Refuse a program that is not there now; one with placeholders or a relative path is looked for at its start."""
    program = argv[0]
    if "{" in program or _is_relative(program):
        return
    if shutil.which(program, path=context.path) is None:
        findings.fault(
            f"{pointer}/0",
            f"the program {program} was not found",
            "install it, or write its full path",
        )


def _look_for_program(argv: list[str], root: Path, findings: Findings) -> None:
    """Warn of a program beneath the root that cannot be started yet; runs wait for it."""
    if _is_relative(argv[0]):
        _warn_if_missing("/agent/command/0", root / argv[0], "make it; runs wait for it", findings)


def _notify(document: d.Document, context: PlanContext, findings: Findings) -> tuple[str, ...]:
    """Return who is told; a relative program starts at the file's directory, for it is run wherever the node is."""
    if document.notify is None:
        return ()
    program, *rest = document.notify.command
    pointer = "/notify/command/0"
    if _is_relative(program):
        program = str((context.base / program).resolve())
        _warn_if_missing(pointer, Path(program), "make it; until then nobody is told", findings)
    elif "{" not in program and shutil.which(program, path=context.path) is None:
        message = f"the program {program} was not found, so nobody is told"
        findings.warn(pointer, message, "install it, or write its full path")
    return (program, *rest)


def _is_relative(program: str) -> bool:
    is_plain = "{" in program or Path(program).name == program
    return not is_plain and not Path(program).is_absolute()


def _warn_if_missing(pointer: str, found: Path, fix: str, findings: Findings) -> None:
    if not found.is_file():
        findings.warn(pointer, f"{found} does not exist yet", fix)
    elif not os.access(found, os.X_OK):
        findings.warn(pointer, f"{found} may not be executed", f"chmod +x {found}")


def _inputs(document: d.Document, context: PlanContext, findings: Findings) -> Inputs:
    inputs = document.inputs or d.Inputs()
    repo = None
    if inputs.repo is not None:
        repo = (context.base / inputs.repo).expanduser().resolve()
        if not repo.is_dir():
            findings.fault(
                "/inputs/repo", f"the directory {repo} does not exist", "correct the path"
            )
    for place, glob in enumerate(inputs.sources or ()):
        for fault in scope.faults([glob]):
            findings.fault(f"/inputs/sources/{place}", fault.message, fault.fix)
    return Inputs(
        sources=tuple(inputs.sources or ("**",)), repo=None if repo is None else str(repo)
    )


def _command(
    check: d.Check | list[str] | None, pointer: str, context: PlanContext, findings: Findings
) -> Command | None:
    if check is None:
        return None
    argv = check if isinstance(check, list) else check.command
    _check_program(
        argv, pointer if isinstance(check, list) else f"{pointer}/command", context, findings
    )
    timeout = None if isinstance(check, list) else check.timeout
    return Command(argv=tuple(argv), wall_us=duration.read(timeout) if timeout else CHECK_WALL_US)


def _expect(
    document: d.Document, artifact: str | None, context: PlanContext, findings: Findings
) -> Expect:
    expect = document.expect or d.Expect()
    is_expected = bool(expect.artifact) if expect.artifact is not None else artifact is not None
    verify = _command(expect.verify, "/expect/verify", context, findings)
    if not is_expected and verify is None and not expect.exit:
        findings.warn(
            "/expect",
            "nothing is expected, so no run can complete: each will need review",
            "name a `result_artifact`, an `expect.verify` command, or `expect.exit: [0]`",
        )
    return Expect(
        artifact=artifact if is_expected else None,
        verify=verify,
        exit_codes=tuple(sorted(set(expect.exit or ()))),
    )


def _overwrite(document: d.Document) -> Overwrite:
    declared = (
        document.side_effect_policy.overwrite_same_artifact if document.side_effect_policy else None
    )
    return Overwrite(declared or "allowed")


def _retry(retry: d.Retry, findings: Findings) -> Retry:
    delay_us = duration.read(retry.delay) if retry.delay else RETRY_DELAY_US
    longest_us = (
        duration.read(retry.max_delay) if retry.max_delay else max(delay_us, RETRY_DELAY_US_MAX)
    )
    if longest_us < delay_us:
        findings.fault("/retry/max_delay", "is shorter than `delay`", "make it at least as long")
    return Retry(attempts_max=retry.attempts or 1, delay_us=delay_us, delay_us_max=longest_us)
