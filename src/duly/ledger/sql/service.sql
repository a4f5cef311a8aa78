-- setting: one setting
select value from setting where name = :name

-- record_setting: set a setting
insert into setting(name, value, at_us) values (:name, :value, :at)
on conflict (name) do update set value = excluded.value, at_us = excluded.at_us

-- add_node: note a start of the service, once
insert into node(owner, host, pid, boot_id, started_at_us, seen_at_us, scanned_at_us, stopped_at_us, tzdata)
values (:owner, :host, :pid, :boot_id, :started_at_us, :seen_at_us, :scanned_at_us, :stopped_at_us, :tzdata)
on conflict do nothing

-- nodes: a page of nodes, newest start first
select owner, host, pid, boot_id, started_at_us, seen_at_us, scanned_at_us, stopped_at_us, tzdata
from node
order by started_at_us desc, owner
limit :limit

-- record_node_seen: note that a node lives, and when it scanned
update node
set seen_at_us = :at, scanned_at_us = coalesce(:scanned_at_us, scanned_at_us)
where owner = :owner

-- record_node_stopped: note that a node stopped in good order
update node set seen_at_us = :at, stopped_at_us = :at where owner = :owner

-- add_notice: note something to tell a person, once
insert into notice(notice_id, kind, automation_id, run_id, body, state, tries, next_try_us, detail, created_at_us,
  ended_at_us)
values (:notice_id, :kind, :automation_id, :run_id, :body, :state, :tries, :next_try_us, :detail, :created_at_us,
  :ended_at_us)
on conflict do nothing

-- due_notices: of each automation the notice to send by now that was tried least and is longest due; in that order
select notice_id, kind, automation_id, run_id, body, state, tries, next_try_us, detail, created_at_us, ended_at_us
from (
  select notice.*, row_number() over (partition by automation_id order by tries, next_try_us, notice_id) as turn
  from notice
  where next_try_us is not null and next_try_us <= :at
) as ready
where turn = 1
order by tries, next_try_us, notice_id
limit :limit

-- next_notice_at: when the next notice is to be sent
select min(next_try_us) from notice where next_try_us is not null

-- next_notice_after: when the next notice is to be sent that is not due yet
select min(next_try_us) from notice where next_try_us is not null and next_try_us > :at

-- notice: one notice
select notice_id, kind, automation_id, run_id, body, state, tries, next_try_us, detail, created_at_us, ended_at_us
from notice
where notice_id = :notice_id

-- record_notice: set what came of a notice
update notice
set state = :state, tries = :tries, next_try_us = :next_try_us, detail = :detail, ended_at_us = :ended_at_us
where notice_id = :notice_id

-- notices: a page of notices, newest first
select notice_id, kind, automation_id, run_id, body, state, tries, next_try_us, detail, created_at_us, ended_at_us
from notice
order by created_at_us desc, notice_id desc
limit :limit

-- add_operation: keep the answer to a command, once
insert into operation(operation_id, name, request_sha256, result, actor, at_us)
values (:operation_id, :name, :request_sha256, :result, :actor, :at_us)
on conflict do nothing

-- operation: the answer to a command
select operation_id, name, request_sha256, result, actor, at_us
from operation
where operation_id = :operation_id

-- audit_events: a page of the events of a scope, oldest first
select scope, seq, at_us, actor, kind, body, hash
from audit
where scope = :scope and seq > :after_seq
order by seq
limit :limit
