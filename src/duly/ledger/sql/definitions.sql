-- add_workspace: add a workspace once
insert into workspace(workspace_id, zone, created_at_us)
values (:workspace_id, :zone, :created_at_us)
on conflict do nothing

-- workspace: one workspace
select workspace_id, zone, created_at_us
from workspace
where workspace_id = :workspace_id

-- add_automation: add an automation, unless its id or its name in the workspace is taken
insert into automation(automation_id, workspace_id, job_key, state, state_reason, state_since_us, revision,
  next_due_us, mark_due_at_us, mark_slot_key, mark_anchor, mark_zone, version, told, fault_kind, fault_count,
  created_with, created_at_us, updated_at_us)
values (:automation_id, :workspace_id, :job_key, :state, :state_reason, :state_since_us, :revision, :next_due_us,
  :mark_due_at_us, :mark_slot_key, :mark_anchor, :mark_zone, :version, :told, :fault_kind, :fault_count,
  :created_with, :created_at_us, :updated_at_us)
on conflict do nothing

-- automation: one automation
select automation_id, workspace_id, job_key, state, state_reason, state_since_us, revision, next_due_us,
  mark_due_at_us, mark_slot_key, mark_anchor, mark_zone, version, told, fault_kind, fault_count, created_with,
  created_at_us, updated_at_us
from automation
where automation_id = :automation_id

-- automation_named: the automation of a name
select automation_id, workspace_id, job_key, state, state_reason, state_since_us, revision, next_due_us,
  mark_due_at_us, mark_slot_key, mark_anchor, mark_zone, version, told, fault_kind, fault_count, created_with,
  created_at_us, updated_at_us
from automation
where workspace_id = :workspace_id and job_key = :job_key

-- automations: a page of a workspace, in order of job_key
select automation_id, workspace_id, job_key, state, state_reason, state_since_us, revision, next_due_us,
  mark_due_at_us, mark_slot_key, mark_anchor, mark_zone, version, told, fault_kind, fault_count, created_with,
  created_at_us, updated_at_us
from automation
where workspace_id = :workspace_id and job_key > :after_job_key
order by job_key
limit :limit

-- record_automation: change an automation whose version is the one read; the watermark never falls
update automation
set state = :state, state_reason = :state_reason, state_since_us = :state_since_us, revision = :revision,
  next_due_us = :next_due_us, mark_due_at_us = :mark_due_at_us, mark_slot_key = :mark_slot_key,
  mark_anchor = :mark_anchor, mark_zone = :mark_zone, told = :told, fault_kind = :fault_kind,
  fault_count = :fault_count, updated_at_us = :updated_at_us,
  version = version + 1
where automation_id = :automation_id and version = :version and mark_due_at_us <= :mark_due_at_us

-- due_automations: automations due by now, longest due first, each with the timing of its revision; all, or those by elapsed time
select automation.automation_id, automation.workspace_id, automation.revision, automation.mark_due_at_us,
  automation.mark_slot_key, automation.mark_anchor, automation.mark_zone, automation.version,
  case when exists (select 1 from run where run.automation_id = automation.automation_id
    and run.state <> 'completed' and run.state <> 'cancelled' and run.state <> 'failed') then 1 else 0 end,
  revision.timing
from automation join revision
  on revision.automation_id = automation.automation_id and revision.number = automation.revision
where automation.next_due_us is not null and automation.next_due_us <= :at
  and (:only_elapsed = 0 or automation.mark_anchor = 'E')
order by automation.next_due_us, automation.automation_id
limit :limit

-- coming_automations: automations that will be due by an instant, behind one of them, each with its timing
select automation.next_due_us, automation.automation_id, automation.mark_due_at_us, automation.mark_slot_key,
  automation.mark_anchor, automation.mark_zone, revision.timing
from automation join revision
  on revision.automation_id = automation.automation_id and revision.number = automation.revision
where automation.next_due_us is not null and automation.next_due_us <= :by
  and (automation.next_due_us, automation.automation_id) > (:after, :after_automation_id)
order by automation.next_due_us, automation.automation_id
limit :limit

-- next_due: the earliest due instant of all, or of those by elapsed time
select next_due_us from automation
where next_due_us is not null and (:only_elapsed = 0 or mark_anchor = 'E')
order by next_due_us limit 1

-- wall_automations: active automations by wall time, and those suspended for a reason, behind one, in order of their ids
select automation.automation_id, automation.next_due_us, case when automation.state = 'active' then 1 else 0 end,
  automation.mark_due_at_us, automation.mark_slot_key, automation.mark_anchor, automation.mark_zone, revision.timing
from automation join revision
  on revision.automation_id = automation.automation_id and revision.number = automation.revision
where automation.automation_id > :after
  and ((automation.state = 'active' and automation.mark_anchor = 'W')
    or (automation.state = 'suspended' and automation.state_reason = :reason))
order by automation.automation_id
limit :limit

-- record_mark: raise the watermark of an automation and move its next due instant, if both are as they were read
update automation
set mark_due_at_us = :mark_due_at_us, mark_slot_key = :mark_slot_key, mark_anchor = :mark_anchor, mark_zone = :mark_zone,
  next_due_us = :next_due_us, version = version + 1
where automation_id = :automation_id and version = :version and mark_due_at_us <= :mark_due_at_us
  and mark_due_at_us = :old_mark_due_at_us and mark_slot_key = :old_mark_slot_key
  and mark_anchor = :old_mark_anchor and mark_zone = :old_mark_zone

-- add_revision: add a revision once
insert into revision(automation_id, number, timing, work, definition, digest, schema_version, tzdata, actor,
  created_at_us)
values (:automation_id, :number, :timing, :work, :definition, :digest, :schema_version, :tzdata, :actor,
  :created_at_us)
on conflict do nothing

-- revision: one revision
select automation_id, number, timing, work, definition, digest, schema_version, tzdata, actor, created_at_us
from revision
where automation_id = :automation_id and number = :number

-- revisions: all revisions of an automation, oldest first
select automation_id, number, timing, work, definition, digest, schema_version, tzdata, actor, created_at_us
from revision
where automation_id = :automation_id
order by number

-- zones_in_use: every zone that a workspace or a watermark names; reads all automations, once for each start
select zone from workspace union select mark_zone from automation order by 1

-- path_owner: who publishes to a path
select automation_id from path_owner where workspace_id = :workspace_id and path = :path

-- path_owners_between: who publishes to the paths of a range, and those paths
select path, automation_id from path_owner
where workspace_id = :workspace_id and path >= :least and path < :most
order by path

-- paths_of: the paths that an automation publishes to
select path from path_owner where automation_id = :automation_id order by path

-- add_path_owner: give a path that nobody owns to an automation
insert into path_owner(workspace_id, path, automation_id, at_us)
values (:workspace_id, :path, :automation_id, :at)
on conflict do nothing

-- release_paths: give up every path of an automation
delete from path_owner where automation_id = :automation_id
