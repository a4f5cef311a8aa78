"""What happens beside the runs: joined occurrences are answered, people are told, leftovers are removed."""

from dataclasses import replace
from typing import Any

from duly.adapters.work.requests import FileFound, ListStages, ReadBack, RemoveStage, Tell, Telling
from duly.adapters.zones import Zones
from duly.engine.answerer import fact_of
from duly.engine.janitor import over
from duly.engine.node import Node, TellBy
from duly.engine.requests import Write, surely
from duly.model.instant import MINUTE_US, SECOND_US, Instant
from duly.model.records import Notice
from duly.model.run import Artifact, ClaimedRun
from duly.model.states import Disposition, NoticeState, Verdict
from duly.policy.rerun import ArtifactFact
from duly.transactions.admit_manual import RunNow, run_now
from duly.transactions.settle import settle
from tests.engine.parts import WORK, Bench, completed, define, failed, idle, soon, telling

MADE = "ab" * 32


def ask(bench: Bench, automation_id: str, key: str) -> Any:
    command = RunNow(
        automation_id=automation_id,
        key=key,
        window_key="2026-01-01T0005Z",
        input_version=None,
        redo_reason=None,
        redo_effects=None,
        actor="ann",
        zones=Zones(),
    )
    return bench.ledger.write(run_now, command)


def making(node: Node, claimed: ClaimedRun) -> Any:
    artifact = Artifact(
        run_id=claimed.claim.run_id,
        fence=claimed.claim.fence,
        path="report.md",
        sha256=MADE,
        bytes=1,
        difference_sha256=None,
        at=0,
    )
    yield from surely(Write(settle, replace(completed(claimed), artifacts=(artifact,))))


def failing(node: Node, claimed: ClaimedRun) -> Any:
    yield from surely(Write(settle, failed(claimed)))


def verdict_of(bench: Bench, automation_id: str, key: str) -> Any:
    return bench.read(lambda tx: tx.rerun_verdict(automation_id, f"manual:{key}"))


def asked_again(bench: Bench, found: FileFound | None) -> Any:
    """Ask twice for the same window; the second time its artifact is found so."""
    looked: list[ReadBack] = []

    def read_back(request: ReadBack) -> tuple[FileFound, ...]:
        looked.append(request)
        return () if found is None else (found,)

    automation_id = define(bench.ledger, "each-five", work=replace(WORK, root="/data"))
    bench.clock.jump(5 * MINUTE_US)
    performers = {**bench.performers(), ReadBack: read_back}
    with bench.running(bench.node(making), performers=performers) as engine:
        idle(engine)
        answer = ask(bench, automation_id, "again")
        assert answer.occurrence.disposition is Disposition.JOINED
        soon(engine, lambda tx: not tx.unanswered_joins(1), "joined")
    assert looked == [ReadBack(root="/data", paths=("report.md",))]
    return verdict_of(bench, automation_id, "again")


def test_a_window_asked_for_again_is_reused_when_its_artifact_is_intact(bench: Bench):
    found = FileFound(path="report.md", sha256=MADE, trouble=None)
    assert asked_again(bench, found).verdict is Verdict.REUSE


def test_a_window_asked_for_again_is_reviewed_when_its_artifact_was_altered(bench: Bench):
    found = FileFound(path="report.md", sha256="cd" * 32, trouble=None)
    assert asked_again(bench, found).verdict is Verdict.REVIEW_ARTIFACT


def test_a_window_asked_for_again_is_reviewed_when_its_artifact_is_gone(bench: Bench):
    found = FileFound(path="report.md", sha256=None, trouble=None)
    assert asked_again(bench, found).verdict is Verdict.REVIEW_ARTIFACT


def test_a_file_that_cannot_be_read_back_is_not_taken_for_intact():
    link = FileFound(path="report.md", sha256=None, trouble="a symbolic link")
    assert fact_of(link, MADE) is ArtifactFact.ALTERED
    assert fact_of(None, MADE) is ArtifactFact.MISSING


def notices(bench: Bench) -> list[Any]:
    return list(bench.read(lambda tx: tx.notices(10)))


def test_somebody_is_told_of_a_failure_by_the_definitions_command(bench: Bench):
    define(bench.ledger, "each-five", work=replace(WORK, notify=("mail", "ann")))
    bench.clock.jump(5 * MINUTE_US)
    with bench.running(bench.node(failing)) as engine:
        idle(engine)
    (told,) = bench.told
    assert told.argv == ("mail", "ann")
    (notice,) = notices(bench)
    assert (notice.state, notice.tries) == (NoticeState.SENT, 1)


