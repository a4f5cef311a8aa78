"""Acceptance cases about claims, with real programs: kept as long as the work takes, and worth nothing once lost."""

import threading
from dataclasses import replace
from pathlib import Path

from duly.engine.requests import RunKeys
from duly.engine.settings import Settings
from duly.ledger.sqlite import check
from duly.model.instant import Instant
from duly.testkit.workbench import Options, Workbench
from duly.transactions.rescue import Rescue, rescue
from tests.node.jobs import REPORT, files, outcome, report, starts

SHORT = Settings(lease_us=300_000)


def take_away(tx, run_id):
    """Let the run's lease be over, and take it back from whoever works on it."""
    run = tx.run(run_id)
    assert run.claim_id is not None
    assert tx.record_run(replace(run, lease_until=Instant(tx.at)))
    command = Rescue(run_id=run_id, version=tx.run(run_id).version, actor="test")
    assert rescue(tx, command)


def facts(tx, run_id):
    return tx.run(run_id), tx.effects_of_run(run_id), tx.publications_of_run(run_id)


def test_case_a12_a_program_longer_than_its_lease_is_renewed_and_not_started_again(
    home, root, bell
):
    begun, go = bell("begun"), bell("go")
    with Workbench(home, Options(settings=SHORT)) as bench:
        bench.apply(report("safe", f"echo > {begun}; read x < {go}; {REPORT}"), root)
        run_id = bench.start("report")
        begun.wait()
        first = bench.ledger.read(lambda tx, run: tx.run(run).lease_until, run_id)
        until = first + 2 * SHORT.lease_us
        is_renewed = bench.engine.wait_until(
            lambda tx, run: tx.run(run).lease_until > until, run_id, (), 20_000_000
        )
        assert is_renewed
        go.ring()
        bench.settle()
        found = bench.show(run_id)
    assert (found.run.outcome, found.run.attempts, starts(root)) == ("completed", 1, 1)


def test_case_a13_a_program_whose_node_lost_the_claim_is_killed_before_the_next_starts(
    home, root, bell
):
    begun = bell("begun")
    script = f"test -e $DULY_CWDS/../once || {{ touch $DULY_CWDS/../once; echo $$ > {begun}; "
    script += f"sleep 600; }}; kill -0 $(cat $DULY_CWDS/../pid) 2>/dev/null && exit 9; {REPORT}"
    with Workbench(home) as bench:
        bench.apply(report("safe", script), root)
        run_id = bench.start("report")
        (root.parent / "pid").write_text(begun.wait())
        bench.ledger.write(take_away, run_id)
        found = bench.wait_for(run_id, "completed", "needs-review")
    assert (found.run.outcome, found.run.attempts, starts(root)) == ("completed", 2, 2)
    assert [one.ending for one in found.attempts] == ["lease_expired", "settled"]


def test_case_a13_what_a_lost_holder_published_is_kept_as_evidence_and_asks_a_person(home, root):
    seen = []

    def wrap(request, perform):
        def losing(asked):
            answer = perform(asked)
            bench.ledger.write(take_away, asked.part.pin.run_id)
            seen.append(bench.ledger.read(facts, asked.part.pin.run_id))
            return answer

        return losing if request.__name__ == "PublishFiles" and not seen else perform

    with Workbench(home, Options(wrap=wrap)) as bench:
        bench.apply(report("proven"), root)
        found = bench.run("report", window="2026-09-01")
        late = bench.ledger.read(lambda tx, run: tx.late_reports(run), found.run.id)
        events = bench.ask("runs.events", run_id=found.run.id).events
    (run, effects, publications), *_ = seen
    assert (run.claim_id, [one.state.value for one in effects]) == (None, ["pending"])
    assert publications == []
    kinds = [one.kind for one in events]
    after = kinds.index("run.late_report")
    assert "publications.settled" not in kinds[:after], "the loser changed nothing"
    assert [(one.verb, one.fence) for one in late] == [("settle_publications", 1)]
    assert outcome(found) == ("needs-review", "late_report")
    assert files(root) == {"reports/2026-09-01.md": "2026-09-01\n"}
    assert starts(root) == 1
    assert check.check(home / "ledger.db").faults == ()


