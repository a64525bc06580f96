alter table tags enable row level security;
create policy tenant on tags to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on tags to inventory_api;
grant update (name, description, color) on tags to inventory_api;

-- Every change advances updated_at and increments revision.
create trigger touch before update on tags
  for each row execute function app.touch();

-- Restrictions on keys.
create trigger refuse_limited_key before insert or update or delete on tags
  for each statement execute function app.refuse_limited_key();
