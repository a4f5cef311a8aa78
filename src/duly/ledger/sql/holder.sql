-- is_held: say whether a claim still stands
select 1 from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id /* lock row */

-- renew_lease: move the end of a lease
update run
set lease_until_us = :until
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id

-- record_held_run: set everything about a held run but its identity and fence
update run
set state = :state, state_since_us = :state_since_us, claimable_at_us = :claimable_at_us,
  is_caught_up = :is_caught_up, priority = :priority, behind_run_id = :behind_run_id, lease_owner = :lease_owner,
  lease_until_us = :lease_until_us, claim_id = :claim_id, attempts = :attempts, cancel_actor = :cancel_actor,
  wait_reason = :wait_reason, wait_since_us = :wait_since_us, start_by_us = :start_by_us, outcome = :outcome,
  grade = :grade, reason = :reason, error_class = :error_class, may_live = :may_live, settled_at_us = :settled_at_us,
  version = version + 1
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id
  and run_id = :run_id and fence = :fence

-- end_attempt: close the attempt of a claim, once
update attempt
set ended_at_us = :at, ending = :ending
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id and ended_at_us is null
  and exists (select 1 from run
    where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id /* lock row */)

-- add_snapshot: freeze what every attempt of a run reads, once
insert into snapshot(run_id, fence, claim_id, source_set, base_commit, base_tree, observed_at_us, content, at_us)
select :run_id, :fence, :claim_id, :source_set, :base_commit, :base_tree, :observed_at_us, :content, :at_us
from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id /* lock row */
on conflict do nothing

-- add_execution: note one dispatch before it is made
insert into execution(run_id, fence, part, claim_id, state, token, argv, prompt_sha256, boot_id, launcher_pid,
  launcher_ticks, pid, start_ticks, ending, exit_code, log_sha256, log_bytes, is_empty, started_at_us, ended_at_us)
select :run_id, :fence, :part, :claim_id, :state, :token, :argv, :prompt_sha256, :boot_id, :launcher_pid,
  :launcher_ticks, :pid, :start_ticks, :ending, :exit_code, :log_sha256, :log_bytes, :is_empty, :started_at_us,
  :ended_at_us
from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id /* lock row */
on conflict do nothing

-- record_execution: set what is known of a dispatch of this run, of an earlier attempt too
update execution
set state = :state, boot_id = :boot_id, launcher_pid = :launcher_pid, launcher_ticks = :launcher_ticks, pid = :pid,
  start_ticks = :start_ticks, ending = :ending, exit_code = :exit_code, log_sha256 = :log_sha256,
  log_bytes = :log_bytes, is_empty = :is_empty, ended_at_us = :ended_at_us
where run_id = :run_id and fence = :fence and part = :part and run_id = :held_run_id
  and exists (select 1 from run
    where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id /* lock row */)

-- add_effect: note an intended change of the outside world, once
insert into effect(effect_id, automation_id, window_key, action, identity, state, payload_sha256, payload,
  update_number, external_id, result, run_id, fence, since_us, created_at_us)
select :effect_id, :automation_id, :window_key, :action, :identity, :state, :payload_sha256, :payload, :update_number,
  :external_id, :result, :run_id, :fence, :since_us, :created_at_us
from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id
  and automation_id = :automation_id /* lock row */
on conflict do nothing

-- record_effect: set what is known of an effect; a success gives way to a higher update number only
update effect
set state = :state, payload_sha256 = :payload_sha256, payload = :payload, update_number = :update_number,
  external_id = :external_id, result = :result, run_id = :run_id, fence = :fence, since_us = :since_us
where effect_id = :effect_id
  and (update_number < :update_number or update_number = :update_number and state <> :succeeded)
  and exists (select 1 from run
    where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id
      and automation_id = effect.automation_id /* lock row */)

-- add_effect_call: note one try at a pending effect before it is made
insert into effect_call(effect_id, update_number, run_id, fence, claim_id, payload_sha256, not_after_us, at_us)
select :effect_id, :update_number, :run_id, :fence, :claim_id, :payload_sha256, :not_after_us, :at_us
from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id
  and exists (select 1 from effect
    where effect_id = :effect_id and update_number = :update_number and state = :pending
      and automation_id = run.automation_id) /* lock row */
on conflict do nothing

-- add_artifact: note a verified result file, once
insert into artifact(run_id, fence, path, sha256, bytes, difference_sha256, at_us)
select :run_id, :fence, :path, :sha256, :bytes, :difference_sha256, :at_us
from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id /* lock row */
on conflict do nothing

-- add_publication: note the next replacement of a published file
insert into publication(workspace_id, path, number, automation_id, window_key, run_id, effect_id, sha256,
  previous_sha256, at_us)
select :workspace_id, :path, :number, :automation_id, :window_key, :run_id, :effect_id, :sha256, :previous_sha256,
  :at_us
from run
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id
  and automation_id = :automation_id
  and :number = 1 + (select coalesce(max(number), 0) from publication
    where workspace_id = :workspace_id and path = :path) /* lock row */
on conflict do nothing

-- add_late_report: keep what a holder knows after it lost its claim
insert into late_report(run_id, fence, claim_id, number, verb, body, at_us)
select :held_run_id, :held_fence, :held_claim_id, coalesce(max(number), 0) + 1, :verb, :body, :at
from late_report
where run_id = :held_run_id and fence = :held_fence and claim_id = :held_claim_id
