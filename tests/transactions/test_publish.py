"""Publishing: pending before anything is written, recorded after, and never over what somebody else changed."""

import pytest

from duly.model.errors import ConflictError, LeaseLostError
from duly.model.instant import MINUTE_US
from duly.model.plan import Overwrite
from duly.model.reasons import Reason
from duly.model.states import EffectEvent, EffectState, Outcome, RunState, Verdict
from duly.policy.effects import Existing
from duly.policy.rerun import ArtifactFact
from duly.transactions import answer, operate, publish
from duly.transactions.execute import run_facts
from duly.transactions.operate import CancelRun, ResolveEffect, ResolveRun, ResumeRun
from duly.transactions.publish import (
    BeginPublications,
    FileChange,
    PublicationResult,
    SettlePublications,
)
from duly.transactions.rescue import rescue_orphans
from tests.transactions.world import timing

ROOT = "/srv/reports"


def change(path="latest.md", before=None, after="a1"):
    return FileChange(path=path, before_sha=before, after_sha=after, bytes=3, mode=0o644)


def begin(world, claimed, *files):
    command = BeginPublications(
        claim=claimed.claim, root=ROOT, files=files, not_after=world.now + MINUTE_US
    )
    return world.write(publish.begin_publications, command)


def settle(world, claimed, starts, event=EffectEvent.APPLY):
    results = tuple(
        PublicationResult(
            effect_id=start.effect.effect_id,
            event=event,
            external_id=publish.payload_of(start.effect).after
            if event is EffectEvent.APPLY
            else None,
        )
        for start in starts
    )
    command = SettlePublications(claim=claimed.claim, results=results)
    return world.write(publish.settle_publications, command)


@pytest.fixture
def automation(world):
    return world.create()


def next_run(world, day):
    world.at(f"2026-09-{day}T09:00").scan()
    return world.claim_one()


def test_a_file_is_pending_before_it_is_written_and_recorded_after(world, automation):
    claimed = next_run(world, 16)
    (start,) = begin(world, claimed, change())
    assert start.what is Existing.SEND
    effect = world.read("effect", start.effect.effect_id)
    assert effect.state is EffectState.PENDING
    assert len(world.read("effect_calls", effect.effect_id)) == 1
    assert settle(world, claimed, [start])
    assert world.read("effect", effect.effect_id).external_id == "a1"
    (published,) = world.read("publications_of_run", claimed.claim.run_id)
    assert (published.path, published.number, published.sha256) == (f"{ROOT}/latest.md", 1, "a1")


def test_a_run_never_ends_clean_over_an_open_effect(world, automation):
    claimed = next_run(world, 16)
    begin(world, claimed, change())
    run = world.settle(claimed)
    assert (run.state, run.reason) == (RunState.BLOCKED, Reason.EFFECT_UNKNOWN.value)


def test_an_unknown_fate_is_reconciled_by_the_next_attempt(world, automation):
    first = next_run(world, 16)
    begin(world, first, change())
    world.write(rescue_orphans, "node-2")
    second = world.claim_one("node-2")
    (again,) = begin(world, second, change())
    assert again.what is Existing.RECONCILE
    assert settle(world, second, [again], EffectEvent.REFUSE)
    (third,) = begin(world, second, change())
    assert third.what is Existing.SEND
    assert settle(world, second, [third])
    assert world.settle(second).state is RunState.COMPLETED
    (done,) = begin_again(world, second)
    assert done.state is EffectState.SUCCEEDED


def begin_again(world, claimed):
    return world.read("effects_of_run", claimed.claim.run_id)


def test_a_settled_publication_may_be_recorded_again(world, automation):
    claimed = next_run(world, 16)
    starts = begin(world, claimed, change())
    assert settle(world, claimed, starts)
    assert settle(world, claimed, starts)
    assert len(world.read("publications_of_run", claimed.claim.run_id)) == 1
    (known,) = begin(world, claimed, change())
    assert known.what is Existing.RECORDED


