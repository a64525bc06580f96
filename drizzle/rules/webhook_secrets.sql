alter table webhook_secrets enable row level security;
create policy poller on webhook_secrets to inventory_poller using (true);
grant select on webhook_secrets to inventory_poller;
