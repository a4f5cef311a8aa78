-- The first schema. `integer` is the one type token a dialect maps; `/* strict */` and `/* keyed */` are SQLite's table options.
-- Words are compared one by one: for an `in` of three or more SQLite would build a table for each row it writes.
-- Tables of narrow rows are kept in order of their key. Wide rows would leave such a tree four branches a page: they are
-- kept in order of their arrival, with an index.
-- What hangs where: docs/decisions/0001-tables-and-identity.md
-- sqlite schema 40f014fe7d920f8d9f156b7c93cf1dcd706e963d9d8851bce5a7a4937d30b17f

create table schema_meta(
  one integer not null primary key check (one = 1),
  version integer not null, min_reader integer not null, min_writer integer not null,
  application text not null check (application = 'duly'), migrated_at_us integer not null
) /* strict */;

create table setting(
  name text not null primary key, value text not null, at_us integer not null
) /* strict */;

create table workspace(
  workspace_id text not null primary key, zone text not null, created_at_us integer not null
) /* strict */;

create table automation(
  automation_id text not null primary key, workspace_id text not null, job_key text not null,
  state text not null check (state = 'active' or state = 'paused' or state = 'suspended' or state = 'deleted'),
  state_reason text, state_since_us integer not null, revision integer not null,
  next_due_us integer,
  mark_due_at_us integer not null, mark_slot_key text not null, mark_anchor text not null check (mark_anchor in ('W','E')), mark_zone text not null,
  version integer not null, told text, fault_kind text, fault_count integer not null,
  created_with text not null, created_at_us integer not null, updated_at_us integer not null,
  unique (workspace_id, job_key),
  check (state = 'active' or next_due_us is null)
) /* keyed */;
create index automation_due on automation(next_due_us, automation_id) where next_due_us is not null;

create table revision(
  automation_id text not null, number integer not null,
  timing text not null, work text not null,
  definition text not null, digest text not null, schema_version integer not null, tzdata text not null,
  actor text not null, created_at_us integer not null,
  primary key (automation_id, number)
) /* strict */;

create table path_owner(
  workspace_id text not null, path text not null, automation_id text not null, at_us integer not null,
  primary key (workspace_id, path)
) /* keyed */;
create index path_owner_automation on path_owner(automation_id, path);

create table occurrence(
  automation_id text not null, occurrence_key text not null,
  cause text not null check (cause = 'timer' or cause = 'manual' or cause = 'event' or cause = 'external'),
  disposition text not null check (disposition = 'started' or disposition = 'joined' or disposition = 'queued'
    or disposition = 'skipped' or disposition = 'missed' or disposition = 'refused'),
  reason text, revision integer not null, run_id text, window_key text,
  due_at_us integer, last_due_at_us integer, last_slot_key text, slot_count integer not null check (slot_count >= 0),
  actor text not null, at_us integer not null,
  primary key (automation_id, occurrence_key),
  check (disposition = 'skipped' or disposition = 'missed' or disposition = 'refused' or run_id is not null),
  check (last_due_at_us is null or (due_at_us is not null and last_due_at_us >= due_at_us))
) /* keyed */;
create index occurrence_newest on occurrence(automation_id, at_us, occurrence_key);
create index occurrence_due on occurrence(automation_id, due_at_us) where cause = 'timer' and due_at_us is not null;
create index occurrence_run on occurrence(run_id) where run_id is not null;

create table rerun_verdict(
  automation_id text not null, occurrence_key text not null, run_id text not null,
  verdict text not null, reason text, at_us integer not null,
  primary key (automation_id, occurrence_key)
) /* keyed */;

-- Joined occurrences that wait for their verdict: a queue beside the insert-only rows, so that finding them stays cheap.
create table open_join(
  at_us integer not null, automation_id text not null, occurrence_key text not null,
  primary key (at_us, automation_id, occurrence_key)
) /* keyed */;

create table run_pin(
  run_id text not null primary key, automation_id text not null, workspace_id text not null,
  window_key text not null, input_version text not null, revision integer not null,
  cause text not null, slot_key text, due_at_us integer, span_start_us integer not null, span_end_us integer not null,
  is_caught_up integer not null check (is_caught_up in (0,1)), amends_run_id text, redo_reason text, redo_effects text,
  created_at_us integer not null,
  unique (automation_id, window_key, input_version)
) /* keyed */;