def test_a_lost_claim_begins_nothing_and_leaves_a_late_report(world, automation):
    stale = next_run(world, 16)
    starts = begin(world, stale, change())
    world.write(rescue_orphans, "node-2")
    with pytest.raises(LeaseLostError):
        begin(world, stale, change("other.md"))
    assert not settle(world, stale, starts)
    assert world.read("effect", starts[0].effect.effect_id).state is EffectState.PENDING
    (report,) = world.read("late_reports", stale.claim.run_id)
    assert report.verb == "settle_publications"
    assert [notice.kind for notice in world.read("notices", 10)] == ["needs_review"]


def amended(world, automation, **changes):
    """Return the claim of a run that amends the completed one of 2026-09-16."""
    first = next_run(world, 16)
    settle(world, first, begin(world, first, change()))
    world.settle(first)
    world.run_now(automation, "again", window="2026-09-16", **changes)
    return world.claim_one()


def test_an_amended_window_updates_its_artifact_by_compare_and_set(world, automation):
    claimed = amended(world, automation, input_version="v2")
    assert world.pin(claimed.claim.run_id).amends_run_id is not None
    (start,) = begin(world, claimed, change(before="a1", after="a2"))
    assert (start.what, start.effect.update_number) == (Existing.UPDATE, 2)
    assert settle(world, claimed, [start])
    newest = world.read("newest_publication", "default", f"{ROOT}/latest.md")
    assert (newest.number, newest.sha256, newest.previous_sha256) == (2, "a2", "a1")


def test_a_published_file_that_somebody_changed_is_not_overwritten(world, automation):
    claimed = amended(world, automation, input_version="v2")
    starts = begin(
        world, claimed, change(before="by hand", after="a2"), change("new.md", after="n1")
    )
    assert [start.what for start in starts] == [Existing.REVIEW, Existing.SEND]
    assert starts[0].reason is Reason.EFFECT_ALTERED
    # One file that needs a person: none is begun.
    assert world.read("effect", starts[1].effect.effect_id) is None


def test_a_second_publication_is_refused_where_overwriting_is_denied(world):
    automation = world.create(overwrite=Overwrite.DENIED)
    claimed = amended(world, automation, input_version="v2")
    (start,) = begin(world, claimed, change(before="a1", after="a2"))
    assert (start.what, start.reason) == (Existing.REVIEW, Reason.PUBLICATION_REFUSED)


def test_a_redo_that_keeps_recorded_effects_publishes_nothing_again(world, automation):
    claimed = amended(world, automation, redo="wrong figures", effects="recorded")
    assert world.pin(claimed.claim.run_id).input_version == "0+redo.1"
    (start,) = begin(world, claimed, change(before="a1", after="a2"))
    assert start.what is Existing.RECORDED


def test_a_path_that_became_another_automations_is_not_written(world, automation):
    claimed = next_run(world, 16)
    world.create(timing(), job_key="other", paths=(f"{ROOT}/latest.md",))
    (start,) = begin(world, claimed, change())
    assert (start.what, start.reason) == (Existing.REVIEW, Reason.PATH_OWNED)


def test_a_file_in_scope_that_would_be_another_automations_result_is_not_written(world, automation):
    claimed = next_run(world, 16)
    world.create(timing(), job_key="other", paths=(f"{ROOT}/{{window}}.md",))
    (start,) = begin(world, claimed, change("2026-09-16.md"))
    assert (start.what, start.reason) == (Existing.REVIEW, Reason.PATH_OWNED)
    (free,) = begin(world, claimed, change("weekly.md"))
    assert free.what is Existing.SEND


def test_a_pattern_that_may_come_to_name_an_owned_path_is_refused(world):
    world.create(job_key="daily", paths=(f"{ROOT}/{{window}}.md",))
    with pytest.raises(ConflictError, match="'daily' as"):
        world.create(job_key="other", paths=(f"{ROOT}/2026-09-16.md",))
    world.create(job_key="weekly", paths=(f"{ROOT}/weekly-{{window}}.md",))


