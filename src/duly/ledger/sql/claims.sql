-- next_priority: the highest priority below one, among the runs that workers wait for
select max(priority) from run
where claimable_at_us is not null and is_caught_up = :is_caught_up and priority < :below

-- claim_runs: give up to :limit ready runs of one priority to :owner, each under its next fence
-- Claimed runs leave dead entries at the low end of the range until a vacuum. Where a long transaction holds that back,
-- a lower bound (the earliest claimable_at_us of the last look) would step over them; on SQLite there are none.
with ready as (
  select run_id from run
  where claimable_at_us is not null and is_caught_up = :is_caught_up and priority = :priority
    and claimable_at_us <= :at
  order by claimable_at_us, run_id
  limit :limit /* skip locked */
)
update run
set state = :collecting, state_since_us = :at, claimable_at_us = null, lease_owner = :owner, lease_until_us = :until,
  claim_id = :claim_id, fence = fence + 1, attempts = attempts + 1, wait_reason = null, wait_since_us = null,
  version = version + 1
where run_id in (select run_id from ready)
returning run_id, fence, automation_id, attempts, created_at_us

-- add_attempt: note one claim, with the revision that the run is pinned to
insert into attempt(run_id, fence, claim_id, owner, revision, claimed_at_us)
select :run_id, :fence, :claim_id, :owner, revision, :at
from run_pin
where run_id = :run_id

-- next_claimable_at: from when a run of one priority may be claimed
select min(claimable_at_us) from run
where claimable_at_us is not null and is_caught_up = :is_caught_up and priority = :priority

-- expired_runs: held runs whose lease is over, longest over first
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where claim_id is not null and lease_until_us <= :at
order by lease_until_us, run_id
limit :limit

-- next_expiry_at: the earliest end of a lease
select min(lease_until_us) from run where claim_id is not null

-- held_runs: runs that any other owner holds
select run_id, automation_id, state, version, state_since_us, claimable_at_us, is_caught_up, priority, behind_run_id,
  lease_owner, lease_until_us, claim_id, fence, attempts, cancel_actor, wait_reason, wait_since_us, start_by_us,
  outcome, grade, reason, error_class, may_live, settled_at_us, created_at_us
from run
where claim_id is not null and lease_owner <> :except_owner
order by lease_until_us, run_id

-- attempts: the claims of a run, oldest first
select run_id, fence, claim_id, owner, revision, claimed_at_us, ended_at_us, ending
from attempt
where run_id = :run_id
order by fence, claim_id
