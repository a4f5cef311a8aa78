-- add_occurrence: answer a trigger, once
insert into occurrence(automation_id, occurrence_key, cause, disposition, reason, revision, run_id, window_key,
  due_at_us, last_due_at_us, last_slot_key, slot_count, actor, at_us)
values (:automation_id, :occurrence_key, :cause, :disposition, :reason, :revision, :run_id, :window_key, :due_at_us,
  :last_due_at_us, :last_slot_key, :slot_count, :actor, :at_us)
on conflict do nothing

-- add_open_join: note that a joined occurrence waits for its verdict
insert into open_join(at_us, automation_id, occurrence_key) values (:at_us, :automation_id, :occurrence_key)

-- occurrence: one occurrence
select automation_id, occurrence_key, cause, disposition, reason, revision, run_id, window_key, due_at_us,
  last_due_at_us, last_slot_key, slot_count, actor, at_us
from occurrence
where automation_id = :automation_id and occurrence_key = :occurrence_key

-- occurrence_covering: the newest of the last slots and ranges begun by an instant that reaches it
select automation_id, occurrence_key, cause, disposition, reason, revision, run_id, window_key, due_at_us,
  last_due_at_us, last_slot_key, slot_count, actor, at_us
from (
  select automation_id, occurrence_key, cause, disposition, reason, revision, run_id, window_key, due_at_us,
    last_due_at_us, last_slot_key, slot_count, actor, at_us
  from occurrence
  where automation_id = :automation_id and cause = 'timer' and due_at_us is not null and due_at_us <= :moment
  order by due_at_us desc
  -- Ranges of one automation are disjoint; only slots of an old and a new rule may share an instant.
  limit 8
) as nearest
where coalesce(last_due_at_us, due_at_us) >= :moment
order by due_at_us desc, at_us desc, occurrence_key desc
limit 1

-- occurrences: a page of an automation, newest first
select automation_id, occurrence_key, cause, disposition, reason, revision, run_id, window_key, due_at_us,
  last_due_at_us, last_slot_key, slot_count, actor, at_us
from occurrence
where automation_id = :automation_id and at_us <= :before
order by at_us desc, occurrence_key desc
limit :limit

-- occurrences_of_run: what a run answers for, oldest first
select automation_id, occurrence_key, cause, disposition, reason, revision, run_id, window_key, due_at_us,
  last_due_at_us, last_slot_key, slot_count, actor, at_us
from occurrence
where run_id is not null and run_id = :run_id
order by at_us, automation_id, occurrence_key

-- add_rerun_verdict: say what a joined occurrence came to, once
insert into rerun_verdict(automation_id, occurrence_key, run_id, verdict, reason, at_us)
values (:automation_id, :occurrence_key, :run_id, :verdict, :reason, :at_us)
on conflict do nothing

-- close_open_join: a joined occurrence waits no more
delete from open_join
where automation_id = :automation_id and occurrence_key = :occurrence_key
  and at_us = (select at_us from occurrence
    where automation_id = :automation_id and occurrence_key = :occurrence_key)

-- rerun_verdict: what a joined occurrence came to
select automation_id, occurrence_key, run_id, verdict, reason, at_us
from rerun_verdict
where automation_id = :automation_id and occurrence_key = :occurrence_key

-- unanswered_joins: joined occurrences without a verdict, oldest first
select occurrence.automation_id, occurrence.occurrence_key, occurrence.cause, occurrence.disposition,
  occurrence.reason, occurrence.revision, occurrence.run_id, occurrence.window_key, occurrence.due_at_us,
  occurrence.last_due_at_us, occurrence.last_slot_key, occurrence.slot_count, occurrence.actor, occurrence.at_us
from open_join join occurrence
  on occurrence.automation_id = open_join.automation_id and occurrence.occurrence_key = open_join.occurrence_key
order by open_join.at_us, open_join.automation_id, open_join.occurrence_key
limit :limit
