-- schema_meta_read: which schema the ledger has, and who may read and write it
select version, min_reader, min_writer from schema_meta where one = 1

-- schema_meta_write: record that a migration was done
insert into schema_meta(one, version, min_reader, min_writer, application, migrated_at_us)
values (1, :version, :min_reader, :min_writer, 'duly', :at)
on conflict (one) do update set version = excluded.version, min_reader = excluded.min_reader,
  min_writer = excluded.min_writer, migrated_at_us = excluded.migrated_at_us