def test_case_a13_a_result_after_the_claim_was_lost_does_not_settle_the_run(home, root):
    lost = []

    def survives(write):
        # Between the publication and the settlement, before the loser can hear of it.
        if write.fn.__name__ == "settle_publications" and not lost:
            lost.append(write.command.claim)
            bench.ledger.write(take_away, write.command.claim.run_id)
        return True

    with Workbench(home, Options(survives=survives)) as bench:
        bench.apply(report("proven"), root)
        found = bench.run("report")
        late = bench.ledger.read(lambda tx, run: tx.late_reports(run), found.run.id)
    assert [one.verb for one in late] == ["settle"]
    assert outcome(found) == ("needs-review", "late_report")
    assert (found.run.attempts, starts(root)) == (2, 1)


def test_files_too_late_for_their_holders_deadline_are_published_once_the_lease_is_renewed(
    home, root
):
    """The clock jumps past the lease while the files are on their way."""
    seen = []

    def wrap(request, perform):
        def late(asked):
            if not seen:
                bench.move(10 * 60_000_000)
            fates = perform(asked)
            seen.append(([one.fate.value for one in fates], files(root)))
            return fates

        return late if request.__name__ == "PublishFiles" else perform

    with Workbench(home, Options(wrap=wrap)) as bench:
        bench.apply(report("proven"), root)
        found = bench.run("report", window="2026-09-01")
    assert seen[0] == (["not_sent"], {})
    assert [fates for fates, _ in seen[1:]] == [["published"]]
    assert (found.run.outcome, starts(root)) == ("completed", 1)
    assert files(root) == {"reports/2026-09-01.md": "2026-09-01\n"}


def test_behind_a_bug_of_ours_the_program_that_has_ended_is_not_started_again(home, root):
    broken = []

    def wrap(request, perform):
        def breaking(asked):
            if not broken:
                broken.append(asked)
                raise AssertionError("a bug")
            return perform(asked)

        return breaking if request.__name__ == "Examine" else perform

    with Workbench(home, Options(wrap=wrap)) as bench:
        bench.apply(report("proven"), root)
        run_id = bench.start("report")
        bench.settle()
        bench.move(60_000_000)
        found = bench.wait_for(run_id, "completed", "needs-review")
        (death,) = bench.deaths
        bench.deaths.clear()
    assert repr(death.error) == repr(AssertionError("a bug"))
    assert (found.run.outcome, starts(root)) == ("completed", 1)
    assert [one.ending for one in found.attempts] == ["broken", "settled"]


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_at_its_own_deadline_the_program_stands_still_and_goes_on_once_the_lease_is_renewed(
    home, root, bell
):
    begun, go, blocking, free = bell("begun"), bell("go"), bell("blocking"), threading.Event()

    def block(_tx, _):
        blocking.ring()
        assert free.wait(20)

    with Workbench(home, Options(settings=SHORT)) as bench:
        bench.apply(report("safe", f"echo $$ > {begun}; read x < {go}; {REPORT}"), root)
        run_id = bench.start("report")
        agent = int(begun.wait())
        # While this write lasts, no other can be made: nobody renews, and nobody takes the run away.
        outage = threading.Thread(target=bench.ledger.write, args=(block, None))
        outage.start()
        blocking.wait()
        keys = (RunKeys(run_id=run_id).deadline,)
        try:
            stands = bench.engine.wait_until(
                lambda _tx, pid: state_of(pid) == "T", agent, keys, 20_000_000
            )
            assert stands
        finally:
            free.set()
            outage.join()
        go.ring()
        bench.settle()
        found = bench.show(run_id)
    assert (found.run.outcome, found.run.attempts, starts(root)) == ("completed", 1, 1)
