-- Used to find the names of the sealing keys in use without reading every secret.
create index if not exists daemon_secrets_key_index on daemon_secrets (split_part(sealed, '.', 1) collate "C");

alter table daemon_secrets enable row level security;
create policy poller on daemon_secrets to inventory_poller using (true);
grant select on daemon_secrets to inventory_poller;
