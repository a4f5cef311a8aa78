-- add_run_pin: fix what a run is for, unless its work identity has a run
insert into run_pin(run_id, automation_id, workspace_id, window_key, input_version, revision, cause, slot_key,
  due_at_us, span_start_us, span_end_us, is_caught_up, amends_run_id, redo_reason, redo_effects, created_at_us)
values (:run_id, :automation_id, :workspace_id, :window_key, :input_version, :revision, :cause, :slot_key, :due_at_us,
  :span_start_us, :span_end_us, :is_caught_up, :amends_run_id, :redo_reason, :redo_effects, :created_at_us)
on conflict do nothing

-- add_first_run_pin: fix what a run is for, unless its window has a run
insert into run_pin(run_id, automation_id, workspace_id, window_key, input_version, revision, cause, slot_key,
  due_at_us, span_start_us, span_end_us, is_caught_up, amends_run_id, redo_reason, redo_effects, created_at_us)
select :run_id, :automation_id, :workspace_id, :window_key, :input_version, :revision, :cause, :slot_key, :due_at_us,
  :span_start_us, :span_end_us, :is_caught_up, :amends_run_id, :redo_reason, :redo_effects, :created_at_us
where not exists (select 1 from run_pin where automation_id = :automation_id and window_key = :window_key)

-- add_run: add the run of a new pin
insert into run(run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority,
  behind_run_id, lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us,
  start_by_us, outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us)
values (:run_id, :automation_id, :state, :version, :state_since_us, :claimable_at_us, :is_caught_up, :priority,
  :behind_run_id, :lease_owner, :lease_until_us, :claim_id, :fence, :attempts, :cancel_actor, :wait_reason,
  :wait_since_us, :start_by_us, :outcome, :grade, :reason, :error_class, :may_live, :settled_at_us, :created_at_us)

-- run: one run
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where run_id = :run_id

-- run_ids_between: the first ids of runs in a range of text
select run_id
from run
where run_id >= :first and run_id < :behind
order by run_id
limit :limit

-- run_pin: what a run is for
select run_id, automation_id, workspace_id, window_key, input_version, revision, cause, slot_key, due_at_us,
  span_start_us, span_end_us, is_caught_up, amends_run_id, redo_reason, redo_effects, created_at_us
from run_pin
where run_id = :run_id

-- runs_of_automation: a page of the runs of an automation, newest first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where automation_id = :automation_id
  and created_at_us >= :since and (created_at_us, run_id) < (:before, :before_run_id)
  and state in (:state_0, :state_1, :state_2, :state_3, :state_4, :state_5,
    :state_6, :state_7, :state_8, :state_9, :state_10, :state_11)
order by created_at_us desc, run_id desc
limit :limit

-- runs_by_age: a page of all runs, newest first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where created_at_us >= :since and (created_at_us, run_id) < (:before, :before_run_id)
  and state in (:state_0, :state_1, :state_2, :state_3, :state_4, :state_5,
    :state_6, :state_7, :state_8, :state_9, :state_10, :state_11)
order by created_at_us desc, run_id desc
limit :limit

-- open_runs_by_age: a page of all open runs, newest first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where state <> 'completed' and state <> 'cancelled' and state <> 'failed'
  and created_at_us >= :since and (created_at_us, run_id) < (:before, :before_run_id)
  and state in (:state_0, :state_1, :state_2, :state_3, :state_4, :state_5,
    :state_6, :state_7, :state_8, :state_9, :state_10, :state_11)
order by created_at_us desc, run_id desc
limit :limit

-- newest_run: the newest run of an automation
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where automation_id = :automation_id
order by created_at_us desc, run_id desc
limit 1

-- runs_of_window: the runs of a window, newest first
select run_id, automation_id, workspace_id, window_key, input_version, revision, cause, slot_key, due_at_us,
  span_start_us, span_end_us, is_caught_up, amends_run_id, redo_reason, redo_effects, created_at_us
from run_pin
where automation_id = :automation_id and window_key = :window_key
order by created_at_us desc, run_id desc

-- open_runs: the runs of an automation that are not over, oldest first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where automation_id = :automation_id and state <> 'completed' and state <> 'cancelled' and state <> 'failed'
order by created_at_us, run_id

-- created_runs: a page of the runs that wait for a predecessor, oldest first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where state = 'created' and (created_at_us, run_id) > (:after, :after_run_id)
order by created_at_us, run_id
limit :limit

-- record_run: change a run whose version is the one read; the fence never falls
update run
set state = :state, state_since_us = :state_since_us, claimable_at_us = :claimable_at_us,
  is_caught_up = :is_caught_up, priority = :priority, behind_run_id = :behind_run_id, lease_owner = :lease_owner,
  lease_until_us = :lease_until_us, claim_id = :claim_id, attempts = :attempts, cancel_actor = :cancel_actor,
  wait_reason = :wait_reason, wait_since_us = :wait_since_us, start_by_us = :start_by_us, outcome = :outcome,
  grade = :grade, reason = :reason, error_class = :error_class, may_live = :may_live, settled_at_us = :settled_at_us,
  fence = :fence, version = version + 1
where run_id = :run_id and version = :version and fence <= :fence

-- overdue_runs: waiting runs whose start is overdue, longest overdue first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where start_by_us is not null and state in ('created','queued') and start_by_us <= :at
order by start_by_us, run_id
limit :limit

-- next_start_by: the earliest instant by which a waiting run must have started
select min(start_by_us) from run where start_by_us is not null and state in ('created','queued')
