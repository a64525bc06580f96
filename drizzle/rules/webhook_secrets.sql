-- Used to find the names of the sealing keys in use without reading every secret.
create index if not exists webhook_secrets_key_index on webhook_secrets (split_part(sealed, '.', 1) collate "C");

alter table webhook_secrets enable row level security;
create policy poller on webhook_secrets to inventory_poller using (true);
grant select on webhook_secrets to inventory_poller;
