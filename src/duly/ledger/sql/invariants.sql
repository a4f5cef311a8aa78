-- What must never be found. Each statement returns the names of the rows that break its rule; `check` runs them all.

-- never_automation_without_its_revision: the current revision of every automation is there
select automation_id from automation
where not exists (select 1 from revision where revision.automation_id = automation.automation_id and revision.number = automation.revision)

-- never_occurrence_without_its_run: an occurrence that means work names a run
select occurrence.automation_id || ' ' || occurrence.occurrence_key from occurrence
where occurrence.run_id is not null and not exists (select 1 from run where run.run_id = occurrence.run_id)

-- never_run_without_its_pin: what a run is for stands beside where it stands
select run_id from run where not exists (select 1 from run_pin where run_pin.run_id = run.run_id)

-- never_pin_without_its_run: and the other way round
select run_id from run_pin where not exists (select 1 from run where run.run_id = run_pin.run_id)

-- never_claim_without_its_attempt: whoever holds a run was given it
select run_id from run
where claim_id is not null and not exists (select 1 from attempt
  where attempt.run_id = run.run_id and attempt.fence = run.fence and attempt.claim_id = run.claim_id)

-- never_attempt_ahead_of_its_run: no attempt carries a fence that its run has not reached
select attempt.run_id from attempt
where not exists (select 1 from run where run.run_id = attempt.run_id and run.fence >= attempt.fence)

-- never_execution_without_its_attempt: every dispatch belongs to a claim
select run_id from execution
where not exists (select 1 from attempt where attempt.run_id = execution.run_id
  and attempt.fence = execution.fence and attempt.claim_id = execution.claim_id)

-- never_call_without_its_effect: every try belongs to an intended change
select effect_id from effect_call where not exists (select 1 from effect where effect.effect_id = effect_call.effect_id)

-- never_completed_over_an_open_effect: a completed run left nothing outside in doubt
select effect.effect_id from effect join run on run.run_id = effect.run_id
where effect.state in ('pending','unknown') and run.state = 'completed'
