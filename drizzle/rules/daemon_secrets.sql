alter table daemon_secrets enable row level security;
create policy poller on daemon_secrets to inventory_poller using (true);
grant select on daemon_secrets to inventory_poller;