def test_case_a25_an_earlier_window_of_a_latest_file_stands_by_the_record(world, automation):
    runs = []
    before = None
    for day in (16, 17, 18):
        claimed = next_run(world, day)
        after = f"bytes of {day}"
        settle(world, claimed, begin(world, claimed, change(before=before, after=after)))
        runs.append(world.settle(claimed).run_id)
        before = after
    asked = world.run_now(automation, "first again", window="2026-09-16")
    assert asked.run_id == runs[0]
    facts = world.ledger.read(answer.join_facts, asked.occurrence)
    assert (facts.files, facts.is_replaced) == ((), True)
    assert world.verdict(asked.occurrence) is Verdict.REUSE
    newest = world.run_now(automation, "third again", window="2026-09-18")
    facts = world.ledger.read(answer.join_facts, newest.occurrence)
    assert facts.files == ((f"{ROOT}/latest.md", "bytes of 18"),)
    assert world.verdict(newest.occurrence, ArtifactFact.INTACT) is Verdict.REUSE


def days_of_a_latest_file(world, *days):
    before = None
    for day in days:
        claimed = next_run(world, day)
        after = f"bytes of {day}"
        settle(world, claimed, begin(world, claimed, change(before=before, after=after)))
        world.settle(claimed)
        before = after
    return before


def test_an_earlier_windows_redo_leaves_the_later_windows_result_in_its_place(world):
    automation = world.create(result_artifact="latest.md")
    standing = days_of_a_latest_file(world, 16, 17)
    world.run_now(automation, "again", window="2026-09-16", redo="anew", effects="update")
    claimed = world.claim_one()
    (start,) = begin(world, claimed, change(before=standing, after="anew"))
    assert (start.what, start.later_window) == (Existing.SUPERSEDED, "2026-09-17")
    assert world.read("effect", start.effect.effect_id).external_id == "bytes of 16"
    assert world.settle(claimed).state is RunState.COMPLETED


def test_a_late_first_run_of_an_earlier_window_leaves_the_later_windows_result_too(world):
    automation = world.create(result_artifact="latest.md")
    standing = days_of_a_latest_file(world, 17)
    world.run_now(automation, "late", window="2026-09-16")
    (start,) = begin(world, world.claim_one(), change(before=standing, after="late"))
    assert (start.what, start.later_window) == (Existing.SUPERSEDED, "2026-09-17")


@pytest.mark.parametrize(
    ("before", "what"), [("bytes of 17", Existing.UPDATE), ("by hand", Existing.REVIEW)]
)
def test_a_shared_file_that_is_no_result_is_compared_with_its_last_publication(world, before, what):
    automation = world.create(result_artifact="{window}.md")
    days_of_a_latest_file(world, 16, 17)
    world.run_now(automation, "again", window="2026-09-16", redo="anew", effects="update")
    (start,) = begin(world, world.claim_one(), change(before=before, after="anew"))
    assert start.what is what


@pytest.mark.parametrize("found", [ArtifactFact.MISSING, ArtifactFact.ALTERED])
def test_a_missing_or_altered_artifact_is_an_item_for_review_and_the_run_stays(
    world, automation, found
):
    claimed = next_run(world, 16)
    settle(world, claimed, begin(world, claimed, change()))
    run = world.settle(claimed)
    asked = world.run_now(automation, "again")
    assert world.verdict(asked.occurrence, found) is Verdict.REVIEW_ARTIFACT
    assert world.run(run.run_id) == run
    assert [notice.kind for notice in world.read("notices", 10)] == ["needs_review"]
    # The verdict is given once.
    assert world.verdict(asked.occurrence, ArtifactFact.INTACT) is Verdict.REVIEW_ARTIFACT
    assert world.read("unanswered_joins", 10) == []


def blocked_with_open_effect(world):
    claimed = next_run(world, 16)
    (start,) = begin(world, claimed, change())
    return world.settle(claimed, Outcome.NEEDS_REVIEW), start.effect


def test_a_redo_over_open_effects_is_refused(world, automation):
    blocked_with_open_effect(world)
    with pytest.raises(ConflictError, match="became of"):
        world.run_now(automation, "again", redo="again", effects="update")


