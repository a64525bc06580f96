alter table user_api_key_networks enable row level security;
create policy tenant on user_api_key_networks to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on user_api_key_networks to inventory_api;

-- Restrictions on keys.
create trigger refuse_part_of_higher_key after insert or delete on user_api_key_networks
  for each row execute function app.refuse_part_of_higher_key();
create trigger refuse_replaced_plaintext before insert or update or delete on user_api_key_networks
  for each statement when (current_user = 'inventory_api') execute function app.refuse_replaced_plaintext();