def test_somebody_is_told_by_the_nodes_default_where_a_definition_says_nothing(bench: Bench):
    define(bench.ledger, "each-five")
    bench.clock.jump(5 * MINUTE_US)
    node = bench.node(failing, tell_by=TellBy(url="https://example.org/ping"))
    with bench.running(node) as engine:
        idle(engine)
    assert [told.url for told in bench.told] == ["https://example.org/ping"]


def test_nobody_to_tell_is_recorded_and_not_tried_again(bench: Bench):
    define(bench.ledger, "each-five")
    bench.clock.jump(5 * MINUTE_US)
    with bench.running(bench.node(failing)) as engine:
        idle(engine)
    (notice,) = notices(bench)
    assert (notice.state, bench.told) == (NoticeState.FAILED, [])
    assert "DULY_NOTIFY" in notice.detail


def test_telling_that_fails_is_tried_again_later_and_then_given_up(bench: Bench):
    tries: list[Tell] = []

    def refuse(request: Tell) -> Telling:
        tries.append(request)
        if len(tries) == 1:
            raise TimeoutError("nobody answers")
        return telling("false")

    bench.settings = replace(bench.settings, notice_tries_max=3, notice_retry_us=SECOND_US)
    define(bench.ledger, "each-five", work=replace(WORK, notify=("mail", "ann")))
    bench.clock.jump(5 * MINUTE_US)
    performers = {**bench.performers(), Tell: refuse}
    with bench.running(bench.node(failing), performers=performers) as engine:
        for number in range(1, 4):
            soon(engine, lambda tx, n=number: tx.notices(1) and tx.notices(1)[0].tries == n)
            bench.clock.jump(10 * SECOND_US)
            engine.poke()
    (notice,) = notices(bench)
    assert (notice.state, notice.tries, notice.detail) == (NoticeState.FAILED, 3, "false exited 1")
    assert len({try_.notice_id for try_ in tries}) == 1


def note(bench: Bench, automation_id: str, number: int, tries: int = 0) -> None:
    at = bench.clock.read().at
    notice = Notice(
        notice_id=f"n_{automation_id}_{number:05d}",
        kind="failed",
        automation_id=automation_id,
        run_id=None,
        body="{}",
        state=NoticeState.PENDING,
        tries=tries,
        next_try=Instant(at - SECOND_US + number),
        detail=None,
        created_at=at,
        ended_at=None,
    )
    bench.ledger.write(lambda tx, _: tx.add_notice(notice), None)


def test_nobody_starves_behind_more_than_a_thousand_notices_that_keep_failing(bench: Bench):
    loud = define(bench.ledger, "loud", work=replace(WORK, notify=("mail", "loud")))
    quiet = define(bench.ledger, "quiet", work=replace(WORK, notify=("mail", "quiet")))
    for number in range(1_100):
        note(bench, loud, number, tries=number % 2)
    note(bench, quiet, 2_000)

    def answer(request: Tell) -> Telling:
        bench.told.append(request)
        return telling("true" if request.argv[1] == "quiet" else "false")

    def is_told(tx: Any) -> bool:
        return tx.notice(f"n_{quiet}_02000").state is NoticeState.SENT

    with bench.running(bench.node(), performers={**bench.performers(), Tell: answer}) as engine:
        soon(engine, is_told, "worked")
    assert "quiet" in [request.argv[1] for request in bench.told[:3]]


def test_no_more_notices_than_the_limit_are_told_at_a_time(bench: Bench):
    bench.settings = replace(bench.settings, notice_limit=2)
    for number in range(4):
        work = replace(WORK, notify=("mail", "ann"))
        note(bench, define(bench.ledger, f"job-{number}", work=work), number)

    def answer(request: Tell) -> Telling:
        bench.told.append(request)
        return telling("sleep", "600")

    with bench.running(bench.node(), performers={**bench.performers(), Tell: answer}) as engine:
        soon(engine, lambda _: len(bench.told) == 2, "worked")
        assert engine.drain(60 * SECOND_US)
    assert len(bench.told) == 2
    assert {notice.tries for notice in notices(bench)} == {0}


def test_working_copies_of_runs_that_are_over_are_removed_and_of_no_others(bench: Bench):
    removed: list[str] = []
    define(bench.ledger, "each-five")
    bench.clock.jump(5 * MINUTE_US)
    with bench.running(bench.node()) as engine:
        idle(engine)
    (run,) = bench.runs()
    stages = (run.run_id, "r_unknown")
    performers = {
        **bench.performers(),
        ListStages: lambda _: stages,
        RemoveStage: lambda request: removed.append(request.run_id),
    }
    bench.settings = replace(bench.settings, tidy_every_us=100_000)
    with bench.running(bench.node(), performers=performers) as engine:
        soon(engine, lambda _: bool(removed))
    assert set(removed) == {run.run_id}
    assert bench.read(lambda tx: over(tx, stages)) == (run.run_id,)
