-- snapshot: what every attempt of a run reads
select run_id, fence, claim_id, source_set, base_commit, base_tree, observed_at_us, content, at_us
from snapshot
where run_id = :run_id

-- executions: the dispatches of a run, oldest first
select run_id, fence, part, claim_id, state, token, argv, prompt_sha256, boot_id, launcher_pid, launcher_ticks, pid,
  start_ticks, ending, exit_code, log_sha256, log_bytes, is_empty, started_at_us, ended_at_us
from execution
where run_id = :run_id
order by fence, started_at_us, part

-- effect: one effect
select effect_id, automation_id, window_key, action, identity, state, payload_sha256, payload, update_number,
  external_id, result, run_id, fence, since_us, created_at_us
from effect
where effect_id = :effect_id

-- effects_of_run: the effects that a run touched last or ever tried, oldest first
select effect_id, automation_id, window_key, action, identity, state, payload_sha256, payload, update_number,
  external_id, result, run_id, fence, since_us, created_at_us
from effect
where effect_id in (select effect_id from effect where run_id = :run_id
  union select effect_id from effect_call where run_id = :run_id)
order by created_at_us, effect_id

-- effects_of_window: the effects of a window, oldest first
select effect_id, automation_id, window_key, action, identity, state, payload_sha256, payload, update_number,
  external_id, result, run_id, fence, since_us, created_at_us
from effect
where automation_id = :automation_id and window_key = :window_key
order by created_at_us, effect_id

-- effect_calls: the tries at an effect, oldest first
select effect_id, update_number, run_id, fence, claim_id, payload_sha256, not_after_us, at_us
from effect_call
where effect_id = :effect_id
order by at_us, update_number, run_id, fence

-- resolve_effect: settle an open effect from outside a claim
update effect
set state = :state, external_id = :external_id, result = :result, since_us = :at
where effect_id = :effect_id and state in (:pending, :unknown) and update_number = :update_number
  and exists (select 1 from run
    where run_id = :run_id and version = :version and claim_id is null
      and automation_id = effect.automation_id /* lock row */)

-- artifacts: the result files of a run, oldest first
select run_id, fence, path, sha256, bytes, difference_sha256, at_us
from artifact
where run_id = :run_id
order by fence, path

-- newest_publication: what a path holds now
select workspace_id, path, number, automation_id, window_key, run_id, effect_id, sha256, previous_sha256, at_us
from publication
where workspace_id = :workspace_id and path = :path
order by number desc
limit 1

-- resolve_publication: note, by a person's word, the next replacement of a published file
insert into publication(workspace_id, path, number, automation_id, window_key, run_id, effect_id, sha256,
  previous_sha256, at_us)
select :workspace_id, :path, :number, :automation_id, :window_key, :run_id, :effect_id, :sha256, :previous_sha256,
  :at_us
from run
where run_id = :run_id and version = :version and claim_id is null and automation_id = :automation_id
  and :number = 1 + (select coalesce(max(number), 0) from publication
    where workspace_id = :workspace_id and path = :path) /* lock row */
on conflict do nothing

-- publications_of_run: what a run published, oldest first
select workspace_id, path, number, automation_id, window_key, run_id, effect_id, sha256, previous_sha256, at_us
from publication
where run_id = :run_id
order by at_us, path, number

-- late_reports: what holders of a run knew too late, oldest first
select run_id, fence, claim_id, number, verb, body, at_us
from late_report
where run_id = :run_id
order by at_us, fence, claim_id, number