create table run(
  run_id text not null primary key, automation_id text not null,
  state text not null check (state = 'created' or state = 'queued' or state = 'collecting' or state = 'analyzing'
    or state = 'reviewing' or state = 'awaiting_approval' or state = 'executing' or state = 'retrying'
    or state = 'blocked' or state = 'failed' or state = 'cancelled' or state = 'completed'),
  version integer not null, state_since_us integer not null,
  claimable_at_us integer, is_caught_up integer not null check (is_caught_up in (0,1)), priority integer not null, behind_run_id text,
  lease_owner text, lease_until_us integer, claim_id text, fence integer not null, attempts integer not null,
  cancel_actor text, wait_reason text, wait_since_us integer, start_by_us integer,
  outcome text check (outcome = 'completed' or outcome = 'no-change' or outcome = 'failed-before-write'
    or outcome = 'failed-after-write' or outcome = 'needs-review' or outcome = 'cancelled'),
  grade text check (grade = 'artifact' or grade = 'finish' or grade = 'verify' or grade = 'exit' or grade = 'declared'),
  reason text, error_class text,
  may_live integer not null check (may_live in (0,1)), settled_at_us integer, created_at_us integer not null,
  check ((claim_id is null) = (lease_owner is null) and (claim_id is null) = (lease_until_us is null)),
  check (claim_id is null or claimable_at_us is null),
  check (claimable_at_us is null or state = 'queued'),
  check (claim_id is null or state = 'collecting' or state = 'analyzing' or state = 'reviewing' or state = 'executing'),
  check ((state <> 'completed' and state <> 'cancelled' and state <> 'failed')
    or (claim_id is null and claimable_at_us is null and outcome is not null)),
  check (state <> 'completed' or outcome in ('completed','no-change')),
  check (state <> 'failed' or outcome = 'failed-before-write'),
  check (outcome not in ('completed','no-change') or state = 'completed'),
  check (outcome <> 'failed-before-write' or state in ('failed','cancelled')),
  check (outcome <> 'cancelled' or state = 'cancelled'),
  check (outcome not in ('failed-after-write','needs-review') or state in ('blocked','cancelled')),
  -- An unknown truth passes a check, so a missing reason has to be named.
  check (grade is null or grade <> 'declared' or outcome = 'failed-before-write'),
  check (outcome <> 'completed' or grade is not null or (reason is not null and reason = 'resolved'))
) /* keyed */;
-- Claiming steps through (is_caught_up, priority) by seeks, then takes a range of claimable_at_us in each.
create index run_claimable on run(is_caught_up, priority, claimable_at_us, run_id) where claimable_at_us is not null;
create index run_leased on run(lease_until_us, run_id) where claim_id is not null;
create index run_created on run(created_at_us, run_id) where state = 'created';
create index run_start_by on run(start_by_us, run_id) where start_by_us is not null and state in ('created','queued');
create index run_open on run(automation_id, created_at_us, run_id)
  where state <> 'completed' and state <> 'cancelled' and state <> 'failed';
create index run_open_by_age on run(created_at_us, run_id)
  where state <> 'completed' and state <> 'cancelled' and state <> 'failed';
create index run_newest on run(automation_id, created_at_us, run_id);
create index run_by_age on run(created_at_us, run_id);

create table snapshot(
  run_id text not null primary key, fence integer not null, claim_id text not null,
  source_set text not null, base_commit text, base_tree text, observed_at_us integer not null, content text not null, at_us integer not null
) /* strict */;

create table attempt(
  run_id text not null, fence integer not null, claim_id text not null, owner text not null, revision integer not null,
  claimed_at_us integer not null, ended_at_us integer, ending text,
  primary key (run_id, fence, claim_id),
  check ((ended_at_us is null) = (ending is null))
) /* keyed */;

create table execution(
  run_id text not null, fence integer not null, part text not null, claim_id text not null,
  state text not null check (state = 'intent' or state = 'dispatch_started' or state = 'attached' or state = 'settled'
    or state = 'not_started_proven' or state = 'outcome_unknown' or state = 'corrupt'),
  token text not null, argv text not null, prompt_sha256 text, boot_id text, launcher_pid integer, launcher_ticks integer, pid integer, start_ticks integer,
  ending text, exit_code integer, log_sha256 text, log_bytes integer, is_empty integer not null check (is_empty in (0,1)),
  started_at_us integer not null, ended_at_us integer,
  primary key (run_id, fence, part)
) /* keyed */;

create table effect(
  effect_id text not null primary key, automation_id text not null, window_key text not null, action text not null, identity text not null,
  state text not null check (state = 'pending' or state = 'succeeded' or state = 'failed' or state = 'unknown'),
  payload_sha256 text not null, payload text not null, update_number integer not null, external_id text, result text,
  run_id text not null, fence integer not null, since_us integer not null, created_at_us integer not null,
  check ((state = 'succeeded') = (external_id is not null))
) /* strict */;
create index effect_run on effect(run_id);
create index effect_window on effect(automation_id, window_key);

create table effect_call(
  effect_id text not null, update_number integer not null, run_id text not null, fence integer not null, claim_id text not null,
  payload_sha256 text not null, not_after_us integer not null, at_us integer not null,
  primary key (effect_id, update_number, run_id, fence)
) /* keyed */;
create index effect_call_run on effect_call(run_id);

create table publication(
  workspace_id text not null, path text not null, number integer not null,
  automation_id text not null, window_key text not null, run_id text not null, effect_id text not null,
  sha256 text not null, previous_sha256 text, at_us integer not null,
  primary key (workspace_id, path, number)
) /* keyed */;
create index publication_run on publication(run_id);

create table artifact(
  run_id text not null, fence integer not null, path text not null, sha256 text not null, bytes integer not null,
  difference_sha256 text, at_us integer not null,
  primary key (run_id, fence, path)
) /* keyed */;

create table late_report(
  run_id text not null, fence integer not null, claim_id text not null, number integer not null,
  verb text not null, body text not null, at_us integer not null,
  primary key (run_id, fence, claim_id, number)
) /* keyed */;

create table notice(
  notice_id text not null primary key, kind text not null, automation_id text not null, run_id text,
  body text not null, state text not null check (state = 'pending' or state = 'sent' or state = 'failed'),
  tries integer not null, next_try_us integer, detail text, created_at_us integer not null, ended_at_us integer,
  check ((state = 'pending') = (next_try_us is not null))
) /* strict */;
create index notice_pending on notice(next_try_us, notice_id) where next_try_us is not null;
create index notice_newest on notice(created_at_us, notice_id);

create table node(
  owner text not null primary key, host text not null, pid integer not null, boot_id text not null,
  started_at_us integer not null, seen_at_us integer not null, scanned_at_us integer, stopped_at_us integer, tzdata text not null
) /* strict */;

create table operation(
  operation_id text not null primary key, name text not null, request_sha256 text not null, result text not null,
  actor text not null, at_us integer not null
) /* strict */;

create table audit(
  scope text not null, seq integer not null, at_us integer not null, actor text not null, kind text not null, body text not null, hash text not null,
  primary key (scope, seq)
) /* strict */;