def test_a_person_says_what_became_of_an_effect_and_then_of_the_run(world, automation):
    run, effect = blocked_with_open_effect(world)
    done = ResolveRun(run_id=run.run_id, outcome=Outcome.COMPLETED, note="looked", actor="ann")
    cancel = CancelRun(run_id=run.run_id, actor="ann", reason="no longer wanted")
    for fn, command in ((operate.resolve_run, done), (operate.cancel_run, cancel)):
        with pytest.raises(ConflictError, match="became of"):
            world.write(fn, command)
    happened = ResolveEffect(
        effect_id=effect.effect_id, external_id="a1", note="it is there", actor="ann"
    )
    resolved = world.write(operate.resolve_effect, happened)
    assert (resolved.state, resolved.external_id) == (EffectState.SUCCEEDED, "a1")
    settled = world.write(operate.resolve_run, done)
    assert (settled.state, settled.outcome, settled.grade) == (
        RunState.COMPLETED,
        Outcome.COMPLETED,
        None,
    )
    assert settled.reason == Reason.RESOLVED.value
    kinds = world.audit_kinds(f"run:{run.run_id}")
    assert kinds[-2:] == ["effect.resolved", "run.complete"]


def test_a_publication_that_a_person_vouches_for_is_the_paths_last_one(world, automation):
    run, effect = blocked_with_open_effect(world)
    happened = ResolveEffect(
        effect_id=effect.effect_id, external_id="said by a person", note="seen", actor="ann"
    )
    assert world.write(operate.resolve_effect, happened).external_id == "a1"
    newest = world.read("newest_publication", "default", f"{ROOT}/latest.md")
    assert (newest.number, newest.sha256, newest.run_id) == (1, "a1", run.run_id)
    entry = world.read("audit_events", f"run:{run.run_id}", 0, 1000)[-1]
    assert entry.actor == "ann"
    assert '"note":"seen"' in entry.body and f'"path":"{ROOT}/latest.md"' in entry.body
    # A later redo compares with it.
    done = ResolveRun(run_id=run.run_id, outcome=Outcome.COMPLETED, note="looked", actor="ann")
    world.write(operate.resolve_run, done)
    world.run_now(automation, "again", window="2026-09-16", redo="again", effects="update")
    (start,) = begin(world, world.claim_one(), change(before="a1", after="a2"))
    assert start.what is Existing.UPDATE


def test_a_publication_that_did_not_happen_is_none(world, automation):
    _, effect = blocked_with_open_effect(world)
    command = ResolveEffect(effect_id=effect.effect_id, external_id=None, note="", actor="ann")
    world.write(operate.resolve_effect, command)
    assert world.read("newest_publication", "default", f"{ROOT}/latest.md") is None


def test_what_was_published_since_stays_the_paths_last_publication(world, automation):
    _, effect = blocked_with_open_effect(world)
    later = next_run(world, 17)
    settle(world, later, begin(world, later, change(before="a1", after="b1")))
    command = ResolveEffect(effect_id=effect.effect_id, external_id="a1", note="", actor="ann")
    world.write(operate.resolve_effect, command)
    newest = world.read("newest_publication", "default", f"{ROOT}/latest.md")
    assert (newest.number, newest.sha256) == (1, "b1")


def test_an_effect_of_a_held_run_is_its_holders(world, automation):
    claimed = next_run(world, 16)
    (start,) = begin(world, claimed, change())
    command = ResolveEffect(
        effect_id=start.effect.effect_id, external_id=None, note="", actor="ann"
    )
    with pytest.raises(ConflictError, match="holds"):
        world.write(operate.resolve_effect, command)


def test_a_resumed_run_is_vouched_for_until_its_attempt_ends(world, automation):
    claimed = next_run(world, 16)
    run = world.settle(claimed, Outcome.NEEDS_REVIEW)
    command = ResumeRun(run_id=run.run_id, actor="ann", reason="looked")
    resumed = world.write(operate.resume_run, command)
    assert (resumed.state, resumed.outcome) == (RunState.QUEUED, None)
    again = world.claim_one()
    assert world.ledger.read(run_facts, run.run_id).is_vouched
    world.write(rescue_orphans, "node-2")
    world.claim_one("node-2")
    assert not world.ledger.read(run_facts, run.run_id).is_vouched
    assert again.claim.run_id == run.run_id
