-- audit_head: the newest row of a scope
select seq, hash from audit where scope = :scope order by seq desc limit 1

-- audit_add: append a row to a scope
insert into audit(scope, seq, at_us, actor, kind, body, hash) values (:scope, :seq, :at, :actor, :kind, :body, :hash)

-- audit_chains: every row, chain after chain, oldest first
select scope, seq, at_us, actor, kind, body, hash from audit order by scope, seq
