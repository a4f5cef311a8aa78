-- audit_head: the newest row of a scope
select seq, hash from audit where scope = :scope order by seq desc limit 1

-- audit_add: append a row to a scope
insert into audit(scope, seq, at_us, actor, kind, body, hash) values (:scope, :seq, :at, :actor, :kind, :body, :hash)

-- revisions_recorded: every revision, beside what the audit said when it was made
select revision.automation_id, revision.number, revision.definition, revision.timing, revision.work, revision.digest, audit.body
from revision left join audit on audit.scope = :scope_of || revision.automation_id
  and audit.at_us = revision.created_at_us and (audit.kind = :created or audit.kind = :edited)

-- audit_chains: every row, chain after chain, oldest first
select scope, seq, at_us, actor, kind, body, hash from audit order by scope, seq
